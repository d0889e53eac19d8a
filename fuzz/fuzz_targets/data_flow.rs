//! The guard of data flow: results and arguments that the fuzzer writes, around a value that must not pass.

#![no_main]

use std::sync::LazyLock;

use exo_rails::prelude::*;
use exo_rails_guards::{DataFlow, Findings, config};
use futures_util::FutureExt;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// The places of findings are in the arguments.
#[rail(priority = 50, on = [PreToolCall], always)]
fn places(call: &ToolCallInputs, ctx: &RailContext) {
    let findings = ctx.extra.get::<Findings>().map_or(&[][..], |findings| &findings.0);
    for finding in findings {
        let value = call.arguments.pointer(&finding.place.pointer).expect("the place is in the arguments");
        if let Some(bytes) = &finding.place.bytes {
            assert!(value.as_str().is_some_and(|text| text.get(bytes.clone()).is_some()), "{finding:?}");
        }
    }
}

rail_chain! { struct Rails { data_flow: DataFlow, places } }

static RAILS: LazyLock<Rails> = LazyLock::new(|| {
    let config = config::from_toml(
        "sources = [{ tool = 'fetch', label = 'web' }]
         sinks = [{ tool = 'send' }]
         sanitizers = [{ tool = 'check', arguments = '/value' }]",
    );
    let data_flow = config.and_then(DataFlow::new).expect("the configuration is valid");
    Rails { data_flow }
});

const TAINTED: &str = "quxley.zorvath@elsewhere.example";
const OTHER: &str = "vexmir@kolptan.example";

fn post(ctx: &mut RunContext, call: &ToolCallInputs, output: &str) {
    let event = (call, &mut ToolOutput::text(output));
    let _ = RAILS.dispatch::<PostToolCall>(event, ctx).now_or_never().expect("nobody waits").expect("no fault");
}

/// Returns whether the call runs.
fn runs(ctx: &mut RunContext, arguments: Value) -> bool {
    let mut call = ToolCallInputs::new("send").with_arguments(arguments);
    let decision =
        RAILS.dispatch::<PreToolCall>(&mut call, ctx).now_or_never().expect("nobody waits").expect("no fault");
    decision.is_continue()
}

fuzz_target!(|data: (String, String, String, String)| {
    let (result, front, back, field) = data;
    let mut ctx = RunContext::new("fuzz");
    // A value at the border of a letter is a part of a longer word.
    let result = format!("{result} {TAINTED} {OTHER} {back}");
    post(&mut ctx, &ToolCallInputs::new("fetch"), &result);
    let text = format!("{front} {TAINTED} {back}");
    let inner = json!({ "a": [text] }).to_string();
    for arguments in [json!({ "to": text }), json!({ &*field: [inner] }), json!({ text.as_str(): 1 }), json!(TAINTED)] {
        assert!(!runs(&mut ctx, arguments));
    }
    // What the fuzzer writes is judged without a panic, as JSON, too.
    let arguments = serde_json::from_str(&front).unwrap_or_else(|_| front.clone().into());
    runs(&mut ctx, arguments);
    // A cleared value passes alone, and no other one does.
    let mut ctx = RunContext::new("fuzz");
    post(&mut ctx, &ToolCallInputs::new("fetch"), &format!("{TAINTED} {OTHER}"));
    post(&mut ctx, &ToolCallInputs::new("check").with_arguments(json!({ "value": TAINTED })), &back);
    assert!(runs(&mut ctx, json!({ "to": TAINTED })));
    assert!(!runs(&mut ctx, json!({ "to": format!("{front} {OTHER}") })));
});
