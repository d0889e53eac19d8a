//! Tools whose arguments are a type, sets of them, and what comes back into a call when a rail has changed it.

use std::collections::{BTreeSet, HashSet};

use exo_rails::for_macros::OpenArgs;
use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails::{ArgsError, NoRails, tools};
use exo_rails_agent::ScriptedModel;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tests::GuardDyn;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Target {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Limits {
    #[serde(default)]
    files: u32,
    #[serde(default)]
    bytes: u64,
}

/// Deletes files.
#[derive(Clone, Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_files", schema = json!({ "type": "object" }))]
struct DeleteFiles {
    targets: Vec<Target>,
    #[serde(default)]
    recursive: bool,
    #[serde(default, alias = "why", skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default)]
    limits: Limits,
}

/// Finds something.
#[derive(Clone, Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
struct Search {
    query: String,
    #[serde(flatten)]
    page: Page,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Page {
    #[serde(default)]
    offset: u32,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

tools! {
    #[derive(Clone)]
    struct SupportTools {
        search: Search,
        delete_files: DeleteFiles,
    }
}

fn tools() -> SupportTools {
    SupportTools {
        search: Search::tool(|args| async move { Ok::<_, OperationError>(format!("nothing about {}", args.query)) }),
        delete_files: DeleteFiles::tool_with_permit(|args, call| async move {
            Ok::<_, OperationError>(format!("{}: {} gone", call.tool_name, args.targets.len()))
        }),
    }
}

/// What the model reads from its tools.
async fn told(script: &str) -> Vec<String> {
    let model: ScriptedModel = script.parse().unwrap();
    let output = tests::agent("support", model).tools(tools()).build().run("hello").await.unwrap();
    let told = output.messages.iter().filter(|message| message.role == Role::Tool);
    told.map(|message| message.text().into_owned()).collect()
}

#[tokio::test]
async fn an_agent_runs_a_set_of_tools() {
    let script = r#"[
        { "call": [
            { "tool": "search", "arguments": { "query": "orders" } },
            { "tool": "delete_files", "arguments": { "targets": [{ "path": "a" }] } }
        ] },
        { "say": "done" }
    ]"#;
    assert_eq!(told(script).await, ["nothing about orders", "delete_files: 1 gone"]);
}

#[tokio::test]
async fn the_model_reads_the_place_of_arguments_that_do_not_fit() {
    let script = r#"[
        { "call": [
            { "tool": "delete_files", "arguments": { "targets": [{ "path": "a" }, { "path": 5 }] } },
            { "tool": "delete_files", "arguments": {} },
            { "tool": "delete_files", "arguments": [[]] }
        ] },
        { "say": "done" }
    ]"#;
    let told = told(script).await;
    let expected = [
        "do not fit `DeleteFiles`: at `targets[1].path`: invalid type: integer `5`, expected a string (invalid request)",
        "do not fit `DeleteFiles`: missing field `targets` (invalid request)",
        "are a list: an object is expected (invalid request)",
    ];
    for (told, expected) in told.iter().zip(expected) {
        assert_eq!(*told, format!("The call of `delete_files` failed: the arguments of `delete_files` {expected}"));
    }
    assert_eq!(told.len(), expected.len());
}

#[tokio::test]
async fn a_set_runs_the_tool_that_a_call_names() {
    let (tools, mut ctx) = (tools(), RunContext::new("tests"));
    let call = ToolCallInputs::of(&Search { query: "a".into(), page: Page { offset: 0, rest: Map::new() } }).unwrap();
    let output = NoRails.dyn_tool_call(call, &mut ctx, |call| tools.call(call)).await.unwrap();
    assert_eq!(output.content, "nothing about a");
    let call = ToolCallInputs::new("serch");
    let output = NoRails.dyn_tool_call(call, &mut ctx, |call| tools.call(call)).await.unwrap();
    assert_eq!(output.error_kind, Some(OperationErrorKind::NotFound));
    let expected = "there is no tool `serch`; the tools are `search`, `delete_files`";
    assert!(output.content.contains(expected), "{output:?}");
}

#[test]
fn the_specification_of_a_tool_follows_from_its_arguments() {
    let specs = tools().specs();
    assert_eq!(specs[1].function.name, "delete_files");
    assert_eq!(specs[1].function.description, "Deletes files.");
    assert_eq!(specs[1].function.parameters, json!({ "type": "object" }));
    assert_eq!(SupportTools::NAMES, ["search", "delete_files"]);
}

/// The arguments after a rail has changed them.
fn changed<T: ToolArgs>(arguments: Value, change: impl FnOnce(&mut T)) -> Result<Value, ArgsError> {
    let mut call = ToolCallInputs::new(T::NAME).with_arguments(arguments);
    let mut open = OpenArgs::<T>::open(&call)?;
    change(&mut open.args);
    open.write_back(&mut call)?;
    Ok(call.arguments)
}

#[test]
fn only_the_changes_of_a_rail_are_written_into_the_arguments() {
    type Change = fn(&mut DeleteFiles);
    let cases: [(Value, Change, Value); 8] = [
        // Defaults that were not touched are not added, and what the type does not know stays.
        (
            json!({ "targets": [], "x": 1 }),
            |args| args.recursive = true,
            json!({ "targets": [], "x": 1, "recursive": true }),
        ),
        (
            json!({ "targets": [], "recursive": true }),
            |args| args.recursive = false,
            json!({ "targets": [], "recursive": false }),
        ),
        // Inside an object as well.
        (
            json!({ "targets": [], "limits": { "files": 3, "x": [1] } }),
            |args| args.limits.files = 1,
            json!({ "targets": [], "limits": { "files": 1, "x": [1] } }),
        ),
        // An object that was left out is written as a whole.
        (
            json!({ "targets": [] }),
            |args| args.limits.files = 1,
            json!({ "targets": [], "limits": { "files": 1, "bytes": 0 } }),
        ),
        // In the items of a list as well.
        (
            json!({ "targets": [{ "path": "a", "x": 1 }, { "path": "b" }] }),
            |args| args.targets[1].path = "c".into(),
            json!({ "targets": [{ "path": "a", "x": 1 }, { "path": "c" }] }),
        ),
        // What went away is removed.
        (json!({ "targets": [], "reason": "old" }), |args| args.reason = None, json!({ "targets": [] })),
        // Under an alias as well.
        (json!({ "targets": [], "why": "old" }), |args| args.reason = None, json!({ "targets": [] })),
        (
            json!({ "targets": [], "why": "old" }),
            |args| args.reason = Some("new".into()),
            json!({ "targets": [], "why": "new" }),
        ),
    ];
    for (arguments, change, expected) in cases {
        assert_eq!(changed(arguments.clone(), change).unwrap(), expected, "{arguments}");
    }
}

#[test]
fn flattened_fields_are_at_their_place() {
    let arguments = json!({ "query": "a", "unknown": { "b": 1 } });
    let offset = |args: &mut Search| args.page.offset = 5;
    assert_eq!(
        changed(arguments.clone(), offset).unwrap(),
        json!({ "query": "a", "unknown": { "b": 1 }, "offset": 5 })
    );
    let forget = |args: &mut Search| args.page.rest.clear();
    assert_eq!(changed(arguments, forget).unwrap(), json!({ "query": "a" }));
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "tag", schema = json!({ "type": "object" }))]
struct Tag {
    tags: HashSet<String>,
}

