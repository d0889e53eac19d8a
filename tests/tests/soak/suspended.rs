//! Runs with a memory, which rails suspend again and again, hold for ever and refuse: drawn from a seed, many at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use exo_rails::message::{Message, Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{CancellationToken, ContextInputs, MemoryEntry, MemoryItem, MemoryQuery, NoRetry, RecalledMemory};
use exo_rails_agent::{Agent, FailedRun, IntoRun, Memory, Model, SuspendedRun};
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::HANGS;
use crate::operations::{SECRET, wait};
use crate::random::Random;

/// What a rail does with a call before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Runs,
    /// A person is asked, and says yes or no.
    Allowed,
    Refused,
    /// The rail waits for ever. The run is cancelled.
    Held,
}

/// What is drawn of a run.
#[derive(Clone, Debug)]
struct Plan {
    seed: u64,
    /// The calls of each step of the model.
    steps: Vec<Vec<Fate>>,
}

impl Plan {
    fn draw(seed: u64) -> Self {
        let mut random = Random::of(&[seed]);
        let mut fate = || match random.below(16) {
            0..=6 => Fate::Runs,
            7..=10 => Fate::Allowed,
            11..=14 => Fate::Refused,
            _ => Fate::Held,
        };
        let steps = [2, 3, 1].map(|calls| (0..calls).map(|_| fate()).collect());
        Self { seed, steps: steps[..=(seed % 3) as usize].to_vec() }
    }

    fn fate(&self, id: &str) -> Fate {
        let (step, call) = id.split_once('-').unwrap();
        self.steps[step.parse::<usize>().unwrap()][call.parse::<usize>().unwrap()]
    }
}

/// What has happened in a run, whichever program it was in.
#[derive(Debug, Default)]
struct Happened {
    /// The calls that the last rail has let pass, and that have not begun.
    passed: BTreeSet<String>,
    /// How many times each call has run.
    ran: BTreeMap<String, u32>,
    asked: BTreeSet<String>,
    stored: Vec<String>,
    wrong: Vec<String>,
}

#[derive(Debug)]
struct World {
    plan: Plan,
    happened: Mutex<Happened>,
}

impl World {
    fn note<O>(&self, note: impl FnOnce(&mut Happened) -> O) -> O {
        note(&mut self.happened.lock().unwrap())
    }

    fn ensure(&self, holds: bool, otherwise: impl Into<String>) {
        if !holds {
            self.note(|happened| happened.wrong.push(otherwise.into()));
        }
    }

    /// What is drawn at a place of the run.
    fn random(&self, place: &str) -> Random {
        let place = place.bytes().fold(0, |number: u64, byte| number.wrapping_mul(31) + u64::from(byte));
        Random::of(&[self.plan.seed, place])
    }

    async fn moment(&self, place: &str) {
        let mut random = self.random(place);
        if random.permille(500) {
            wait(&mut random).await;
        }
    }
}

/// Decides as the plan says.
struct Approves(Arc<World>);

#[rail(priority = 20)]
impl Approves {
    #[on(PreToolCall)]
    async fn approve(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, serde_json::Error> {
        self.0.moment(&call.id).await;
        let fate = self.0.plan.fate(&call.id);
        match fate {
            Fate::Runs => return Ok(RailAction::Continue),
            Fate::Held => std::future::pending().await,
            Fate::Allowed | Fate::Refused => {}
        }
        let question = ctx.question(format!("may {} run?", call.id));
        Ok(match ctx.answer_to(&question)? {
            None => {
                self.0.note(|happened| happened.asked.insert(call.id.clone()));
                RailAction::suspend(question)
            }
            Some(true) => RailAction::Continue,
            Some(false) => RailAction::skip("a person has refused"),
        })
    }
}

/// Redacts what is recalled and what is stored.
struct Redacts(Arc<World>);

#[rail(priority = 30)]
impl Redacts {
    #[on(MemoryRecalled)]
    async fn recalled(&self, memory: &mut RecalledMemory) -> RailAction<RecalledMemory, NoRetry> {
        self.0.moment("recalled").await;
        memory.for_each_text(|text| *text = text.replace(SECRET, "[-]"));
        RailAction::Continue
    }

