//! What it shows: a program takes the steps of a machine one by one, changes the context between them, and logs each step.
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Executor, Node, Progress, Status, machine};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize)]
struct Timer {
    left: u64,
}

machine! {
    pub machine Countdown {
        context timer: Timer;

        init Tick {
            reads timer { left };
            -> Liftoff when timer.left == 0;
            -> Pause;
        }
        state Pause { -> Tick; }
        end Liftoff;
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let executor = Executor::builder(Countdown::machine(Timer { left: 2 }), "[]".parse::<ScriptedModel>()?)
        .on_step({
            let log = Arc::clone(&log);
            move |step| log.lock().unwrap_or_else(PoisonError::into_inner).push(step.current_node.clone())
        })
        .limits(|limits| limits.steps = 20)
        .build()?;

    let mut execution = executor.start();
    while let Progress::Step(step) = execution.step().await? {
        if step.next_nodes == [countdown::Pause::PATH] {
            execution.change_contexts(|contexts| {
                let left = contexts.get("timer", "left").and_then(Value::as_u64).unwrap_or(0);
                contexts.set("timer", "left", left.saturating_sub(1));
            });
        }
    }
    let state = execution.state();
    assert_eq!((state.status(), state.visits(countdown::Tick::PATH)), (Status::Completed, 3));
    assert_eq!(*log.lock().unwrap_or_else(PoisonError::into_inner), ["Tick", "Pause", "Tick", "Pause", "Tick", "Liftoff"]);
    Ok(())
}
