//! What can be declared as an event.

use exo_rails::prelude::*;

#[derive(Event)]
struct Asked {
    query: String,
}

#[derive(Event)]
enum Found {
    Something,
}

#[derive(Event)]
struct Of<T>(T);

#[derive(Event)]
#[event(allows = "abrt", nam = "asked")]
struct Options;

#[derive(Event)]
#[event(substitute = String)]
struct Substitute;

#[derive(Event)]
#[event(name = "pre_tool_call")]
struct Taken;

fn main() {}
