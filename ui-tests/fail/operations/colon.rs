//! The message should say: `inputs = Document`, with `=`.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs: Document, output = String)]
struct StoreDocument;

fn main() {}
