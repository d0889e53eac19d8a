//! The message should say: which options do not go together with it, and what to do instead.

use exo_rails::prelude::*;

#[derive(Provided)]
struct Caller(String);

#[rail(on = [PreToolCall], concurrent, always)]
fn observes(call: &ToolCallInputs) {}

#[rail(on = [PreToolCall], concurrent, tool = "search")]
fn for_one_tool(call: &ToolCallInputs) {}

#[rail(on = [PreToolCall], concurrent, provides = [Caller])]
fn provides() -> Caller {
    Caller("ada".into())
}

#[rail(on = [PreToolCall], concurrent, needs = [Caller])]
fn needs(caller: &Caller) {}

#[rail(on = [PreToolCall], together = true)]
fn value(call: &ToolCallInputs) {}

fn main() {}
