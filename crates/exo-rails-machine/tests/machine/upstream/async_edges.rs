//! `@async` edges: a tool where an agent works, and a path at once where nobody does.

use serde_json::json;

use crate::helper::{call, recorded, run, say, take, trace};

const FILE: &str = "Task coordinator { prompt: \"Coordinate\"; } Task one { prompt: \"One\"; } Task two { prompt: \"Two\"; } State wait;
    coordinator -@async-> one; coordinator -@spawn-> two; coordinator -> wait;";

#[tokio::test]
async fn an_agent_has_a_tool_for_each_async_edge() {
    let script = json!([say("nothing to start")]);
    let (builder, model) = recorded(FILE, &script.to_string());
    let done = builder.build().unwrap().run().await.unwrap();
    assert_eq!(model.tools(), [["transition_to_wait", "spawn_async_to_one", "spawn_async_to_two"]]);
    assert_eq!(trace(&done.history), ["coordinator", "wait"], "no path starts by itself");
    // There, the tool has a parameter `await_result`, which does nothing.
    let requests = model.requests.lock().unwrap();
    let tool = serde_json::to_value(&requests[0].tools[1]).unwrap();
    let parameters = tool["function"]["parameters"]["properties"].as_object().unwrap().clone();
    assert_eq!(parameters.keys().collect::<Vec<_>>(), ["reason"]);
}

/// The instructions name the tools that the agent has, and no others.
#[tokio::test]
async fn the_instructions_name_the_tools_of_async_and_map_edges() {
    let file = format!(
        "{FILE} Context c {{ items<array>: \"[]\"; }} coordinator -reads-> c; coordinator -@map(c.items)-> each;"
    );
    let (builder, model) = recorded(&file, &json!([take("wait")]).to_string());
    builder.build().unwrap().run().await.unwrap();
    let system = &model.systems()[0];
    for tool in &model.tools()[0] {
        assert!(tool.starts_with("read_") || system.contains(&format!("`{tool}`")), "{tool}\n---\n{system}");
    }
    for other in ["`transition_to_one`", "`transition_to_two`", "`transition_to_each`"] {
        assert!(!system.contains(other), "{other}\n---\n{system}");
    }
    assert!(system.contains("- **one** with `spawn_async_to_one` (you go on here)\n"), "{system}");
}

#[tokio::test]
async fn each_path_that_an_agent_starts_does_separate_work() {
    let script = json!([
        call("spawn_async_to_one", json!({ "reason": "first" })),
        call("spawn_async_to_two", json!({ "reason": "second" })),
        take("wait"),
        say("one"),
        say("two"),
    ]);
    let (builder, model) = recorded(FILE, &script.to_string());
    let done = builder.build().unwrap().run().await.unwrap();
    let mut nodes = trace(&done.history);
    nodes[1..].sort();
    assert_eq!(nodes, ["coordinator*", "one", "two", "wait"]);
    assert_eq!(done.history.steps[0].next_nodes, ["wait", "one", "two"]);
    let paths: std::collections::BTreeSet<_> = done.history.steps.iter().map(|step| step.path).collect();
    assert_eq!(paths.len(), 3);
    assert_eq!(model.requests.lock().unwrap().len(), 5);
}

/// The edges of a state, and where its paths end.
#[tokio::test]
async fn a_state_starts_its_async_edges_by_itself() {
    let cases: [(&str, &[&str]); 5] = [
        ("s -@async-> a; s -> b;", &["a", "b"]),
        ("s -@async-> a, b;", &["a", "b", "s"]),
        ("s -@async, when: \"errorCount > 0\"-> a; s -> b;", &["b"]),
        ("s -@async, unless: \"errorCount > 0\"-> a; s -> b;", &["a", "b"]),
        ("s -@async, when: \"errorCount > 0\"-> a;", &["s"]),
    ];
    for (edges, expected) in cases {
        let done = run(&format!("State s; State a; State b; {edges}"), "[]").await.unwrap();
        let mut ended = done.ended_at.clone();
        ended.sort();
        assert_eq!(ended, expected, "{edges}");
    }
}
