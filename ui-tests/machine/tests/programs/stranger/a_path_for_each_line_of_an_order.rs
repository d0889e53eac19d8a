//! `@map` starts a path for each item of a list, a join merges the paths, and `on_step` sends the steps through a channel.

use std::sync::mpsc;

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, machine};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    lines: Vec<String>,
}

machine! {
    machine Warehouse "A small warehouse" @concurrent(2) {
        context order: Order;

        init Received {
            reads order { lines };
            -> Pack @map(order.lines);
        }
        state Pack { -> Loaded; }
        join Loaded { -> Gone; }
        end Gone;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (sender, receiver) = mpsc::channel();
    let lines = ["a lamp", "two chairs", "a rug"].map(str::to_owned).to_vec();
    let model: ScriptedModel = "[]".parse()?;
    let executor = Executor::builder(Warehouse::machine(Order { lines }), model)
        .on_step(move |step| {
            let _ = sender.send(step.current_node.clone());
        })
        .limits(|limits| limits.steps = 20)
        .build()?;
    let done = executor.run().await?;
    assert_eq!(done.ended_at, [warehouse::Gone::PATH]);
    let packed = receiver.try_iter().filter(|node| node == warehouse::Pack::PATH).count();
    assert_eq!(packed, 3);
    Ok(())
}
