//! Random machines with an adversarial agent, beside a naive interpreter.
//!
//! The interpreter does not use the library. It has the edges and permissions as the test generated them, and the history. It
//! checks that each step takes an edge that is open, and that each write has a permission.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use exo_rails::message::{Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails_machine::{Executor, History, MachineError, MachineState, Status, replay};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::helper::Answers;
use crate::resume::Saved;

const NODES: usize = 5;
const CONTEXTS: usize = 2;
const FIELDS: [&str; 2] = ["alpha", "errorCount"];

/// A context, a field, and its least value.
type AtLeast = (usize, usize, i64);

#[derive(Clone, Debug)]
struct Random {
    /// Whether each node has a prompt.
    tasks: Vec<bool>,
    /// Source, target, condition, and whether the edge is automatic.
    edges: Vec<(usize, usize, Option<AtLeast>, bool)>,
    /// Node, context, field or all, whether it may write.
    grants: Vec<(usize, usize, Option<usize>, bool)>,
    seed: u64,
}

fn random() -> impl Strategy<Value = Random> {
    let condition = prop::option::weighted(0.4, (0..CONTEXTS, 0..FIELDS.len(), 0..4_i64));
    let edge = (0..NODES, 0..=NODES, condition, prop::bool::weighted(0.2));
    let grant = (0..NODES, 0..CONTEXTS, prop::option::of(0..FIELDS.len()), any::<bool>());
    (
        prop::collection::vec(any::<bool>(), NODES),
        prop::collection::vec(edge, 1..12),
        prop::collection::vec(grant, 0..8),
        any::<u64>(),
    )
        .prop_map(|(tasks, edges, grants, seed)| Random { tasks, edges, grants, seed })
}

fn node(at: usize) -> String {
    if at == NODES { "end".to_owned() } else { format!("n{at}") }
}

impl Random {
    fn file(&self) -> String {
        let mut file = String::new();
        for context in 0..CONTEXTS {
            file += &format!("Context c{context} {{ alpha<integer>: 0; errorCount<integer>: 0; }}\n");
        }
        for (at, is_task) in self.tasks.iter().enumerate() {
            file += &if *is_task {
                format!("Task n{at} {{ prompt: \"Work at n{at}.\"; }}\n")
            } else {
                format!("State n{at};\n")
            };
        }
        file += "End end;\n";
        for (source, target, condition, is_auto) in &self.edges {
            let mut label = Vec::new();
            if *is_auto {
                label.push("@auto".to_owned());
            }
            if let Some((context, field, least)) = condition {
                label.push(format!("when: \"c{context}.{} >= {least}\"", FIELDS[*field]));
            }
            let label = if label.is_empty() { "->".to_owned() } else { format!("-{}->", label.join(", ")) };
            file += &format!("n{source} {label} {};\n", node(*target));
        }
        for (at, context, field, writes) in &self.grants {
            let word = if *writes { "write" } else { "read" };
            let label = field.map_or_else(|| format!("{word}s"), |field| format!("{word}: {}", FIELDS[field]));
            file += &format!("n{at} -{label}-> c{context};\n");
        }
        file
    }
}

/// Decides by a number and the conversation, so that it decides the same after a crash.
pub(crate) fn adversary(seed: u64) -> impl Fn(&ModelCallInputs) -> ModelResponse + Clone + Send + Sync {
    move |request: &ModelCallInputs| {
        let mut number = seed;
        for message in request.messages.iter().filter(|message| message.role != Role::System) {
            for byte in
                message.text().bytes().chain(message.tool_calls.iter().flat_map(|call| call.function.name.bytes()))
            {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(byte) | 1);
            }
        }
        let mut next = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(number >> 40).unwrap()
        };
        let mut response = ModelResponse::text("");
        let calls = next() % 4;
        for at in 0..calls {
            let (tool, arguments) = forged(&mut next);
            // Half of the calls are of tools that the node has.
            let tool = match request.tools.len() {
                0 => tool,
                count if next() % 2 == 0 => request.tools[next() % count].function.name.clone(),
                _ => tool,
            };
            let arguments = match next() % 3 {
                0 => arguments,
                _ if tool.starts_with("write_") => json!({ "field": FIELDS[next() % 2], "value": next() % 5 }),
                _ => arguments,
            };
            response.message.tool_calls.push(ToolCall::new(format!("call-{at}"), tool, &arguments));
        }
        if calls == 0 {
            response = ModelResponse::text(format!("thinking {}", next() % 7));
        }
        response
    }
}

