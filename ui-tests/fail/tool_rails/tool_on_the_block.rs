//! The message should say: `tool` is an option of one method: write it in its `#[on(PreToolCall, …)]`; nothing about the parameter.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

struct OnlyTmp;

#[rail(tool = "delete_file")]
impl OnlyTmp {
    #[on(PreToolCall)]
    fn before(&self, args: &Args<DeleteFile>) {
        println!("{}", args.path);
    }
}

rail_chain! {
    struct MyRails { only_tmp: OnlyTmp }
}

fn main() {
    let _ = (MyRails { only_tmp: OnlyTmp }, DeleteFile { path: String::new() }.path);
}
