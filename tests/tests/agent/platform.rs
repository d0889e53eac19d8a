//! The hook points of an agent platform: a rail under a platform's name runs where the agent fires the event.

use exo_rails::DynGuardSet;
use exo_rails::prelude::*;
use exo_rails_agent::platform::{
    AgentLoopEnd, AgentLoopStart, ContextOverflow, MemoryRecalled, MemoryStored, PostCompaction, PostLlmCall,
    PostToolExecute, PreCompaction, PreLlmCall, PreToolExecute, SessionClosed, SessionCreated,
};
use exo_rails_agent::{Compaction, InMemory, ScriptedModel, Session};
use serde_json::{Value, json};

/// What the rail below saw, in the state of the session.
fn seen(values: &exo_rails::SharedExtensions) -> Vec<String> {
    values.get::<Vec<String>>().unwrap_or_default()
}

#[rail(on = [
    SessionCreated, AgentLoopStart, MemoryRecalled, ContextOverflow, MemoryStored, PreCompaction, PostCompaction, PreLlmCall, PostLlmCall, PreToolExecute, PostToolExecute,
    AgentLoopEnd, SessionClosed,
])]
fn notes(ctx: &RailContext) {
    ctx.session.update(|seen: &mut Vec<String>| seen.push(ctx.event().to_string()));
}

rail_chain! {
    struct PlatformRails { notes }
}

async fn walk(rails: impl Into<DynGuardSet>) -> Vec<String> {
    let script = r#"[{ "call": [{ "tool": "echo" }] }, { "say": "Done." }]"#;
    let model: ScriptedModel = script.parse().unwrap();
    let echo = Tool::new("echo", "", json!({}), |_: Value| async { Ok::<_, OperationError>("echo") });
    let agent = tests::agent("platform", model).tool(echo).rails(rails.into()).compaction(Compaction::over(1));
    let agent = agent.memory(InMemory::shared(1)).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("hello").await.unwrap();
    let values = session.values().clone();
    session.end().await;
    let mut events = seen(&values);
    events.sort_unstable();
    events.dedup();
    events
}

#[tokio::test]
async fn the_agent_fires_each_point_of_the_platform() {
    let expected = [
        "context_overflow",
        "finished",
        "memory_recalled",
        "memory_stored",
        "post_compaction",
        "post_llm_call",
        "post_tool_call",
        "pre_compaction",
        "pre_llm_call",
        "pre_tool_call",
        "session_end",
        "session_start",
        "start",
    ];
    assert_eq!(walk(PlatformRails {}).await, expected);
    let mut manager = RailManager::new();
    manager.add(notes {}).unwrap();
    assert_eq!(walk(manager).await, expected);
    let mut hooks = HookManager::new();
    PlatformRails {}.register(&mut hooks);
    assert_eq!(walk(hooks).await, expected);
}
