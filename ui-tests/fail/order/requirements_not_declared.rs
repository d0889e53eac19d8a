//! The message should say: `Hasty` does not meet the requirements `Company`, and that `#[chain(requirements = Company)]` is missing.
//! Also behind an event bus, and of a guard set that is put together at run time.

use exo_rails::prelude::*;
use exo_rails::{EventBus, Meets, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn permission() -> Verdict {
    Verdict::Continue
}

chain_requirements! {
    struct Company { require(permission on PreToolCall) }
}

rail_chain! { struct Hasty { permission } }

fn serve<R: Meets<Company>>(rails: R) {
    drop(rails);
}

fn main() {
    serve(Hasty);
    serve(EventBus::default().wrap(&Hasty));
    serve(RailManager::new());
}
