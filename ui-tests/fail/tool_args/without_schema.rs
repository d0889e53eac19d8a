//! The message should say: there is no schema: derive `JsonSchema` or write `schema = …`.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile { path: "orders.csv".into() });
}
