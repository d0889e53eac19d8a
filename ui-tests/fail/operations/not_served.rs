//! The message should say: the chain does not serve `PreStoreDocument`: write `#[chain(operations = [StoreDocument])]`.

use exo_rails::Operation;
use exo_rails::prelude::*;

#[derive(Clone, Debug)]
struct Document(String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
struct StoreDocument;

#[rail(on = [PreToolCall])]
fn log() {}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut ctx = RunContext::new("archive");
    let store = |document: Permit<Document>| async move { Ok::<_, OperationError>(document.0.clone()) };
    let _ = rail_chain![log].guard_operation::<StoreDocument, _>(Document("a".into()), &mut ctx, store).await;
}
