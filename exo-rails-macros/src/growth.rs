//! How much the macros write: what they write is what the compiler has to read, resolve and check.

use crate::testing::{count, tokens};
use crate::{chain, rail};

/// The tokens that a rail adds to its function.
fn of_a_rail(args: &str, function: &str) -> usize {
    count(&rail::rail(tokens(args), tokens(function))) - count(&tokens(function))
}

/// The tokens of a chain of so many rails.
fn of_a_chain(rails: usize) -> usize {
    let rails: Vec<_> = (0..rails).map(|i| format!("rail_{i}")).collect();
    count(&chain::rail_chain(tokens(&rails.join(", "))))
}

/// The tokens that each further rail adds to a chain, rounded up.
fn of_a_slot(fewer: usize, more: usize) -> usize {
    (of_a_chain(more) - of_a_chain(fewer)).div_ceil(more - fewer)
}

/// A rail on one event, of the kind that agents have.
const RAIL: &str =
    "async fn audit(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction { RailAction::Continue }";

#[test]
fn a_rail_is_small() {
    let (one, two) = (of_a_rail("on = [PreToolCall]", RAIL), of_a_rail("on = [PreToolCall, PostToolCall]", RAIL));
    // Recorded: 440 tokens, and 279 for each further event.
    assert!(one <= 450, "a rail on one event adds {one} tokens to its function");
    assert!(two - one <= 285, "a rail adds {} tokens for its second event", two - one);
}

#[test]
fn a_chain_is_small() {
    // Recorded: 1102 tokens for an unnamed chain of one rail. 93 of them make it `Clone`, `Copy` and `Debug`.
    let chain = of_a_chain(1);
    assert!(chain <= 1117, "a chain of one rail has {chain} tokens");
}

#[test]
fn a_chain_grows_with_its_rails_and_no_faster() {
    // Recorded: 235, 156, 159 and 158 tokens for each further rail. The first have steps at all events; from nine on,
    // there are none at the rare ones.
    let [few, some, many, most] =
        [(1, 10), (10, 50), (50, 200), (200, 400)].map(|(fewer, more)| of_a_slot(fewer, more));
    assert!(few <= 240 && some <= 160 && many <= 163, "each further rail adds {few}, {some} and {many} tokens");
    // From 64 on, an event has a walk more for each 64 rails: a constant and a type, shared by them.
    assert!(many <= some + 8, "each further rail of many adds {many} tokens, and of some {some}");
    assert!(most <= many, "each further rail of most adds {most} tokens, and of many {many}");
}
