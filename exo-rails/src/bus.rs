//! Events out: what happens at each event of a run, for whoever watches.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant, SystemTime};

use futures_core::Stream;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio_util::sync::ReusableBoxFuture;

use crate::context::RailContext;
use crate::decision::Outcome;
use crate::event::{Event, Inputs};
use crate::hook_point::HookPoint;
use crate::rail::RailInfo;
use crate::rails::Serves;
use crate::stopped::StoppedBy;

/// The most records that a bus keeps.
const MOST: usize = 1 << 20;

/// How many numbers points have.
const POINTS: usize = u64::BITS as usize;

/// Tells whoever subscribes what happens at each event, and what the rails have decided there: a user interface, a log,
/// a test.
///
/// Put it [around](Self::wrap) a guard set, and each event that the set dispatches is published when its rails have
/// decided: one [`EventRecord`] with the payload as the rails have left it, and with their decision. What a rail hides is
/// hidden from subscribers too. A dispatch that is dropped, because the run is, publishes nothing.
///
/// A run never waits for a subscriber: the bus keeps the newest records, and one that falls behind is told how many it
/// has [missed](Lagged). While nobody has subscribed to an event, no record of it is made. A run whose guard set has no
/// bus around it pays nothing.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::EventBus;
///
/// #[rail(on = [PreToolCall])]
/// fn no_shell(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "shell", "no shell")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let bus = EventBus::new(64);
/// let rails = bus.wrap(rail_chain![no_shell]);
/// let mut tools = bus.subscribe().with_events([HookPoint::PreToolCall, HookPoint::PostToolCall]);
///
/// let mut ctx = RailContext::new("support");
/// let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut ctx).await?;
/// assert!(!decision.is_continue());
///
/// let record = tools.recv().await.unwrap().unwrap();
/// assert_eq!((&*record.agent, record.event), ("support", HookPoint::PreToolCall));
/// assert_eq!(record.payload["call"]["tool_name"], "shell");
/// assert_eq!(record.stopped.as_ref().unwrap().rail_name, "no_shell");
/// # Ok(()) }
/// ```
///
/// Around an agent, it is `Agent::builder("support", model).rails(bus.wrap(rails))`. A clone is the same bus, and one
/// bus can be around the guard sets of many agents.
///
/// Of a rail that publishes something of its own, that is an [custom event](derive@crate::Event): run in a
/// [child](RailContext::child) of its context, on a guard set that has the bus around it.
#[derive(Clone)]
pub struct EventBus {
    records: Sender<Arc<EventRecord>>,
    shared: Arc<Shared>,
}

/// What all clones of a bus share.
struct Shared {
    /// How many subscriptions want the events of each number.
    wanted: [AtomicUsize; POINTS],
    next: AtomicU64,
}

impl EventBus {
    /// A bus that keeps so many records for subscribers that are behind, rounded up to a power of two; at least one, and
    /// at most 1 048 576.
    ///
    /// Each record has its payload, and that of a model call has the history: a bus may keep as much as its records have.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let (records, _) = broadcast::channel(capacity.clamp(1, MOST));
        let wanted = [const { AtomicUsize::new(0) }; POINTS];
        Self { records, shared: Arc::new(Shared { wanted, next: AtomicU64::new(0) }) }
    }

    /// The same guard set, whose events are published.
    pub fn wrap<R>(&self, rails: R) -> WithEvents<R> {
        WithEvents { rails, bus: self.clone() }
    }

    /// Subscribes to all events from now on.
    #[must_use = "a subscription that is dropped receives nothing"]
    pub fn subscribe(&self) -> Subscription {
        let next = next(self.records.subscribe());
        let wish = Wish::of(&self.shared, u64::MAX);
        Subscription { next: ReusableBoxFuture::new(next), points: Vec::new(), matching: None, wish }
    }

    /// How many subscriptions there are.
    #[must_use]
    pub fn subscribers(&self) -> usize {
        self.records.receiver_count()
    }

    /// Begins a record, when somebody wants it.
    fn begin(&self, point: HookPoint, ctx: &RailContext) -> Option<Begun> {
        let wanted = self.shared.wanted.get(point.number() as usize)?;
        (wanted.load(Ordering::Relaxed) > 0).then(|| Begun::at(ctx))
    }

    #[cold]
    fn publish(&self, begun: Begun, inputs: &Inputs<'_>, stopped: Option<StoppedBy>) {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        // Nobody receives it when the last subscription has just gone.
        drop(self.records.send(Arc::new(begun.record(number, inputs, stopped))));
    }
}

