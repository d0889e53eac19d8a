//! Several paths: forks, joins, barriers, maps, errors, attempts, timeouts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails::prelude::*;
use exo_rails_machine::{Executor, MachineError, Status, StepOutcome, replay};
use serde_json::json;

use crate::helper::{Answers, calls, machine, run, trace};

#[tokio::test]
async fn a_fork_takes_all_its_edges_and_a_join_waits_for_all() {
    let file = "State start; State a; State b; State c; join end; State after; End done;
        start -@parallel-> a, b; b -> c; a -> end; c -> end; end -> after -> done;";
    let done = run(file, "[]").await.unwrap();
    let trace = trace(&done.history);
    assert_eq!(trace.iter().filter(|node| *node == "end").count(), 1, "{trace:?}");
    assert_eq!(trace.last().map(String::as_str), Some("done"));
    let position = |node: &str| trace.iter().position(|other| other == node).unwrap();
    assert!(position("c") < position("end"), "{trace:?}");
    assert_eq!(done.ended_at, ["done"]);
    assert_eq!(done.history.steps[0].outcome, StepOutcome::Forked);
    assert_eq!(done.history.steps[0].next_nodes, ["a", "b"]);
}

#[tokio::test]
async fn edges_of_a_fork_have_conditions() {
    let file = "Context c { n<integer>: 1; } State s; End a; End b; End d;
        s -@fork-> a; s -@fork, when: \"c.n > 5\"-> b; s -@fork, when: \"c.n < 5\"-> d;";
    let done = run(file, "[]").await.unwrap();
    assert_eq!(done.ended_at, ["a", "d"]);
}

#[tokio::test]
async fn async_edges_start_further_paths() {
    let file = "State s; State log; State next; End done; End logged; s -@async-> log; s -> next; next -> done; log -> logged;";
    let done = run(file, "[]").await.unwrap();
    let mut ended = done.ended_at.clone();
    ended.sort();
    assert_eq!(ended, ["done", "logged"]);
}

/// In upstream, `@async` edges ignored conditions for a time.
#[tokio::test]
async fn async_edges_have_conditions() {
    let file =
        "Context c { n<integer>: 1; } State s; End log; End done; s -@async, when: \"c.n > 5\"-> log; s -> done;";
    assert_eq!(run(file, "[]").await.unwrap().ended_at, ["done"]);
}

#[tokio::test]
async fn an_agent_starts_paths_with_a_tool() {
    let file = "Task s { prompt: \"x\"; } End log; End done; s -@async-> log; s -> done;";
    let script = r#"[
        { "call": [{ "tool": "spawn_async_to_log", "arguments": { "reason": "1" } }] },
        { "call": [{ "tool": "transition_to_done", "arguments": { "reason": "2" } }] }
    ]"#;
    let done = run(file, script).await.unwrap();
    assert_eq!(done.ended_at, ["done", "log"]);
    assert_eq!(done.history.steps[0].next_nodes, ["done", "log"]);
}

