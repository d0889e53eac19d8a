//! The message should say: a rail is for one tool: take the arguments of one tool.

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

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(args: &Args<DeleteFile>, search: &Args<Search>) {
    println!("{} {}", args.path, search.query);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path);
}
