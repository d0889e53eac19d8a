//! The message should say: `same` compares fields of one type, and these are `u64` and `String`.

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence_rules;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "approve", schema = json!({ "type": "object" }))]
pub struct Approve {
    pub order_id: u64,
    pub id: String,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "refund", schema = json!({ "type": "object" }))]
pub struct Refund {
    pub order_id: u64,
    pub euros: f64,
    pub reason: String,
}

tools! {
    pub struct OrderTools {
        pub approve: Approve,
        pub refund: Refund,
    }
}

fn main() {
    let rules = sequence_rules! {
        tools = OrderTools;
        refund only after approve same order_id as id;
    };
    println!("{rules:?}");
}
