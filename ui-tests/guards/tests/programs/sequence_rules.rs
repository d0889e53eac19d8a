//! Sequence rules in each of their forms.

#![deny(warnings)]

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_guards::budgets::Decimal;
use exo_rails_guards::sequence::{Sequence, SequenceRule, sequence_rules};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "approve", schema = json!({ "type": "object" }))]
struct Approve {
    order_id: u64,
    id: u64,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "refund-order", schema = json!({ "type": "object" }))]
#[serde(rename_all = "camelCase")]
struct Refund {
    order_id: Option<u64>,
    euros: Decimal,
    r#type: String,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "after", schema = json!({ "type": "object" }))]
struct After {}

tools! {
    struct OrderTools {
        approve: Approve,
        refund: Refund,
        after: After,
    }
}

mod my {
    use super::{Approve, Refund};
    use exo_rails_guards::sequence_rules;

    exo_rails::tools! { struct MyTools { approve: Approve, refund: Refund } }

    pub fn rules() -> [super::SequenceRule; 1] {
        sequence_rules! { tools = MyTools; refund only after approve; }
    }
}

fn rules() -> [SequenceRule; 10] {
    sequence_rules! {
        tools = OrderTools;
        refund only after approve within 1h same order_id;
        refund only after approve same order_id as id;
        never approve after refund;
        never refund after r#after unless approve in between within 30s;
        at most 3 refund within 30m;
        at most 1_000 failed refund same r#type per user;
        /// A person pays
        /// more than 500 euros.
        large: sum of euros in refund at most 500 within 1d per session;
        refund only after r#after within 30h;
        r#after only after attempted r#after or refund within 30d;
        never refund after failed refund
    }
}

#[test]
fn compiles_and_runs() -> Result<(), exo_rails_guards::ConfigError> {
    let _ =
        (Approve { order_id: 1, id: 2 }, Refund { order_id: None, euros: 1.into(), r#type: String::new() }, After {});
    let _ = |arguments: (Approve, Refund)| {
        let (Approve { order_id, id }, Refund { order_id: order, euros, r#type }) = arguments;
        (order_id, id, order, euros, r#type)
    };
    let texts = [
        "refund-order only after approve within 1h same orderId as order_id",
        "refund-order only after approve same orderId as id",
        "never approve after refund-order",
    ];
    let rules = rules();
    for (rule, text) in rules.iter().zip(texts) {
        assert_eq!(*rule, text.parse()?);
    }
    let large: SequenceRule = "sum of euros in refund-order at most 500 within 1d per session".parse()?;
    assert_eq!(rules[6], large.named("large").because("A person pays more than 500 euros."));
    let [first, .., last] = rules;
    assert_eq!(my::rules(), ["refund-order only after approve".parse()?]);
    Sequence::builder().rules([first, last]).build().map(drop)
}
