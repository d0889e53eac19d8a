//! What it shows: two nodes use different tools of one set whose functions share a shelf, and a condition compares two fields.
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::prelude::*;
use exo_rails::tools;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Takes lamps from the shelf.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "take", schema = json!({ "type": "object" }))]
struct Take {
    lamps: u32,
}

/// Puts all lamps back.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "put-back", schema = json!({ "type": "object" }))]
struct PutBack {}

tools! {
    struct ShelfTools { take: Take, put_back: PutBack }
}

#[derive(Serialize, Deserialize)]
struct Order {
    wanted: u32,
    picked: u32,
}

machine! {
    machine Warehouse {
        context order: Order;
        tools: ShelfTools;

        init Pick {
            prompt: "Pick {{order.wanted}} lamps.";
            reads order { wanted };
            writes order { picked };
            uses take;
            -> Packed @auto when order.picked >= order.wanted;
            -> Undo;
        }
        task Undo {
            prompt: "Put the lamps back.";
            uses put_back;
            -> Waiting;
        }
        end Packed;
        end Waiting;
    }
}

#[derive(Clone)]
struct Shelf(Arc<Mutex<u32>>);

impl Shelf {
    const ROOM: u32 = 5;

    fn lamps<T>(&self, change: impl FnOnce(&mut u32) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn take(self, args: Take) -> Result<String, String> {
        let left = self.lamps(|lamps| {
            *lamps = lamps.checked_sub(args.lamps).ok_or(format!("there are only {lamps}"))?;
            Ok::<_, String>(*lamps)
        })?;
        Ok(format!("{left} are left"))
    }

    fn tools(&self) -> ShelfTools {
        let (for_take, for_put_back) = (self.clone(), self.clone());
        ShelfTools {
            take: Take::tool(move |args| for_take.clone().take(args)),
            put_back: PutBack::tool(move |_| {
                for_put_back.lamps(|lamps| *lamps = Self::ROOM);
                async { Ok::<_, OperationError>("the shelf is full") }
            }),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shelf = Shelf(Arc::new(Mutex::new(Shelf::ROOM)));
    let take = r#"{ "call": [{ "tool": "take", "arguments": { "lamps": 2 } }] }"#;
    let note = r#"{ "call": [{ "tool": "write_order", "arguments": { "field": "picked", "value": 2 } }] }"#;
    let say = r#"{ "say": "Done." }"#;
    let back = r#"{ "call": [{ "tool": "put-back" }] }"#;
    for (wanted, script, ended_at, left) in [
        (2, format!("[{take}, {note}, {say}]"), warehouse::Packed::PATH, 3),
        (9, format!("[{take}, {say}, {back}, {say}]"), warehouse::Waiting::PATH, 5),
    ] {
        let (tools, model) = (shelf.tools(), script.parse::<ScriptedModel>()?);
        let machine = Warehouse::machine(Order { wanted, picked: 0 }, &tools);
        let done = Executor::builder(machine, model).tools(tools).build()?.run().await?;
        assert_eq!(done.ended_at, [ended_at]);
        assert_eq!(shelf.lamps(|lamps| *lamps), left);
    }
    Ok(())
}
