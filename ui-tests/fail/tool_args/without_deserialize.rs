//! The message should say: derive both `Serialize` and `Deserialize`.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::Serialize;

#[derive(Serialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile { path: "orders.csv".into() });
}
