//! The message should say: a chain cannot list itself: leave it out.

use exo_rails::prelude::*;

rail_chain! {
    struct MyRails {
        MyRails,
    }
}

fn main() {}
