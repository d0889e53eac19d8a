//! The message should say: the arguments of a tool must own their data: write `String`.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile<'a> {
    path: &'a str,
}

fn main() {
    let _ = DeleteFile { path: "orders.csv" }.path;
}
