//! The message should say: take `&impl GuardSet`, or a `DynGuardSet`.

use exo_rails::prelude::*;

async fn call(rails: &dyn Guard, ctx: &mut RunContext) {
    let _ = (rails, ctx);
}

fn main() {}
