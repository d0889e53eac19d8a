//! The message should say: a schema is a `serde_json::Value`: the expression is a text.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = "object")]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile { path: "orders.csv".into() });
}
