//! Runs that wait for an approval, and go on in another process with the same store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel, SuspendedRun};
use exo_rails_guards::Kit;
use exo_rails_guards::approval::Reply;
use exo_rails_guards::store::MemoryStore;
use serde_json::{Value, json};

struct World {
    store: Arc<MemoryStore>,
    ran: Arc<AtomicU32>,
    kit: String,
}

impl World {
    fn new(kit: &str) -> Self {
        let kit = format!("{kit}\n[approval]\nrules = [{{ tool = 'refund' }}]");
        Self { store: Arc::default(), ran: Arc::default(), kit }
    }

    /// The agent of a new process. Its model gives the answers from this step on.
    fn agent(&self, answers: &[Value]) -> Agent<ScriptedModel, Kit> {
        let model: ScriptedModel = Value::from(answers).to_string().parse().unwrap();
        let ran = Arc::clone(&self.ran);
        let refund = Tool::new("refund", "Pays.", json!({ "type": "object" }), move |_: Value| {
            ran.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, OperationError>("paid") }
        });
        let kit = Kit::builder().store(Arc::clone(&self.store)).from_toml(&self.kit).unwrap();
        Agent::builder("desk", model).tool(refund).rails(kit).build()
    }
}

fn approved(run: &SuspendedRun) -> SuspendedRun {
    let mut run: SuspendedRun = serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap();
    let open: Vec<String> = run.questions().map(|open| open.question.id().clone()).collect();
    for id in open {
        run.answer(&id, serde_json::to_value(Reply::ApproveOnce).unwrap()).unwrap();
    }
    run
}

fn refunds(count: u32) -> Value {
    let calls: Vec<Value> =
        (0..count).map(|order| json!({ "tool": "refund", "arguments": { "order": order } })).collect();
    json!({ "call": calls })
}

const LIMITS: [&str; 4] = [
    "[[budgets]]\nlimits = [{ name = 'b', of = 'tool_calls', tools = 'refund', most = 2 }]",
    "[[rate_limits]]\nlimits = [{ name = 'r', of = 'tool_calls', tools = 'refund', calls = 2, every = 'day' }]",
    "[sequence]\nrules = ['at most 2 refund']",
    "[sequence]\nrules = ['at most 2 attempted refund']",
];

#[tokio::test]
async fn counts_continue_in_another_process() {
    for kit in LIMITS {
        let world = World::new(kit);
        let mut suspended = world.agent(&[refunds(1)]).run("Pay.").await.unwrap_err().suspended;
        for _ in 0..6 {
            let Some(run) = suspended else { break };
            // The next process.
            suspended = match world.agent(&[refunds(1), json!({ "say": "done" })]).run(approved(&run)).await {
                Ok(_) => None,
                Err(failed) => failed.suspended,
            };
        }
        assert_eq!(world.ran.load(Ordering::SeqCst), 2, "{kit}");
    }
}

#[tokio::test]
async fn approved_calls_of_one_answer_do_not_pass_a_limit_together() {
    for kit in LIMITS {
        let world = World::new(kit);
        let run = world.agent(&[refunds(5)]).run("Pay.").await.unwrap_err().suspended.unwrap();
        world.agent(&[json!({ "say": "done" })]).run(approved(&run)).await.unwrap();
        assert_eq!(world.ran.load(Ordering::SeqCst), 2, "{kit}");
    }
}

#[tokio::test]
async fn a_run_that_is_resumed_twice_counts_twice() {
    for kit in LIMITS {
        let world = World::new(kit);
        let run = world.agent(&[refunds(1)]).run("Pay.").await.unwrap_err().suspended.unwrap();
        for _ in 0..4 {
            world.agent(&[json!({ "say": "done" })]).run(approved(&run)).await.unwrap();
        }
        assert_eq!(world.ran.load(Ordering::SeqCst), 2, "{kit}");
    }
}
