//! The message should say: name the operation, `#[chain(operations = [StoreDocument])]`.

use exo_rails::Operation;
use exo_rails::prelude::*;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
pub struct StoreDocument;

#[rail(on = [PreStoreDocument])]
fn not_empty(document: &Document) -> Verdict {
    Verdict::abort_if(document.0.is_empty(), "it is empty")
}

rail_chain! {
    struct Guards {
        not_empty,
    }
}

fn main() {
    let _ = (Guards, rail_chain![not_empty]);
}
