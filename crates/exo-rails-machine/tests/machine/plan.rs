//! The plan: work, tools, edges of nested machines, and what cannot be executed.

use exo_rails_machine::{Flow, OnError, Plan, Work};

fn plan(file: &str) -> Result<Plan, Vec<String>> {
    Plan::new(&exo_rails_dygram::read("flow.dygram", file).machine).map_err(|error| error.problems)
}

#[test]
fn a_node_without_edges_uses_the_edges_of_its_parent() {
    let plan =
        plan("Process p { Task a { prompt: \"A\"; } Task b { prompt: \"B\"; } a -> b; } State s; End e; s -> p -> e;")
            .unwrap();
    let edges =
        |path: &str| -> Vec<_> { plan.node(path).unwrap().edges.iter().map(|edge| edge.target.clone()).collect() };
    assert_eq!(edges("p.a"), ["p.b"]);
    assert_eq!(edges("p.b"), ["e"]);
    assert_eq!(plan.entered("p"), "p.a");
    assert_eq!(plan.starts(), ["s"]);
}

#[test]
fn targets_of_one_name_have_tools_with_their_paths() {
    let plan = plan("Process p { State x; } State x; State s; s -> x, p.x; x -> s; p.x -> s;").unwrap();
    let tools: Vec<_> = plan.node("s").unwrap().edges.iter().map(|edge| edge.tool.clone()).collect();
    assert_eq!(tools, ["transition_to_x", "transition_to_p__x"]);
}

#[test]
fn prompts_and_permissions_determine_the_work_of_a_node() {
    let plan = plan("Task t { prompt: \"x\"; } State s; State w; State m { meta: true; } Context c { a: 1; } s -> t -> w -> m; w -writes-> c; s -reads-> c;").unwrap();
    let work = |path: &str| plan.node(path).unwrap().work;
    assert_eq!([work("t"), work("s"), work("w"), work("m")], [Work::Task, Work::None, Work::State, Work::State]);
}

#[test]
fn annotations_have_defaults_and_limits() {
    let plan = plan(
        "machine \"M\" @concurrent(500) @errorHandling(\"compensate\")\nTask a @retry @timeout { prompt: \"x\"; } Task b @retry(99) @timeout(900000) { prompt: \"x\"; } State c;\na -> b -@async @priority(3)-> c; b -@parallel-> c; b -@map(a.items) @merge(\"m\")-> c;",
    )
    .unwrap();
    assert_eq!((plan.concurrency, plan.on_error), (100, OnError::Compensate));
    let (a, b) = (plan.node("a").unwrap(), plan.node("b").unwrap());
    assert_eq!((a.retries, a.timeout.unwrap().as_secs()), (3, 30));
    assert_eq!((b.retries, b.timeout.unwrap().as_secs()), (10, 300));
    assert!(matches!(b.edges[0].flow, Flow::Spawn) && b.edges[0].priority == 3);
    assert!(matches!(b.edges[1].flow, Flow::Fork));
    assert!(matches!(&b.edges[2].flow, Flow::Map(list) if list.text == "a.items"));
    assert!(b.edges[2].barrier.as_ref().is_some_and(|barrier| barrier.is_merge && barrier.name == "m"));
}

#[test]
fn all_problems_are_reported_together() {
    let problems =
        plan("Task t { prompt: \"{{secret.key}}\"; } Context secret { key: \"k\"; } State s; t -when: \"a = b\"-> s;")
            .unwrap_err();
    assert_eq!(
        problems,
        [
            "`t`: the condition `a = b` cannot be evaluated: `=` is not an operator of a condition: write `==`",
            "the prompt of `t` has `{{secret.key}}`, which the node may not read: write `t -read: key-> secret;`",
        ]
    );
    assert_eq!(plan("Context c { a: 1; }").unwrap_err().len(), 1);
}

#[test]
fn prompts_read_attributes_and_the_contexts_in_contexts() {
    let files = [
        "machine \"m\" { size: 1; } Task t { prompt: \"{{machine.size}} {{size}}\"; }",
        "Process p { source: \"db\"; Task t { level: 3; prompt: \"{{source}} {{level}} {{p.source}}\"; } }",
        "Context c { d { e { x: 1; } } } Task t { prompt: \"{{c.d.e.x}}\"; } t -reads-> c;",
        "Context c { d { x: 1; } e { y: 1; } } Task t { prompt: \"{{c.d.x}}\"; } t -read: d-> c;",
    ];
    for file in files {
        assert!(plan(file).is_ok(), "{file}");
    }
    let problems = plan(&files[3].replace("c.d.x", "c.e.y")).unwrap_err();
    assert_eq!(problems, ["the prompt of `t` has `{{c.e.y}}`, which the node may not read: write `t -read: y-> c.e;`"]);
}
