//! Code that is generic over its guard set makes agents of the type that it says.

#![deny(warnings)]

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, NoRails};
use exo_rails_agent::{Agent, Model, ScriptedModel};

#[rail(on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

fn owned<M: Model, R: GuardSet>(model: M, rails: R) -> Agent<M, R> {
    Agent::builder("owned", model).rails(rails).max_steps(3).build()
}

fn borrowed<M: Model, R: GuardSet>(model: M, rails: &R) -> Agent<M, &R> {
    Agent::builder("borrowed", model).rails(rails).build()
}

fn unnamed<M: Model>(model: M, rails: impl GuardSet) -> Agent<M, impl GuardSet> {
    Agent::builder("unnamed", model).rails(rails).build()
}

fn model() -> ScriptedModel {
    "[]".parse().unwrap()
}

/// Chosen when the program runs.
fn chosen(guarded: bool) -> DynGuardSet {
    if guarded { DynGuardSet::new(rail_chain![no_shell]) } else { DynGuardSet::new(NoRails) }
}

fn boxed(guarded: bool) -> Box<dyn GuardSet> {
    if guarded { Box::new(rail_chain![no_shell]) } else { Box::new(NoRails) }
}

#[test]
fn compiles_and_runs() {
    assert_eq!(owned(model(), chosen(true)).name(), "owned");
    assert_eq!(owned(model(), boxed(false)).name(), "owned");
    let rails = rail_chain![no_shell];
    assert_eq!(borrowed(model(), &rails).name(), "borrowed");
    assert_eq!(unnamed(model(), HookManager::new()).name(), "unnamed");
    assert_eq!(owned(model(), rails).name(), "owned");
}
