//! The message should say: `Start` is not an event of a tool call, so a rail on it cannot be for a tool.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[rail(priority = 10, on = [Start], tool = "delete_file")]
fn only_tmp(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
