//! The message should say: the compiler's own words: `Document` is not `Clone`.

use exo_rails::Operation;

#[derive(Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
struct StoreDocument;

fn main() {}
