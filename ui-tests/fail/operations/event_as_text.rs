//! The message should say: `pre = PreStoreDocument`.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String, pre = "BeforeStore")]
struct StoreDocument;

fn main() {}
