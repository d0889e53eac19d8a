//! The message should say: a guard set other than a chain is listed as a `DynGuardSet`.

use exo_rails::prelude::*;

rail_chain! {
    struct Guards {
        manager: RailManager,
    }
}

fn main() {
    let _ = Guards { manager: RailManager::new() };
}
