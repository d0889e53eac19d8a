//! Random machines with several paths and an adversarial agent, beside a naive interpreter.
//!
//! The machines have `@async`, `@parallel` and `@map` edges, barriers, a join, nested nodes, conditions and permissions. The
//! interpreter has the machine as the test generated it, and follows the history: it keeps all paths, and checks each step.

use std::collections::BTreeMap;

use exo_rails::message::Role;
use exo_rails::prelude::*;
use exo_rails_machine::{
    Executor, History, HistoryStep, MachineError, MachineState, Status, StepOutcome, TransitionType, replay,
};
use proptest::prelude::*;
use serde_json::json;

use crate::helper::{Answers, system_of};
use crate::oracle::{adversary, block_on};
use crate::resume::Saved;

/// The nodes. `p` has `p.m0` and `p.m1` in it. `j` joins paths, and `end` ends them.
const NODES: [&str; 9] = ["n0", "n1", "n2", "n3", "p", "p.m0", "p.m1", "j", "end"];
const PROCESS: usize = 4;
const JOIN: usize = 7;
const END: usize = 8;
const CONTEXTS: usize = 2;
const FIELDS: [&str; 2] = ["alpha", "errorCount"];
/// A field that nobody writes. Its value shows who has read the context.
const MARK: usize = 2;
const STEPS: usize = 40;
const VISITS: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Single,
    Auto,
    Spawn,
    Fork,
    Map,
}

#[derive(Clone, Debug)]
struct Edge {
    source: usize,
    target: usize,
    kind: Kind,
    /// A context, a field, its least value, and whether the condition is negated.
    condition: Option<(usize, usize, i64, bool)>,
    barrier: Option<bool>,
    priority: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    Read,
    Write,
    Store,
}

#[derive(Clone, Debug)]
struct Random {
    tasks: [bool; NODES.len()],
    edges: Vec<Edge>,
    /// Node, context, field or all, right.
    grants: Vec<(usize, usize, Option<usize>, Right)>,
    items: usize,
    concurrency: usize,
    on_error: &'static str,
    has_retries: bool,
    seed: u64,
}

fn edge() -> impl Strategy<Value = Edge> {
    let kind = prop_oneof![
        6 => Just(Kind::Single),
        1 => Just(Kind::Auto),
        3 => Just(Kind::Spawn),
        3 => Just(Kind::Fork),
        1 => Just(Kind::Map),
    ];
    let condition = prop::option::weighted(0.3, (0..CONTEXTS, 0..FIELDS.len(), 0..4_i64, any::<bool>()));
    let barrier = prop::option::weighted(0.2, any::<bool>());
    // Neither a join nor an end has the edges of a task, so that machines end.
    (0..JOIN, 0..NODES.len(), kind, condition, barrier, -1..2_i64).prop_map(
        |(source, target, kind, condition, barrier, priority)| Edge {
            source,
            target,
            kind,
            condition,
            barrier,
            priority,
        },
    )
}

fn random() -> impl Strategy<Value = Random> {
    let right = prop_oneof![Just(Right::Read), Just(Right::Write), Just(Right::Store)];
    let grant = (0..JOIN, 0..CONTEXTS, prop::option::of(0..=MARK), right);
    let on_error = prop_oneof![Just("fail-fast"), Just("continue"), Just("compensate")];
    (
        prop::array::uniform9(any::<bool>()),
        prop::collection::vec(edge(), 2..14),
        prop::collection::vec(grant, 0..8),
        0..4_usize,
        1..4_usize,
        on_error,
        any::<bool>(),
        any::<u64>(),
        prop::option::of(prop_oneof![Just(END), Just(1), Just(PROCESS)]),
    )
        .prop_map(|(tasks, mut edges, grants, items, concurrency, on_error, has_retries, seed, after_join)| {
            let to =
                |target| Edge { source: JOIN, target, kind: Kind::Single, condition: None, barrier: None, priority: 0 };
            edges.extend(after_join.map(to));
            // A path that waits for its next attempt lets others go on, and a resumed one does not wait again.
            let has_retries = has_retries && concurrency == 1;
            Random { tasks, edges, grants, items, concurrency, on_error, has_retries, seed }
        })
}

