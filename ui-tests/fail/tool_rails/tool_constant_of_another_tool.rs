//! The message should say: the rail is for `search`, but `DeleteFile` has the arguments of `delete_file`.

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
    pub struct SupportTools { search: Search, delete_file: DeleteFile }
}

#[rail(priority = 10, on = [PreToolCall], tool = Search::NAME)]
fn only_tmp(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path);
}
