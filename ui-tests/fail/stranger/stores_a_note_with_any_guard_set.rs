//! The message should say: `impl GuardSet` only guards the operations of the library. Add the bound for the custom operation:
//! `rails: &(impl GuardSet + ServesOperation<StoreNote>)`.

use exo_rails::prelude::*;
use exo_rails::{NoRails, Operation};

#[derive(Clone, Debug)]
struct Note(String);

#[derive(Debug)]
struct NoteId(usize);

#[derive(Operation)]
#[operation(inputs = Note, output = NoteId)]
struct StoreNote;

async fn write(note: Permit<Note>) -> Result<NoteId, OperationError> {
    Ok(NoteId(note.0.len()))
}

async fn store(rails: &impl GuardSet, text: &str, ctx: &mut RunContext) -> Result<usize, RunError> {
    let id = rails.guard_operation::<StoreNote, _>(Note(text.to_owned()), ctx, write).await?; // <- here
    Ok(id.0)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let id = store(&NoRails, "buy milk", &mut RunContext::new("notebook")).await?;
    assert_eq!(id, 8);
    Ok(())
}
