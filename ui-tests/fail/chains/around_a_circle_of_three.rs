//! The message should say: `First`, `Second` and `Third` are on a circle; and nothing of the chain that is not on it.

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
fn log() {}

rail_chain! {
    struct First {
        log,
        Second,
        Fine,
    }
}

rail_chain! {
    struct Second {
        Third,
    }
}

rail_chain! {
    struct Third {
        First,
    }
}

rail_chain! {
    struct Fine {
        log,
    }
}

fn main() {
    let _ = (First, Fine);
}
