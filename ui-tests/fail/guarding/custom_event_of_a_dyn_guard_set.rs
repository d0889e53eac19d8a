//! The message should say: `DynGuardSet` does not serve `DocumentStored`.

use exo_rails::DynGuardSet;
use exo_rails::prelude::*;

#[derive(Event)]
struct DocumentStored;

#[rail(on = [DocumentStored])]
fn record() {}

async fn store(rails: &DynGuardSet) -> bool {
    rails.dispatch::<DocumentStored>((), &mut RunContext::new("demo")).await.is_ok()
}

fn main() {
    let chain = rail_chain![#[chain(events = [DocumentStored])] record];
    let _ = store(&DynGuardSet::new(chain));
}
