//! What is lent of an event is behind a pointer twice: it has a size.
//!
//! The message should say: write `&String`, `&mut Vec<u8>`, `&Box<dyn …>`.

use exo_rails::prelude::*;

#[derive(Event)]
#[event(payload = &str)]
struct Said;

#[derive(Event)]
#[event(payload = (&mut [u8], &dyn std::fmt::Debug))]
struct Sent;

#[rail(on = [Said])]
fn listens(_: &str) {}

rail_chain! {
    #[chain(events = [Said, Sent])]
    struct Guards { listens }
}

fn main() {}
