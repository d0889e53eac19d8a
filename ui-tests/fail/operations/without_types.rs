//! The message should say: `StoreDocument` says what it takes and what it yields: `#[operation(inputs = Document, output = Receipt)]`.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
struct StoreDocument;

fn main() {}
