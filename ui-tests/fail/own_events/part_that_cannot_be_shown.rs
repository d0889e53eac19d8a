//! What an event carries can be shown, shared, and kept.

use exo_rails::prelude::*;

struct Secret;

#[derive(Event)]
#[event(payload = &Secret)]
struct Found;

#[derive(Event)]
#[event(payload = &str)]
struct Said;

#[derive(Event)]
#[event(payload = (&String, &mut std::cell::Cell<u8>))]
struct Counted;

fn main() {}
