//! `machine!` and `machine_file!`: what they make runs.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, MachineState, Node, Plan, machine, machine_file};
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
    assert!(history.contains("would not have its type"), "{history}");
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
async fn a_file_is_a_machine() {
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
