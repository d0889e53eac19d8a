//! The message should say: it is called also for arguments that do not fit, so take the call and ask `Args::of`

use exo_rails::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = serde_json::json!({ "type": "object" }))]
struct DeleteFile {
    path: String,
}

#[rail(on = [PreToolCall], tool = "delete_file", always)]
fn audit(args: &Args<DeleteFile>) {
    println!("{}", args.path);
}

fn main() {}
