//! What a rail changes in the arguments of a tool is written where the model has written it, and nothing else is touched.

use exo_rails::for_macros::OpenArgs;
use exo_rails::prelude::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Every way in which serde gives a field another name, or none.
#[derive(Clone, Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "move", schema = json!({ "type": "object" }))]
struct Move {
    #[serde(rename = "from_path", alias = "from", alias = "src/path")]
    from: String,
    #[serde(default, alias = "opts")]
    options: Options,
    #[serde(default, skip_serializing_if = "std::ops::Not::not", alias = "f")]
    force: bool,
    #[serde(default)]
    items: Vec<Item>,
    #[serde(flatten)]
    who: Who,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Options {
    #[serde(default, alias = "maxDepth")]
    depth: u32,
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "note")]
    comment: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Item {
    #[serde(alias = "p")]
    path: String,
    #[serde(default)]
    lines: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Who {
    #[serde(default, alias = "user")]
    caller: String,
}

/// What the tool gets of these arguments when a rail has changed them.
fn changed<T: ToolArgs>(arguments: &Value, change: impl FnOnce(&mut T)) -> Value {
    let mut call = ToolCallInputs::new(T::NAME).with_arguments(arguments.clone());
    let mut open = OpenArgs::<T>::open(&call).unwrap();
    change(&mut open.args);
    open.write_back(&mut call).unwrap();
    call.arguments
}

/// The arguments, what a rail does with them, and what the tool gets.
type Case<T> = (Value, fn(&mut T), Value);

fn check<T: ToolArgs, const N: usize>(cases: [Case<T>; N]) {
    for (arguments, change, expected) in cases {
        assert_eq!(changed(&arguments, change), expected, "{arguments}");
    }
}

#[test]
fn a_field_keeps_the_name_that_the_model_used() {
    check::<Move, 12>([
        (json!({ "from_path": "a", "x": 1 }), |args| args.from.push('!'), json!({ "from_path": "a!", "x": 1 })),
        (json!({ "from": "a", "x": 1 }), |args| args.from.push('!'), json!({ "from": "a!", "x": 1 })),
        (json!({ "src/path": "a", "~": [1] }), |args| args.from.push('!'), json!({ "src/path": "a!", "~": [1] })),
        // What is gone is gone under its other name, too.
        (json!({ "from": "a", "f": true, "x": 1 }), |args| args.force = false, json!({ "from": "a", "x": 1 })),
        (
            json!({ "from": "a", "options": { "note": "n", "x": 1 } }),
            |args| args.options.comment = None,
            json!({ "from": "a", "options": { "x": 1 } }),
        ),
        // What was nothing under another name is something under that name.
        (
            json!({ "from": "a", "options": { "note": null, "x": 1 } }),
            |args| args.options.comment = Some("c".into()),
            json!({ "from": "a", "options": { "note": "c", "x": 1 } }),
        ),
        // Inside an object that has another name, with what stands there beside it.
        (
            json!({ "from": "a", "opts": { "maxDepth": 3, "x": 1 }, "y": 2 }),
            |args| args.options.depth = 1,
            json!({ "from": "a", "opts": { "maxDepth": 1, "x": 1 }, "y": 2 }),
        ),
        // Several at once.
        (
            json!({ "from": "a", "opts": { "maxDepth": 3, "x": 1 }, "f": true, "y": 2 }),
            |args| (args.from, args.options.depth, args.force) = ("b".into(), 1, false),
            json!({ "from": "b", "opts": { "maxDepth": 1, "x": 1 }, "y": 2 }),
        ),
        // In a flattened struct.
        (
            json!({ "from": "a", "user": "u", "x": 1 }),
            |args| args.who.caller.push('!'),
            json!({ "from": "a", "user": "u!", "x": 1 }),
        ),
        // In the items of a list.
        (
            json!({ "from": "a", "items": [{ "p": "a", "x": 1 }, { "path": "b", "y": 2 }] }),
            |args| args.items[0].path.push('!'),
            json!({ "from": "a", "items": [{ "p": "a!", "x": 1 }, { "path": "b", "y": 2 }] }),
        ),
        // An argument that the type ignores is no other name, whatever its value.
        (
            json!({ "from": "a", "zero": 0, "empty": "", "no": false }),
            |args| args.who.caller.push('!'),
            json!({ "from": "a", "zero": 0, "empty": "", "no": false, "caller": "!" }),
        ),
        (
            json!({ "from": "a", "options": { "maxDepth": 0, "zero": 0 }, "zero": 0 }),
            |args| args.options.depth = 1,
            json!({ "from": "a", "options": { "maxDepth": 1, "zero": 0 }, "zero": 0 }),
        ),
    ]);
}

#[test]
fn the_items_of_a_list_keep_unknown_fields() {
    let arguments =
        json!({ "from": "a", "items": [{ "path": "a", "x": 1 }, { "path": "b", "x": 2 }, { "path": "c" }] });
    let with = |items: Value| json!({ "from": "a", "items": items });
    let one = |path: &str| Item { path: path.into(), lines: 0 };
    let check = |change: &dyn Fn(&mut Vec<Item>), expected: Value| {
        assert_eq!(changed::<Move>(&arguments, |args| change(&mut args.items)), with(expected));
    };
    check(
        &|items| items[1].lines = 5,
        json!([{ "path": "a", "x": 1 }, { "path": "b", "x": 2, "lines": 5 }, { "path": "c" }]),
    );
    check(&|items| items.retain(|item| item.path != "a"), json!([{ "path": "b", "x": 2 }, { "path": "c" }]));
    check(&|items| items.swap(0, 1), json!([{ "path": "b", "x": 2 }, { "path": "a", "x": 1 }, { "path": "c" }]));
    check(&|items| items.reverse(), json!([{ "path": "c" }, { "path": "b", "x": 2 }, { "path": "a", "x": 1 }]));
    check(
        &|items| items.insert(0, one("d")),
        json!([{ "path": "d", "lines": 0 }, { "path": "a", "x": 1 }, { "path": "b", "x": 2 }, { "path": "c" }]),
    );
    check(&|items| items.truncate(1), json!([{ "path": "a", "x": 1 }]));
    // One that is changed and moved is another one: what belonged to the first does not come with it.
    check(
        &|items| {
            items.swap(0, 1);
            items[0].path = "d".into();
        },
        json!([{ "path": "d", "lines": 0 }, { "path": "a", "x": 1 }, { "path": "c" }]),
    );
}

/// What one variant ignores has a meaning in the other.
#[derive(Clone, Debug, Serialize, Deserialize, ToolArgs)]
#[tool(name = "run", schema = json!({ "type": "object" }))]
struct Run {
    #[serde(flatten)]
    how: How,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "how")]
