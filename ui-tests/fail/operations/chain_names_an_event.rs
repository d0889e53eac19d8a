//! The message should say: `PreStoreDocument` is not a custom operation.

use exo_rails::Operation;
use exo_rails::prelude::*;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
pub struct StoreDocument;

#[rail(on = [PreToolCall])]
fn log() {}

rail_chain! {
    #[chain(operations = [PreStoreDocument])]
    struct Guards {
        log,
    }
}

fn main() {
    let _ = Guards;
}
