//! An event bus, which publishes the events of runs to subscribers.

mod passed;
pub(crate) mod payload;
pub(crate) mod record;
mod size;
pub(crate) mod subscription;

pub use payload::RecordPayload;
pub use record::*;
pub use subscription::*;

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Instant, SystemTime};

use serde_json::Value;
use tokio::sync::broadcast;
use tokio::sync::broadcast::{Sender, WeakSender};
use tokio_util::sync::ReusableBoxFuture;

use crate::chain::{Serves, forward_to};
use crate::context::{Emit, RailContext, StoppedBy};
use crate::decision::{Decision, Outcome};
use crate::event::{Event, Inputs};
use crate::guard_set::Meets;
use crate::point::{HookPoint, RailName};

/// The greatest number of records that a bus keeps.
const MOST: usize = 1 << 20;

/// The number of bits for events. A custom event may share a bit with others.
const POINTS: usize = u64::BITS as usize;

/// Publishes the events of runs, with the decisions of the rails, to subscribers such as a user interface, a log or a
/// test.
///
/// Put the bus [around](Self::wrap) a guard set. When the rails of an event have decided, the bus publishes one
/// [`EventRecord`]. If a rail hides data, the data is hidden from subscribers too:
///
/// - If all rails continue, the record has the payload with the changes of the rails.
/// - If a rail stops the event, the record names the rail, the action and the reason. Its payload is `null`, so
///   subscribers do not see data that the rail has refused, or that a later rail would have redacted.
/// - Later records have the inputs of an operation only if the rails before the operation have continued. So the record
///   of an error has no input if the run was cancelled before `Start`, or if a rail refused the input there.
///
/// The table at [`EventRecord::payload`] lists all parts of a payload. A dispatch that is dropped with its run
/// publishes nothing.
///
/// Put the bus around all rails of an agent. A bus around only some of them publishes data that the other rails may
/// refuse or redact.
///
/// A run never waits for a subscriber. The bus keeps the newest records, and reports to a slow subscriber how many
/// records it has [missed](Lagged). The bus makes no records of an event without subscribers. A run without a bus
/// around its guard set pays nothing.
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
/// let mut ctx = RunContext::new("support");
/// assert!(rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await?.is_continue());
/// assert!(!rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut ctx).await?.is_continue());
///
/// let passed = tools.recv().await.unwrap().unwrap();
/// assert_eq!((&*passed.agent, passed.event), ("support", HookPoint::PreToolCall));
/// assert_eq!(passed.payload["call"]["tool_name"], "search");
///
/// let refused = tools.recv().await.unwrap().unwrap();
/// assert_eq!(refused.stopped.as_ref().unwrap().rail_name, "no_shell");
/// assert_eq!(refused.stopped.as_ref().unwrap().reason, "no shell");
/// assert!(refused.payload.is_null());
/// # Ok(()) }
/// ```
/// With an agent, write `Agent::builder("support", model).rails(bus.wrap(rails))`. A clone is a handle to the same bus,
/// and one bus can be around the guard sets of many agents.
///
/// A rail publishes its own records with [`ctx.emit`](RailContext::emit).
#[derive(Clone)]
pub struct EventBus {
    records: Sender<Arc<EventRecord>>,
    shared: Arc<Shared>,
}

/// The state that all clones of a bus share.
pub(super) struct Shared {
    /// The number of subscriptions for each event number.
    pub(super) wanted: [AtomicUsize; POINTS],
    /// The number of the next record. Locked while a record is sent, so that subscribers receive records in order.
    next: Mutex<u64>,
}

impl EventBus {
    /// Makes a bus that keeps up to `capacity` records for slow subscribers. The bus rounds the number up to a power of
    /// two, from 1 to 1 048 576.
    ///
    /// Each record keeps its payload. The record of a model call shares the conversation with the run: see
    /// [`RecordPayload`].
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let (records, _) = broadcast::channel(capacity.clamp(1, MOST));
        let wanted = [const { AtomicUsize::new(0) }; POINTS];
        Self { records, shared: Arc::new(Shared { wanted, next: Mutex::new(0) }) }
    }

    /// Puts the bus around a guard set. The bus publishes the events of this guard set.
    pub fn wrap<R>(&self, rails: R) -> WithEvents<R> {
        WithEvents { rails, bus: self.clone() }
    }

    /// Subscribes to all events from now on.
    #[must_use = "a dropped subscription receives nothing"]
    pub fn subscribe(&self) -> Subscription {
        let next = next(self.records.subscribe());
        let wish = Wish::of(&self.shared, u64::MAX);
        Subscription { next: ReusableBoxFuture::new(next), points: Vec::new(), matching: None, wish }
    }

    /// Returns the number of subscriptions.
    #[must_use]
    pub fn subscribers(&self) -> usize {
        self.records.receiver_count()
    }

    /// Starts a record if a subscription wants it.
    fn begin(&self, point: HookPoint, ctx: &RailContext) -> Option<Begun> {
        self.wants(point).then(|| Begun::at(ctx))
    }

    /// Returns whether a subscription wants the records of this event.
    fn wants(&self, point: HookPoint) -> bool {
        self.shared.wanted.get(point.number() as usize).is_some_and(|wanted| wanted.load(Ordering::Relaxed) > 0)
    }

    #[cold]
    fn publish(&self, begun: Begun, inputs: &Inputs<'_>, stopped: Option<StoppedBy>, ctx: &RailContext) {
        let may_have_inputs = passed::may_have_inputs(inputs.point(), ctx);
        let payload = RecordPayload::of(inputs, stopped.as_ref(), may_have_inputs);
        self.send(EventRecord { stopped, ..begun.record(inputs.point(), payload) });
    }

    fn send(&self, record: EventRecord) {
        let mut next = self.shared.next.lock().unwrap_or_else(PoisonError::into_inner);
        // Sending fails if the last subscription has just been dropped. Then no subscriber needs the record.
        drop(self.records.send(Arc::new(EventRecord { number: *next, ..record })));
        *next += 1;
    }

    fn weak(&self) -> WeakBus {
        WeakBus { records: self.records.downgrade(), shared: Arc::downgrade(&self.shared) }
    }
}

