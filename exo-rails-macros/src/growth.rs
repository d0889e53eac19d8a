//! Tests how many tokens the macros write. The compiler must read, resolve and check all of them.

use crate::testing::{count, tokens};
use crate::{chain, rail};

/// Returns the number of tokens that a rail adds to its function.
fn of_a_rail(args: &str, function: &str) -> usize {
    count(&rail::rail(tokens(args), tokens(function))) - count(&tokens(function))
}

/// Returns the number of tokens of a chain of `rails` rails.
fn of_a_chain(rails: usize) -> usize {
    let rails: Vec<_> = (0..rails).map(|i| format!("rail_{i}")).collect();
    count(&chain::rail_chain(tokens(&rails.join(", "))))
}

/// Returns the number of tokens that each further rail adds to a chain, rounded up.
fn of_a_slot(fewer: usize, more: usize) -> usize {
    (of_a_chain(more) - of_a_chain(fewer)).div_ceil(more - fewer)
}

/// A rail on one event, as agents typically have it.
const RAIL: &str =
    "async fn audit(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction { RailAction::Continue }";

#[test]
fn a_rail_expands_to_few_tokens() {
    let (one, two) = (of_a_rail("on = [PreToolCall]", RAIL), of_a_rail("on = [PreToolCall, PostToolCall]", RAIL));
    // Recorded: 440 tokens, and 279 for each further event.
    assert!(one <= 450, "a rail on one event adds {one} tokens to its function");
    assert!(two - one <= 285, "a rail adds {} tokens for its second event", two - one);
}

#[test]
fn a_chain_expands_to_few_tokens() {
    // Recorded: 1102 tokens for an unnamed chain of one rail. 93 of them make it `Clone`, `Copy` and `Debug`.
    let chain = of_a_chain(1);
    assert!(chain <= 1117, "a chain of one rail has {chain} tokens");
}

#[test]
fn the_code_of_a_chain_grows_linearly_with_its_rails() {
    // Recorded: 235, 156, 159 and 158 tokens for each further rail. The first rails have steps at all events. From the
    // ninth rail on, rails have no steps at rare events.
    let [few, some, many, most] =
        [(1, 10), (10, 50), (50, 200), (200, 400)].map(|(fewer, more)| of_a_slot(fewer, more));
    assert!(few <= 240 && some <= 160 && many <= 163, "each further rail adds {few}, {some} and {many} tokens");
    // From 64 rails on, an event has one more walk for each 64 rails. The walk is a constant and a type that these rails
    // share.
    assert!(many <= some + 8, "each further rail of many adds {many} tokens, and of some {some}");
    assert!(most <= many, "each further rail of most adds {most} tokens, and of many {many}");
}
