//! The message should say: wrap one of them in another type.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = Document)]
struct StoreDocument;

fn main() {}
