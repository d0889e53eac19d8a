//! The message should say: the rail takes `Args<DeleteFile>` twice: leave one out; once.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
fn only_tmp(args: &Args<DeleteFile>, same: &Args<DeleteFile>) {
    println!("{} {}", args.path, same.path);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
