//! The message should say: an operation is not an event; its events are `PreStoreDocument`, `PostStoreDocument` and
//! `StoreDocumentError`.

use exo_rails::Operation;
use exo_rails::prelude::*;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
pub struct StoreDocument;

#[rail(on = [StoreDocument])]
fn not_empty(document: &Document) -> Verdict {
    Verdict::abort_if(document.0.is_empty(), "it is empty")
}

fn main() {
    let _ = rail_chain![#[chain(operations = [StoreDocument])] not_empty];
}