/// The bus of a run, for the records that rails emit. It keeps no subscription open, because the context of a run may live
/// longer than the bus.
struct WeakBus {
    records: WeakSender<Arc<EventRecord>>,
    shared: Weak<Shared>,
}

impl WeakBus {
    fn bus(&self) -> Option<EventBus> {
        Some(EventBus { records: self.records.upgrade()?, shared: self.shared.upgrade()? })
    }
}

impl Emit for WeakBus {
    fn is_wanted(&self, ctx: &RailContext) -> bool {
        self.bus().is_some_and(|bus| bus.wants(ctx.event()))
    }

    fn emit(&self, ctx: &RailContext, name: Cow<'static, str>, data: Value) {
        if let Some(bus) = self.bus() {
            let record = Begun::at(ctx).record(ctx.event(), RecordPayload::emitted(&data));
            bus.send(EventRecord { emitted: Some(name), ..record });
        }
    }
}

impl Default for EventBus {
    /// Makes a bus that keeps 256 records.
    fn default() -> Self {
        Self::new(256)
    }
}

impl fmt::Debug for EventBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBus").field("subscribers", &self.subscribers()).finish_non_exhaustive()
    }
}

/// The facts for a record before the rails run. They are taken before, because a rail may change the context.
struct Begun {
    at: SystemTime,
    clock: Instant,
    agent: Arc<str>,
    run_id: Arc<str>,
    session_id: Option<Arc<str>>,
    turn: u32,
    step: u32,
    attempt: u32,
    substituted_by: Option<RailName>,
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
            substituted_by: ctx.substituted_by().cloned(),
        }
    }

    /// Makes the record, without its number.
    fn record(self, event: HookPoint, payload: RecordPayload) -> EventRecord {
        let Self { at, clock, agent, run_id, session_id, turn, step, attempt, substituted_by } = self;
        EventRecord {
            number: 0,
            at,
            took: clock.elapsed(),
            agent,
            run_id,
            session_id,
            turn,
            step,
            attempt,
            event,
            emitted: None,
            payload,
            stopped: None,
            substituted_by,
        }
    }
}

/// A guard set with an [`EventBus`] around it: see [`EventBus::wrap`].
///
/// It serves the same events as the guard set. It may be a part of another guard set, in which an earlier rail has
/// stopped the event. Then it still calls its rails with `always`, but publishes nothing, because these rails do not
/// decide.
#[derive(Clone, Debug)]
pub struct WithEvents<R> {
    rails: R,
    bus: EventBus,
}

impl<R> WithEvents<R> {
    /// Returns the guard set inside.
    pub const fn rails(&self) -> &R {
        &self.rails
    }

    /// Returns a mutable reference to the guard set inside. Subscriptions continue.
    pub const fn rails_mut(&mut self) -> &mut R {
        &mut self.rails
    }

    /// Returns the bus around the guard set.
    pub const fn bus(&self) -> &EventBus {
        &self.bus
    }
}

impl<P, R: Meets<P>> Meets<P> for WithEvents<R> {}

impl<E: Event, R: Serves<E>> Serves<E> for WithEvents<R> {
    forward_to!(self => &self.rails; entered, surround);

    fn run_always_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        passed::note(E::POINT, false, ctx);
        Serves::<E>::run_always_rails(&self.rails, payload, ctx)
    }

    async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        let begun = self.bus.begin(E::POINT, ctx);
        if begun.is_some() {
            ctx.emit_on(|| Arc::new(self.bus.weak()));
        }
        // Before the rails run, so that a dropped dispatch leaves no inputs allowed.
        passed::note(E::POINT, false, ctx);
        let outcome = self.rails.run_rails(E::reborrow(&mut payload), ctx).await;
        passed::note(E::POINT, matches!(outcome, Ok(Decision::Continue)), ctx);
        if let Some(begun) = begun {
            self.bus.publish(begun, &E::inputs(payload), StoppedBy::of::<E>(&outcome), ctx);
        }
        outcome
    }
}
