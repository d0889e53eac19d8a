//! The message should say: what a tool returns is a `Result`.

use exo_rails::prelude::*;
use exo_rails::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, ToolArgs)]
#[tool(name = "delete_file")]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = DeleteFile::tool(|args| async move { println!("{}", args.path) });
}
