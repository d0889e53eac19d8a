//! The message should say: `&mut Args<DeleteFile>` already changes the call: take `&ToolCallInputs` beside it.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(args: &mut Args<DeleteFile>, call: &mut ToolCallInputs) {
    args.path.clear();
    call.tool_name.clear();
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
