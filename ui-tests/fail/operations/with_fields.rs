//! The message should say: an operation is a unit struct, `struct StoreDocument;`.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
struct StoreDocument {
    document: Document,
}

fn main() {}
