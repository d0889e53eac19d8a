//! The message should say: `PreToolCall` is the name of an event of the library; once, at the declaration.

use exo_rails::prelude::*;

#[derive(Debug)]
pub struct Document(String);

#[derive(Event)]
#[event(payload = &mut Document, allows = "abort")]
pub struct PreToolCall;

#[rail(on = [PreToolCall])]
async fn guard(document: &Document) -> Verdict {
    Verdict::abort_if(document.0.is_empty(), "nothing to store")
}

rail_chain! {
    #[chain(events = [PreToolCall])]
    struct Guards {
        guard,
    }
}

fn main() {
    let _ = Guards;
}
