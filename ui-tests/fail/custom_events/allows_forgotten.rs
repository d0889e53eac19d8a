//! The message should say: its declaration says what it allows, `allows = "abort"`.

use exo_rails::prelude::*;

#[derive(Debug)]
pub struct Document(String);

#[derive(Event)]
#[event(payload = &mut Document)]
pub struct DocumentStored;

#[rail(on = [DocumentStored])]
async fn guard(document: &Document) -> Verdict {
    Verdict::abort_if(document.0.is_empty(), "nothing to store")
}

rail_chain! {
    #[chain(events = [DocumentStored])]
    struct Guards {
        guard,
    }
}

fn main() {
    let _ = Guards;
}
