//! Conditions: what they read, and that an error is never true.

use exo_rails_machine::{Condition, Contexts, Facts};
use serde_json::{Value, json};

use crate::helper::run;

const CONTEXTS: &str = r#"
Context metrics { quality<number>: 0.95; runs<integer>: 3; name<string>: "false"; inner<object>: { deep: 5; }; }
Context notes;
Context other { runs: 7; }
Context hidden { secret: 1; }
Context left { both: 1; }
Context right { both: 1; }
Task check { limit: 4; prompt: "x"; } State done;
check -reads-> metrics; check -reads-> notes; check -reads-> left; check -reads-> right;
"#;

/// Evaluates `label`, which is `when: "…"` or similar.
fn met(label: &str, change: impl FnOnce(&mut Contexts), errors: &[String]) -> Result<bool, String> {
    let file = format!("{CONTEXTS}\ncheck -{label}-> done;");
    let machine = exo_rails_dygram::read("flow.dygram", &file).machine;
    let edge = machine.edges().last().unwrap();
    let check = machine.find("check").unwrap();
    let mut contexts = Contexts::first(&machine);
    change(&mut contexts);
    let condition = Condition::of(&machine, check, edge).map_err(|error| error.cause)?.unwrap();
    let facts = Facts { errors, node: "check", item: None };
    condition.is_met(&contexts, &facts).map_err(|error| error.cause)
}

fn when(text: &str) -> Result<bool, String> {
    met(&format!("when: '{text}'"), |_| {}, &[])
}

