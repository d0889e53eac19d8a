//! The message should say: `tools` is an option of the whole rail: write it in the `#[rail(…)]` above the `impl` block.

use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
pub struct Search {
    query: String,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

tools! {
    pub struct SupportTools {
        search: Search,
        delete_file: DeleteFile,
    }
}

struct OnlyTmp;

#[rail]
impl OnlyTmp {
    #[on(PreToolCall, tool = "delete_file", tools = SupportTools)]
    fn before(&self, call: &ToolCallInputs) {
        println!("{}", call.tool_name);
    }
}

rail_chain! {
    struct MyRails { only_tmp: OnlyTmp }
}

fn main() {
    let _ = (MyRails { only_tmp: OnlyTmp }, Search { query: String::new() }.query + &DeleteFile { path: String::new() }.path);
}
