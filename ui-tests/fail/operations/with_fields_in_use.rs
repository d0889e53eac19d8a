//! The message should say: an operation is a unit struct, once: its rails, its chain and its call are right.

use exo_rails::Operation;
use exo_rails::prelude::*;

#[derive(Clone, Debug)]
pub struct Document(pub String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
pub struct StoreDocument {
    pub document: Document,
}

#[rail(on = [PreStoreDocument])]
fn not_empty(document: &Document) -> Verdict {
    Verdict::abort_if(document.0.is_empty(), "it is empty")
}

async fn store(document: Permit<Document>) -> Result<String, OperationError> {
    Ok(document.0.clone())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let rails = rail_chain![#[chain(operations = [StoreDocument])] not_empty];
    let mut ctx = RunContext::new("archive");
    let _ = rails.guard_operation::<StoreDocument, _>(Document("a".into()), &mut ctx, store).await;
}
