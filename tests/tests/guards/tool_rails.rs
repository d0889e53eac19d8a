//! Rails for one tool: called for no other, with its arguments as a type.

use std::collections::HashMap;

use exo_rails::prelude::*;
use exo_rails::{NoRails, tools};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::{GuardDyn, Warnings, note, notes, rails};

/// Deletes a file.
#[derive(Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
struct DeleteFile {
    path: String,
    #[serde(default)]
    options: Options,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Options {
    #[serde(default)]
    depth: u32,
}

/// Finds files.
#[derive(Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
struct Search {
    query: String,
}

tools! { struct Tools { search: Search, delete_file: DeleteFile } }

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file", tools = Tools)]
async fn only_tmp(args: &mut Args<DeleteFile>, ctx: &mut RailContext) -> RailAction<ToolOutput> {
    note(ctx, format!("only_tmp {}", args.path));
    tokio::task::yield_now().await;
    if args.path.contains("..") {
        return RailAction::skip_with(ToolOutput::text("no"), "outside");
    }
    args.path.insert_str(0, "/tmp/");
    RailAction::Continue
}

#[rail(priority = 20, on = [PreToolCall, PostToolCall, ToolError], tool = "delete_file")]
fn log(call: &ToolCallInputs, args: &Args<DeleteFile>, ctx: &RailContext) {
    note(ctx, format!("log {} {} {}", ctx.event(), call.tool_name, args.path));
}

/// Untyped, and for one tool all the same.
#[rail(priority = 30, on = [PostToolCall], tool = "search")]
fn count(output: &mut ToolOutput, ctx: &RailContext) -> Verdict {
    note(ctx, "count");
    output.content.push('!');
    Verdict::Continue
}

struct Depth {
    most: u32,
}

#[rail(priority = 40, tools = Tools)]
impl Depth {
    #[on(PreToolCall, tool = "delete_file")]
    async fn deep(&self, args: &Args<DeleteFile>) -> Verdict {
        Verdict::abort_if(args.options.depth > self.most, "too deep")
    }

    #[on(PostToolCall, tool = "search")]
    fn found(args: &Args<Search>, ctx: &RailContext) {
        note(ctx, format!("found {}", args.query));
    }
}

rail_chain! {
    #[chain(tools = Tools)]
    struct Guards { only_tmp, log, count, depth: Depth }
}

fn guards() -> Guards {
    Guards { depth: Depth { most: 3 } }
}

fn manager() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(Depth { most: 3 }).unwrap();
    manager.add(count {}).unwrap();
    manager.add(log {}).unwrap();
    manager.add(only_tmp {}).unwrap();
    manager
}

fn hooks() -> HookManager {
    let mut hooks = HookManager::new();
    guards().register(&mut hooks);
    hooks
}

/// The output of a call, or its error, and what the rails have noted.
async fn call(rails: &impl GuardSet, call: ToolCallInputs) -> (Result<String, String>, Vec<String>) {
    let mut ctx = RunContext::new("tools");
    let tool = |call: Permit<ToolCallInputs>| async move {
        Ok::<_, OperationError>(ToolOutput::text(call.arguments.to_string()))
    };
    let result = rails.guard_tool_call(call, &mut ctx, tool).await;
    let result = result.map(|output| output.content).map_err(|error| error.to_string());
    (result, notes(&ctx))
}

/// The same everywhere.
async fn everywhere(inputs: ToolCallInputs) -> (Result<String, String>, Vec<String>) {
    let expected = call(&guards(), inputs.clone()).await;
    assert_eq!(call(&manager(), inputs.clone()).await, expected, "RailManager");
    assert_eq!(call(&hooks(), inputs).await, expected, "HookManager");
    expected
}

fn delete(arguments: serde_json::Value) -> ToolCallInputs {
    ToolCallInputs::new("delete_file").with_arguments(arguments)
}

