//! A world of runs, sessions and users, whose calls begin and end when the test says so.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{RunContext, SharedExtensions};
use exo_rails_guards::sequence::{SequenceConfig, SequenceRule};
use exo_rails_guards::store::{GuardStore, MemoryStore};
use exo_rails_guards::{Sequence, UserId};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::sequence::reference::{Event, Outcome, Rule};

/// Tries a call again until it has had the number of attempts in its arguments.
struct Retries;

impl Retries {
    fn action(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        let attempts = call.arguments["attempts"].as_array().map_or(1, Vec::len);
        if (ctx.attempt() as usize) + 1 < attempts { RailAction::retry("again") } else { RailAction::Continue }
    }
}

#[rail(priority = 90)]
impl Retries {
    #[on(PostToolCall)]
    fn after(&self, call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        if ctx.substituted_by().is_some() { RailAction::Continue } else { Self::action(call, ctx) }
    }

    #[on(ToolError)]
    fn failed(&self, call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
        Self::action(call, ctx)
    }
}

rail_chain! {
    struct Rails { sequence: Sequence, retries: Retries }
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Success,
    Failure,
}

type CallFuture = Pin<Box<dyn Future<Output = Result<ToolOutput, RunError>>>>;

struct Running {
    future: CallFuture,
    end: oneshot::Sender<End>,
}

pub(crate) struct World {
    rails: Arc<Rails>,
    runs: HashMap<String, RunContext>,
    run: u32,
    session: u32,
    running: HashMap<String, Running>,
}

impl World {
    pub(crate) fn new(rules: &[SequenceRule], hold_for: Duration) -> Self {
        let config = SequenceConfig {
            rules: rules.to_vec(),
            hold_for_ms: u64::try_from(hold_for.as_millis()).unwrap(),
            ..SequenceConfig::default()
        };
        let sequence = Sequence::new(config).unwrap_or_else(|error| panic!("{error}"));
        let sequence = sequence.with_store(GuardStore::new(MemoryStore::new()));
        let rails = Arc::new(Rails { sequence, retries: Retries });
        Self { rails, runs: HashMap::new(), run: 0, session: 0, running: HashMap::new() }
    }

    /// Begins a new run of each user in the same session.
    pub(crate) fn new_run(&mut self) {
        self.run += 1;
        self.runs.clear();
    }

    pub(crate) fn new_session(&mut self) {
        self.session += 1;
        self.new_run();
    }

    fn context(&mut self, user: &str) -> RunContext {
        let (run, session) = (self.run, self.session);
        let new = || {
            let ctx = RunContext::new("desk").with_run_id(format!("{user}-{run}")).with_session(
                format!("{user}-{session}"),
                SharedExtensions::default(),
                0,
            );
            ctx.run.insert(UserId::new(user));
            ctx
        };
        self.runs.entry(user.to_owned()).or_insert_with(new).child()
    }

    /// Begins a call. Returns whether the guard has let it run. A call without `ends` runs until [`end`](Self::end).
    pub(crate) fn begin(&mut self, user: &str, tool: &str, mut arguments: Value, label: &str, ends: &[End]) -> bool {
        if ends.len() > 1 {
            arguments["attempts"] = json!(vec![0; ends.len()]);
        }
        let (end, ended) = oneshot::channel();
        let mut plan = ends.iter().copied().collect::<std::collections::VecDeque<_>>();
        let ended = Arc::new(tokio::sync::Mutex::new(Some(ended)));
        let body = move |_| {
            let (planned, ended) = (plan.pop_front(), Arc::clone(&ended));
            async move {
                let end = match planned {
                    Some(end) => end,
                    None => ended.lock().await.take().unwrap().await.unwrap(),
                };
                match end {
                    End::Success => Ok(ToolOutput::text("done")),
                    End::Failure => Err(OperationError::from("broken".to_owned())),
                }
            }
        };
        let (mut ctx, rails) = (self.context(user), Arc::clone(&self.rails));
        let call = ToolCallInputs::new(tool).with_arguments(arguments);
        let future = async move { rails.guard_tool_call(call, &mut ctx, body).await };
        let mut future: CallFuture = Box::pin(future);
        match poll(&mut future) {
            Poll::Pending => {
                self.running.insert(label.to_owned(), Running { future, end });
                true
            }
            Poll::Ready(Ok(output)) => !output.content.contains("sequence/"),
            Poll::Ready(Err(error)) => {
                assert!(error.to_string().contains("broken"), "{error}");
                true
            }
        }
    }