#[tokio::test]
async fn a_map_starts_a_path_for_each_item() {
    let model = Answers::new(|_: &ModelCallInputs| ModelResponse::text("done"));
    let file = "Context input { names<array>: \"[\\\"Ada\\\", \\\"Bo\\\", \\\"Cy\\\"]\"; }
        State s; Task greet { prompt: \"Greet.\"; } join all; End done;
        s -reads-> input; s -@map(input.names)-> greet; greet -> all; all -> done;";
    let reading = exo_rails_dygram::read("flow.dygram", file);
    let done = Executor::builder(&reading.machine, model.clone()).build().unwrap().run().await.unwrap();
    assert_eq!(trace(&done.history), ["s", "greet", "greet", "greet", "all", "done"]);
    let requests = model.requests.lock().unwrap();
    assert!(requests.iter().all(|request| request.messages.len() == 2), "the agents do not see each other's items");
    let items = requests.iter().filter_map(|request| {
        let user = request.messages.last()?.text().into_owned();
        user.rsplit_once("Item: ").map(|(_, item)| item.to_owned())
    });
    assert_eq!(items.collect::<Vec<_>>(), ["\"Ada\"", "\"Bo\"", "\"Cy\""]);
}

#[tokio::test]
async fn paths_with_one_agent_take_turns_in_its_conversation() {
    let model = Answers::new(|request: &ModelCallInputs| ModelResponse::text(request.messages.len().to_string()));
    let file = "State s; Task a { prompt: \"a\"; agent: w; } Task b { prompt: \"b\"; agent: w; } s -@parallel-> a, b;";
    let reading = exo_rails_dygram::read("flow.dygram", file);
    Executor::builder(&reading.machine, model.clone()).build().unwrap().run().await.unwrap();
    let lengths: Vec<_> = model.requests.lock().unwrap().iter().map(|request| request.messages.len()).collect();
    assert_eq!(lengths, [2, 4]);
}

#[tokio::test]
async fn a_map_over_a_value_that_is_not_a_list_is_an_error() {
    let file = "Context input { names<string>: \"Ada\"; } State s; End g; s -@map(input.names)-> g;";
    let error = run(file, "[]").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`s` starts a path for each item of `input.names`, which is not a list: it has another type"
    );
    let file = "Context input { names<array>: \"[]\"; } State s; End g; s -@map(input.names)-> g;";
    assert_eq!(run(file, "[]").await.unwrap().ended_at, ["s"], "an empty list starts no path");
}

#[tokio::test]
async fn a_barrier_releases_all_paths_together() {
    let file = "State s; State a; State b; State b2; End x; End y; s -@parallel-> a, b; b -> b2; a -@barrier(\"m\")-> x; b2 -@barrier(\"m\")-> y;";
    let done = run(file, "[]").await.unwrap();
    let trace = trace(&done.history);
    let position = |node: &str| trace.iter().position(|other| other == node).unwrap();
    assert!(position("x") > position("b2"), "{trace:?}");
    assert_eq!(done.ended_at, ["x", "y"]);
}

#[tokio::test]
async fn paths_that_wait_for_each_other_are_an_error() {
    let file = "State s; State a; State b; End x; s -@parallel-> a, b; a -@barrier(\"m\")-> x; b -@barrier(\"n\")-> x;";
    let error = run(file, "[]").await.unwrap_err();
    assert_eq!(error.to_string(), "all paths wait for each other, at the barriers m, n");
}

#[tokio::test]
async fn a_polling_path_is_not_endless_while_another_path_works() {
    let file = "Context c { ready<boolean>: false; } State s; State wait; Task work { prompt: \"x\"; } State w2; End done; End end;
        s -@parallel-> wait, w2; w2 -> work; work -writes-> c; work -> end; wait -when: \"c.ready\"-> done; wait -> wait;";
    let script =
        r#"[{ "call": [{ "tool": "write_c", "arguments": { "field": "ready", "value": true } }] }, { "say": "ok" }]"#;
    let done = run(file, script).await.unwrap();
    assert_eq!(done.ended_at, ["done", "end"]);
}

#[tokio::test]
async fn paths_of_a_higher_priority_go_first() {
    let file = "machine \"M\" @concurrent(1)\nState s; State a; State b; State c; s -@parallel-> a; s -@parallel @priority(5)-> b; s -@parallel @priority(-1)-> c;";
    assert_eq!(trace(&run(file, "[]").await.unwrap().history), ["s", "b", "a", "c"]);
}

/// The strategies of nodes, and the nodes of the steps.
#[tokio::test]
async fn eager_paths_go_first_and_lazy_ones_last() {
    for concurrent in [1, 4] {
        let file = format!(
            "machine \"M\" @concurrent({concurrent})\nState s; State a @lazy; State b; State c @eager; State b2; State a2;
            s -@parallel @priority(9)-> a; s -@parallel @priority(1)-> b; s -@parallel-> c; b -> b2; a -> a2;"
        );
        let taken = trace(&run(&file, "[]").await.unwrap().history);
        assert_eq!(taken, ["s", "c", "b", "b2", "a", "a2"]);
    }
    // A lazy path goes on when the others wait for it.
    let file = "State s; State a @lazy; State b; join j; End e; s -@parallel-> a, b; a -> j; b -> j; j -> e;";
    assert_eq!(trace(&run(file, "[]").await.unwrap().history), ["s", "b", "a", "j", "e"]);
    let file = "State a @lazy; End b; a -> b;";
    assert_eq!(trace(&run(file, "[]").await.unwrap().history), ["a", "b"]);
}

