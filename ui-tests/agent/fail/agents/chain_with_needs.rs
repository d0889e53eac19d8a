//! The message should say: list the chain in a chain whose rails provide the values.

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model};

#[derive(Provided)]
struct Caller(String);

#[rail(on = [PreToolCall], needs = [Caller])]
fn guard(caller: &Caller) -> Verdict {
    Verdict::abort_if(caller.0.is_empty(), "no caller")
}

rail_chain! {
    #[chain(needs = [Caller])]
    struct MyRails { guard }
}

fn build(model: impl Model) {
    let _ = Agent::builder("desk", model).rails(MyRails).build();
}

fn main() {}
