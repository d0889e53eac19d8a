//! The message should say: list it as a `DynGuardSet`.

use exo_rails::prelude::*;

rail_chain! {
    struct Guards {
        inner: Box<dyn GuardSet>,
    }
}

fn main() {
    let _ = Guards { inner: Box::new(RailManager::new()) };
}