/// The edges of `s`, and the node after it.
#[tokio::test]
async fn edges_of_a_higher_priority_are_tried_first() {
    let cases = [
        ("s -@auto @priority(1), when: \"true\"-> a; s -@auto @priority(2)-> b;", "b"),
        ("s -@priority(1), when: \"true\"-> a; s -@priority(2), when: \"true\"-> b; s -> c;", "b"),
        ("s -@priority(-1), when: \"true\"-> a; s -when: \"false\"-> b; s -when: \"true\"-> c; s -> b;", "c"),
        ("s -@priority(5), when: \"false\"-> a; s -@priority(\"3\"), when: \"true\"-> b; s -@auto-> c;", "b"),
    ];
    for (edges, expected) in cases {
        let done = run(&format!("State s; End a; End b; End c; {edges}"), "[]").await.unwrap();
        assert_eq!(trace(&done.history), ["s", expected], "{edges}");
    }
}

const TWO: &str = "Context c { n<integer>: 0; kept<integer>: 0; } State s; Task bad { prompt: \"bad\"; } Task good { prompt: \"good\"; } End done;
    bad -writes-> c; good -writes-> c; s -@parallel-> bad, good; good -> done; bad -> done;";

/// The agent at `bad` writes, and then fails. The one at `good` writes.
fn two_paths() -> Answers<impl Fn(&ModelCallInputs) -> ModelResponse + Clone + Send + Sync> {
    Answers::new(|request: &ModelCallInputs| {
        let first = request.messages.iter().filter(|message| !message.tool_calls.is_empty()).count() == 0;
        let is_bad = request.messages.iter().any(|message| message.text() == "bad");
        match (is_bad, first) {
            (true, true) => calls("write_c", json!({ "field": "n", "value": 7 })),
            // More calls than an answer may have: the run fails.
            (true, false) => {
                let mut response = calls("read_c", json!({}));
                let call = response.message.tool_calls[0].clone();
                response.message.tool_calls = vec![call; 10_000];
                response
            }
            (false, true) => calls("write_c", json!({ "field": "kept", "value": 1 })),
            (false, false) => ModelResponse::text("done"),
        }
    })
}

#[tokio::test]
async fn an_error_of_a_path_ends_the_machine_unless_others_may_continue() {
    let executor = |strategy: &str| {
        let file = format!("machine \"M\" @errorHandling(\"{strategy}\") @concurrent(1)\n{TWO}");
        Executor::builder(&exo_rails_dygram::read("flow.dygram", &file).machine, two_paths()).build().unwrap()
    };
    let stopped = executor("fail-fast").run().await.unwrap_err();
    assert!(matches!(&stopped.error, MachineError::Run { node, .. } if node == "bad"), "{stopped}");
    assert_eq!(stopped.state.status(), Status::Error);

    let done = executor("continue").run().await.unwrap();
    assert_eq!(done.ended_at, ["done"]);
    let fields = json!(done.state.contexts().fields("c"));
    assert_eq!(fields, json!({ "n": 7, "kept": 1 }));
    let failed = done.history.steps.iter().find(|step| step.outcome == StepOutcome::Failed).unwrap();
    assert_eq!((failed.current_node.as_str(), failed.errors.len()), ("bad", 1));

    let done = executor("compensate").run().await.unwrap();
    assert_eq!(json!(done.state.contexts().fields("c")), json!({ "n": 0, "kept": 1 }));
}

