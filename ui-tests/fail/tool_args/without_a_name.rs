//! The message should say: the tool has no name: write `#[tool(name = "delete_file")]` above `DeleteFile`.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile { path: "orders.csv".into() });
}
