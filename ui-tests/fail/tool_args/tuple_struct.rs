//! The message should say: the arguments of a tool need names: write a struct with named fields.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile(String);

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile("orders.csv".into()));
}