#[tokio::test(start_paused = true)]
async fn work_that_fails_is_repeated_after_a_delay() {
    let file = "Task t @retry(2) { prompt: \"x\"; } End e; t -> e;";
    let fail = r#"{ "fail": { "kind": "unavailable", "message": "down" } }"#;
    let begin = tokio::time::Instant::now();
    let done = run(file, &format!("[{fail}, {fail}, {{ \"say\": \"ok\" }}]")).await.unwrap();
    assert_eq!(begin.elapsed().as_secs(), 3, "1 s and 2 s");
    assert_eq!(done.history.steps[0].errors.len(), 2);
    let error = run(file, &format!("[{fail}, {fail}, {fail}, {{ \"say\": \"ok\" }}]")).await.unwrap_err();
    assert!(error.to_string().contains("down"), "{error}");
    // A wrong key stays wrong.
    let denied = r#"{ "fail": { "kind": "denied", "message": "wrong key" } }"#;
    let error = run(file, &format!("[{denied}, {{ \"say\": \"ok\" }}]")).await.unwrap_err();
    assert!(error.to_string().contains("wrong key"), "{error}");
    // Without `@retry`, there is one attempt.
    assert!(
        run("Task t { prompt: \"x\"; } End e; t -> e;", &format!("[{fail}, {{ \"say\": \"ok\" }}]")).await.is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn work_that_takes_too_long_is_dropped() {
    let slow = Tool::new("slow", "", json!({}), |_: serde_json::Value| async {
        tokio::time::sleep(std::time::Duration::from_secs(10)).await;
        Ok::<_, OperationError>("late")
    });
    let file = "Task t @timeout(5000) { prompt: \"x\"; } End e; t -> e;";
    let executor = machine(file, r#"[{ "call": [{ "tool": "slow" }] }]"#).tool(slow.clone()).build().unwrap();
    let error = executor.run().await.unwrap_err().error;
    assert_eq!(error.to_string(), "the work at `t` took longer than 5000 ms");

    let executor =
        machine("Task t { prompt: \"x\"; } End e; t -> e;", r#"[{ "call": [{ "tool": "slow" }] }]"#).tool(slow);
    let executor = executor.limits(|limits| limits.time = Some(std::time::Duration::from_secs(2))).build().unwrap();
    let stopped = executor.run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::TimeLimit { .. }));
    assert_eq!(stopped.state.status(), Status::Stopped);
}

#[tokio::test]
async fn agents_of_several_paths_work_at_the_same_time() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (now, peak) = (Arc::clone(&running), Arc::clone(&most));
    let slow = Tool::new("slow", "", json!({}), move |_: serde_json::Value| {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok::<_, OperationError>("done")
        }
    });
    for (concurrent, expected) in [(1, 1), (2, 2), (4, 3)] {
        most.store(0, Ordering::SeqCst);
        let file = format!(
            "machine \"M\" @concurrent({concurrent})\nState s; Task a {{ prompt: \"a\"; }} Task b {{ prompt: \"b\"; }} Task c {{ prompt: \"c\"; }} s -@parallel-> a, b, c;"
        );
        let model = Answers::new(|request: &ModelCallInputs| {
            let has_called = request.messages.iter().any(|message| !message.tool_calls.is_empty());
            if has_called { ModelResponse::text("ok") } else { calls("slow", json!({})) }
        });
        let reading = exo_rails_dygram::read("flow.dygram", &file);
        Executor::builder(&reading.machine, model).tool(slow.clone()).build().unwrap().run().await.unwrap();
        assert_eq!(most.load(Ordering::SeqCst), expected, "@concurrent({concurrent})");
    }
}

