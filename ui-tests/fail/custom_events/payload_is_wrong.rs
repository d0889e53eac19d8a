//! How a payload is written.

use exo_rails::prelude::*;

#[derive(Event)]
#[event(payload = String)]
struct ByValue;

#[derive(Event)]
#[event(payload = (&'static String, &std::borrow::Cow<'_, str>, &String))]
struct Lifetimes;

#[derive(Event)]
#[event(payload = (&String, &mut String))]
struct Twice;

#[derive(Event)]
#[event(payload(&String))]
struct WithoutSign;

fn main() {}