#[test]
fn arguments_with_an_unordered_set_can_be_changed() {
    let tags: Vec<_> = (0..20).map(|i| format!("tag {i}")).collect();
    let arguments = json!({ "tags": tags, "x": 1 });
    assert_eq!(changed(arguments.clone(), |_: &mut Tag| {}).unwrap(), arguments);
    let written = changed(arguments, |args: &mut Tag| _ = args.tags.remove("tag 3")).unwrap();
    let left: BTreeSet<_> = written["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap()).collect();
    assert_eq!((left.len(), left.contains("tag 3"), &written["x"]), (19, false, &json!(1)));
}

#[derive(Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "pay", schema = json!({ "type": "object" }))]
struct Pay {
    #[serde(default, rename(serialize = "amount", deserialize = "cents"))]
    cents: u32,
}

#[test]
fn a_change_that_would_not_be_read_is_an_error() {
    let mut call = ToolCallInputs::new("pay").with_arguments(json!({ "cents": 500 }));
    let mut open = OpenArgs::<Pay>::open(&call).unwrap();
    open.args.cents = 1;
    let error = open.write_back(&mut call).unwrap_err();
    let expected = "the arguments of `pay` would lose the changes of a rail: \
                    `Serialize` and `Deserialize` of `Pay` do not agree";
    assert_eq!(error.to_string(), expected);
    assert_eq!(call.arguments, json!({ "cents": 500 }));
}

proptest! {
    #[test]
    fn without_a_change_the_arguments_stay_as_they_are(
        paths in prop::collection::vec(".*", 0..4),
        recursive in prop::option::of(any::<bool>()),
        others in prop::collection::btree_map("x[a-z]{0,5}", any::<i64>(), 0..4),
    ) {
        let mut arguments = json!({ "targets": paths.iter().map(|path| json!({ "path": path })).collect::<Vec<_>>() });
        if let Some(recursive) = recursive {
            arguments["recursive"] = recursive.into();
        }
        for (name, value) in others {
            arguments[name] = value.into();
        }
        prop_assert_eq!(changed(arguments.clone(), |_: &mut DeleteFiles| {}).unwrap(), arguments.clone());
        // And with one, only that is another.
        let written = changed(arguments.clone(), |args: &mut DeleteFiles| args.recursive = !args.recursive).unwrap();
        arguments["recursive"] = (!recursive.unwrap_or_default()).into();
        prop_assert_eq!(written, arguments);
    }
}

/// Text that a value cannot hold is not JSON, even if other programs can read it: no tool runs with it.
#[tokio::test]
async fn arguments_that_are_not_json_run_no_tool() {
    let any = Tool::new("any", "Takes anything.", json!({}), |args: Value| async { Ok::<_, OperationError>(args) });
    for text in ["\"\\ud83d|\"", "{\"a\":1e400}", "[\"\\udc00\"]", "{\"a\":", "", "{} {}"] {
        let mut asked = exo_rails::message::ToolCall::new("c", "any", &Value::Null);
        asked.function.arguments = text.to_owned();
        let call = ToolCallInputs::asked_for(&asked);
        assert_eq!(call.arguments, json!(text));
        let output = NoRails.dyn_tool_call(call, &mut RunContext::new("any"), |call| any.call(call)).await.unwrap();
        assert!(output.content.contains("the arguments of `any` are not JSON"), "{text}: {output:?}");
    }
}
