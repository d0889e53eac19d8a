//! The message should say: `DeleteFile` is a type, not the name of its tool: write `tool = DeleteFile::NAME`; nothing about the parameter.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[rail(priority = 10, on = [PreToolCall], tool = DeleteFile)]
fn only_tmp(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
