//! The message should say: `Budget` is not a rail.

use exo_rails::prelude::*;

struct Budget {
    calls: u32,
}

rail_chain! {
    struct MyRails {
        budget: Budget,
    }
}

fn main() {
    let _ = MyRails { budget: Budget { calls: 3 } }.budget.calls;
}
