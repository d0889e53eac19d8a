//! The message should say: `delete_file` is not a tool of `SupportTools`: its only tool is `search`.

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
    pub struct SupportTools { search: Search }
}

#[rail(priority = 10, on = [PreToolCall], tools = SupportTools)]
fn only_tmp(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path);
}
