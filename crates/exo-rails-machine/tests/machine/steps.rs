//! Steps without an agent: automatic edges, conditions, loops, limits.

use exo_rails::prelude::*;
use exo_rails_machine::{
    MachineError, PreTransition, Progress, Status, StepOutcome, Transition, TransitionRecord, TransitionRequest,
};

use crate::helper::{go, machine, run, trace};

#[tokio::test]
async fn states_with_one_edge_need_no_agent() {
    let done = run("Init begin; State a; State b; End done; begin -> a -> b -> done;", "[]").await.unwrap();
    assert_eq!(trace(&done.history), ["begin", "a", "b", "done"]);
    assert_eq!(done.ended_at, ["done"]);
    assert_eq!(done.history.status, Status::Completed);
    let sums = done.history.summary;
    assert_eq!((sums.total_steps, sums.automated_transitions, sums.agent_decisions), (4, 3, 0));
}

#[tokio::test]
async fn the_first_true_condition_in_the_file_decides() {
    let file = "Context c { n<integer>: 5; } State s; End a; End b; End z;
        s -when: \"c.n > 9\"-> z; s -when: \"c.n > 3\"-> b; s -when: \"c.n > 1\"-> a; s -@auto-> z;";
    assert_eq!(run(file, "[]").await.unwrap().ended_at, ["b"]);
}

/// Upstream offers such an edge to the agent.
#[tokio::test]
async fn a_false_condition_closes_its_edge() {
    let file = "Context c { n<integer>: 0; } State s; End a; End b; s -when: \"c.n > 3\"-> a; s -> b;";
    assert_eq!(run(file, "[]").await.unwrap().ended_at, ["b"]);
}

#[tokio::test]
async fn edges_to_contexts_are_not_transitions() {
    let file = "Context c { n<integer>: 0; } State s; End b; s -reads-> c; s -> b;";
    assert_eq!(run(file, "[]").await.unwrap().ended_at, ["b"]);
}

#[tokio::test]
async fn a_node_whose_conditions_are_all_false_is_an_error() {
    let file = "Context c { n<integer>: 0; } State s; End a; s -when: \"c.n > 3\"-> a; s -unless: \"c.n < 3\"-> a;";
    let error = run(file, "[]").await.unwrap_err().to_string();
    assert_eq!(
        error,
        "`s` has no edge that can be taken: the conditions of all its edges are false: `c.n > 3`, `c.n < 3`"
    );
}

/// In upstream, this edge is taken.
#[tokio::test]
async fn an_error_in_a_condition_stops_the_machine_with_its_cause() {
    let file = "Context c { o<object>: \"{}\"; } State s; End a; End b; s -when: \"c.o.missing > 3\"-> a; s -> b;";
    let error = run(file, "[]").await.unwrap_err();
    assert!(matches!(&error, MachineError::Condition { node, target, .. } if node == "s" && target == "a"));
    assert!(error.to_string().ends_with("No such key: missing"), "{error}");
}

/// Upstream compares at least two states, so it does not find this circle at first.
#[tokio::test]
async fn a_circle_of_one_node_is_found() {
    let stopped = machine("State a; a -> a;", "[]").build().unwrap().run().await.unwrap_err();
    assert!(matches!(&stopped.error, MachineError::EndlessLoop { nodes } if nodes == &["a", "a"]), "{}", stopped.error);
    assert_eq!(stopped.state.history().steps.len(), 1);
    assert_eq!(stopped.state.status(), Status::Error);
}

#[tokio::test]
async fn a_circle_of_several_nodes_is_found() {
    let error = run("State s; State a; State b; s -> a -> b -> a;", "[]").await.unwrap_err();
    assert!(matches!(&error, MachineError::EndlessLoop { nodes } if nodes == &["a", "b", "a"]), "{error}");
}

/// Upstream reports an infinite loop here, because it sees the nodes A, B, A, B.
#[tokio::test]
async fn a_circle_in_which_the_agent_works_is_not_endless() {
    let file = "State a; Task b { prompt: \"x\"; } End c; a -> b; b -> a, c;";
    let script = format!("[{}, {}, {}, {}]", go("a"), go("a"), go("a"), go("c"));
    let done = run(file, &script).await.unwrap();
    assert_eq!(trace(&done.history), ["a", "b*", "a", "b*", "a", "b*", "a", "b*", "c"]);
}

#[tokio::test]
async fn limits_are_exact() {
    let file = "State a; State b; State c; End d; a -> b -> c -> d;";
    assert!(machine(file, "[]").limits(|limits| limits.steps = 4).build().unwrap().run().await.is_ok());
    let stopped = machine(file, "[]").limits(|limits| limits.steps = 3).build().unwrap().run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::StepLimit { limit: 3 }));
    assert_eq!(stopped.state.history().steps.len(), 3);

    let file = "State a; Task b { prompt: \"x\"; } End c; a -> b; b -> a, c;";
    let script = format!("[{}, {}, {}]", go("a"), go("a"), go("c"));
    let limited = |visits| machine(file, &script).limits(|limits| limits.visits = visits).build().unwrap();
    assert!(limited(3).run().await.is_ok());
    let error = limited(2).run().await.unwrap_err().error;
    assert!(matches!(&error, MachineError::VisitLimit { node, limit: 2 } if node == "a"), "{error}");
}

