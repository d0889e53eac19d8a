//! Whole runs of an agent, and the kit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_guards::Kit;
use serde_json::{Value, json};

/// Runs an agent whose model makes these calls, one in each step. Returns how often the tool ran, and the error of the run.
async fn run(kit: &str, steps: usize, call: impl Fn(usize) -> Value) -> (u32, Option<String>) {
    let turns: Vec<Value> = (0..steps).map(|step| json!({ "call": call(step) })).collect();
    let script = [turns, vec![json!({ "say": "done" }); 3]].concat();
    let model: ScriptedModel = serde_json::to_string(&script).unwrap().parse().unwrap();
    let ran = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&ran);
    let tool = Tool::new("search", "Searches.", json!({ "type": "object" }), move |_: Value| {
        counter.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, OperationError>("nothing".to_owned()) }
    });
    let agent = Agent::builder("desk", model).tools([tool]).rails(Kit::from_toml(kit).unwrap()).max_steps(100).build();
    let error = agent.run("Find it.").await.err().map(|failed| failed.error.to_string());
    (ran.load(Ordering::SeqCst), error)
}

#[tokio::test]
async fn an_agent_in_a_loop_is_stopped_and_another_one_is_not() {
    let same = |_| json!([{ "tool": "search", "arguments": { "q": "x" } }]);
    let (ran, error) = run("[loops]", 50, same).await;
    assert_eq!(ran, 4);
    assert!(error.unwrap().contains("loops/repetition: 8 calls in a row"));

    let (ran, error) = run("[loops]", 50, |step| json!([{ "tool": "search", "arguments": { "page": step } }])).await;
    assert_eq!((ran, error), (50, None));

    let (ran, error) = run("", 50, same).await;
    assert_eq!((ran, error), (50, None));
    let (ran, error) = run("[loops]\nmode = 'shadow'", 50, same).await;
    assert_eq!((ran, error), (50, None));
}

#[tokio::test]
async fn parallel_calls_of_a_step_are_one_round() {
    let three = |_| json!([1, 2, 3].map(|q| json!({ "tool": "search", "arguments": { "q": q } })));
    let (ran, error) = run("[loops]\nstagnation = { warn = 0, refuse = 0, abort = 0 }", 50, three).await;
    // The last call of the fourth round, and all calls of the fifth are refused.
    assert_eq!(ran, 11);
    assert!(error.unwrap().contains("loops/oscillation: the same 3 calls come 6 times in turn"));

    let equal = |step| json!([step, step, step].map(|q| json!({ "tool": "search", "arguments": { "q": q } })));
    let (ran, error) = run("[loops]", 20, equal).await;
    assert_eq!((ran, error), (60, None));
}

#[tokio::test]
async fn the_model_reads_the_warning() {
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "search", "arguments": {} }] },
        { "call": [{ "tool": "search", "arguments": {} }] },
        { "call": [{ "tool": "search", "arguments": {} }] },
        { "say": "I stop." }
    ]"#
    .parse()
    .unwrap();
    let tool = Tool::new("search", "Searches.", json!({ "type": "object" }), |_: Value| async {
        Ok::<_, OperationError>("nothing".to_owned())
    });
    let agent = Agent::builder("desk", model).tools([tool]).rails(Kit::from_toml("[loops]").unwrap()).build();
    let output = agent.run("Find it.").await.unwrap();
    let warned = output.messages.iter().filter(|message| message.text().contains("3 calls in a row")).count();
    assert_eq!(warned, 1);
}
