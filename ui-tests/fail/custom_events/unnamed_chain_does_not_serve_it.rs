//! A rail on a custom event, in an unnamed chain that does not name the event.
//!
//! The message should say: `rail_chain![#[chain(events = [MemoriesRecalled])] privacy]`.

use exo_rails::prelude::*;

#[derive(Event)]
struct MemoriesRecalled;

#[rail(on = [MemoriesRecalled])]
fn privacy() {}

fn main() {
    let _ = rail_chain![privacy];
}