impl Edge {
    fn text(&self) -> String {
        let mut annotations = Vec::new();
        match self.kind {
            Kind::Single => {}
            Kind::Auto => annotations.push("@auto".to_owned()),
            Kind::Spawn => annotations.push("@async".to_owned()),
            Kind::Fork => annotations.push("@parallel".to_owned()),
            Kind::Map => annotations.push("@map(c0.items)".to_owned()),
        }
        match self.barrier {
            Some(true) => annotations.push("@merge(\"together\")".to_owned()),
            Some(false) => annotations.push("@barrier(\"apart\")".to_owned()),
            None => {}
        }
        if self.priority != 0 {
            annotations.push(format!("@priority({})", self.priority));
        }
        let condition = self.condition.map(|(context, field, least, is_negated)| {
            let word = if is_negated { "unless" } else { "when" };
            format!("{word}: \"c{context}.{} >= {least}\"", FIELDS[field])
        });
        let label: Vec<_> =
            (!annotations.is_empty()).then(|| annotations.join(" ")).into_iter().chain(condition).collect();
        let arrow = if label.is_empty() { "->".to_owned() } else { format!("-{}->", label.join(", ")) };
        format!("{} {arrow} {};\n", NODES[self.source], NODES[self.target])
    }
}

impl Random {
    fn file(&self) -> String {
        let mut file =
            format!("machine \"M\" @concurrent({}) @errorHandling(\"{}\")\n", self.concurrency, self.on_error);
        let items: Vec<_> = (0..self.items).map(|item| item.to_string()).collect();
        for context in 0..CONTEXTS {
            file += &format!(
                "Context c{context} {{ alpha<integer>: 0; errorCount<integer>: 0; mark<string>: \"mark-c{context}\"; items<array>: [{}]; }}\n",
                items.join(", ")
            );
        }
        let node = |at: usize, name: &str| {
            let retry = if self.has_retries { "@retry(1) " } else { "" };
            if self.tasks[at] {
                format!("Task {name} {retry}{{ prompt: \"Work at {name}.\"; }}\n")
            } else {
                format!("State {name};\n")
            }
        };
        for (at, name) in NODES.iter().enumerate().take(PROCESS) {
            file += &node(at, name);
        }
        file += &format!("Process p {{\n{}{}}}\njoin j;\nEnd end;\n", node(5, "m0"), node(6, "m1"));
        for edge in &self.edges {
            file += &edge.text();
        }
        for (at, context, field, right) in &self.grants {
            let word = match right {
                Right::Read => "read",
                Right::Write => "write",
                Right::Store => "store",
            };
            let names = ["alpha", "errorCount", "mark"];
            let label = field.map_or_else(|| format!("{word}s"), |field| format!("{word}: {}", names[field]));
            file += &format!("{} -{label}-> c{context};\n", NODES[*at]);
        }
        file
    }

    /// The node at which a path is when an edge leads to a node.
    fn entered(&self, at: usize) -> usize {
        match at {
            PROCESS if self.tasks[6] && !self.tasks[5] => 6,
            PROCESS => 5,
            at => at,
        }
    }

    /// The edges by which a node is left, in the order in which they are tried.
    fn edges_of(&self, at: usize) -> Vec<&Edge> {
        let mut edges = self.declared_edges_of(at);
        edges.sort_by_key(|edge| std::cmp::Reverse(edge.priority));
        edges
    }

    fn declared_edges_of(&self, at: usize) -> Vec<&Edge> {
        let of = |source: usize| self.edges.iter().filter(move |edge| edge.source == source).collect::<Vec<_>>();
        let own = of(at);
        if own.is_empty() && (at == 5 || at == 6) { of(PROCESS) } else { own }
    }

