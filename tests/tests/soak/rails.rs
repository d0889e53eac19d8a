//! Rails that record what they see and draw what they decide, and the guard sets made of them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput, NoRetry};
use tests::yields;

use crate::operations::{FAILED, PANICKED, SECRET, TOOLS, is_recorded, number_in, wait};
use crate::random::Random;
use crate::trace::{Broke, Choice, Entered, Left, Line, Live, Marker, Outcome, Run, What};

/// What a rail with this text panics with. Nobody needs to be told of it.
pub(crate) const ON_PURPOSE: &str = "panic";

/// A rail at work: it records its end, also when it has none.
struct Deciding {
    run: Arc<Run>,
    line: Line,
    rail: &'static str,
    number: u64,
    has_ended: bool,
}

impl Deciding {
    fn begin(ctx: &RailContext, line: Line, rail: &'static str) -> (Self, Random) {
        let run = Run::of(ctx);
        let random = run.record(line, What::Begins(rail, ctx.event()));
        let number = run.number();
        (Self { run, line, rail, number, has_ended: false }, random)
    }

    fn decide(mut self, choice: Choice) {
        self.has_ended = true;
        self.run.record(self.line, What::Decides(self.rail, choice));
    }
}

impl Drop for Deciding {
    fn drop(&mut self) {
        if !self.has_ended {
            let broke = if std::thread::panicking() { Broke::Panicked(self.number) } else { Broke::Dropped };
            self.run.record(self.line, What::Breaks(self.rail, broke));
        }
    }
}

/// What a rail may do apart from continuing.
#[derive(Clone, Copy)]
struct Powers {
    /// It has a `timeout`, and what it panics with is a fault.
    breaks: bool,
    retries: u32,
}

const FIRST: Powers = Powers { breaks: true, retries: 2 };
const OTHERS: Powers = Powers { breaks: true, retries: 1 };
const PLAIN: Powers = Powers { breaks: false, retries: 1 };

pub(crate) fn retries(rail: &str) -> u32 {
    match rail {
        "first" => FIRST.retries,
        _ => OTHERS.retries,
    }
}

/// Draws what the rail does, does it, and records it.
async fn draws(
    rail: &'static str,
    powers: Powers,
    inputs: &mut Inputs<'_>,
    ctx: &RailContext,
) -> Result<RailAction, String> {
    let (mut deciding, mut random) = Deciding::begin(ctx, line(inputs), rail);
    let number = deciding.number;
    // Some events and hooks are seldom, and what is decided there must not be.
    let times = match ctx.event() {
        HookPoint::LlmError | HookPoint::ToolError => 5,
        HookPoint::Start | HookPoint::Finished => 2,
        _ if rail == "plain" => 3,
        _ => 1,
    };
    if !random.permille(times * deciding.run.plan.temper) {
        deciding.decide(Choice::Continue);
        return Ok(RailAction::Continue);
    }
    let draw = random.below(12);
    match draw {
        0..=2 => wait(&mut random).await,
        3 if powers.breaks => breaks(&mut deciding, &mut random).await,
        _ => {}
    }
    let (choice, result) = match draw {
        4 => (Choice::Fails(number), Err(format!("fault {number}"))),
        5..=6 => (Choice::Changes(number), Ok(change(inputs, number, random))),
        7 => (Choice::Skip { substitute: false }, Ok(RailAction::skip("not needed"))),
        8..=9 => retry(number, powers.retries, &mut random),
        10 => (Choice::Abort(number), Ok(RailAction::abort(format!("abort {number}")))),
        _ => (Choice::Continue, Ok(RailAction::Continue)),
    };
    deciding.decide(choice);
    result
}

/// Waits for good, or panics.
async fn breaks(deciding: &mut Deciding, random: &mut Random) {
    yields(random.below(3) as usize).await;
    assert!(random.permille(500), "{ON_PURPOSE} {}", deciding.number);
    std::future::pending::<Infallible>().await;
}

fn retry(number: u64, max: u32, random: &mut Random) -> (Choice, Result<RailAction, String>) {
    let delay = Duration::from_micros(if random.permille(500) { random.below(1500).into() } else { 0 });
    let request = RetryRequest::new(format!("retry {number}")).with_delay(delay).with_max_retries(max);
    (Choice::Retry { number, max }, Ok(RailAction::retry(request)))
}

