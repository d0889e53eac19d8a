//! `machine!` and `machine_file!`: what they make runs.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, MachineState, Node, Plan, machine, machine_file, mermaid};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Order {
    total: f64,
    note: Option<String>,
    state: Progress,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
enum Progress {
    #[default]
    Open,
    Asked {
        times: u32,
    },
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "look_up", schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } }))]
struct LookUp {
    name: String,
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "send-mail", schema = json!({ "type": "object" }))]
struct SendMail {}

tools! { struct DeskTools { search: LookUp, mail: SendMail } }

fn desk() -> DeskTools {
    DeskTools {
        search: LookUp::tool(|args| async move { Ok::<_, OperationError>(format!("{} is known", args.name)) }),
        mail: SendMail::tool(|_| async move { Ok::<_, OperationError>("sent") }),
    }
}

machine! {
    /// Decides about an order.
    pub machine OrderDesk "Orders" @concurrent(2) {
        context order: Order;
        tools: DeskTools;

        init Arrived {
            reads order { total, state };
            -> Shipped @auto when order.total < 100.0;
            -> Work.Refuse when matches!(order.state, Progress::Asked { times } if times > 2);
            -> Work;
        }
        /// What a person would do.
        state Work {
            task Ask {
                prompt: "Ask about: {{order.note}}";
                reads order { note };
                writes order { note, total, state };
                uses search;
                -> Arrived "the order has changed";
                -> Refuse;
            }
            task Refuse @retry(1) {
                prompt: "Write to the customer.";
                uses mail;
                -> Refused;
            }
        }
        end Shipped;
        end Refused;
    }
}

machine_file!(
    /// A flow in a file.
    pub struct Review = "flows/review.dygram"
);

fn order(total: f64) -> Order {
    Order { total, note: Some("Twelve lamps".to_owned()), ..Order::default() }
}

fn script(calls: &[(&str, serde_json::Value)]) -> ScriptedModel {
    let calls: Vec<_> =
        calls.iter().map(|(tool, arguments)| json!({ "call": [{ "tool": tool, "arguments": arguments }] })).collect();
    json!(calls).to_string().parse().unwrap()
}

#[tokio::test]
async fn a_condition_of_rust_decides() {
    let machine = OrderDesk::machine(order(12.5), &desk());
    let done = Executor::builder(machine, script(&[])).tools(desk()).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, [order_desk::Shipped::PATH]);

    let asked = Order { state: Progress::Asked { times: 3 }, ..order(500.0) };
    let model = script(&[("send-mail", json!({})), ("transition_to_Refused", json!({ "reason": "too often" }))]);
    let machine = OrderDesk::machine(asked, &desk());
    let done = Executor::builder(machine, model).tools(desk()).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["Refused"]);
}

#[tokio::test]
async fn the_agent_writes_fields_of_a_type() {
    let reason = json!({ "reason": "cheaper" });
    let model = script(&[
        ("write_order", json!({ "field": "total", "value": "cheap" })),
        ("write_order", json!({ "data": { "state": { "Asked": { "times": -1 } } } })),
        ("write_order", json!({ "data": { "state": { "Asked": { "times": 1 } }, "total": 12, "note": null } })),
        ("look_up", json!({ "name": "lamp" })),
        ("transition_to_Arrived", reason),
    ]);
    let machine = OrderDesk::machine(order(500.0), &desk());
    let done = Executor::builder(machine, model).tools(desk()).build().unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["Shipped"]);
    let changed: Order = done.state.contexts().typed("order").unwrap();
    assert_eq!(changed, Order { total: 12.0, note: None, state: Progress::Asked { times: 1 } });
    let history = serde_json::to_string(&done.history).unwrap();
    assert!(history.contains("would not fit the type"), "{history}");
}

#[test]
fn only_nodes_that_use_a_tool_have_it() {
    let machine = OrderDesk::machine(order(1.0), &desk());
    let plan = Plan::of(&machine).unwrap();
    let tools = |path: &str| plan.node(path).unwrap().tools.clone();
    assert_eq!(
        (tools("Work.Ask"), tools("Work.Refuse"), tools("Arrived")),
        (vec!["look_up".to_owned()], vec!["send-mail".to_owned()], vec![])
    );
    // The program must have the tools.
    let error = Executor::builder(OrderDesk::machine(order(1.0), &desk()), script(&[])).build().unwrap_err();
    assert!(error.to_string().contains("`Work.Ask` uses the tool `look_up`"), "{error}");
}