#[tokio::test]
async fn a_rail_for_a_tool_changes_arguments_and_keeps_unknown_fields() {
    let (result, notes) = everywhere(delete(json!({ "path": "a.txt", "trace": 7 }))).await;
    assert_eq!(result.as_deref(), Ok(r#"{"path":"/tmp/a.txt","trace":7}"#));
    assert_eq!(
        notes,
        ["only_tmp a.txt", "log pre_tool_call delete_file /tmp/a.txt", "log post_tool_call delete_file /tmp/a.txt"]
    );
}

#[tokio::test]
async fn a_rail_for_a_tool_is_not_called_for_another() {
    let (result, notes) = everywhere(ToolCallInputs::new("search").with_arguments(json!({ "query": "x" }))).await;
    assert_eq!(result.as_deref(), Ok(r#"{"query":"x"}!"#));
    assert_eq!(notes, ["count", "found x"]);
    let (result, notes) = everywhere(ToolCallInputs::new("delete_files")).await;
    assert!(result.is_ok() && notes.is_empty(), "{notes:?}");
}

#[tokio::test]
async fn a_rail_for_a_tool_can_skip_and_abort() {
    let (result, _) = everywhere(delete(json!({ "path": "../a" }))).await;
    assert_eq!(result.as_deref(), Ok("no"));
    let (result, _) = everywhere(delete(json!({ "path": "a", "options": { "depth": 4 } }))).await;
    assert_eq!(result, Err("rail `Depth` aborted at pre_tool_call: too deep".into()));
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_a_fault_with_the_place_in_the_json() {
    let (result, notes) = everywhere(delete(json!({ "path": "a", "options": { "depth": "deep" } }))).await;
    let expected = "rail `only_tmp` faulted at pre_tool_call: the arguments of `delete_file` do not fit `DeleteFile`: \
                    at `options.depth`: invalid type: string, expected u32";
    assert_eq!(result, Err(expected.into()));
    assert!(notes.is_empty(), "neither the rail nor the tool was called: {notes:?}");
}

#[tokio::test]
async fn an_observer_whose_arguments_do_not_fit_does_not_stop_the_run() {
    let (warnings, _guard) = Warnings::collect();
    let (result, notes) = call(&rails![log], delete(json!({ "path": 5 }))).await;
    assert_eq!(result.as_deref(), Ok(r#"{"path":5}"#));
    assert!(notes.is_empty());
    assert_eq!(warnings.seen().len(), 2, "before and after the call: {:?}", warnings.seen());
    assert!(
        warnings.seen()[0].contains("at `path`: invalid type: integer, expected a string"),
        "{:?}",
        warnings.seen()
    );
}

#[tokio::test]
async fn a_retry_begins_with_the_arguments_of_the_model() {
    #[rail(priority = 50, on = [PostToolCall], tool = "delete_file")]
    fn again(ctx: &RailContext) -> RailAction {
        if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("once more")) } else { RailAction::Continue }
    }
    let (result, notes) = call(&rails![only_tmp, again], delete(json!({ "path": "a" }))).await;
    assert_eq!(result.as_deref(), Ok(r#"{"path":"/tmp/a"}"#), "not /tmp//tmp/a");
    assert_eq!(notes, ["only_tmp a", "only_tmp a"]);
}

/// The type of the arguments is a parameter of the rail.
struct Logged<A>(std::marker::PhantomData<fn() -> A>);

#[rail]
impl<A: ToolArgs + std::fmt::Debug> Logged<A> {
    #[on(PreToolCall, tool = "search")]
    fn log(args: &Args<A>, ctx: &RailContext) {
        note(ctx, format!("{:?}", **args));
    }
}

#[tokio::test]
async fn the_type_of_the_arguments_may_be_a_parameter_of_the_rail() {
    let mut manager = RailManager::new();
    manager.add(Logged::<Search>(std::marker::PhantomData)).unwrap();
    let (_, notes) = call(&manager, ToolCallInputs::new("search").with_arguments(json!({ "query": "x" }))).await;
    assert_eq!(notes, [r#"Search { query: "x" }"#]);
}

#[tokio::test]
async fn always_rails_see_the_changes_of_a_rail_that_stopped_the_call() {
    #[rail(priority = 10, on = [PreToolCall], tool = "search")]
    fn change_and_stop(args: &mut Args<Search>) -> Verdict {
        args.query.push('!');
        Verdict::abort("no")
    }
    #[rail(priority = 20, on = [PreToolCall], tool = "search", always)]
    fn look(call: &ToolCallInputs, ctx: &RailContext) {
        let args = Args::<Search>::of(call).unwrap();
        note(ctx, format!("{} {:?}", args.query, ctx.stopped().map(|stopped| &stopped.rail_name)));
    }
    let rails = rails![change_and_stop, look];
    let (_, notes) = call(&rails, ToolCallInputs::new("search").with_arguments(json!({ "query": "x" }))).await;
    assert_eq!(notes, [r#"x! Some("change_and_stop")"#]);
}

/// Written and read under two names, so that what a rail changes cannot be kept.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "two_names", schema = json!({ "type": "object" }))]
struct TwoNames {
    #[serde(rename(serialize = "to"))]
    path: String,
}

#[tokio::test]
async fn an_abort_counts_even_if_the_changed_arguments_cannot_be_written() {
    #[rail(priority = 10, on = [PreToolCall], tool = "two_names")]
    fn change(args: &mut Args<TwoNames>) -> Verdict {
        args.path.push('!');
        Verdict::abort_if(args.path.starts_with("no"), "denied for a good reason")
    }
    let inputs = |path| ToolCallInputs::new("two_names").with_arguments(json!({ "path": path }));
    let (result, _) = call(&rails![change], inputs("no")).await;
    assert_eq!(result, Err("rail `change` aborted at pre_tool_call: denied for a good reason".into()));
    let (result, _) = call(&rails![change], inputs("yes")).await;
    assert!(result.unwrap_err().contains("would lose the changes of a rail"));
}

#[test]
fn arguments_that_are_only_looked_at_change_nothing() {
    assert!(<log as Rail>::REWRITES.is_empty());
    assert_eq!(<only_tmp as Rail>::REWRITES, [HookPoint::PreToolCall]);
}

/// Arguments of each shape in which a text of the model may not fit.
#[derive(Debug, Default, Serialize, Deserialize, ToolArgs)]
#[tool(name = "shapes", schema = json!({ "type": "object" }))]
#[serde(deny_unknown_fields, default)]
struct Shapes {
    number: u32,
    limits: HashMap<String, u32>,
    ports: HashMap<u16, u32>,
    pair: (u32, u32),
    list: Vec<Inner>,
    kind: Option<Kind>,
    #[serde(deserialize_with = "quoting")]
    checked: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Inner {
    flag: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Small,
    Sized(u8),
    Named { flag: bool },
}

/// Quotes what it refuses.
fn quoting<'de, D: serde::Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let text = String::deserialize(value)?;
    Err(serde::de::Error::custom(format!("missing field `{text}`, expected {text}")))
}

const SECRET: &str = "sk-live-4711";

#[tokio::test]
async fn only_the_model_reads_the_value_of_an_argument_that_does_not_fit() {
    let cases = [
        (json!({ "number": SECRET }), "at `number`: invalid type: string, expected u32"),
        (json!({ "limits": { SECRET: SECRET } }), "at `limits.*`: invalid type: string, expected u32"),
        (json!({ "ports": { SECRET: 1 } }), "at `ports`: invalid type: string, expected u16"),
        (json!({ "ports": { "80": SECRET } }), "at `ports.*`: invalid type: string, expected u32"),
        (json!({ "pair": [1, 2, SECRET] }), "at `pair`: invalid length 3, expected fewer elements in array"),
        (json!({ "list": [{}, { "flag": SECRET }] }), "at `list[0]`: missing field `flag`"),
        (
            json!({ "list": [{ "flag": true }, { "flag": SECRET }] }),
            "at `list[1].flag`: invalid type: string, expected a boolean",
        ),
        (json!({ "kind": SECRET }), "at `kind`: unknown variant, expected one of `small`, `sized`, `named`"),
        (json!({ "kind": { SECRET: 1 } }), "at `kind`: unknown variant, expected one of `small`, `sized`, `named`"),
        (json!({ "kind": { "sized": SECRET } }), "at `kind.sized`: invalid type: string, expected u8"),
        (
            json!({ "kind": { "named": { "flag": SECRET } } }),
            "at `kind.named.flag`: invalid type: string, expected a boolean",
        ),
        (json!({ "kind": { "small": SECRET } }), "at `kind`: invalid type: string, expected unit"),
        (json!({ "kind": [SECRET] }), "at `kind`: invalid type: sequence, expected string or map"),
        (json!({ "checked": SECRET }), "at `checked`: the type refuses the value"),
        (
            json!({ SECRET: 1 }),
            "unknown field, expected one of `number`, `limits`, `ports`, `pair`, `list`, `kind`, `checked`",
        ),
        (json!(SECRET), "invalid type: string, expected struct Shapes"),
        (json!([SECRET]), "the arguments of `shapes` are a list: an object is expected"),
    ];
    let tool = Shapes::tool(|_| async { Ok::<_, OperationError>("done") });
    for (arguments, expected) in cases {
        let call = ToolCallInputs::new("shapes").with_arguments(arguments.clone());
        let error = Args::<Shapes>::of(&call).unwrap_err();
        let beginning = "the arguments of `shapes` do not fit `Shapes`: ";
        let text = error.to_string();
        assert_eq!(text.strip_prefix(beginning).unwrap_or(&text), expected, "{arguments}");
        let (_, fault) = (call.clone(), RailFault::new("rail", HookPoint::PreToolCall, error));
        let mut source: Option<&dyn std::error::Error> = Some(&fault);
        while let Some(error) = source {
            assert!(!format!("{error} {error:?}").contains("4711"), "{error:?}");
            source = error.source();
        }
        // The model reads what serde says.
        let output = NoRails.dyn_tool_call(call, &mut RunContext::new("tests"), |call| tool.call(call)).await.unwrap();
        assert!(output.is_error);
        if arguments["number"] == SECRET {
            assert!(
                output.content.contains("at `number`: invalid type: string \"sk-live-4711\", expected u32"),
                "{}",
                output.content
            );
        }
    }
}
