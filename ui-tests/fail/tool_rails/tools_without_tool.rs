//! The message should say: `tools` checks the name in `tool`, and this rail has no `tool`: write `tool = "delete_file"`.

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
        delete_file: DeleteFile,
    }
}

#[rail(priority = 10, on = [PreToolCall], tools = SupportTools)]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path);
}