/// The edges of `s`, a script for its agent if it has one, and what the history says about the step: the nodes to which it led,
/// and the paths that it started.
#[tokio::test]
async fn the_history_has_the_paths_that_a_step_starts() {
    let spawn = json!({ "call": [{ "tool": "spawn_async_to_a", "arguments": { "reason": "x" } }] });
    let spawn_and_fail = json!([spawn, { "fail": { "kind": "unavailable", "message": "down" } }]);
    let spawn_and_end = json!([spawn, { "say": "done" }]);
    let none = json!([]);
    let cases = [
        ("s -@async-> a; s -> b;", &none, vec!["b", "a"], vec![(1, "a")]),
        ("s -@async-> a;", &none, vec!["a"], vec![(1, "a")]),
        ("s -@async-> a; s -@parallel-> b, b2;", &none, vec!["b", "b2", "a"], vec![(1, "a"), (2, "b"), (3, "b2")]),
        ("s -@map(c.items)-> a;", &none, vec!["a"], vec![(1, "a"), (2, "a")]),
        ("s -@async-> a; s -@map(c.items)-> b;", &none, vec!["b", "a"], vec![(1, "a"), (2, "b"), (3, "b")]),
        ("s -@async-> a; s -> b;", &spawn_and_end, vec!["b", "a"], vec![(1, "a")]),
        ("s -@async-> a; s -@parallel-> b;", &spawn_and_end, vec!["b", "a"], vec![(1, "a"), (2, "b")]),
        ("s -@async-> a; s -> b;", &spawn_and_fail, vec![], vec![(1, "a")]),
        ("s -> b;", &none, vec!["b"], vec![]),
    ];
    for (edges, script, next, started) in cases {
        let kind = if script == &none { "State s;" } else { "Task s { prompt: \"x\"; }" };
        let file = format!(
            "machine \"M\" @errorHandling(\"continue\") Context c {{ items<array>: [1, 2]; }} {kind} State a; State b; State b2; {edges}"
        );
        let done = machine(&file, &script.to_string()).start_at("s").build().unwrap().run().await.unwrap();
        let step = &done.history.steps[0];
        assert_eq!(step.next_nodes, next, "{edges}");
        let found: Vec<_> = step.started_paths.iter().map(|started| (started.path, started.node.as_str())).collect();
        assert_eq!(found, started, "{edges}");
        let positions = exo_rails_machine::replay(&exo_rails_dygram::read("f", &file).machine, &done.history).unwrap();
        for (path, node) in started {
            assert_eq!(positions[0].nodes.get(&path).map(String::as_str), Some(node), "{edges}");
        }
    }
}

/// The first attempt writes, and fails.
#[tokio::test(start_paused = true)]
async fn writes_of_failed_attempts_are_in_the_history() {
    let write = json!({ "call": [{ "tool": "write_c", "arguments": { "field": "n", "value": 7 } }] });
    let fail = json!({ "fail": { "kind": "unavailable", "message": "down" } });
    let file = |errors: &str| {
        format!(
            "machine \"M\" @errorHandling(\"{errors}\") Context c {{ n<integer>: 0; }} State s; Task t @retry(1) {{ prompt: \"x\"; }} State other;
            s -@parallel-> t, other; t -writes-> c;"
        )
    };
    let script = json!([write, fail, { "say": "done" }]).to_string();
    let done = run(&file("continue"), &script).await.unwrap();
    let step = done.history.steps.iter().find(|step| step.current_node == "t").unwrap();
    assert_eq!((step.writes.len(), step.errors.len()), (1, 1));
    let used = &step.agent_invocation.as_ref().unwrap().tools_used;
    assert_eq!(used, &["write_c"], "the invocation has both attempts");
    let positions = exo_rails_machine::replay(&exo_rails_dygram::read("f", &file("continue")).machine, &done.history);
    assert_eq!(positions.unwrap().last().unwrap().contexts.get("c", "n"), Some(&json!(7)));

    // If the last attempt fails too, `compensate` takes back the writes of all attempts.
    let script = json!([write, fail, fail]).to_string();
    let done = run(&file("compensate"), &script).await.unwrap();
    assert_eq!(done.state.contexts().get("c", "n"), Some(&json!(0)));
}

