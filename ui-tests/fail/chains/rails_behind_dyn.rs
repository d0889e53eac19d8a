//! The message should say: a chain knows its rails when it is compiled: put rails that are chosen at run time into a
//! `RailManager`.

use exo_rails::prelude::*;

rail_chain! {
    struct Guards {
        rails: Vec<Box<dyn Rail>>,
    }
}

fn main() {
    let _ = Guards { rails: Vec::new() };
}