#[test]
fn conditions_read_contexts_attributes_and_built_in_names() {
    let cases = [
        (r"metrics.quality > 0.9", true),
        (r"metrics.runs > 2.5", true),
        (r"metrics.runs == 3.0", true),
        (r"quality > 0.9", true),
        (r"metrics.inner.deep == 5", true),
        (r"inner.deep == 5", true),
        (r#"metrics.name == "false""#, true),
        (r"metrics.quality === 0.95 && metrics.runs !== 4", true),
        (r"{{metrics.quality}} < 0.5", false),
        (r"check.limit == 4", true),
        (r"errorCount == 0 && size(errors) == 0", true),
        (r#"activeState == "check""#, true),
        (r"has(metrics.quality) && !has(metrics.missing)", true),
        (r"hidden.secret == 1", true),
        (r"has(metrics.missing)", false),
        // Parts of a context and the whole, in one condition.
        (r#"metrics["runs"] == 3 && metrics.quality > 0.9"#, true),
        (r#"metrics.inner["deep"] == metrics.inner.deep && metrics.inner == {"deep": 5}"#, true),
        (r"has(metrics.inner.deep) && !has(metrics.inner.none) && metrics.inner.deep == 5", true),
        (r#"has(metrics.runs) && metrics["runs"] == 3 && metrics.quality > 0.9"#, true),
        // A variable of a macro hides a context.
        (r#"[{"quality": 2}].all(metrics, metrics.quality == 2) && metrics.quality < 1.0"#, true),
        (r#"[metrics].exists(m, m.quality < 1.0 && m.name.startsWith("f"))"#, true),
        (r#"metrics.name.startsWith("f") && size(metrics.name) == 5"#, true),
    ];
    for (text, expected) in cases {
        assert_eq!(when(text), Ok(expected), "{text}");
    }
}

#[test]
fn the_label_unless_negates_and_the_label_if_equals_when() {
    assert_eq!(met(r#"unless: "metrics.quality > 0.9""#, |_| {}, &[]), Ok(false));
    assert_eq!(met(r#"if: "metrics.quality > 0.9""#, |_| {}, &[]), Ok(true));
}

/// In upstream, each of these takes the edge: its evaluator turns the error object of its CEL library into `true`.
#[test]
fn an_error_is_never_true() {
    let cases = [
        ("undefinedVar == 5", "Undeclared reference to 'undefinedVar'"),
        ("!(missing > 0)", "Undeclared reference to 'missing'"),
        ("metrics.missing > 1", "No such key: missing"),
        ("metrics.quality > 2.0 || metrics.missing > 1", "No such key: missing"),
        ("metrics.inner.none == 5", "No such key: none"),
        ("metrics.runs / 0 == 1", "Division by zero"),
        ("metrics.name > 3", ""),
        ("metrics.quality", "the result is a"),
        ("metrics.name", "the result is a string, not a boolean"),
        ("metrics.runs", ""),
    ];
    for (text, cause) in cases {
        let error = when(text).expect_err(text);
        assert!(error.contains(cause), "{text}: {error}");
    }
    // `unless` does not turn an error into true either.
    assert!(met(r#"unless: "missing > 0""#, |_| {}, &[]).is_err());
}

#[test]
fn values_of_different_types_are_not_equal() {
    assert_eq!(when(r#"metrics.runs == "3""#), Ok(false));
    assert_eq!(when("metrics.runs == null"), Ok(false));
}

#[test]
fn a_field_alone_means_the_only_one_that_the_node_may_read() {
    // `other.runs` exists too, but the node may not read it.
    assert_eq!(when("runs == 3"), Ok(true));
    let twice = when("both == 1").unwrap_err();
    assert_eq!(twice, "several contexts have a field `both`: write `left.both` or `right.both`");
    // `notes` declares no fields. What an agent writes there changes nothing.
    assert_eq!(met(r#"when: "runs == 3""#, |contexts| contexts.set("notes", "runs", 1), &[]), Ok(true));
    assert!(when("secret == 1").is_err());
}

#[test]
fn a_condition_can_read_written_fields_of_an_open_context() {
    assert!(when("notes.count > 1").is_err());
    assert_eq!(met(r#"when: "notes.count > 1""#, |contexts| contexts.set("notes", "count", 2), &[]), Ok(true));
    assert_eq!(met(r#"when: "count > 1""#, |contexts| contexts.set("notes", "count", 2), &[]), Ok(true));
}

#[test]
fn errors_are_counted() {
    let errors = ["a".to_owned(), "b".to_owned()];
    assert_eq!(met(r#"when: "errorCount > 1""#, |_| {}, &errors), Ok(true));
}

/// Upstream calls a condition simple if its text does not contain words such as `tool` and `call`, so it treats `toolRuns` as
/// not simple.
#[test]
fn names_that_contain_keywords_are_ordinary_names() {
    let set = |contexts: &mut Contexts| {
        contexts.set("notes", "toolRuns", 1);
        contexts.set("notes", "callbackCount", Value::from(2));
    };
    assert_eq!(met(r#"when: "toolRuns < callbackCount""#, set, &[]), Ok(true));
}

#[test]
fn lists_are_searched() {
    let set = |contexts: &mut Contexts| contexts.set("notes", "items", json!([{ "n": 1 }, { "n": 5 }]));
    assert_eq!(met(r#"when: "notes.items.exists(item, item.n > 4)""#, set, &[]), Ok(true));
}

/// Returns the error of a machine whose first edge has this condition, or the end.
async fn result_of(condition: &str, list: usize) -> String {
    let list = format!("[{}]", vec!["0"; list].join(","));
    let file = format!(
        "Context c {{ n<number>: 0; b<boolean>: true; l<array>: {list}; }} State a; State d; End e; a -reads-> c;
         a -when: {condition:?}-> d; a -> e;"
    );
    match run(&file, "[]").await {
        Ok(done) => done.ended_at.join(""),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_nested_condition_does_not_exhaust_the_stack() {
    let (open, close) = ("(".repeat(60), ")".repeat(60));
    assert_eq!(result_of(&format!("{open}b{close}"), 1).await, "d");
    let (open, close) = ("[".repeat(55), "]".repeat(55));
    assert_eq!(result_of(&format!("{open}b{close} == {open}b{close}"), 1).await, "d");
    assert_eq!(result_of(&format!("n{} == 0", " + n".repeat(60)), 1).await, "d");
}

#[tokio::test]
async fn a_condition_that_would_take_too_long_is_an_error() {
    let nested = "l.all(w, l.all(x, l.all(y, l.all(z, w + x + y + z == 0))))";
    assert!(result_of(nested, 1_000).await.contains("4 nested macros, which would take too long"));
    assert_eq!(result_of("l.all(x, l.exists(y, x == y))", 100).await, "d");
    assert_eq!(result_of("l.all(x, x == 0)", 50_000).await, "d");
}
