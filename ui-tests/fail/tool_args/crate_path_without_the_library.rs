//! The message should say: the compiler's own words: there is no `rails` in the crate.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file", crate = crate::rails)]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = DeleteFile { path: "orders.csv".into() }.path;
}