/// Changes what the event carries, where the operation or the run shows it.
fn change(inputs: &mut Inputs<'_>, number: u64, mut random: Random) -> RailAction {
    match inputs {
        Inputs::Start(run) => drop(run.extra.insert("changed".into(), number.into())),
        Inputs::PreLlmCall(request) => drop(request.extra.insert("changed".into(), number.into())),
        Inputs::PreToolCall(call) => {
            call.extra.insert("changed".into(), number.into());
            if random.permille(500) {
                TOOLS[1].clone_into(&mut call.tool_name);
            }
        }
        Inputs::PostToolCall(_, output) => output.content.push('+'),
        Inputs::LlmChunk(_, window) if random.permille(500) => window.end(),
        Inputs::LlmChunk(_, window) => window.text.push('+'),
        Inputs::PostLlmCall(_, response) => {
            response.message.content = Some(format!("{}+", response.message.text()).into());
        }
        Inputs::Finished(_, output) => output.text.push('+'),
        _ => {}
    }
    RailAction::Continue
}

/// The line that the event is in.
fn line(inputs: &Inputs<'_>) -> Line {
    match inputs {
        Inputs::PreToolCall(call) => tool(call),
        Inputs::PostToolCall(call, _) | Inputs::ToolError(call, _) => tool(call),
        _ => Line::Main,
    }
}

fn tool(call: &ToolCallInputs) -> Line {
    Line::Tool(call.id.parse().unwrap())
}

fn stamp_of(inputs: &Inputs<'_>) -> Option<u64> {
    let extra = match inputs {
        Inputs::Start(run) => &run.extra,
        Inputs::Finished(run, _) | Inputs::Error(run, _) => &run.extra,
        Inputs::PreLlmCall(request) => &request.extra,
        Inputs::LlmChunk(request, _) | Inputs::PostLlmCall(request, _) | Inputs::LlmError(request, _) => &request.extra,
        Inputs::PreToolCall(call) => &call.extra,
        Inputs::PostToolCall(call, _) | Inputs::ToolError(call, _) => &call.extra,
        Inputs::PreCompaction(history) => &history.extra,
        Inputs::PostCompaction(history, _) => &history.extra,
        _ => return None,
    };
    number_in(extra, "stamp")
}

/// The first at each event.
#[rail(priority = 0, on = [
    SessionStart, Start, PreCompaction, PostCompaction, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall,
    PostToolCall, ToolError, Finished, events::Error, SessionEnd,
])]
fn gate(inputs: &Inputs<'_>, ctx: &mut RailContext) {
    let (run, line) = (Run::of(ctx), line(inputs));
    let marker = ctx.run.get::<Marker>().or_else(|| ctx.session.get::<Marker>());
    // A session begins without values.
    let is_its_own = match marker {
        Some(marker) => marker.run.to_string() == run.name(),
        None => ctx.event() == HookPoint::SessionStart,
    };
    if !is_its_own {
        run.record(line, What::Wrong("the values of another run, or none"));
    }
    if matches!(inputs, Inputs::PostLlmCall(_, response) if !is_recorded(response)) {
        run.record(line, What::Wrong("the record of an answer that says something else"));
    }
    if ctx.extra.insert(Live::new(&run.live)).is_some() {
        run.record(line, What::Wrong("the values of another event"));
    }
    run.record(line, What::Enters(entered(inputs, ctx)));
}

fn entered(inputs: &Inputs<'_>, ctx: &RailContext) -> Entered {
    let (text, error) = match inputs {
        Inputs::LlmChunk(_, window) => (window.fresh().to_owned(), None),
        Inputs::PostLlmCall(_, response) => (response.message.text().into_owned(), None),
        Inputs::LlmError(_, error) | Inputs::ToolError(_, error) => {
            (String::new(), Some(Outcome::Operation(error.message.replace(PANICKED, FAILED))))
        }
        Inputs::Error(_, error) => (String::new(), Some(Outcome::from(*error))),
        _ => (String::new(), None),
    };
    Entered {
        event: ctx.event(),
        attempt: ctx.attempt(),
        step: ctx.step(),
        stamp: stamp_of(inputs),
        substituted: ctx.substituted_by().is_some(),
        text,
        error,
    }
}

/// The last at each event, whatever comes of it.
#[rail(priority = 99, always, on = [
    SessionStart, Start, PreCompaction, PostCompaction, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall,
    PostToolCall, ToolError, Finished, events::Error, SessionEnd,
])]
fn audit(inputs: &Inputs<'_>, ctx: &RailContext) {
    let lends = matches!(ctx.event(), HookPoint::PreLlmCall | HookPoint::PreToolCall);
    if ctx.provided::<Lent>().is_some() != lends {
        Run::of(ctx).record(line(inputs), What::Wrong("what was handed on at another event, or nothing"));
    }
    let stopped = ctx.stopped().map(|stopped| (stopped.rail_name.rsplit("::").next().unwrap().to_owned(), stopped.how));
    let (ends, is_last) = match inputs {
        Inputs::LlmChunk(_, window) => (window.ends(), window.is_last),
        _ => (false, false),
    };
    let calls = match inputs {
        Inputs::PostLlmCall(_, response) => {
            response.message.tool_calls.iter().map(|call| call.id.parse().unwrap()).collect()
        }
        _ => Vec::new(),
    };
    Run::of(ctx).record(line(inputs), What::Leaves(Left { stopped, ends, is_last, calls }));
}

