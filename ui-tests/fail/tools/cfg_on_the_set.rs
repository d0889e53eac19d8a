//! The message should say: write the `#[cfg]` above `tools!`.

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
    #[cfg(unix)]
    pub struct SupportTools {
        search: Search,
        delete_file: DeleteFile,
    }
}

fn main() {
    let _ = Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path;
}
