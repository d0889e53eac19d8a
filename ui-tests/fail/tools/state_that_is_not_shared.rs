//! The message should say: each call runs a clone of the function, and the state cannot be cloned.

use std::sync::Mutex;

use exo_rails::prelude::*;
use serde_json::{Value, json};

fn main() {
    let notes = Mutex::new(Vec::new());
    let _ = Tool::new("note", "Takes a note.", json!({}), async move |note: Value| {
        notes.lock().map_err(|_| "the notes are lost")?.push(note);
        Ok::<_, OperationError>("noted")
    });
}
