//! The message should say: `PreTranslate` is an event, not an operation. A rail around takes the operation that the event
//! begins: write `next: impl Next<Translate>`.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{Next, Operation};

#[derive(Clone, Debug)]
struct Passage(String);

#[derive(Debug)]
struct Translation(String);

/// Translates one passage of a manual.
#[derive(Operation)]
#[operation(inputs = Passage, output = Translation)]
struct Translate;

#[rail(priority = 20, on = [PreTranslate], around)]
async fn patience(passage: &Passage, next: impl Next<PreTranslate>) -> Result<Translation, OperationError> { // <- here
    let limit = Duration::from_millis(10 * passage.0.len() as u64);
    match tokio::time::timeout(limit, next.run()).await {
        Ok(translated) => translated,
        Err(_) => Ok(Translation(format!("[not translated] {}", passage.0))),
    }
}

rail_chain! {
    #[chain(operations = [Translate])]
    struct ManualRails { patience }
}

fn main() {
    let _ = ManualRails;
}