enum How {
    Dry,
    Real {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
    },
}

#[test]
fn fields_of_another_variant_are_removed_when_the_variant_changes() {
    check::<Run, 2>([
        (
            json!({ "how": "Dry", "command": "rm", "trace": 7 }),
            |args| args.how = How::Real { command: None },
            json!({ "how": "Real", "trace": 7 }),
        ),
        (
            json!({ "how": "Real", "command": "rm", "trace": 7 }),
            |args| args.how = How::Dry,
            json!({ "how": "Dry", "trace": 7 }),
        ),
    ]);
}

#[test]
fn arguments_with_2000_names_are_written_back() {
    let mut arguments = json!({ "from": "a" });
    for i in 0..2_000 {
        arguments[format!("a{i}")] = json!(i);
    }
    let written = changed::<Move>(&arguments, |args| args.from.push('!'));
    assert_eq!(Args::<Move>::of(&ToolCallInputs::new("move").with_arguments(written)).unwrap().from, "a!");
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof!["x[a-z]{0,3}", Just("a/b".to_owned()), Just("~1".to_owned()), Just(String::new())]
}

proptest! {
    #[test]
    fn other_fields_stay_when_some_fields_change(
        names in (0_usize..3, 0_usize..2, 0_usize..2, 0_usize..2, 0_usize..2),
        others in prop::collection::btree_map(key(), -1_i64..2, 0..4),
        inner in prop::collection::btree_map(key(), -1_i64..2, 0..4),
        (from, depth, caller, path) in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
    ) {
        let (from_name, options_name) = (["from_path", "from", "src/path"][names.0], ["options", "opts"][names.1]);
        let (depth_name, path_name) = (["depth", "maxDepth"][names.2], ["path", "p"][names.3]);
        let caller_name = ["caller", "user"][names.4];
        let arguments = |from: &str, depth: u32, caller: &str, path: &str| {
            let (mut all, mut options, mut item) = (json!(others), json!(inner), json!(inner));
            (options[depth_name], item[path_name]) = (json!(depth), json!(path));
            (all[from_name], all[caller_name]) = (json!(from), json!(caller));
            (all[options_name], all["items"]) = (options, json!([item]));
            all
        };
        let written = changed::<Move>(&arguments("a", 3, "", "p"), |args| {
            if from { args.from = "b".into() }
            if depth { args.options.depth = 4 }
            if caller { args.who.caller = "c".into() }
            if path { args.items[0].path = "q".into() }
        });
        let pick = |is: bool, new, old| if is { new } else { old };
        let expected = arguments(pick(from, "b", "a"), if depth { 4 } else { 3 }, pick(caller, "c", ""), pick(path, "q", "p"));
        prop_assert_eq!(written, expected);
    }
}