/// Of several edges to one node, the path takes the one that the agent chose: here the one with the barrier.
#[tokio::test]
async fn the_edge_of_the_tool_is_taken_and_no_other_one_to_the_same_node() {
    let others = [
        "a -@auto, when: \"c.n > 3\"-> end",
        "a -when: \"c.n > 3\"-> end",
        "a -@async, when: \"c.n > 3\"-> end",
        "a -@async-> end",
        "a -@map(c.items), when: \"c.n > 3\"-> end",
    ];
    for other in others {
        let file = format!(
            "Context c {{ n<integer>: 0; items<array>: [1]; }} State s; Task a {{ prompt: \"x\"; }} State b; State b2; End end; State no;
            s -@parallel-> a, b; {other}; a -@barrier(\"m\")-> end; a -> no; b -> b2; b2 -@barrier(\"m\")-> end;"
        );
        let done = run(&file, &format!("[{}]", crate::helper::go("end"))).await.unwrap();
        let step = done.history.steps.iter().find(|step| step.current_node == "a").unwrap();
        assert_eq!(step.outcome, StepOutcome::Waits, "{other}");
    }
}

/// Where nobody works, the async edges start at once, and the agent that chooses the way cannot start them again.
#[tokio::test]
async fn a_state_whose_agent_chooses_starts_its_async_paths_once() {
    let (builder, model) = crate::helper::recorded(
        "State s; State log; State a; State b; s -@async-> log; s -> a, b;",
        &format!("[{}]", crate::helper::go("a")),
    );
    let done = builder.build().unwrap().run().await.unwrap();
    assert_eq!(model.tools(), [["transition_to_a", "transition_to_b"]]);
    assert_eq!(done.ended_at, ["a", "log"]);
}

/// A path that was at work when the program crashed finishes its step before others go on.
#[tokio::test]
async fn a_resumed_machine_finishes_the_steps_that_are_under_way() {
    let file = "machine \"M\" @concurrent(1)\nContext c { n<integer>: 0; } State s; Task a { prompt: \"x\"; } State b; s -@parallel-> a, b; a -writes-> c;";
    let script =
        r#"[{ "call": [{ "tool": "write_c", "arguments": { "field": "n", "value": 1 } }] }, { "say": "done" }]"#;
    let saved = crate::resume::Saved::default();
    let whole = machine(file, script).save_to(saved.clone()).build().unwrap().run().await.unwrap();
    assert_eq!(trace(&whole.history), ["s", "a", "b"]);
    let states = saved.0.lock().unwrap().clone();
    let mut count = 0;
    for state in states {
        let state: exo_rails_machine::MachineState = serde_json::from_str(&state).unwrap();
        if state.status() != Status::Running
            || state.history().steps.len() != 1
            || !state.nodes().any(|node| node == "a")
        {
            continue;
        }
        count += 1;
        let calls = if state.contexts().get("c", "n") == Some(&json!(1)) { r#"[{ "say": "done" }]"# } else { script };
        let executor = machine(file, calls).build().unwrap();
        let done = executor.resume(state).unwrap().run().await;
        let history = done.map_or_else(|stopped| stopped.state.history().clone(), |done| done.history);
        assert_eq!(trace(&history)[..2], ["s", "a"], "{count}");
    }
    assert!(count > 1);
}

/// A sale of two tasks. Each has a node that undoes it.
const SALE: &str = r#"
machine "Sale" @errorHandling("compensate")
Context order { reserved<boolean>: false; charge<string>: ""; refunded<string>: ""; }
State other; State reserve; Task charge { prompt: "Charge."; } Task ship { prompt: "Ship."; } End done;
Task release @compensate(reserve) { prompt: "Release."; }
Task refund @compensate(charge) { prompt: "Refund {{order.charge}}."; }
State report @compensate;
Init begin;
begin -@parallel-> reserve, other;
reserve -> charge -> ship -> done;
charge, refund -write-> order; ship -write: reserved-> order;
"#;

fn writes(field: &str, value: &str) -> serde_json::Value {
    json!({ "call": [{ "tool": "write_order", "arguments": { "field": field, "value": value } }] })
}

#[tokio::test]
async fn a_path_that_fails_visits_the_nodes_that_undo_its_work() {
    let machine_of = |text: &str| exo_rails_dygram::read("sale.dygram", text).into_result().unwrap();
    let fail = json!({ "fail": { "kind": "unavailable", "message": "down" } });
    let charged = [writes("charge", "c1"), json!({ "say": "charged" })];
    let refunded = [writes("refunded", "yes"), json!({ "say": "refunded" })];
    let released = json!({ "say": "released" });
    let script = |parts: &[&[serde_json::Value]]| json!(parts.concat()).to_string();
    let fail = std::slice::from_ref(&fail);
    let released = std::slice::from_ref(&released);
    let cases = [
        // What ships fails: all is undone, the last work first, and the refund reads what the charge wrote.
        (
            script(&[&charged, fail, &refunded, released]),
            vec!["reserve", "charge*", "ship!", "report", "refund*", "release*"],
            json!({ "reserved": false, "charge": "", "refunded": "yes" }),
        ),
        // The charge fails, so there is nothing to refund.
        (
            script(&[fail, released]),
            vec!["reserve", "charge!", "report", "release*"],
            json!({ "reserved": false, "charge": "", "refunded": "" }),
        ),
        // The refund fails after a write. The release still happens.
        (
            script(&[&charged, fail, &[writes("refunded", "half")], fail, released]),
            vec!["reserve", "charge*", "ship!", "report", "refund!", "release*"],
            json!({ "reserved": false, "charge": "", "refunded": "" }),
        ),
    ];
    for (script, steps, order) in cases {
        let machine = machine_of(SALE);
        let done = Executor::builder(&machine, script.parse::<exo_rails_agent::ScriptedModel>().unwrap());
        let done = done.build().unwrap().run().await.unwrap();
        assert_eq!(done.ended_at, ["other"]);
        let mark = |step: &Arc<exo_rails_machine::HistoryStep>| {
            let mark = match (step.outcome, &step.agent_invocation) {
                (StepOutcome::Failed, _) => "!",
                (_, Some(_)) => "*",
                (_, None) => "",
            };
            format!("{}{mark}", step.current_node)
        };
        let taken: Vec<_> = done.history.steps.iter().filter(|step| step.path == 1).map(mark).collect();
        assert_eq!(taken, steps);
        assert_eq!(json!(done.state.contexts().fields("order")), order);
        // The history says what was taken back.
        let last = exo_rails_machine::replay(&machine, &done.history).unwrap().pop().unwrap();
        assert_eq!(&last.contexts.fields("order"), &done.state.contexts().fields("order"));
        if steps.contains(&"ship!") {
            let refund = done.history.steps.iter().filter_map(|step| step.agent_invocation.as_ref());
            assert!(refund.into_iter().any(|agent| agent.user_prompt == "Refund c1."), "the refund reads the charge");
        }
    }
}

/// Two paths write and meet. The path that goes on undoes the work of both.
#[tokio::test]
async fn a_path_after_a_merge_undoes_the_work_of_all_merged_paths() {
    let file = r#"
machine "Trip" @errorHandling("compensate") @concurrent(1)
Context trip { flight<string>: ""; hotel<string>: ""; last<integer>: 0; }
Init begin; Task flight { prompt: "Flight."; } Task hotel { prompt: "Hotel."; } State together; Task pay { prompt: "Pay."; } End done;
Task noFlight @compensate(flight) { prompt: "No flight."; }
Task noHotel @compensate(hotel) { prompt: "No hotel."; }
begin -@parallel-> flight, hotel; flight, hotel -@merge("both")-> together -> pay -> done;
flight, hotel -writes-> trip;
"#;
    let write =
        |fields: serde_json::Value| json!({ "call": [{ "tool": "write_trip", "arguments": { "data": fields } }] });
    let say = json!({ "say": "ok" });
    let fail = json!({ "fail": { "kind": "unavailable", "message": "down" } });
    let flight = write(json!({ "flight": "f1", "last": 1 }));
    let hotel = write(json!({ "hotel": "h1", "last": 2 }));
    let script = json!([flight, say, hotel, say, fail, say, say]).to_string();
    let machine = exo_rails_dygram::read("trip.dygram", file).into_result().unwrap();
    let executor =
        Executor::builder(&machine, script.parse::<exo_rails_agent::ScriptedModel>().unwrap()).build().unwrap();
    let stopped = executor.run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::AllFailed { .. }), "{stopped}");
    assert_eq!(trace(stopped.state.history()), ["begin", "flight", "hotel", "together", "pay", "noHotel", "noFlight"]);
    let values = json!(stopped.state.contexts().fields("trip"));
    assert_eq!(values, json!({ "flight": "", "hotel": "", "last": 0 }));
    replay(&machine, stopped.state.history()).unwrap();
}

