//! The message should say: `SupportTools` has two tools with the name `search`: `Search` and `Find`.

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

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
pub struct Find {
    text: String,
}

tools! {
    pub struct SupportTools {
        search: Search,
        delete_file: DeleteFile,
        find: Find,
    }
}

fn main() {
    let _ = Find { text: String::new() }.text + &Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path;
}
