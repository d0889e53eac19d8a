//! The message should say: a rail for one tool provides nothing: take `&ToolCallInputs`, and look at `call.tool_name`.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

#[derive(Clone)]
pub struct Path(pub String);

#[rail(priority = 10, on = [PreToolCall], provides = [Path])]
fn path(args: &Args<DeleteFile>) -> Path {
    Path(args.path.clone())
}

rail_chain! {
    struct MyRails { path }
}

fn main() {
    let _ = (MyRails {}, DeleteFile { path: String::new() }.path);
}