impl Default for EventBus {
    /// A bus that keeps 256 records.
    fn default() -> Self {
        Self::new(256)
    }
}

impl fmt::Debug for EventBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBus").field("subscribers", &self.subscribers()).finish_non_exhaustive()
    }
}

/// What is known of a record before the rails are asked. Taken there, because a rail may go on with the context.
struct Begun {
    at: SystemTime,
    clock: Instant,
    agent: Arc<str>,
    run_id: Arc<str>,
    session_id: Option<Arc<str>>,
    turn: u32,
    step: u32,
    attempt: u32,
    substituted_by: Option<&'static RailInfo>,
}

impl Begun {
    #[cold]
    fn at(ctx: &RailContext) -> Self {
        let (agent, run_id, session_id) = ctx.names();
        Self {
            at: SystemTime::now(),
            clock: Instant::now(),
            agent,
            run_id,
            session_id,
            turn: ctx.turn(),
            step: ctx.step(),
            attempt: ctx.attempt(),
            substituted_by: ctx.substituted_by(),
        }
    }

    fn record(self, number: u64, inputs: &Inputs<'_>, stopped: Option<StoppedBy>) -> EventRecord {
        let Self { at, clock, agent, run_id, session_id, turn, step, attempt, substituted_by } = self;
        EventRecord {
            number,
            at,
            took: clock.elapsed(),
            agent,
            run_id,
            session_id,
            turn,
            step,
            attempt,
            event: inputs.point(),
            payload: payload(inputs),
            stopped,
            substituted_by: substituted_by.map(|rail| rail.name),
        }
    }
}

/// What happened at one event, as an [`EventBus`] publishes it: after its rails have decided.
///
/// Serialized, it is an object with these fields; `at` is there in milliseconds since 1970, and `took` in microseconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventRecord {
    /// Which record of its bus it is, from 0. Events that nobody had subscribed to have no number.
    pub number: u64,
    /// When its rails were asked.
    pub at: SystemTime,
    /// How long they took.
    pub took: Duration,
    /// The name of the agent.
    pub agent: Arc<str>,
    /// The run.
    pub run_id: Arc<str>,
    /// The session, when the run belongs to one.
    pub session_id: Option<Arc<str>>,
    /// Which run of its session it is, from 0.
    pub turn: u32,
    /// The step of the agent's loop, from 0.
    pub step: u32,
    /// How many times the operation had been retried.
    pub attempt: u32,
    /// The event.
    pub event: HookPoint,
    /// What the event carries, as the rails have left it: an object with its parts.
    ///
    /// | event | parts |
    /// |---|---|
    /// | `SessionStart`, `SessionEnd` | `session` |
    /// | `Start` | `run` |
    /// | `PreCompaction`, `PostCompaction` | `history`, and after it `compacted` |
    /// | `PreLlmCall`, `PostLlmCall`, `LlmError` | `request`, and after it `response` or `error` |
    /// | `LlmChunk` | `text` and `is_last`; not the request, because it would be told again with each piece |
    /// | `PreToolCall`, `PostToolCall`, `ToolError` | `call`, and after it `output` or `error` |
    /// | `Finished`, `Error` | `run`, and `output` or `error` |
    /// | one of your own | `debug`, all of it as Rust shows it |
    ///
    /// An `error` is its text.
    pub payload: Value,
    /// How a rail has stopped the event: it skipped, asked for a retry, aborted or faulted; `None` when all rails have let
    /// it pass.
    pub stopped: Option<StoppedBy>,
    /// The rail whose substitute the result is, at an event after an operation.
    pub substituted_by: Option<&'static str>,
}