/// What is handed on to the rails of one event.
#[derive(Provided)]
struct Lent {
    _live: Live,
}

#[rail(priority = 2, on = [PreLlmCall, PreToolCall], provides = [Lent])]
fn lend(ctx: &RailContext) -> Lent {
    Lent { _live: Live::new(&Run::of(ctx).live) }
}

/// Nothing leaves before it has seen it.
#[rail(priority = 1, on = [LlmChunk])]
fn redact(window: &mut StreamWindow) {
    window.replace(SECRET, "[-]");
}

#[rail(
    priority = 20, timeout = "15ms", on_panic = "fault",
    on = [Start, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished],
)]
async fn first(mut inputs: Inputs<'_>, ctx: &RailContext) -> Result<RailAction, String> {
    draws("first", FIRST, &mut inputs, ctx).await
}

#[rail(
    priority = 30, timeout = "15ms", on_panic = "fault", on_fault = "skip",
    on = [Start, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished],
)]
async fn second(mut inputs: Inputs<'_>, ctx: &RailContext) -> Result<RailAction, String> {
    draws("second", OTHERS, &mut inputs, ctx).await
}

#[rail(
    priority = 40, timeout = "15ms", on_panic = "fault", on_fault = "continue",
    on = [Start, PreLlmCall, LlmChunk, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished],
)]
async fn third(mut inputs: Inputs<'_>, ctx: &RailContext) -> Result<RailAction, String> {
    draws("third", OTHERS, &mut inputs, ctx).await
}

/// A hook has no `timeout`, and its panics unwind.
async fn plain(mut inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<RailAction, String> {
    draws("plain", PLAIN, &mut inputs, ctx).await
}

#[rail(priority = 50, timeout = "15ms", on_panic = "fault", on = [
    PreCompaction, PostCompaction, PreLlmCall, PostLlmCall, PreToolCall, PostToolCall, Finished, events::Error, SessionEnd,
])]
async fn watcher(inputs: &Inputs<'_>, ctx: &RailContext) -> Result<(), String> {
    let (mut deciding, mut random) = Deciding::begin(ctx, line(inputs), "watcher");
    let (number, draw) = (deciding.number, random.below(10));
    let quiet = !random.permille(deciding.run.plan.temper);
    match draw {
        _ if quiet => {}
        0..=4 => wait(&mut random).await,
        5..=6 => breaks(&mut deciding, &mut random).await,
        _ => {
            deciding.decide(Choice::Fails(number));
            return Err(format!("fault {number}"));
        }
    }
    deciding.decide(Choice::Continue);
    Ok(())
}

#[rail(priority = 30, on = [SessionStart])]
fn admits(ctx: &RailContext) -> Verdict {
    let (deciding, mut random) = Deciding::begin(ctx, Line::Main, "admits");
    let number = deciding.number;
    let refused = random.permille(50);
    deciding.decide(if refused { Choice::Abort(number) } else { Choice::Continue });
    Verdict::abort_if(refused, format!("abort {number}"))
}

/// Puts something in the place of a result.
#[derive(Clone)]
pub(crate) struct Substitutes;

/// Whether it does.
fn substitutes(ctx: &RailContext, line: Line) -> bool {
    let (deciding, mut random) = Deciding::begin(ctx, line, "substitutes");
    let does = random.permille(match ctx.event() {
        // After a failure it is what one hopes for.
        HookPoint::LlmError | HookPoint::ToolError => 500,
        HookPoint::PreCompaction => 50,
        _ => deciding.run.plan.temper / 8,
    });
    deciding.decide(if does { Choice::Skip { substitute: true } } else { Choice::Continue });
    does
}

#[rail(name = "substitutes", priority = 45)]
impl Substitutes {
    #[on(Start)]
    fn run(ctx: &RailContext) -> Option<RailAction<InvokeOutput>> {
        substitutes(ctx, Line::Main).then(|| RailAction::skip_with(InvokeOutput::text("known"), "it is known"))
    }

