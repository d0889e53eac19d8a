//! The message should say: the compiler's own words: the future returned by `only_tmp` is not `Send`; at its name, once.

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

use std::rc::Rc;

async fn pause() {}

#[rail(priority = 10, on = [PreToolCall], tool = "delete_file")]
async fn only_tmp(args: &mut Args<DeleteFile>) {
    let prefix = Rc::new("/tmp/");
    pause().await;
    args.path.insert_str(0, &prefix);
}

rail_chain! {
    struct MyRails { only_tmp }
}

fn main() {
    let _ = MyRails {};
}
