//! The message should say: an operation owns what it takes: write `Document`.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = &'static Document, output = String)]
struct StoreDocument;

fn main() {}
