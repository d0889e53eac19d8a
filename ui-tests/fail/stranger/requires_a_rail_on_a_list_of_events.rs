//! A requirement names two events in a list, `require(journal on [PreToolCall, PostToolCall])`, as in `on = […]` of a rail. An ideal
//! message says that a requirement has one event, and shows two requirements.

use exo_rails::prelude::*;
use exo_rails::{Meets, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn two_signatures(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("second_signature").is_none(), "a transfer needs two signatures")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn journal(call: &ToolCallInputs, ctx: &RailContext) {
    println!("{} {}", ctx.event(), call.tool_name);
}

chain_requirements! {
    /// What the auditors ask for.
    pub struct Audited {
        first(two_signatures on PreToolCall),
        require(journal on [PreToolCall, PostToolCall]),
    }
}

rail_chain! {
    #[chain(requirements = Audited)]
    struct BankRails { two_signatures, journal }
}

fn open_the_branch(rails: impl Meets<Audited>) -> impl GuardSet {
    rails
}

fn main() {
    let _rails = open_the_branch(BankRails);
}