    #[on(ContextAssembled)]
    fn assembled(&self, context: &ContextInputs) {
        self.0.ensure(!json!(context).to_string().contains(SECRET), "the context has the secret");
    }

    #[on(MemoryStored)]
    async fn stored(&self, entry: &mut MemoryEntry) {
        self.0.moment("stored").await;
        entry.for_each_text(|text| *text = text.replace("done", "[did]"));
    }
}

/// Every rail before it has let the call pass.
struct Passes(Arc<World>);

#[rail(priority = 90)]
impl Passes {
    #[on(PreToolCall)]
    fn pass(&self, call: &ToolCallInputs) {
        // One that has passed may be dropped before it runs, when another one suspends the run.
        self.0.note(|happened| happened.passed.insert(call.id.clone()));
    }
}

rail_chain! { struct Guards { approves: Approves, redacts: Redacts, passes: Passes } }

struct Asks(Arc<World>);

impl Model for Asks {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        self.0.ensure(!json!(request.messages).to_string().contains(SECRET), "the model reads the secret");
        let step = request.messages.iter().filter(|message| !message.tool_calls.is_empty()).count();
        self.0.moment(&format!("step {step}")).await;
        let Some(calls) = self.0.plan.steps.get(step) else { return Ok(ModelResponse::text("done")) };
        let call = |at| ToolCall::new(format!("{step}-{at}"), "work", &json!({}));
        let tool_calls = (0..calls.len()).map(call).collect();
        let message = Message { role: Role::Assistant, tool_calls, ..Message::default() };
        Ok(ModelResponse { message, ..ModelResponse::default() })
    }
}

struct Notes(Arc<World>);

impl Memory for Notes {
    async fn recall(&self, _: Permit<MemoryQuery>) -> Result<Vec<MemoryItem>, OperationError> {
        self.0.moment("recall").await;
        Ok(vec![format!("the key is {SECRET}").as_str().into(), "tea".into()])
    }

    async fn store(&self, entry: Permit<MemoryEntry>) -> Result<(), OperationError> {
        let texts = entry.messages.iter().map(|message| message.text().into_owned());
        self.0.note(|happened| happened.stored.extend(texts));
        Ok(())
    }
}

fn agent(world: &Arc<World>) -> Agent<Asks, Guards> {
    let of_tool = Arc::clone(world);
    let work = Tool::with_permit("work", "Works.", json!({ "type": "object" }), move |call| {
        let world = Arc::clone(&of_tool);
        async move {
            let id = call.id.clone();
            let passed = world.note(|happened| happened.passed.remove(&id));
            world.ensure(passed, format!("{id} runs, and not all its rails were asked"));
            world.note(|happened| *happened.ran.entry(id.clone()).or_default() += 1);
            world.moment(&format!("tool {id}")).await;
            Ok::<_, OperationError>(format!("worked on {id}"))
        }
    });
    let rails = Guards {
        approves: Approves(Arc::clone(world)),
        redacts: Redacts(Arc::clone(world)),
        passes: Passes(Arc::clone(world)),
    };
    Agent::builder("suspended", Asks(Arc::clone(world)))
        .tool(work)
        .memory(Notes(Arc::clone(world)))
        .rails(rails)
        .build()
}

/// Runs it in one program. One that a rail holds is cancelled.
async fn run_once(world: &Arc<World>, input: impl IntoRun + Send) -> Result<InvokeOutput, FailedRun> {
    let token = CancellationToken::new();
    let mut ctx = RunContext::new("suspended").with_cancellation(token.clone());
    let holds = world.plan.steps.iter().flatten().any(|fate| *fate == Fate::Held);
    let cancelling = async {
        if holds {
            sleep(Duration::from_millis(20)).await;
            token.cancel();
        }
    };
    let agent = agent(world);
    tokio::join!(agent.run_in(input, &mut ctx), cancelling).0
}

