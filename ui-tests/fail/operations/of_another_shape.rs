//! The message should say: an operation is a unit struct, `struct StoreDocument;`; and nothing else about the operation.

use exo_rails::Operation;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
enum StoreDocument<T> {
    Now(T),
    Later,
}

fn main() {
    let _ = (StoreDocument::Now(Document("a".into())), StoreDocument::<Document>::Later);
}
