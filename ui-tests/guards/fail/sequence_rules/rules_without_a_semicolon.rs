//! The message should say, at `sum`: write `;` before it.

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::sequence::sequence_rules;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "refund", schema = json!({ "type": "object" }))]
struct Refund {
    amount: u64,
}

tools! {
    struct Tools { refund: Refund }
}

fn main() {
    let _ = sequence_rules! {
        tools = Tools;
        at most 3 refund
        sum of amount in refund at most 500;
    };
}