    pub(crate) fn end(&mut self, label: &str, how: End) {
        let Running { mut future, end } = self.running.remove(label).unwrap();
        end.send(how).unwrap();
        assert!(poll(&mut future).is_ready());
    }

    pub(crate) fn drop_call(&mut self, label: &str) {
        self.running.remove(label).unwrap();
    }
}

fn poll(future: &mut CallFuture) -> Poll<Result<ToolOutput, RunError>> {
    // Between two attempts, a call lets other tasks run.
    let mut poll = || future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    (0..16).map(|_| poll()).find(Poll::is_ready).unwrap_or(Poll::Pending)
}

/// A step of a trace.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A call. Without `ends`, it runs until a later step ends it.
    Call {
        user: String,
        tool: String,
        arguments: Value,
        label: String,
        ends: Vec<End>,
    },
    End(String, End),
    Drop(String),
    Wait(u64),
    NewRun,
    NewSession,
}

/// The guard and the reference, side by side.
pub(crate) struct Runner {
    world: World,
    rules: Vec<Rule>,
    hold_for: u64,
    events: Vec<Event>,
    labels: HashMap<String, usize>,
    now: u64,
    order: usize,
    calls: usize,
}

impl Runner {
    pub(crate) fn new(texts: &[String], hold_for: u64) -> Self {
        let rules: Vec<SequenceRule> = texts.iter().map(|text| text.parse().unwrap()).collect();
        Self {
            world: World::new(&rules, Duration::from_millis(hold_for)),
            rules: texts.iter().map(|text| Rule::read(text)).collect(),
            hold_for,
            events: Vec::new(),
            labels: HashMap::new(),
            now: 0,
            order: 1,
            calls: 0,
        }
    }

    /// Takes a step. For a call, returns the verdicts of the guard and of the reference.
    pub(crate) async fn step(&mut self, step: &Step) -> Option<(bool, bool)> {
        self.order += 1;
        match step {
            Step::Wait(millis) => {
                tokio::time::advance(Duration::from_millis(*millis)).await;
                self.now += millis;
            }
            Step::NewRun => self.world.new_run(),
            Step::NewSession => self.world.new_session(),
            Step::Drop(label) => {
                self.labels.remove(label);
                self.world.drop_call(label);
            }
            Step::End(label, how) => {
                self.world.end(label, *how);
                let place = self.labels.remove(label).unwrap();
                self.ended(place, *how);
            }
            Step::Call { user, tool, arguments, label, ends } => {
                let event = self.event(user, tool, arguments);
                let allows = |rule: &Rule| rule.allows(&event, &self.events, self.now, self.hold_for);
                let expected = self.rules.iter().all(allows);
                let found = self.world.begin(user, tool, arguments.clone(), label, ends);
                self.happened(event, label, expected, ends);
                return Some((found, expected));
            }
        }
        None
    }

    fn event(&mut self, user: &str, tool: &str, arguments: &Value) -> Event {
        self.calls += 1;
        let World { run, session, .. } = &self.world;
        Event {
            call: self.calls,
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            scopes: [format!("{user} {run}"), format!("{user} {session}"), user.to_owned()],
            begin: self.now,
            begin_order: self.order,
            end: None,
        }
    }

    fn happened(&mut self, mut event: Event, label: &str, is_allowed: bool, ends: &[End]) {
        if !is_allowed {
            event.end = Some((self.now, self.order, Outcome::Refused));
            self.events.push(event);
        } else if ends.is_empty() {
            self.labels.insert(label.to_owned(), self.events.len());
            self.events.push(event);
        } else {
            for end in ends {
                (event.begin_order, self.order) = (self.order, self.order + 1);
                self.events.push(event.clone());
                self.ended(self.events.len() - 1, *end);
            }
        }
    }

    fn ended(&mut self, place: usize, how: End) {
        let outcome = if how == End::Success { Outcome::Succeeded } else { Outcome::Failed };
        let event = &mut self.events[place];
        if self.now - event.begin >= self.hold_for {
            // The call has counted as one whose end nobody knows, and it goes on counting as one.
            event.end = Some((event.begin + self.hold_for, 0, Outcome::Unknown));
            let late = Event { end: Some((self.now, self.order, outcome)), ..event.clone() };
            self.events.push(late);
        } else {
            event.end = Some((self.now, self.order, outcome));
        }
    }
}
