//! An unnamed chain has what a program derives for a named one, also where its rails have not.

#![deny(warnings)]

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log() {}

rail_chain! { struct Inner { log } }

#[derive(Clone, Debug)]
struct Service<R> {
    rails: R,
}

fn shared() -> impl GuardSet + Clone + Copy + std::fmt::Debug + 'static {
    rail_chain![Inner, log]
}

#[test]
fn compiles_and_runs() {
    let service = Service { rails: rail_chain![log] };
    drop(service.rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("t"), &mut RunContext::new("demo")));
    assert_eq!(format!("{:?}", service.clone()), "Service { rails: rail_chain![log] }");
    let (one, two) = (shared(), shared());
    let _ = (one, one, two);
    assert_eq!(format!("{two:?}"), "rail_chain![Inner, log]");
    assert_eq!(format!("{:?}", rail_chain![]), "rail_chain![]");
}
