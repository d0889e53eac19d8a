//! The message should say: `DynGuardSet<dyn Meets<Company>>` is not a rail: list a `DynGuardSet`.

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, Meets, chain_requirements};

#[rail(on = [PreToolCall])]
fn permission_check() {}

chain_requirements! { struct Company { require(permission_check on PreToolCall) } }

rail_chain! {
    struct MyRails {
        company: DynGuardSet<dyn Meets<Company>>,
    }
}

fn main() {}
