//! Contexts, permissions, and their enforcement.

use exo_rails_dygram::Machine;
use exo_rails_machine::{ContextRules, Contexts};
use serde_json::{Map, Value, json};

struct Place {
    machine: Machine,
    rules: ContextRules,
    contexts: Contexts,
}

fn place(file: &str) -> Place {
    let machine = exo_rails_dygram::read("flow.dygram", file).machine;
    let (rules, contexts) = (ContextRules::of(&machine), Contexts::first(&machine));
    Place { machine, rules, contexts }
}

impl Place {
    fn read(&self, node: &str, context: &str, fields: &[&str]) -> Result<Value, String> {
        let grants = self.rules.grants(&self.machine, self.machine.find(node).unwrap());
        let fields: Vec<_> = fields.iter().map(|field| (*field).to_owned()).collect();
        self.contexts.read(&self.rules, &grants, context, &fields).map_err(|error| error.to_string())
    }

    fn write(&mut self, node: &str, context: &str, data: Value) -> Result<usize, String> {
        let grants = self.rules.grants(&self.machine, self.machine.find(node).unwrap());
        let data: Map<String, Value> = serde_json::from_value(data).unwrap();
        let written = self.contexts.write(&self.rules, &grants, context, data);
        written.map(|written| written.len()).map_err(|error| error.to_string())
    }
}

const FILE: &str = r#"
Context job { title<string>: "Tea"; errorCount<number>: 0; tags<Array<string>>: "[]"; }
Context notes;
Task reader { prompt: "Read"; } Task writer { prompt: "Write"; } Task keeper { prompt: "Keep"; }
reader -read: title-> job;
writer -write: errorCount, tags-> job;
keeper -stores-> job;
keeper -writes-> notes;
"#;

#[test]
fn values_in_quotes_have_the_type_of_their_field() {
    let place = place(
        "Context c { a<array>: \"[1]\"; o<object>: \"{}\"; n<number>: \"3\"; s<string>: \"[]\"; b<boolean>: true; }",
    );
    let fields = Value::Object(place.contexts.fields("c").unwrap().clone());
    assert_eq!(fields, json!({ "a": [1], "o": {}, "n": 3, "s": "[]", "b": true }));
}

#[test]
fn a_node_reads_only_the_fields_of_its_permission() {
    let place = place(FILE);
    assert_eq!(place.read("reader", "job", &[]), Ok(json!({ "title": "Tea" })));
    assert_eq!(place.read("reader", "job", &["title"]), Ok(json!({ "title": "Tea" })));
    let refused = "this node may not read `errorCount` of `job`, but it may read `title`";
    assert_eq!(place.read("reader", "job", &["title", "errorCount"]), Err(refused.to_owned()));
    assert_eq!(
        place.read("reader", "notes", &[]),
        Err("this node may not read `notes`, but it may read `job`".to_owned())
    );
}

/// Upstream writes the names of fields in lower case, so `errorCount` never matches there.
#[test]
fn the_case_of_letters_matters() {
    let mut place = place(FILE);
    assert_eq!(place.write("writer", "job", json!({ "errorCount": 1 })), Ok(1));
    let refused = "this node may not write `errorcount` of `job`, but it may write `errorCount`, `tags`";
    assert_eq!(place.write("writer", "job", json!({ "errorcount": 2 })), Err(refused.to_owned()));
    assert!(place.write("writer", "Job", json!({ "errorCount": 2 })).is_err());
    assert_eq!(place.contexts.get("job", "errorCount"), Some(&json!(1)));
}

#[test]
fn several_fields_are_written_together_or_not_at_all() {
    let mut place = place(FILE);
    let refused = "this node may not write `title` of `job`, but it may write `errorCount`, `tags`";
    assert_eq!(place.write("writer", "job", json!({ "errorCount": 5, "title": "Coffee" })), Err(refused.to_owned()));
    assert_eq!(place.contexts.get("job", "errorCount"), Some(&json!(0)));
    assert_eq!(place.write("writer", "job", json!({ "errorCount": 5, "tags": ["a"] })), Ok(2));
    assert_eq!(place.contexts.revision(), 1);
}

#[test]
fn the_permission_store_allows_writing_and_forbids_reading() {
    let mut place = place(FILE);
    assert_eq!(place.write("keeper", "job", json!({ "title": "Coffee" })), Ok(1));
    assert_eq!(
        place.read("keeper", "job", &[]),
        Err("this node may not read `job`, but it may read `notes`".to_owned())
    );
}

#[test]
fn values_have_the_type_of_their_field() {
    let mut place = place(FILE);
    let refused = "`tags` of `job` has the type `Array<string>`, and the value is a string";
    assert_eq!(place.write("writer", "job", json!({ "tags": "a" })), Err(refused.to_owned()));
    assert!(place.write("writer", "job", json!({ "tags": [1] })).is_err());
    assert!(place.write("writer", "job", json!({ "errorCount": "3" })).is_err());
}

#[test]
fn a_context_without_declared_fields_accepts_any_field() {
    let mut place = place(FILE);
    assert_eq!(place.write("keeper", "notes", json!({ "anything": [1, 2] })), Ok(1));
    assert_eq!(place.read("keeper", "notes", &[]), Ok(json!({ "anything": [1, 2] })));
    let unknown = "`job` has no field `titel`: write `title`";
    assert_eq!(place.write("keeper", "job", json!({ "titel": "" })), Err(unknown.to_owned()));
}

#[test]
fn a_label_that_contains_the_name_of_a_permission_gives_no_access() {
    let mut place = place("Context c { a: 1; } Task t { prompt: \"x\"; } t -reset-> c;");
    assert!(place.write("t", "c", json!({ "a": 2 })).is_err());
}

#[test]
fn children_may_read_a_context_that_their_parent_may_write() {
    let file = "Context c { a<number>: 1; } Process p { Task t { prompt: \"x\"; } } p -writes-> c;";
    let mut place = place(file);
    assert_eq!(place.read("p.t", "c", &[]), Ok(json!({ "a": 1 })));
    assert!(place.write("p.t", "c", json!({ "a": 2 })).is_err());
}
