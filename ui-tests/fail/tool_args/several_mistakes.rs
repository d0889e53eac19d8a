//! The message should say: all of it: the unknown option, the name, and the missing names of the fields.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete file", descripton = "Deletes a file.")]
pub struct DeleteFile(String);

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile("orders.csv".into()));
}
