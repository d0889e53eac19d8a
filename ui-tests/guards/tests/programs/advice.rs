//! The code that messages propose.

use exo_rails_guards::Kit;
use exo_rails_guards::approval::{Desk, Inbox, SuspendRun};
use exo_rails_guards::sequence::{Sequence, SequenceRule};
use exo_rails_guards::store::{MemoryStore, StateStore};

fn asks<A: exo_rails_guards::approval::Ask>(_: &A) {}

fn is_store<S: StateStore>(_: &S) {}

#[test]
fn advice_compiles() -> Result<(), Box<dyn std::error::Error>> {
    let store = MemoryStore::new();
    is_store(&store);
    asks(&SuspendRun);
    let _ = Kit::builder().asker(Desk::new()).known_tools(["search"]).store(store).from_toml("")?;
    let _ = (Kit::builder().asker(SuspendRun), size_of::<Inbox>());
    let rule = "at most 3 refund".parse::<SequenceRule>()?;
    assert!(Sequence::builder().rules([rule]).build().is_ok());
    Ok(())
}