impl Serialize for EventRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let millis = self.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut fields = serializer.serialize_struct("EventRecord", 13)?;
        fields.serialize_field("number", &self.number)?;
        fields.serialize_field("at", &u64::try_from(millis).unwrap_or(u64::MAX))?;
        fields.serialize_field("took", &u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX))?;
        fields.serialize_field("agent", &*self.agent)?;
        fields.serialize_field("run_id", &*self.run_id)?;
        fields.serialize_field("session_id", &self.session_id.as_deref())?;
        fields.serialize_field("turn", &self.turn)?;
        fields.serialize_field("step", &self.step)?;
        fields.serialize_field("attempt", &self.attempt)?;
        fields.serialize_field("event", &self.event)?;
        fields.serialize_field("payload", &self.payload)?;
        fields.serialize_field("stopped", &self.stopped)?;
        fields.serialize_field("substituted_by", &self.substituted_by)?;
        fields.end()
    }
}

/// The parts of a payload, by their names.
fn payload(inputs: &Inputs<'_>) -> Value {
    match inputs {
        Inputs::SessionStart(session) | Inputs::SessionEnd(session) => json!({ "session": as_json(session) }),
        Inputs::Start(run) => json!({ "run": as_json(run) }),
        Inputs::PreCompaction(history) => json!({ "history": as_json(history) }),
        Inputs::PostCompaction(history, compacted) => {
            json!({ "history": as_json(history), "compacted": as_json(compacted) })
        }
        Inputs::PreLlmCall(request) => json!({ "request": as_json(request) }),
        Inputs::LlmChunk(_, window) => json!({ "text": window.text, "is_last": window.is_last }),
        Inputs::PostLlmCall(request, response) => {
            json!({ "request": as_json(request), "response": as_json(response) })
        }
        Inputs::LlmError(request, error) => json!({ "request": as_json(request), "error": error.to_string() }),
        Inputs::PreToolCall(call) => json!({ "call": as_json(call) }),
        Inputs::PostToolCall(call, output) => json!({ "call": as_json(call), "output": as_json(output) }),
        Inputs::ToolError(call, error) => json!({ "call": as_json(call), "error": error.to_string() }),
        Inputs::Finished(run, output) => json!({ "run": as_json(run), "output": as_json(output) }),
        Inputs::Error(run, error) => json!({ "run": as_json(run), "error": error.to_string() }),
        Inputs::Custom(inputs) => json!({ "debug": format!("{inputs:?}") }),
    }
}

/// A part as JSON. What cannot be JSON says so in its place: a record is not lost for it.
fn as_json<T: Serialize>(part: &T) -> Value {
    serde_json::to_value(part).unwrap_or_else(|error| Value::String(format!("not JSON: {error}")))
}

/// A guard set with an [`EventBus`] around it: see [`EventBus::wrap`].
///
/// It serves the events that the guard set serves. Where it is part of another guard set and that has stopped an event
/// before, its rails that are always called are told as ever, and nothing is published: they do not decide.
#[derive(Clone, Debug)]
pub struct WithEvents<R> {
    rails: R,
    bus: EventBus,
}

impl<R> WithEvents<R> {
    /// The guard set inside.
    pub const fn rails(&self) -> &R {
        &self.rails
    }

    /// The guard set inside, to be changed: a subscription does not notice.
    pub const fn rails_mut(&mut self) -> &mut R {
        &mut self.rails
    }

    /// The bus around it.
    pub const fn bus(&self) -> &EventBus {
        &self.bus
    }
}

impl<E: Event, R: Serves<E>> Serves<E> for WithEvents<R> {
    fn may_rewrite(&self) -> bool {
        Serves::<E>::may_rewrite(&self.rails)
    }

    fn stream_window(&self) -> usize {
        Serves::<E>::stream_window(&self.rails)
    }

    async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        let begun = self.bus.begin(E::POINT, ctx);
        let outcome = self.rails.run_rails(E::reborrow(&mut payload), ctx).await;
        if let Some(begun) = begun {
            self.bus.publish(begun, &E::inputs(payload), StoppedBy::of::<E>(&outcome));
        }
        outcome
    }

    fn run_always_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        Serves::<E>::run_always_rails(&self.rails, payload, ctx)
    }
}

