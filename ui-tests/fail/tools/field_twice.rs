//! The message should say: the set has two fields with the name `search`: rename one.

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

tools! {
    pub struct SupportTools {
        search: Search,
        search: DeleteFile,
    }
}

fn main() {
    let _ = Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path;
}
