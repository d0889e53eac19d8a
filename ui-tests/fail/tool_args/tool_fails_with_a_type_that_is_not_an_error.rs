//! The message should say: an operation cannot fail with `Failure`: derive `thiserror::Error`.

use exo_rails::prelude::*;
use serde_json::{Value, json};

#[derive(Debug)]
struct Failure;

fn main() {
    let _ = Tool::new("search", "Finds orders.", json!({}), |_: Value| async { Err::<String, _>(Failure) });
}