fn forged(next: &mut impl FnMut() -> usize) -> (String, Value) {
    let prefixes =
        ["transition_to_", "read_", "write_", "Transition_to_", "WRITE_", "spawn_async_to_", "map_spawn_to_", ""];
    let names = [
        "n0",
        "n1",
        "n2",
        "n3",
        "n4",
        "end",
        "N1",
        "c0",
        "c1",
        "C0",
        "m0",
        "p",
        "j",
        "construct_tool",
        "update_definition",
    ];
    let (prefix, name) = (prefixes[next() % prefixes.len()], names[next() % names.len()]);
    let field = ["alpha", "errorCount", "errorcount", "Alpha", "__proto__", ""][next() % 6];
    let value = [json!(1), json!(3), json!(-1), json!("4"), json!(null), json!(2.5)][next() % 6].clone();
    let arguments = match next() % 7 {
        0 => json!({ "reason": "x" }),
        1 => json!({ "reason": 5 }),
        2 => json!([field, value]),
        3 => json!({ "data": { "alpha": value, "errorCount": 2 } }),
        4 => json!({ "fields": [field] }),
        _ => json!({ "field": field, "value": value }),
    };
    (format!("{prefix}{name}"), arguments)
}

/// The naive interpreter. It follows the history, and says what is wrong with it.
struct Naive<'r> {
    random: &'r Random,
    values: BTreeMap<(usize, usize), i64>,
}

impl Naive<'_> {
    fn is_true(&self, condition: Option<&AtLeast>) -> bool {
        condition.is_none_or(|(context, field, least)| {
            self.values.get(&(*context, *field)).copied().unwrap_or_default() >= *least
        })
    }

    fn may_write(&self, at: usize, context: usize, field: usize) -> bool {
        self.random.grants.iter().any(|(node, to, only, writes)| {
            *node == at && *to == context && *writes && only.is_none_or(|only| only == field)
        })
    }

    fn follow(&mut self, history: &History) {
        let mut at = None;
        for step in &history.steps {
            if let Some(expected) = &at {
                assert_eq!(&step.current_node, expected, "the path does not jump");
            }
            let here = step.current_node.strip_prefix('n').and_then(|number| number.parse::<usize>().ok());
            for write in &step.writes {
                let context: usize = write.context[1..].parse().unwrap();
                let field =
                    FIELDS.iter().position(|field| *field == write.field).expect("the field exists, in this case");
                assert!(self.may_write(here.expect("an end does not write"), context, field), "{write:?}");
                self.values.insert((context, field), write.after.as_i64().expect("integers only"));
            }
            match (step.next_nodes.as_slice(), here) {
                ([], None) => {}
                ([], Some(here)) => {
                    let may_end = step.outcome == exo_rails_machine::StepOutcome::Failed
                        || self.random.edges.iter().all(|(source, ..)| *source != here);
                    assert!(may_end, "{} ends, and has edges", step.current_node);
                }
                ([next], Some(here)) => self.check_edge(here, next, step),
                other => panic!("{other:?}"),
            }
            at = step.next_nodes.first().cloned();
        }
    }

    fn check_edge(&self, here: usize, next: &str, step: &exo_rails_machine::HistoryStep) {
        let edges = self.random.edges.iter().filter(|(source, ..)| *source == here);
        let open: Vec<_> = edges.filter(|(_, _, condition, _)| self.is_true(condition.as_ref())).collect();
        assert!(open.iter().any(|(_, target, ..)| node(*target) == next), "n{here} has no open edge to {next}");
        let by_agent = step.transition_type == exo_rails_machine::TransitionType::AgentControlled;
        if by_agent {
            assert!(step.agent_invocation.is_some());
            assert!(open.iter().any(|(_, target, _, is_auto)| node(*target) == next && !is_auto), "no automatic edges");
        } else {
            // The first automatic edge, or the only one that is left.
            let is_task = self.random.tasks[here];
            let automatic = open.iter().find(|(_, _, condition, auto)| *auto || (condition.is_some() && !is_task));
            let expected = automatic.map_or_else(
                || {
                    let mut targets: Vec<_> = open.iter().map(|(_, target, ..)| *target).collect();
                    targets.sort_unstable();
                    targets.dedup();
                    assert_eq!(targets.len(), 1, "n{here} asks the agent");
                    targets[0]
                },
                |(_, target, ..)| *target,
            );
            assert_eq!(node(expected), next);
        }
    }
}

struct Outcome {
    history: History,
    state: MachineState,
    error: Option<MachineError>,
    requests: Vec<ModelCallInputs>,
}

async fn execute(random: &Random, saved: &Saved, from: Option<MachineState>) -> Outcome {
    let machine = exo_rails_dygram::read("flow.dygram", &random.file()).machine;
    let model = Answers { answer: adversary(random.seed), requests: Arc::new(Mutex::new(Vec::new())) };
    let executor = Executor::builder(&machine, model.clone())
        .start_at("n0")
        .clock(|| std::time::SystemTime::UNIX_EPOCH)
        .limits(|limits| (limits.steps, limits.visits, limits.model_calls) = (30, 8, 6))
        .save_to(saved.clone())
        .build()
        .unwrap();
    let execution = match from {
        Some(state) => executor.resume(state).unwrap(),
        None => executor.start(),
    };
    let result = execution.run().await;
    let requests = model.requests.lock().unwrap().clone();
    match result {
        Ok(done) => Outcome { history: done.history, state: done.state, error: None, requests },
        Err(stopped) => Outcome {
            history: stopped.state.history().clone(),
            state: *stopped.state,
            error: Some(stopped.error),
            requests,
        },
    }
}

