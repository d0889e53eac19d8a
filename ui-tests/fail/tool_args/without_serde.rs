//! The message should say: derive both `Serialize` and `Deserialize`.

use exo_rails::prelude::*;

#[derive(ToolArgs)]
#[tool(name = "delete_file", schema = serde_json::json!({ "type": "object" }))]
pub struct DeleteFile {
    path: String,
}

fn main() {
    let _ = ToolCallInputs::of(&DeleteFile { path: "orders.csv".into() });
}
