//! An event and a rail of one name.
//!
//! The compiler's own words: a rail is a type, too.

use exo_rails::prelude::*;

#[derive(Event)]
struct Recalled;

#[rail(on = [PreToolCall])]
#[allow(non_snake_case)]
fn Recalled() {}

rail_chain! { struct Guards { Recalled } }

fn main() {}