#[tokio::test]
async fn the_option_until_ends_a_machine_without_an_end_node() {
    let file = "State a; State b; a -> b -> a;";
    for (visit, steps) in [(1, 2), (3, 6)] {
        let executor = machine(file, "[]").until("b", visit).build().unwrap();
        let done = executor.run().await.unwrap();
        assert_eq!((done.history.steps.len(), done.ended_at), (steps, vec!["b".to_owned()]));
        assert_eq!(done.state.visits("b"), visit);
    }
    assert!(machine(file, "[]").until("c", 1).build().is_err());
}

#[rail(on = [PreTransition])]
fn ask_before_the_end(request: &TransitionRequest, ctx: &RailContext) -> RailAction<TransitionRecord> {
    if request.to == "asked" { RailAction::suspend(ctx.question("go?")) } else { RailAction::Continue }
}

/// In the round in which one path comes to the node of `until`, others ask, wait or fail.
#[tokio::test]
async fn the_option_until_ends_a_machine_while_other_paths_wait_or_fail() {
    let (both, after) = (&["a, b, c", "c, b, a"][..], &["a, b, c"][..]);
    let others = [
        ("b -> asked;", both),
        ("b -@barrier(\"never\")-> other; c -> c2 -> c3 -> other;", both),
        ("b -> other;", both),
        // If the other path fails first, the machine fails.
        ("b -when: \"v.n > 3\"-> other;", after),
    ];
    for (other, forks) in others {
        for fork in forks {
            let file = format!(
                "Context v {{ n<integer>: 0; }} State s; State a; State b; State c; State c2; State c3; End asked; End other;
                s -@parallel-> {fork}; a -> other; {other}"
            );
            let rails = rail_chain![
                #[chain(operations = [Transition])]
                ask_before_the_end
            ];
            let executor = machine(&file, "[]").rails(rails).until("a", 1).build().unwrap();
            let done = executor.run().await.unwrap_or_else(|stopped| panic!("{file}: {stopped}"));
            assert_eq!(done.state.status(), Status::Completed);
            assert!(done.ended_at.contains(&"a".to_owned()), "{file}: {:?}", done.ended_at);
            assert_eq!(done.state.nodes().count(), 0);
        }
    }
}

#[tokio::test]
async fn an_execution_can_take_one_step_at_a_time() {
    let executor = machine("State a; State b; End c; a -> b -> c;", "[]").build().unwrap();
    let mut execution = executor.start();
    let mut seen = Vec::new();
    while let Progress::Step(step) = execution.step().await.unwrap() {
        seen.push((step.current_node.clone(), step.outcome));
    }
    let expected = [("a", StepOutcome::Moved), ("b", StepOutcome::Moved), ("c", StepOutcome::Ended)];
    assert_eq!(seen, expected.map(|(node, outcome)| (node.to_owned(), outcome)));
    assert_eq!(execution.state().status(), Status::Completed);
    assert_eq!(execution.step().await.unwrap(), Progress::Ended);
}

#[tokio::test]
async fn a_nested_machine_is_entered_at_its_first_task_and_left_by_the_edges_around_it() {
    let file = "State s; Process p { State wait; Task work { prompt: \"x\"; } Task check { prompt: \"y\"; } work -> check; } End e; s -> p -> e;";
    let done = run(file, r#"[{ "say": "done" }, { "say": "checked" }]"#).await.unwrap();
    assert_eq!(trace(&done.history), ["s", "p.work", "p.check", "e"]);
}

#[tokio::test]
async fn built_in_names_count_errors() {
    let file =
        "State processing; End error; End fine; processing -when: \"errorCount > 3\"-> error; processing -> fine;";
    assert_eq!(run(file, "[]").await.unwrap().ended_at, ["fine"]);
}

#[tokio::test]
async fn a_machine_runs_as_a_task_of_a_runtime_with_several_threads() {
    let executor = machine("State a; End b; a -> b;", "[]").build().unwrap();
    // Only a future that is `Send` can be spawned.
    let done = tokio::spawn(async move { executor.run().await.map(|done| done.ended_at) });
    assert_eq!(done.await.unwrap().unwrap(), ["b"]);
}

#[rail(on = [PreTransition])]
fn not_to_c(request: &TransitionRequest) -> RailAction<TransitionRecord> {
    if request.to == "c" { RailAction::abort("not to c") } else { RailAction::Continue }
}

#[tokio::test]
async fn an_execution_that_has_stopped_takes_no_step_and_does_not_end() {
    let rails = rail_chain![
        #[chain(operations = [Transition])]
        not_to_c
    ];
    // One path ends before the other one is stopped.
    let file = "State s; State a; State b; State c; s -@async-> a; s -> b; b -> c;";
    let executor = machine(file, "[]").rails(rails).build().unwrap();
    let mut execution = executor.start();
    let error = loop {
        match execution.step().await {
            Ok(progress) => assert!(matches!(progress, Progress::Step(_)), "{progress:?}"),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("not to c"), "{error}");
    assert!(matches!(execution.step().await, Err(MachineError::HasStopped)));
    assert_eq!(execution.state().status(), Status::Error);
    let stopped = execution.run().await.unwrap_err();
    assert!(matches!(stopped.error, MachineError::HasStopped));
    assert_eq!(stopped.state.status(), Status::Error);
}