#[tokio::test]
async fn a_saved_state_keeps_the_functions() {
    let machine = || OrderDesk::machine(order(500.0), &desk());
    let model = || {
        script(&[
            ("write_order", json!({ "field": "total", "value": 1 })),
            ("transition_to_Arrived", json!({ "reason": "r" })),
        ])
    };
    let executor = Executor::builder(machine(), model()).tools(desk()).build().unwrap();
    let mut execution = executor.start();
    execution.step().await.unwrap();
    let saved = serde_json::to_string(&execution.state()).unwrap();
    drop(execution);
    let state: MachineState = serde_json::from_str(&saved).unwrap();
    // The first value of the resuming process does not matter.
    let executor =
        Executor::builder(OrderDesk::machine(Order::default(), &desk()), model()).tools(desk()).build().unwrap();
    let done = executor.resume(state).unwrap().run().await.unwrap();
    assert_eq!(done.ended_at, ["Shipped"]);
}

#[tokio::test]
async fn the_macro_makes_a_machine_from_a_file() {
    let model = script(&[
        ("write_notes", json!({ "field": "text", "value": "all" })),
        ("transition_to_complete", json!({ "reason": "done" })),
    ]);
    let executor = Executor::builder(Review::machine(), model).until(review::Complete::PATH, 1).build().unwrap();
    let done = executor.run().await.unwrap();
    assert_eq!(done.ended_at, [review::Complete::PATH]);
    assert_eq!(done.state.contexts().get("notes", "text"), Some(&json!("all")));
    assert_eq!(Review::machine().title.as_deref(), Some("Review"));
}

#[test]
fn a_drawing_shows_conditions_of_rust() {
    let drawn = mermaid(OrderDesk::machine(order(0.0), &desk()).machine(), None);
    assert!(drawn.contains("|\"@auto, when: order.total #60; 100.0\"|"), "{drawn}");
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parcel {
    weight: f64,
    order_id: u32,
    #[serde(skip)]
    secret: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

machine! {
    machine Parcels {
        context parcel: Parcel;

        task Check {
            prompt: "Check {{parcel.order_id}}.";
            reads parcel { weight, order_id };
            writes parcel { secret, note };
            -> Done when parcel.weight > 1.0;
            -> Check;
        }
        end Done;
    }
}

/// Tools and templates find fields by their names in JSON, and conditions by those in Rust.
#[test]
fn a_field_with_another_name_in_json_is_an_error() {
    let parcel = Parcel { weight: 2.0, order_id: 1, secret: String::new(), note: None };
    let problems = Plan::of(&Parcels::machine(parcel)).unwrap_err().problems;
    let of = |field: &str| {
        format!(
            "the JSON of the context `parcel` has no field `{field}`, but `orderId`, `weight`: remove the attribute of serde that \
             renames or skips the field"
        )
    };
    assert_eq!(problems, [of("order_id"), of("secret")]);
}

#[derive(Serialize, Deserialize)]
struct Tags(Vec<String>);

machine! {
    machine Tagged {
        context tags: Tags;
        init Arrived { reads tags; -> Done when tags.0.is_empty(); -> Done; }
        end Done;
    }
}

#[test]
fn a_context_is_an_object() {
    let error = Plan::of(&Tagged::machine(Tags(Vec::new()))).unwrap_err();
    assert_eq!(error.problems, ["the context `tags` is not an object in JSON: use a struct with named fields"]);
}

#[derive(Serialize, Deserialize)]
struct Basket {
    lines: Lines,
    #[serde(flatten)]
    other: Order,
}

#[derive(Serialize, Deserialize)]
struct Lines {
    all: Vec<String>,
}

machine! {
    machine Baskets {
        context basket: Basket;

        init Arrived {
            reads basket { lines, other };
            -> Pack @map(basket.lines.all) when basket.other.total > 0.0;
            -> Packed;
        }
        task Pack { prompt: "Pack {{item}}."; -> Packed; }
        end Packed;
    }
}

#[tokio::test]
async fn a_path_starts_for_each_item_of_a_list_of_a_type() {
    let lines = Lines { all: vec!["lamp".to_owned(), "sofa".to_owned()] };
    let machine = Baskets::machine(Basket { lines, other: order(2.0) });
    let model: ScriptedModel = r#"[{ "say": "one" }, { "say": "two" }]"#.parse().unwrap();
    let done = Executor::builder(machine, model).build().unwrap().run().await.unwrap();
    let prompts = done.history.steps.iter().filter_map(|step| Some(step.agent_invocation.clone()?.user_prompt));
    let prompts: Vec<_> = prompts.map(|prompt| prompt.lines().next().unwrap_or_default().to_owned()).collect();
    assert_eq!(prompts, ["Pack lamp.", "Pack sofa."]);
}