/// Records that a subscriber was too slow for: so many are gone, and it goes on with the oldest that the bus still has.
///
/// They are counted before they are chosen: those that the subscription would have left out are among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} events were missed: the subscriber was too slow for the bus")]
pub struct Lagged(pub u64);

/// Receives what an [`EventBus`] publishes: as a [`Stream`], or one by one.
///
/// A subscription keeps nothing from being published; dropping it ends it.
pub struct Subscription {
    next: ReusableBoxFuture<'static, Received>,
    /// The points that it is about; all of them when there are none.
    points: Vec<HookPoint>,
    matching: Option<Predicate>,
    wish: Wish,
}

type Predicate = Box<dyn Fn(&EventRecord) -> bool + Send + Sync>;

/// What the bus gave, and the receiver, for the next.
type Received = (Result<Arc<EventRecord>, RecvError>, Receiver<Arc<EventRecord>>);

async fn next(mut records: Receiver<Arc<EventRecord>>) -> Received {
    (records.recv().await, records)
}

impl Subscription {
    /// The same, about these events only; about all of them when the list is empty. Of events to which nobody has
    /// subscribed, no records are made.
    #[must_use = "a subscription that is dropped receives nothing"]
    pub fn with_events(mut self, points: impl IntoIterator<Item = HookPoint>) -> Self {
        self.points = points.into_iter().collect();
        let bits = self.points.iter().fold(0, |bits, point| bits | 1 << point.number());
        self.wish = Wish::of(&self.wish.shared, if bits == 0 { u64::MAX } else { bits });
        self
    }

    /// The same, about records for which this holds; called again, about those for which both hold.
    ///
    /// ```
    /// # use exo_rails::EventBus;
    /// # let bus = EventBus::default();
    /// let refusals = bus.subscribe().with_filter(|record| record.stopped.is_some());
    /// # drop(refusals);
    /// ```
    #[must_use = "a subscription that is dropped receives nothing"]
    pub fn with_filter(mut self, predicate: impl Fn(&EventRecord) -> bool + Send + Sync + 'static) -> Self {
        self.matching = Some(match self.matching {
            None => Box::new(predicate),
            Some(other) => Box::new(move |record| other(record) && predicate(record)),
        });
        self
    }

    /// Waits for the next record; `None` when the bus, and each guard set that it is around, are gone.
    ///
    /// Nothing is lost when its future is dropped.
    pub async fn recv(&mut self) -> Option<Result<Arc<EventRecord>, Lagged>> {
        std::future::poll_fn(|cx| self.poll_recv(cx)).await
    }

    fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Arc<EventRecord>, Lagged>>> {
        loop {
            let (received, records) = ready!(self.next.poll(cx));
            self.next.set(next(records));
            match received {
                Ok(record) if !self.is_about(&record) => {}
                Ok(record) => return Poll::Ready(Some(Ok(record))),
                Err(RecvError::Lagged(missed)) => return Poll::Ready(Some(Err(Lagged(missed)))),
                Err(RecvError::Closed) => return Poll::Ready(None),
            }
        }
    }

    fn is_about(&self, record: &EventRecord) -> bool {
        let wanted = self.points.is_empty() || self.points.contains(&record.event);
        wanted && self.matching.as_ref().is_none_or(|holds| holds(record))
    }
}

impl Stream for Subscription {
    type Item = Result<Arc<EventRecord>, Lagged>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_recv(cx)
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("only", &self.points).finish_non_exhaustive()
    }
}

/// That a subscription wants the events of these numbers, as bits, for as long as it lives.
struct Wish {
    shared: Arc<Shared>,
    bits: u64,
}

impl Wish {
    fn of(shared: &Arc<Shared>, bits: u64) -> Self {
        let wish = Self { shared: Arc::clone(shared), bits };
        for wanted in wish.wanted() {
            wanted.fetch_add(1, Ordering::Relaxed);
        }
        wish
    }

    fn wanted(&self) -> impl Iterator<Item = &AtomicUsize> {
        let all = self.shared.wanted.iter().enumerate();
        all.filter(|(number, _)| self.bits >> number & 1 == 1).map(|(_, wanted)| wanted)
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        for wanted in self.wanted() {
            wanted.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