    fn may_write(&self, at: usize, context: usize, field: usize) -> bool {
        self.grants.iter().any(|(node, to, only, right)| {
            (*node, *to) == (at, context) && *right != Right::Read && only.is_none_or(|only| only == field)
        })
    }

    fn may_read(&self, at: usize, context: usize, field: Option<usize>) -> bool {
        let has = |right: Right, is_own: bool| !is_own || right != Right::Store;
        let granted = |node: usize, is_own: bool| {
            let of_node = self.grants.iter().filter(move |(other, to, ..)| (*other, *to) == (node, context));
            of_node.clone().next().map(|_| {
                of_node.clone().any(|(_, _, only, right)| {
                    has(*right, is_own) && (only.is_none() || field.is_none() || *only == field)
                })
            })
        };
        // An own permission for the context replaces the one of the process.
        let inherited = || if at == 5 || at == 6 { granted(PROCESS, false) } else { None };
        granted(at, true).or_else(inherited).unwrap_or(false)
    }

    fn has_writes(&self, at: usize) -> bool {
        self.grants.iter().any(|(node, _, _, right)| *node == at && *right != Right::Read)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum At {
    Active,
    Waiting { barrier: &'static str, target: usize },
    Forked,
    Ended,
    Failed,
    Merged,
}

#[derive(Clone, Debug)]
struct Path {
    node: usize,
    parent: Option<u64>,
    priority: i64,
    at: At,
    /// The number of the write, its context and field, and the value before and after.
    written: Vec<(usize, usize, usize, i64, i64)>,
    /// Whether the path has failed because all paths below it have failed, and has writes to take back.
    is_leaving: bool,
}

impl Path {
    fn new(node: usize, parent: Option<u64>, priority: i64) -> Self {
        Self { node, parent, priority, at: At::Active, written: Vec::new(), is_leaving: false }
    }

    fn is_over(&self) -> bool {
        matches!(self.at, At::Ended | At::Failed | At::Merged)
    }
}

/// The naive interpreter. It follows the history, and says what is wrong with it.
struct Naive<'r> {
    random: &'r Random,
    values: BTreeMap<(usize, usize), i64>,
    paths: BTreeMap<u64, Path>,
    writes: usize,
}

impl<'r> Naive<'r> {
    fn new(random: &'r Random) -> Self {
        let first = Path::new(0, None, 0);
        Self { random, values: BTreeMap::new(), paths: BTreeMap::from([(0, first)]), writes: 0 }
    }

    fn is_open(&self, edge: &Edge) -> bool {
        edge.condition.is_none_or(|(context, field, least, is_negated)| {
            (self.values.get(&(context, field)).copied().unwrap_or_default() >= least) != is_negated
        })
    }

    fn follow(&mut self, history: &History) {
        for step in &history.steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &HistoryStep) {
        let path = self.paths.get(&step.path).expect("a step is of a path that was started").clone();
        assert_eq!(path.at, At::Active, "a path that waits or is over takes no step: {step:?}");
        assert_eq!(step.current_node, NODES[path.node], "the path does not jump");
        if self.random.concurrency == 1 {
            let first = self.paths.values().filter(|path| path.at == At::Active).map(|path| path.priority).max();
            assert_eq!(Some(path.priority), first, "paths of a higher priority go first");
        }
        // The agent may start paths before, between and after its writes.
        let mut open = vec![self.open_spawns(path.node)];
        for write in &step.writes {
            self.write(step.path, path.node, write);
            open.push(self.open_spawns(path.node));
        }
        let beside = self.births(step, &path, &open);
        let next: Vec<_> = step.next_nodes.iter().map(String::as_str).collect();
        assert!(
            !path.is_leaving || step.outcome == StepOutcome::Failed,
            "a path that has failed goes nowhere: {step:?}"
        );
        match step.outcome {
            StepOutcome::Failed => {
                assert!(next.is_empty());
                self.fail(step.path);
            }
            StepOutcome::Ended => {
                let only_spawns = self.random.edges_of(path.node).iter().all(|edge| edge.kind == Kind::Spawn);
                assert!(path.node == END || only_spawns, "{step:?} ends, and has edges");
                assert_eq!(next, beside);
                self.set(step.path, At::Ended);
            }
            StepOutcome::Forked => {
                let target = self.check_fork(step, &path);
                assert_eq!(next[..next.len() - beside.len()], target);
                assert_eq!(next[next.len() - beside.len()..], beside);
                self.set(step.path, At::Forked);
            }
            StepOutcome::Moved | StepOutcome::Waits => {
                let edge = self.check_edge(step, &path);
                let target = self.random.entered(edge.target);
                assert_eq!(next[0], NODES[target]);
                assert_eq!(next[1..], beside);
                self.go(step.path, edge, target, step.outcome);
            }
            other => panic!("{other:?}"),
        }
        self.settle();
    }

    fn write(&mut self, id: u64, at: usize, write: &exo_rails_machine::Written) {
        let context: usize = write.context[1..].parse().unwrap();
        let field = FIELDS.iter().position(|field| *field == write.field).expect("the field exists, in this case");
        assert!(self.random.may_write(at, context, field), "{} writes {write:?}", NODES[at]);
        let after = write.after.as_i64().expect("integers only");
        let before = self.values.insert((context, field), after).unwrap_or_default();
        assert_eq!(write.before, Some(json!(before)), "writes are in their order");
        self.writes += 1;
        self.paths.get_mut(&id).unwrap().written.push((self.writes, context, field, before, after));
    }

    fn open_spawns(&self, at: usize) -> Vec<&'r Edge> {
        let edges = self.random.edges_of(at).into_iter();
        edges.filter(|edge| edge.kind == Kind::Spawn && self.is_open(edge)).collect()
    }

    /// Adds the paths that a step started, and returns the nodes of those beside it.
    fn births(&mut self, step: &HistoryStep, path: &Path, open: &[Vec<&'r Edge>]) -> Vec<&'static str> {
        let mut beside = Vec::new();
        let children = match step.outcome {
            StepOutcome::Forked => step.started_paths.len() - self.count_beside(step, path),
            _ => 0,
        };
        let first_child = step.started_paths.len() - children;
        let nobody = !self.random.tasks[path.node] && !self.random.has_writes(path.node) || path.node >= JOIN;
        for (at, started) in step.started_paths.iter().enumerate() {
            assert_eq!(
                started.path,
                self.paths.len() as u64,
                "paths have their numbers in order, or are started at once"
            );
            let node = NODES.iter().position(|node| *node == started.node).unwrap();
            let is_child = at >= first_child;
            let leads = |edge: &&&Edge| self.random.entered(edge.target) == node;
            let priority = if is_child {
                let edges = self.below(step, path);
                let edge = if edges.len() == 1 { edges.first() } else { edges.get(at - first_child) };
                edge.filter(leads).expect("a fork or a map leads there").priority
            } else {
                beside.push(NODES[node]);
                // Where nobody works, all edges start in their order.
                let in_order = open[0].get(at).filter(|_| nobody).filter(leads);
                let edge = in_order.or_else(|| open.iter().flatten().find(leads));
                edge.unwrap_or_else(|| panic!("{step:?} starts {started:?} without an edge that is open")).priority
            };
            let parent = if is_child { Some(step.path) } else { path.parent };
            self.paths.insert(started.path, Path::new(node, parent, priority));
        }
        if nobody && step.outcome != StepOutcome::Failed {
            let expected: Vec<_> = open[0].iter().map(|edge| NODES[self.random.entered(edge.target)]).collect();
            assert_eq!(beside, if path.node == END { Vec::new() } else { expected }, "all of them start at once");
        }
        beside
    }

    fn count_beside(&self, step: &HistoryStep, path: &Path) -> usize {
        let map = self.first_automatic(path.node).filter(|edge| edge.kind == Kind::Map);
        let chose = step.transition_type == TransitionType::AgentControlled;
        let children = if map.is_some() || chose {
            self.random.items
        } else {
            self.random.edges_of(path.node).iter().filter(|edge| edge.kind == Kind::Fork && self.is_open(edge)).count()
        };
        step.started_paths.len().checked_sub(children).expect("a fork takes all its edges")
    }

    fn first_automatic(&self, at: usize) -> Option<&'r Edge> {
        let is_task = self.random.tasks[at] && at < JOIN;
        self.random.edges_of(at).into_iter().find(|edge| {
            let decides = match edge.kind {
                Kind::Auto | Kind::Fork | Kind::Map => true,
                Kind::Single => edge.condition.is_some() && !is_task,
                Kind::Spawn => false,
            };
            decides && self.is_open(edge)
        })
    }

    /// Returns the edges of a step that started paths below this one: all open forks, or a map.
    fn below(&self, step: &HistoryStep, path: &Path) -> Vec<&'r Edge> {
        let edges = self.random.edges_of(path.node);
        if step.transition_type == TransitionType::AgentControlled {
            let target = step.next_nodes[0].as_str();
            let is_it = |edge: &&Edge| {
                edge.kind == Kind::Map && NODES[self.random.entered(edge.target)] == target && self.is_open(edge)
            };
            return vec![edges.into_iter().find(is_it).expect("the agent takes a map that is open")];
        }
        let first = self.first_automatic(path.node).expect("a fork happens by itself");
        match first.kind {
            Kind::Map => vec![first],
            Kind::Fork => edges.into_iter().filter(|edge| edge.kind == Kind::Fork && self.is_open(edge)).collect(),
            _ => panic!("{step:?} is before {first:?}"),
        }
    }

    /// Checks a step that started paths below this one. Returns the nodes to which it led.
    fn check_fork(&self, step: &HistoryStep, path: &Path) -> Vec<&'static str> {
        self.below(step, path).into_iter().map(|edge| NODES[self.random.entered(edge.target)]).collect()
    }

