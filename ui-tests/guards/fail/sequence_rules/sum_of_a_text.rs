//! The message should say: `sum of` adds numbers, and `reason` is a `String`.

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
        sum of reason in refund at most 500;
    };
    println!("{rules:?}");
}
