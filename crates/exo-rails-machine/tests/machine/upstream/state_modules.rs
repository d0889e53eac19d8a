//! States and processes with nodes in them: where they are entered and left.

use serde_json::{Value, json};

use crate::helper::{recorded, run, say, take, trace};

/// The file, and the nodes of its steps. Nobody decides anything.
#[tokio::test]
async fn modules_are_entered_and_left_by_their_edges() {
    let cases: [(&str, &[&str]); 11] = [
        (
            "Init start; State check { Task first; Task second; first -> second; second -> done; } End done; start -> check;",
            &["start", "check.first", "check.second", "done"],
        ),
        // A task is before other nodes, whatever their order is, and a context is no entry.
        (
            "Init start; State module { Context config { a: 1; } State wait; Task process; } End done; start -> module; process -> done;",
            &["start", "module.process", "done"],
        ),
        (
            "Init start; State module { State wait; Init begin; begin -> wait; } End done; start -> module -> done;",
            &["start", "module.begin", "module.wait", "done"],
        ),
        (
            "Init start; State module { State one; State two @start; two -> one; } End done; start -> module -> done;",
            &["start", "module.two", "module.one", "done"],
        ),
        // A state without nodes, or with contexts only, is entered itself.
        ("Init start; State ready; Task process; start -> ready -> process;", &["start", "ready", "process"]),
        (
            "Init start; State ready { Context c { a: 1; } } End done; start -> ready -> done;",
            &["start", "ready", "done"],
        ),
        // The last node has the edges of the module, unless it has its own.
        (
            "Init start; State work { State one; State two; one -> two; } Task complete; start -> work -> complete;",
            &["start", "work.one", "work.two", "complete"],
        ),
        (
            "Init start; State work { State one; State two; one -> two; } Task own; Task others; start -> work -> others; two -> own;",
            &["start", "work.one", "work.two", "own"],
        ),
        (
            "Init start; State a { State x; } State b { State y; } State c { State z; } Task end; start -> a -> b -> c -> end;",
            &["start", "a.x", "b.y", "c.z", "end"],
        ),
        (
            "Init start; State pipe { State check { State validate; } State process; check -> process; } Task end; start -> pipe -> end;",
            &["start", "pipe.check.validate", "pipe.process", "end"],
        ),
        // An edge into a module enters this node.
        (
            "Init start; State pipe { State one; State two; one -> two; } Task end; start -> pipe.two; pipe -> end;",
            &["start", "pipe.two", "end"],
        ),
    ];
    for (file, expected) in cases {
        let done = run(file, "[]").await.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(trace(&done.history), expected, "{file}");
    }
}

#[tokio::test]
async fn the_agent_chooses_among_the_edges_of_the_module() {
    let file = "Init start; State check { Task validate { prompt: \"Validate\"; } } State good { Task success; } State bad { Task error; } End end;
        start -> check; check -success-> good; check -error-> bad; good -> end; bad -> end;";
    for (target, expected) in [("good", "good.success"), ("bad", "bad.error")] {
        let (builder, model) = recorded(file, &json!([take(target)]).to_string());
        let done = builder.build().unwrap().run().await.unwrap();
        assert_eq!(model.tools(), [["transition_to_good", "transition_to_bad"]]);
        assert_eq!(trace(&done.history), ["start", "check.validate*", expected, "end"]);
    }
}

/// The file, the script, and the steps.
#[tokio::test]
async fn tasks_are_executed_in_their_order() {
    let cases: [(&str, Value, &[&str]); 4] = [
        (
            "Task start { prompt: \"Begin\"; } Task analysis { prompt: \"Analyze\"; } End end; start -> analysis -> end;",
            json!([say("1"), say("2")]),
            &["start", "analysis", "end"],
        ),
        // Without a prompt, nobody works at a task.
        ("Task start; End end; start -> end;", json!([]), &["start", "end"]),
        (
            "Task start { prompt: \"Route\"; } Task check { prompt: \"Again\"; } State success; State other; End end;
            start -> check, other; check -> success, other; success -> end; other -> end;",
            json!([take("check"), take("other")]),
            &["start*", "check*", "other", "end"],
        ),
        // A node without edges ends the path.
        ("Task start { prompt: \"Alone\"; }", json!([say("done")]), &["start"]),
    ];
    for (file, script, expected) in cases {
        let done = run(file, &script.to_string()).await.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(trace(&done.history), expected, "{file}");
    }
}