    #[on(PreLlmCall, LlmError)]
    fn answer(_: &ModelCallInputs, ctx: &RailContext) -> Option<RailAction<ModelResponse>> {
        let answer = || ModelResponse::text(format!("another {SECRET}"));
        substitutes(ctx, Line::Main).then(|| RailAction::skip_with(answer(), "there is another"))
    }

    #[on(PreToolCall, ToolError)]
    fn output(call: &ToolCallInputs, ctx: &RailContext) -> Option<RailAction<ToolOutput>> {
        substitutes(ctx, tool(call)).then(|| RailAction::skip_with(ToolOutput::text("known"), "it is known"))
    }

    #[on(PreCompaction)]
    fn history(history: &CompactionInputs, ctx: &RailContext) -> Option<RailAction<CompactionOutput, NoRetry>> {
        let same = || CompactionOutput { messages: history.messages.clone(), ..CompactionOutput::default() };
        substitutes(ctx, Line::Main).then(|| RailAction::skip_with(same(), "it stays"))
    }
}

/// Every rail before it has let the operation pass, and it says so in its inputs.
#[rail(priority = 90, on = [Start, PreCompaction, PreLlmCall, PreToolCall])]
fn stamp(mut inputs: Inputs<'_>, ctx: &RailContext) {
    let (run, line) = (Run::of(ctx), line(&inputs));
    let stamp = run.number();
    let extra = match &mut inputs {
        Inputs::Start(run) => &mut run.extra,
        Inputs::PreCompaction(history) => &mut history.extra,
        Inputs::PreLlmCall(request) => &mut request.extra,
        Inputs::PreToolCall(call) => &mut call.extra,
        _ => unreachable!(),
    };
    extra.insert("stamp".into(), stamp.into());
    run.record(line, What::Stamps(stamp));
}

rail_chain! {
    pub(crate) struct Straight {
        audit, stamp, substitutes: Substitutes, watcher, admits, third, second, first, lend, redact, gate,
    }
}

rail_chain! { #[chain(priority = 20)] struct Inner { second, first, redact } }

rail_chain! { struct Innermost { watcher, substitutes: Substitutes } }

rail_chain! { #[chain(priority = 40)] struct Later { third, innermost: Innermost } }

rail_chain! {
    /// The same order, by chains inside chains.
    pub(crate) struct Nested { audit, stamp, later: Later, admits, Inner, lend, gate }
}

rail_chain! { struct Opening { gate, lend, redact } }

rail_chain! { struct Remaining { audit, stamp, substitutes: Substitutes, watcher, admits, third, second, first } }

fn straight() -> Straight {
    Straight { substitutes: Substitutes }
}

/// The guard sets, each shared by all runs that it guards.
#[derive(Clone)]
pub(crate) struct Sets {
    pub(crate) chain: Arc<Straight>,
    pub(crate) nested: Arc<Nested>,
    pub(crate) manager: Arc<RailManager>,
    pub(crate) hooks_of_chain: Arc<HookManager>,
    pub(crate) hooks_of_manager: Arc<HookManager>,
}

impl Sets {
    pub(crate) fn new() -> Self {
        let manager = Arc::new(manager());
        Self {
            chain: Arc::new(straight()),
            nested: Arc::new(Nested { later: Later { innermost: Innermost { substitutes: Substitutes } } }),
            hooks_of_chain: Arc::new(hooks_of_chain()),
            hooks_of_manager: Arc::new(hooks_of_manager(&manager)),
            manager,
        }
    }
}

fn manager() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(audit {}).unwrap();
    manager.add(stamp {}).unwrap();
    manager.add(Substitutes).unwrap();
    manager.add(watcher {}).unwrap();
    manager.add(admits {}).unwrap();
    manager.add(third {}).unwrap();
    manager.add(second {}).unwrap();
    manager.add(first {}).unwrap();
    manager.add(lend {}).unwrap();
    manager.add(redact {}).unwrap();
    manager.add(gate {}).unwrap();
    manager
}

/// A plain hook stands between two chains.
fn hooks_of_chain() -> HookManager {
    let mut hooks = HookManager::new();
    Opening {}.register(&mut hooks);
    for point in [HookPoint::PreLlmCall, HookPoint::PostLlmCall, HookPoint::PreToolCall, HookPoint::PostToolCall] {
        hooks.add(point, plain);
    }
    Remaining { substitutes: Substitutes }.register(&mut hooks);
    hooks
}

fn hooks_of_manager(manager: &Arc<RailManager>) -> HookManager {
    let mut hooks = HookManager::new();
    for &point in HookPoint::ALL {
        hooks.add(point, manager.hook_for(point));
    }
    hooks
}
