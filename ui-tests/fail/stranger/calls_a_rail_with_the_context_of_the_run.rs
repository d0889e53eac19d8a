//! The message should say: a `RunContext` lends a rail its context by `&` only. Run a rail that takes `&mut RailContext` with
//! `testing::at_in::<PreToolCall>(&rail_chain![risk], call, &mut ctx)`.

use exo_rails::prelude::*;

#[derive(Debug, PartialEq)]
struct Risk(u32);

#[rail(priority = 20, on = [PreToolCall])]
fn risk(call: &ToolCallInputs, ctx: &mut RailContext) {
    let amount = call.arguments["euros"].as_u64().unwrap_or(0);
    ctx.extra.insert(Risk(if amount > 1_000 { 80 } else { 10 }));
}

rail_chain! {
    struct WireRails { risk }
}

fn main() {
    let mut ctx = RunContext::new("test");
    let call = ToolCallInputs::new("wire").with_arguments(serde_json::json!({ "euros": 5_000 }));
    risk(&call, &mut ctx); // <- here
    assert_eq!(ctx.extra.get::<Risk>(), Some(&Risk(80)));
    let _ = WireRails;
}
