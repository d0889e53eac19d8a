//! The message should say: `DeleteFile` is not a set of tools.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
pub struct Search {
    query: String,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

fn names<S: ToolSet>() -> &'static [&'static str] {
    S::NAMES
}

fn main() {
    let _ = Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path;
    let _ = names::<DeleteFile>();
}
