//! The message should say: `#[tool]` has no option `descripton`; did you mean `description`?

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file", descripton = "Deletes a file.")]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile { path: "orders.csv".into() });
}