fn check(random: &Random, outcome: &Outcome) {
    let mut naive = Naive { random, values: BTreeMap::new() };
    naive.follow(&outcome.history);
    for ((context, field), value) in &naive.values {
        let found = outcome.state.contexts().get(&format!("c{context}"), FIELDS[*field]);
        // A visit that did not end has written, and is not in the history.
        if outcome.error.is_none() {
            assert_eq!(found, Some(&json!(value)));
        }
    }
    assert!(outcome.history.steps.len() <= 30);
    for at in 0..NODES {
        assert!(outcome.state.visits(&node(at)) <= 8);
    }
    for request in &outcome.requests {
        check_tools(random, request);
    }
    let machine = exo_rails_dygram::read("flow.dygram", &random.file()).machine;
    replay(&machine, &outcome.history).unwrap();
}

/// The agent never has a tool for an edge or a context that its node does not have.
fn check_tools(random: &Random, request: &ModelCallInputs) {
    let system = request.messages.iter().find(|message| message.role == Role::System).unwrap().text().into_owned();
    let here: usize = system.split_once("- Node: **n").unwrap().1.split_once("**").unwrap().0.parse().unwrap();
    for tool in &request.tools {
        let name = &tool.function.name;
        let has = |prefix: &str, test: &dyn Fn(&str) -> bool| name.strip_prefix(prefix).is_some_and(test);
        let is_edge = |target: &str| {
            random.edges.iter().any(|(source, to, _, auto)| *source == here && !auto && node(*to) == target)
        };
        let granted = |context: &str, write: bool| {
            random
                .grants
                .iter()
                .any(|(at, to, _, writes)| *at == here && format!("c{to}") == context && (*writes || !write))
        };
        let is_right = has("transition_to_", &is_edge)
            || has("read_", &|context| granted(context, false))
            || has("write_", &|context| granted(context, true));
        assert!(is_right, "n{here} has the tool {name}");
    }
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_machine_never_takes_an_edge_or_a_field_that_it_does_not_have(random in random()) {
        let outcome = block_on(execute(&random, &Saved::default(), None));
        check(&random, &outcome);
    }

    #[test]
    fn a_crash_at_a_random_point_changes_nothing(random in random(), crash in any::<prop::sample::Index>()) {
        let saved = Saved::default();
        let whole = block_on(execute(&random, &saved, None));
        let states: Vec<MachineState> =
            saved.0.lock().unwrap().iter().map(|state| serde_json::from_str(state).unwrap()).collect();
        let running: Vec<_> = states.into_iter().filter(|state| state.status() == Status::Running).collect();
        if !running.is_empty() {
            let again = block_on(execute(&random, &Saved::default(), Some(crash.get(&running).clone())));
            prop_assert_eq!(&again.history, &whole.history);
            prop_assert_eq!(again.state.contexts(), whole.state.contexts());
            prop_assert_eq!(again.error.map(|error| error.to_string()), whole.error.map(|error| error.to_string()));
        }
    }
}

/// The random machines are not all alike: some end, some fail in each of these ways, and agents choose and write.
#[test]
fn the_random_machines_differ() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..200 {
        let random = random().new_tree(&mut runner).unwrap().current();
        let outcome = block_on(execute(&random, &Saved::default(), None));
        check(&random, &outcome);
        let how = match &outcome.error {
            None => "ended",
            Some(MachineError::EndlessLoop { .. }) => "endless",
            Some(MachineError::NoWay { .. }) => "no way",
            Some(MachineError::NoDecision { .. }) => "no decision",
            Some(MachineError::StepLimit { .. } | MachineError::VisitLimit { .. }) => "limit",
            Some(MachineError::Run { .. }) => "run",
            Some(_) => "other",
        };
        *seen.entry(how).or_default() += 1;
        for step in &outcome.history.steps {
            if step.transition_type == exo_rails_machine::TransitionType::AgentControlled {
                *seen.entry("chosen").or_default() += 1;
            }
            *seen.entry("writes").or_default() += u32::try_from(step.writes.len()).unwrap();
        }
    }
    for (how, least) in [("ended", 10), ("endless", 3), ("no way", 3), ("run", 3), ("chosen", 30), ("writes", 20)] {
        assert!(seen.get(how).copied().unwrap_or_default() >= least, "{how}: {seen:?}");
    }
}