/// If all paths below a path fail, it fails too, and undoes what it did before.
#[tokio::test]
async fn a_path_whose_paths_have_all_failed_undoes_its_own_work() {
    let file = |undo: &str| {
        format!(
            r#"
machine "Sale" @errorHandling("compensate") @concurrent(1)
Context order {{ charge<string>: ""; }}
Task charge {{ prompt: "Charge."; }} State ship; Task left {{ prompt: "Left."; }} Task right {{ prompt: "Right."; }} End done;
{undo}
charge -> ship; ship -@parallel-> left, right; left, right -> done; charge -writes-> order;
"#
        )
    };
    let refund = "Task refund @compensate(charge) { prompt: \"Refund {{order.charge}}.\"; } refund -reads-> order;";
    let fail = json!({ "fail": { "kind": "unavailable", "message": "down" } });
    let charged = writes("charge", "c1");
    let script = json!([charged, { "say": "ok" }, fail, fail, { "say": "refunded" }]).to_string();
    for (undo, last) in [("", "ship"), (refund, "refund")] {
        let machine = exo_rails_dygram::read("sale.dygram", &file(undo)).into_result().unwrap();
        let executor = Executor::builder(&machine, script.parse::<exo_rails_agent::ScriptedModel>().unwrap());
        let stopped = executor.build().unwrap().run().await.unwrap_err();
        assert!(matches!(stopped.error, MachineError::AllFailed { .. }), "{stopped}");
        assert_eq!(trace(stopped.state.history()), ["charge", "ship", "left", "right", last]);
        assert_eq!(stopped.state.contexts().get("order", "charge"), Some(&json!("")));
        let taken: Vec<_> = stopped.state.history().steps.iter().map(|step| step.taken_back.len()).collect();
        assert_eq!(taken, [0, 0, 0, 0, 1]);
        replay(&machine, stopped.state.history()).unwrap();
    }
}

