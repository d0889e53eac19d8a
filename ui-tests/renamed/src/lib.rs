//! Every macro finds the library under the name that `Cargo.toml` has for it, without `crate = …`.

#![allow(clippy::must_use_candidate, clippy::unused_self, clippy::ptr_arg, reason = "rails are as small as can be")]

use rails::prelude::*;
use rails::{Chain, chain_requirements, tools};

/// What a rail provides.
#[derive(Debug, Provided)]
pub struct Caller(pub String);

/// A custom event.
#[derive(Debug, Event)]
#[event(payload = &mut String, allows = "abort")]
pub struct Asked;

/// A custom operation.
#[derive(Debug, rails::Operation)]
#[operation(inputs = String, output = usize)]
pub struct Count;

/// A rail that provides a value, for another rail.
#[rail(priority = 10, on = [PreToolCall], provides = [Caller])]
pub fn caller() -> Caller {
    Caller("support".to_owned())
}

/// A rail on both kinds of events.
#[rail(on = [PreToolCall, Error], timeout = "2s")]
pub async fn log(ctx: &RailContext) {
    let _ = std::future::ready(ctx.step()).await;
}

/// A rail with state.
#[derive(Debug)]
pub struct NotEmpty;

#[rail(priority = 20)]
impl NotEmpty {
    #[on(PreToolCall, needs = [Caller])]
    fn call(&self, call: &ToolCallInputs, caller: &Caller) -> Verdict {
        Verdict::abort_if(call.tool_name == caller.0, "a tool is not a caller")
    }

    #[on(Asked)]
    fn asked(&self, question: &String) -> Verdict {
        Verdict::abort_if(question.is_empty(), "nothing is asked")
    }
}

chain_requirements! {
    /// What all chains have.
    pub struct Company { require(caller on PreToolCall) }
}

tools! {
    /// No tools.
    pub struct NoTools {}
}

rail_chain! {
    /// All of it.
    #[chain(events = [Asked], operations = [Count], requirements = Company)]
    pub struct Guards {
        caller,
        log,
        not_empty: NotEmpty,
    }
}

/// The chain as the library sees it.
pub const PLAN: rails::Plan = Guards::PLAN;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_has_its_rails() {
        let rails: Vec<_> = PLAN.rails(PreToolCall::POINT).iter().map(|rail| rail.info.name).collect();
        assert_eq!(rails, ["caller", "NotEmpty", "log"]);
    }
}
