//! The message should say: a value that rails provide has no generic parameters: it owns its data.

use exo_rails::prelude::*;

#[derive(Provided)]
struct Caller<'a> {
    name: &'a str,
}

fn main() {
    let _ = Caller { name: "eve" }.name;
}