/// A crash at every saved state: the resumed machine has the same history.
#[tokio::test]
async fn a_path_that_undoes_its_work_is_resumed() {
    let machine = exo_rails_dygram::read("sale.dygram", SALE).into_result().unwrap();
    let model = || {
        Answers::new(|request: &ModelCallInputs| {
            let system = crate::helper::system_of(request);
            let has_called = request.messages.iter().any(|message| !message.tool_calls.is_empty());
            match () {
                () if system.contains("**ship**") => ModelResponse::text(String::new()),
                () if system.contains("**charge**") && !has_called => {
                    calls("write_order", json!({ "field": "charge", "value": "c1" }))
                }
                () => ModelResponse::text("ok"),
            }
        })
    };
    let rails = || {
        rail_chain![
            #[chain(operations = [exo_rails_machine::Transition])]
            no_shipping
        ]
    };
    let saved = crate::resume::Saved::default();
    let builder = || Executor::builder(&machine, model()).rails(rails()).clock(|| std::time::SystemTime::UNIX_EPOCH);
    let whole = builder().save_to(saved.clone()).build().unwrap().run().await.unwrap();
    let of_path = whole.history.steps.iter().filter(|step| step.path == 1);
    let of_path: Vec<_> = of_path.map(|step| (step.current_node.as_str(), step.errors.len())).collect();
    // The rails let the path neither ship nor release.
    assert_eq!(of_path, [("reserve", 0), ("charge", 0), ("ship", 1), ("report", 0), ("refund", 0), ("refund", 1)]);
    let states = saved.0.lock().unwrap().clone();
    assert!(states.len() > 8);
    // The last state is that of a machine that has ended.
    for state in states.iter().take(states.len() - 1) {
        let executor = builder().build().unwrap();
        let state = serde_json::from_str(state).unwrap();
        let done = executor.resume(state).unwrap().run().await.unwrap();
        assert_eq!(trace(&done.history), trace(&whole.history));
        assert_eq!(done.state.contexts().fields("order"), whole.state.contexts().fields("order"));
    }
}

/// Also refuses the way to one of the nodes that undo.
#[rail(on = [exo_rails_machine::PreTransition])]
fn no_shipping(request: &exo_rails_machine::TransitionRequest) -> RailAction<exo_rails_machine::TransitionRecord> {
    if ["done", "release"].contains(&&*request.to) { RailAction::skip("not now") } else { RailAction::Continue }
}
