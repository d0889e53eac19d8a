//! The message should say: the compiler's own words: the fields of the set are private.

use exo_rails::prelude::*;
use shop::OrderTools;
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

mod shop {
    use super::{Approve, Refund};

    exo_rails::tools! {
        pub struct OrderTools {
            approve: Approve,
            refund: Refund,
        }
    }
}

fn main() {
    let rules = sequence_rules! {
        tools = OrderTools;
        refund only after approve;
    };
    println!("{rules:?}");
}
