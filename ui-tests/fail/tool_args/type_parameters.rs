//! The message should say: the arguments of a tool have no generic parameters.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile<P> {
    path: P,
}

fn main() {
    let _ = DeleteFile { path: "orders.csv" }.path;
}
