//! The message should say: the rail is for `delete_file`, but `Search` has the arguments of `search`.

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
fn only_tmp(args: &Args<Search>) {
    println!("{}", args.query);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path);
}
