//! The message should say: `DeleteFile` is not a set of tools: `tools!` makes one.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file", tools = DeleteFile)]
fn only_tmp(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