    /// Returns the edge of a step.
    fn check_edge(&self, step: &HistoryStep, path: &Path) -> &'r Edge {
        let leads = |edge: &&Edge| NODES[self.random.entered(edge.target)] == step.next_nodes[0];
        let edges = self.random.edges_of(path.node);
        let open: Vec<_> = edges.into_iter().filter(|edge| edge.kind == Kind::Single && self.is_open(edge)).collect();
        if step.transition_type == TransitionType::AgentControlled {
            let chosen = &step.agent_invocation.as_ref().expect("the agent chose").transition_chosen;
            let is_it = |edge: &&Edge| NODES[edge.target] == chosen && leads(edge);
            return open.into_iter().find(is_it).unwrap_or_else(|| panic!("{step:?} takes no edge that is open"));
        }
        if let Some(first) = self.first_automatic(path.node) {
            assert!(leads(&first), "{step:?} is not by {first:?}");
            return first;
        }
        let mut targets: Vec<_> = open.iter().map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), 1, "{step:?} needs a decision");
        assert!(leads(&open[0]));
        open[0]
    }

    fn go(&mut self, id: u64, edge: &Edge, target: usize, outcome: StepOutcome) {
        let path = &self.paths[&id];
        let barrier = match edge.barrier {
            Some(true) => Some("together"),
            Some(false) => Some("apart"),
            None => (edge.target == JOIN).then_some("j"),
        };
        let others =
            self.paths.iter().filter(|(other, path)| **other != id && path.parent.is_none() && !path.is_over());
        let has_others = path.parent.is_some() || others.count() > 0;
        let waits = barrier.filter(|_| has_others);
        assert_eq!(outcome, if waits.is_some() { StepOutcome::Waits } else { StepOutcome::Moved });
        let path = self.paths.get_mut(&id).unwrap();
        match waits {
            Some(barrier) => path.at = At::Waiting { barrier, target },
            None => path.node = target,
        }
    }

    fn fail(&mut self, id: u64) {
        let path = self.paths.get_mut(&id).unwrap();
        let written = std::mem::take(&mut path.written);
        if self.random.on_error == "compensate" {
            for (_, context, field, before, after) in written.into_iter().rev() {
                let value = self.values.entry((context, field)).or_default();
                if *value == after {
                    *value = before;
                }
            }
        }
        self.set(id, At::Failed);
    }

    fn set(&mut self, id: u64, at: At) {
        self.paths.get_mut(&id).unwrap().at = at;
    }

    /// Opens barriers at which whole groups wait, and ends paths that wait for paths that are over.
    fn settle(&mut self) {
        while self.open_barrier() || self.end_forked() {}
    }

    fn open_barrier(&mut self) -> bool {
        let mut groups: BTreeMap<Option<u64>, Vec<u64>> = BTreeMap::new();
        for (id, path) in self.paths.iter().filter(|(_, path)| !path.is_over()) {
            groups.entry(path.parent).or_default().push(*id);
        }
        for (parent, group) in groups {
            let waiting = |id: &u64| match self.paths[id].at {
                At::Waiting { barrier, target } => Some((barrier, target)),
                _ => None,
            };
            let all: Vec<_> = group.iter().filter_map(waiting).collect();
            if all.len() < group.len() || all.iter().any(|(barrier, _)| *barrier != all[0].0) {
                continue;
            }
            let is_merge = all[0].0 != "apart";
            let into = parent.unwrap_or(group[0]);
            for (id, (_, target)) in group.iter().zip(&all) {
                let path = self.paths.get_mut(id).unwrap();
                (path.node, path.at) = if is_merge { (path.node, At::Merged) } else { (*target, At::Active) };
            }
            if is_merge {
                // The path that goes on answers for the work of all of them.
                let written: Vec<_> = group.iter().flat_map(|id| self.paths[id].written.clone()).collect();
                let path = self.paths.get_mut(&into).unwrap();
                path.written.extend(written);
                path.written.sort_unstable();
                path.written.dedup();
                (path.node, path.at) = (all[0].1, At::Active);
            }
            return true;
        }
        false
    }

    fn end_forked(&mut self) -> bool {
        let below = |id: u64| self.paths.values().filter(move |path| path.parent == Some(id));
        let is_done = |(id, path): &(&u64, &Path)| path.at == At::Forked && below(**id).all(Path::is_over);
        let Some((id, _)) = self.paths.iter().find(is_done) else { return false };
        let id = *id;
        let has_failed = below(id).count() > 0 && below(id).all(|path| path.at == At::Failed);
        let path = self.paths.get_mut(&id).unwrap();
        path.is_leaving = has_failed && self.random.on_error == "compensate" && !path.written.is_empty();
        path.at = match has_failed {
            true if path.is_leaving => At::Active,
            true => At::Failed,
            false => At::Ended,
        };
        true
    }

    /// Checks how the machine ended.
    fn check_end(&self, outcome: &Outcome) {
        let any = |test: &dyn Fn(&At) -> bool| self.paths.values().any(|path| test(&path.at));
        let is_active = any(&|at| *at == At::Active);
        let waits = any(&|at| matches!(at, At::Waiting { .. }));
        match &outcome.error {
            None => assert!(!is_active && !waits && any(&|at| *at == At::Ended)),
            Some(MachineError::Deadlock { .. }) => assert!(!is_active && waits),
            Some(MachineError::AllFailed { .. }) => assert!(!is_active && !waits && !any(&|at| *at == At::Ended)),
            Some(
                MachineError::EndlessLoop { .. } | MachineError::VisitLimit { .. } | MachineError::StepLimit { .. },
            ) => {
                assert!(is_active);
            }
            Some(MachineError::Run { .. } | MachineError::NoWay { .. } | MachineError::NoDecision { .. }) => {
                assert_eq!(self.random.on_error, "fail-fast");
                let failed = outcome.history.steps.iter().filter(|step| step.outcome == StepOutcome::Failed).count();
                assert_eq!(failed, 1);
            }
            Some(other) => panic!("{other}"),
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
    tokio::time::pause();
    let machine = exo_rails_dygram::read("flow.dygram", &random.file()).machine;
    let model = Answers::new(adversary(random.seed));
    let executor = Executor::builder(&machine, model.clone())
        .start_at("n0")
        .clock(|| std::time::SystemTime::UNIX_EPOCH)
        .limits(|limits| {
            (limits.steps, limits.visits, limits.model_calls, limits.time) = (STEPS as u64, VISITS, 5, None);
        })
        .save_to(saved.clone())
        .build()
        .unwrap();
    let execution = match from {
        Some(state) => executor.resume(state).unwrap(),
        None => executor.start(),
    };
    // Without a budget of tokio, each path of a round takes its whole step before the next one, so the history has the order in
    // which things happened.
    let result = tokio::task::unconstrained(execution.run()).await;
    let requests = model.requests.lock().unwrap().clone();
    match result {
        Ok(done) => Outcome { history: done.history, state: done.state, error: None, requests },
        Err(stopped) => {
            let history = stopped.state.history().clone();
            Outcome { history, state: *stopped.state, error: Some(stopped.error), requests }
        }
    }
}

fn check(random: &Random, outcome: &Outcome) {
    let mut naive = Naive::new(random);
    naive.follow(&outcome.history);
    naive.check_end(outcome);
    assert!(outcome.history.steps.len() <= STEPS);
    for node in NODES {
        assert!(outcome.state.visits(node) <= VISITS, "{node}");
    }
    for request in &outcome.requests {
        check_request(random, request);
    }
    // A visit that did not end has written, and is not in the history.
    if outcome.error.is_none() {
        for ((context, field), value) in &naive.values {
            assert_eq!(outcome.state.contexts().get(&format!("c{context}"), FIELDS[*field]), Some(&json!(value)));
        }
    }
    let machine = exo_rails_dygram::read("flow.dygram", &random.file()).machine;
    replay(&machine, &outcome.history).unwrap();
}

/// The agent has only the tools of its node, and reads only what the node may read.
fn check_request(random: &Random, request: &ModelCallInputs) {
    let system = system_of(request);
    let here = system.split_once("- Node: **").unwrap().1.split_once("**").unwrap().0;
    let here = NODES.iter().position(|node| *node == here).unwrap();
    for tool in &request.tools {
        let name = &tool.function.name;
        let edge = |prefix: &str, kind: Kind| {
            name.strip_prefix(prefix).is_some_and(|target| {
                let is_it = |edge: &&Edge| edge.kind == kind && NODES[edge.target].rsplit('.').next() == Some(target);
                random.edges_of(here).iter().any(is_it)
            })
        };
        let context = |prefix: &str| name.strip_prefix(prefix).map(|name| name[1..].parse::<usize>().unwrap());
        let has_it = edge("transition_to_", Kind::Single)
            || edge("spawn_async_to_", Kind::Spawn)
            || edge("map_spawn_to_", Kind::Map)
            || context("read_").is_some_and(|context| random.may_read(here, context, None))
            || context("write_").is_some_and(|context| (0..=MARK).any(|field| random.may_write(here, context, field)));
        assert!(has_it, "{} has the tool {name}", NODES[here]);
        let is_named = name.starts_with("read_") || name.starts_with("write_") || system.contains(&format!("`{name}`"));
        assert!(is_named, "the instructions do not name {name}\n{system}");
    }
    for context in 0..CONTEXTS {
        let mark = format!("mark-c{context}");
        let has_read = request.messages.iter().any(|message| message.text().contains(&mark));
        assert!(!has_read || random.may_read(here, context, Some(MARK)), "{} has read {mark}", NODES[here]);
        assert!(request.messages.iter().all(|message| message.role != Role::System || !message.text().contains(&mark)));
    }
}

fn running(saved: &Saved) -> Vec<MachineState> {
    let states = saved.0.lock().unwrap();
    let states = states.iter().map(|state| serde_json::from_str::<MachineState>(state).unwrap());
    states.filter(|state| state.status() == Status::Running).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn paths_never_take_an_edge_or_a_field_that_they_do_not_have(random in random()) {
        let outcome = block_on(execute(&random, &Saved::default(), None));
        check(&random, &outcome);
    }

    #[test]
    fn a_crash_of_several_paths_at_a_random_point_changes_nothing(random in random(), crash in any::<prop::sample::Index>()) {
        let saved = Saved::default();
        let whole = block_on(execute(&random, &saved, None));
        let states = running(&saved);
        if !states.is_empty() {
            let state = crash.get(&states).clone();
            let again = block_on(execute(&random, &Saved::default(), Some(state)));
            prop_assert_eq!(&again.history, &whole.history);
            prop_assert_eq!(again.state.contexts(), whole.state.contexts());
            prop_assert_eq!(again.error.map(|error| error.to_string()), whole.error.map(|error| error.to_string()));
        }
    }
}

/// The random machines are not all alike: paths are started in each way, and they join, wait, fail and end.
#[test]
fn the_random_machines_with_several_paths_differ() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..300 {
        let random = random().new_tree(&mut runner).unwrap().current();
        let outcome = block_on(execute(&random, &Saved::default(), None));
        check(&random, &outcome);
        let how = match &outcome.error {
            None => "ended".to_owned(),
            Some(error) => format!("{error:?}").split([' ', '(', '{']).next().unwrap().to_owned(),
        };
        *seen.entry(how).or_default() += 1;
        for step in &outcome.history.steps {
            *seen.entry(format!("{:?}", step.outcome)).or_default() += 1;
            let by_agent = step.transition_type == TransitionType::AgentControlled;
            if by_agent {
                *seen.entry("chosen".to_owned()).or_default() += 1;
            }
            if by_agent && step.outcome == StepOutcome::Forked {
                *seen.entry("chosen map".to_owned()).or_default() += 1;
            }
            let beside = step.outcome != StepOutcome::Forked && !step.started_paths.is_empty();
            let spawned = if step.agent_invocation.is_some() { "spawned by the agent" } else { "spawned" };
            *seen.entry(spawned.to_owned()).or_default() += u32::from(beside);
            *seen.entry("nested".to_owned()).or_default() += u32::from(step.current_node.starts_with("p."));
            *seen.entry("joined".to_owned()).or_default() += u32::from(step.current_node == "j");
            *seen.entry("writes".to_owned()).or_default() += u32::try_from(step.writes.len()).unwrap();
            *seen.entry("retried".to_owned()).or_default() += u32::from(step.errors.len() > 1);
        }
    }
    let least = [
        ("ended", 60),
        ("AllFailed", 10),
        ("NoWay", 2),
        ("Run", 3),
        ("VisitLimit", 10),
        ("Waits", 8),
        ("Forked", 80),
        ("Failed", 30),
        ("chosen", 50),
        ("chosen map", 3),
        ("spawned", 20),
        ("spawned by the agent", 20),
        ("nested", 80),
        ("joined", 20),
        ("writes", 30),
        ("retried", 1),
    ];
    for (what, least) in least {
        assert!(seen.get(what).copied().unwrap_or_default() >= least, "{what}: {seen:#?}");
    }
}
