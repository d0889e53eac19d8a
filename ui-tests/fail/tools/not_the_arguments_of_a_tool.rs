//! The message should say: `Limit` is not a type for the arguments of a tool.

use exo_rails::prelude::*;
use exo_rails::tools;
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

pub struct Limit {
    calls: u32,
}

tools! {
    pub struct SupportTools {
        search: Search,
        delete_file: DeleteFile,
        limit: Limit,
    }
}

fn main() {
    let _ = Limit { calls: 3 }.calls.to_string() + &Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path;
}