/// The run, in as many programs as it takes.
async fn live(world: Arc<World>) -> Result<InvokeOutput, RunError> {
    let mut result = run_once(&world, "begin".to_owned()).await;
    for _ in 0..20 {
        let failed = match result {
            Ok(output) => return Ok(output),
            Err(failed) => failed,
        };
        let Some(suspended) = failed.suspended else { return Err(failed.error) };
        let mut run: SuspendedRun = serde_json::from_str(&json!(suspended).to_string()).unwrap();
        let open: Vec<_> = run.questions().map(|open| (open.question.id(), open.question.text.to_string())).collect();
        for (id, text) in open {
            let call = text.split(' ').nth(1).unwrap();
            run.answer(&id, world.plan.fate(call) == Fate::Allowed).unwrap();
        }
        result = run_once(&world, run).await;
    }
    panic!("{world:#?} is suspended for ever")
}

/// What the run comes to, against what was drawn.
fn check(world: &World, result: &Result<InvokeOutput, RunError>) {
    let happened = world.happened.lock().unwrap();
    assert!(happened.wrong.is_empty(), "{world:#?}\n{:#?}", happened.wrong);
    let fates: Vec<_> = world.plan.steps.iter().flatten().copied().collect();
    for (id, times) in &happened.ran {
        let may_run = matches!(world.plan.fate(id), Fate::Runs | Fate::Allowed);
        assert!(may_run && *times == 1, "{id} has run {times} times\n{:#?}\n{happened:#?}", world.plan);
    }
    assert!(happened.asked.iter().all(|id| matches!(world.plan.fate(id), Fate::Allowed | Fate::Refused)));
    if fates.contains(&Fate::Held) {
        assert!(matches!(result, Err(RunError::Cancelled)), "{:#?}\n{result:?}", world.plan);
        return;
    }
    let output = result.as_ref().unwrap_or_else(|error| panic!("{:#?}\n{error}", world.plan));
    let count = |fate| fates.iter().filter(|other| **other == fate).count();
    assert_eq!(happened.ran.len(), count(Fate::Runs) + count(Fate::Allowed), "{:#?}", world.plan);
    assert_eq!(happened.asked.len(), count(Fate::Allowed) + count(Fate::Refused), "{:#?}", world.plan);
    let told = output.messages.iter().filter(|message| message.role == Role::Tool);
    let worked = told.filter(|message| message.text().starts_with("worked on")).count();
    assert_eq!((worked, output.text.as_str()), (happened.ran.len(), "done"), "{:#?}", world.plan);
    let stored = happened.stored.concat();
    assert!(stored.contains("[did]") && !stored.contains("done"), "{stored}");
}

/// Runs so many at once.
pub(crate) async fn all(seed: u64, count: u64) -> BTreeMap<&'static str, usize> {
    let world = |number| {
        let plan = Plan::draw(Random::of(&[seed, number]).next());
        Arc::new(World { plan, happened: Mutex::default() })
    };
    let worlds: Vec<_> = (0..count).map(world).collect();
    let runs: Vec<_> = worlds.iter().map(|world| tokio::spawn(live(Arc::clone(world)))).collect();
    let mut counts = BTreeMap::new();
    for (world, run) in worlds.iter().zip(runs) {
        let result = timeout(HANGS, run).await.unwrap_or_else(|_| panic!("{world:#?} does not end")).unwrap();
        check(world, &result);
        let what = if result.is_ok() { "answered" } else { "cancelled while a rail waits" };
        *counts.entry(what).or_default() += 1;
        *counts.entry("questions").or_default() += world.happened.lock().unwrap().asked.len();
    }
    counts
}
