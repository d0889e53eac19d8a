//! The arguments of tool calls: as a model writes them, as rails change them, as the tool receives them.

#![no_main]

use std::collections::BTreeSet;
use std::sync::Mutex;

use exo_rails::message::ToolCall;
use exo_rails::prelude::*;
use exo_rails::{Args, NoRails};
use futures_util::FutureExt;
use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToolArgs)]
#[tool(name = "order", schema = json!({ "type": "object" }))]
struct Order {
    file: Option<String>,
    #[serde(default)]
    limit: u64,
    #[serde(default)]
    ratio: f64,
    #[serde(default)]
    tags: BTreeSet<String>,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    mode: Mode,
    #[serde(default, rename = "dryRun", skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    name: String,
    #[serde(default)]
    count: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    All,
    Some {
        ids: Vec<u8>,
    },
    One(String),
}

/// The fields of an order.
const FIELDS: [&str; 7] = ["file", "limit", "ratio", "tags", "lines", "mode", "dryRun"];

/// A rail that makes the change that was drawn, and notes what it has left.
struct Changes {
    change: u8,
    left: Mutex<Option<Order>>,
}

#[rail(priority = 10)]
impl Changes {
    #[on(PreToolCall)]
    fn change(&self, args: &mut Args<Order>) {
        let order = &mut **args;
        match self.change % 10 {
            0 => {}
            1 => order.file = None,
            2 => order.file.get_or_insert_default().push('x'),
            3 => order.limit ^= 1,
            4 => order.ratio = 0.5,
            5 => drop(order.tags.insert("new".into())),
            6 => order.lines.truncate(1),
            7 => order.lines.push(Line { name: "new".into(), count: 1 }),
            8 => order.mode = Mode::Some { ids: vec![self.change] },
            _ => order.dry_run = !order.dry_run,
        }
        *self.left.lock().expect("nobody panics") = Some(order.clone());
    }
}

/// A rail that only observes.
#[rail(priority = 20, on = [PreToolCall])]
fn looks(args: &Args<Order>, ctx: &RailContext) {
    ctx.run.insert(Seen(Some((**args).clone())));
}

#[derive(Clone, Default)]
struct Seen(Option<Order>);

rail_chain! {
    struct Rails { changes: Changes, looks }
}

fuzz_target!(|data: &[u8]| {
    let [change, text @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mut asked = ToolCall::new("call-1", Order::NAME, &Value::Null);
    asked.function.arguments = text.to_owned();
    let call = ToolCallInputs::asked_for(&asked);
    match &call.arguments {
        Value::String(kept) if serde_json::from_str::<Value>(text).is_err() => assert_eq!(kept, text),
        arguments => assert_eq!(serde_json::from_str::<Value>(text).ok().as_ref(), Some(arguments)),
    }
    let typed = Args::<Order>::of(&call);
    if let Ok(args) = &typed {
        let printed = ToolCallInputs::of(&**args).expect("an order is JSON");
        assert_eq!(Args::<Order>::of(&printed).expect("what was printed is read"), *args);
    }
    guarded(&call, typed.ok().map(Args::into_inner), *change);
    unguarded(&call);
});

/// The tool receives what the last rail has left, or does not run.
fn guarded(call: &ToolCallInputs, typed: Option<Order>, change: u8) {
    let rails = Rails { changes: Changes { change, left: Mutex::default() } };
    let (received, passed) = (std::sync::Arc::new(Mutex::new(None)), Mutex::new(None));
    let note = std::sync::Arc::clone(&received);
    let tool = Order::tool(move |order| {
        *note.lock().expect("nobody panics") = Some(order);
        async { Ok::<_, OperationError>("done") }
    });
    let mut ctx = RunContext::new("fuzz");
    let run = |permit: Permit<ToolCallInputs>| {
        *passed.lock().expect("nobody panics") = Some((*permit).clone());
        tool.call(permit)
    };
    let result = rails.guard_tool_call(call.clone(), &mut ctx, run).now_or_never().expect("nobody waits");
    let received = received.lock().expect("nobody panics").take();
    let left = rails.changes.left.lock().expect("nobody panics").take();
    let Some(typed) = typed else {
        // Rails that take the arguments by their type are not asked about others, and the tool does not run.
        assert!(received.is_none() && left.is_none(), "{result:?}");
        return;
    };
    if let Some(received) = &received {
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(left.as_ref(), Some(received), "the tool receives what the last rail has left");
        assert_eq!(ctx.run.get::<Seen>().and_then(|seen| seen.0).as_ref(), Some(received));
    } else {
        assert!(result.is_err() || result.is_ok_and(|output| output.is_error));
    }
    let Some(passed) = passed.into_inner().expect("nobody panics") else { return };
    if left.as_ref() == Some(&typed) {
        assert_eq!(passed.arguments, call.arguments, "no rail has changed anything");
    }
    // A change keeps what the type does not know.
    for (name, value) in call.arguments.as_object().into_iter().flatten() {
        if !FIELDS.contains(&name.as_str()) {
            assert_eq!(passed.arguments.get(name), Some(value), "`{name}` is lost");
        }
    }
}

/// A tool of any arguments runs with what its rails have seen, and not with text that is not JSON or with a list.
fn unguarded(call: &ToolCallInputs) {
    let tool = Tool::new(Order::NAME, "", json!({}), |args: Value| async move { Ok::<_, OperationError>(args) });
    let mut ctx = RunContext::new("fuzz");
    let run = NoRails.guard_tool_call(call.clone(), &mut ctx, |call| tool.call(call));
    let output = run.now_or_never().expect("nobody waits").expect("a tool's failure is an output");
    let is_text = call.arguments.as_str().is_some_and(|text| serde_json::from_str::<Value>(text).is_err());
    assert_eq!(output.is_error, is_text || call.arguments.is_array(), "{output:?}");
    if !output.is_error {
        assert_eq!(output.content, call.arguments.to_string());
    }
}
