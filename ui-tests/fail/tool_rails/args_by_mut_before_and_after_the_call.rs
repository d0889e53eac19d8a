//! The message should say: a rail on `PostToolCall` cannot change the arguments of the call.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[rail(priority = 10, on = [PreToolCall, PostToolCall], tool = "delete_file")]
fn only_tmp(args: &mut Args<DeleteFile>) {
    args.path.clear();
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
