//! The typed form and the text form make the same rules.

use exo_rails::prelude::*;
use exo_rails::tools;
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
#[tool(name = "refund", schema = json!({ "type": "object" }))]
struct Refund {
    order_id: u64,
    amount: u32,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "pay-out", schema = json!({ "type": "object" }))]
#[serde(rename_all = "camelCase")]
struct Payout {
    order_id: Option<u64>,
    #[serde(rename = "cents")]
    amount: u32,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "read_web", schema = json!({ "type": "object" }))]
struct ReadWeb {}

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    #[serde(rename = "ref")]
    reference: String,
    price: Box<Price>,
}

#[derive(Serialize, Deserialize)]
struct Price {
    euros: u32,
    #[serde(skip)]
    note: String,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "pay", schema = json!({ "type": "object" }))]
struct Pay {
    id: u64,
    order: Order,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "ship", schema = json!({ "type": "object" }))]
struct Ship {
    #[serde(rename = "the.order")]
    order: Order,
}

tools! {
    struct Tools { approve: Approve, refund: Refund, payout: Payout, read_web: ReadWeb, pay: Pay, ship: Ship }
}

/// Makes each rule in both forms. The names of the fields of the set are those of the tools here.
macro_rules! both {
    ($($rule:tt)+) => {{
        let [typed] = sequence_rules! { tools = Tools; $($rule)+ };
        let text = stringify!($($rule)+).replace(" ;", "");
        (typed, text)
    }};
}

#[test]
fn typed_rules_equal_the_rules_in_text() {
    for (typed, text) in [
        both!(refund only after approve within 1h same order_id),
        both!(refund only after approve same order_id as id within 90m),
        both!(never refund or approve after read_web),
        both!(never refund after attempted read_web unless approve in between within 1_0s per session),
        both!(never refund after refund same order_id per user),
        both!(at most 3 refund within 1d same order_id and amount per global),
        both!(at most 1_000 failed refund or approve),
        both!(at most 2 refused read_web per agent),
        both!(sum of amount in refund at most 99.90 within 1d per user),
        both!(at most 1 pay same order.id),
        both!(pay only after approve same order.id as order_id and id within 1h),
        both!(sum of order.price.euros in pay at most 500 same id),
    ] {
        assert_eq!(typed, text.parse().unwrap(), "{text}");
    }
}

#[test]
fn typed_rules_use_the_json_names_of_tools_and_fields() {
    let rules = sequence_rules! {
        tools = Tools;
        payout only after approve same order_id;
        never payout after payout same order_id;
        named: sum of amount in payout at most 5;
    };
    let texts = [
        "pay-out only after approve same orderId as order_id",
        "never pay-out after pay-out same orderId",
        "sum of cents in pay-out at most 5",
    ];
    let [.., sum] = texts.map(|text| text.parse::<SequenceRule>().unwrap());
    assert_eq!(rules[0], texts[0].parse().unwrap());
    assert_eq!(rules[1], texts[1].parse().unwrap());
    assert_eq!(rules[2], sum.named("named"));
}

#[test]
fn typed_rules_use_the_json_names_of_nested_fields() {
    let [rule] = sequence_rules! { tools = Tools; ship only after pay same order.id; };
    assert_eq!(rule, "ship only after pay same /the.order/id as order.id".parse().unwrap());
    let renamed = sequence_rules! { tools = Tools; at most 1 pay same order.reference; };
    let skipped = sequence_rules! { tools = Tools; at most 1 pay same order.price.note; };
    for (rules, name) in [(renamed, "order.reference"), (skipped, "order.price.note")] {
        let message = format!(
            "`rules[0]`: `{name}` has another name in JSON, or none: write the rule as a text, with the name that `serde` gives the field"
        );
        assert_eq!(Sequence::builder().rules(rules).build().unwrap_err().to_string(), message);
    }
    assert!(Sequence::builder().rules([rule]).build().is_ok());
}

#[test]
fn the_guard_refuses_fields_without_a_single_json_name() {
    let several = sequence_rules! { tools = Tools; at most 1 refund or payout same amount; };
    let none = sequence_rules! { tools = Tools; at most 1 payout same rest; };
    for (rules, message) in [
        (
            several,
            "`rules[0]`: `amount` and `cents` are names of one field in the JSON of several tools: write a rule for each tool",
        ),
        (
            none,
            "`rules[0]`: a field of the rule has no name in JSON, because serde flattens or skips it: compare another one",
        ),
    ] {
        assert_eq!(Sequence::builder().rules(rules).build().unwrap_err().to_string(), message);
    }
}
