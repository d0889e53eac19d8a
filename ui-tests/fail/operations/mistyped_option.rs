//! The message should say: `#[operation]` has no option `input`; did you mean `inputs`?

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(input = Document, output = String)]
struct StoreDocument;

fn main() {}
