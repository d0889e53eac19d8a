//! The runtime list of plain hooks, and of chains beside them.

use std::any::type_name;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Instrument;

use crate::chain::Serves;
use crate::context::{RailContext, StoppedBy};
use crate::decision::{Caller, Decision, OnFault, Outcome, RailIdentity, outcome};
use crate::error::{FaultCause, RailFault};
use crate::event::{Allows, AnyEvent, AnySubstitute, Event, Inputs};
use crate::guard_set::hook::{Hook, HookFuture, ObserverFuture};
use crate::point::{HookPoint, PerPoint, RailInfo, SourceLocation};
use crate::rail::RailOn;
use crate::telemetry;

/// Hooks for each [`HookPoint`], called in the order in which they were added.
///
/// A plain hook is an async function of [`Inputs`] and [`RailContext`] that returns what a rail may return. It
/// is for what is not known before the program runs; what the compiler checks for rails is checked here when
/// the hook runs, and nothing is ignored: an action that the event does not allow is a
/// [fault](crate::FaultCause::IllegalAction). Unlike a rail that observes, a plain hook that returns an error
/// stops the run: errors propagate. At [`Error`](struct@crate::events::Error) there is nothing left to stop: what
/// a hook returns there is reported as a `tracing` warning, and the error that it was told of stays the error.
///
/// A hook with state of its own is best written as a rail with state, in a chain that is registered here: a
/// closure that captures what its future borrows cannot be one.
///
/// Chains stand in the list beside plain hooks: see [`Chain::register`](crate::GuardSet::register). A
/// `HookManager` is itself a guard set, to be used wherever a chain is.
///
/// ```
/// use exo_rails::prelude::*;
///
/// async fn log_everything(inputs: Inputs<'_>, ctx: &mut RailContext) {
///     println!("{} of {}: {inputs:?}", inputs.point(), ctx.run_id());
/// }
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_shell(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "shell", "no shell")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut hooks = HookManager::new();
/// let log = hooks.add(HookPoint::PreToolCall, log_everything);
/// rail_chain![no_shell].register(&mut hooks);
///
/// let mut ctx = RunContext::new("demo");
/// let decision = hooks.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut ctx).await?;
/// assert!(matches!(decision, Decision::Abort(abort) if abort.rail_name == "no_shell"));
/// assert!(hooks.remove(log));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct HookManager {
    hooks: PerPoint<Vec<Entry>>,
}

/// Names one hook in its [`HookManager`], to remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HookHandle(u64);

impl HookHandle {
    fn next() -> Self {
        static HANDLES: AtomicU64 = AtomicU64::new(0);
        Self(HANDLES.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Clone)]
struct Entry {
    handle: HookHandle,
    caller: Caller,
    rewrites: bool,
    hook: Arc<dyn Hook>,
}

impl Entry {
    #[cold]
    fn call_in_span<'a, E: Event>(&'a self, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a> {
        let span = telemetry::rail_span(self.caller.info, E::POINT);
        let call = span.in_scope(|| self.hook.call(&self.caller, inputs, ctx)).instrument(span.clone());
        Box::pin(async move {
            // What the event does not allow is a fault in the span too.
            let outcome = check::<E>(&self.caller, call.await);
            telemetry::decided::<E>(&span, &outcome);
            erase(outcome)
        })
    }
}

impl HookManager {
    /// A manager without hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook after those that the point already has; returns its handle.
    ///
    /// In decisions and faults it goes by the path of its function.
    #[track_caller]
    pub fn add<H: Hook>(&mut self, point: HookPoint, hook: H) -> HookHandle {
        let (handle, name) = (HookHandle::next(), type_name::<H>());
        let info = interned(RailInfo { name, priority: crate::DEFAULT_PRIORITY, declared: SourceLocation::here(&"") });
        let caller = Caller { info, identity: RailIdentity::of::<H>().at(handle.0), on_fault: OnFault::Abort };
        self.push(point, Entry { handle, caller, rewrites: true, hook: Arc::new(hook) })
    }

    /// Adds a rail as the hook of one of its events.
    pub(crate) fn add_rail<E: Event, R: RailOn<E> + Send + Sync + 'static>(&mut self, rail: Arc<R>) -> HookHandle {
        let hook: RailHook<E, R> = RailHook { rail, event: std::marker::PhantomData };
        let (handle, rewrites) = (HookHandle::next(), R::REWRITES.contains(&E::POINT));
        self.push(E::POINT, Entry { handle, caller: <R as RailOn<E>>::CALLER, rewrites, hook: Arc::new(hook) })
    }

    fn push(&mut self, point: HookPoint, entry: Entry) -> HookHandle {
        let handle = entry.handle;
        self.hooks.entry(point).push(entry);
        handle
    }

    /// Removes a hook; whether it was there.
    pub fn remove(&mut self, handle: HookHandle) -> bool {
        let of_point = |hooks: &mut Vec<Entry>| {
            let at = hooks.iter().position(|entry| entry.handle == handle)?;
            Some(hooks.remove(at))
        };
        self.hooks.values_mut().find_map(of_point).is_some()
    }

    /// Removes every hook.
    pub fn clear(&mut self) {
        self.hooks.values_mut().for_each(Vec::clear);
    }

    /// Whether the point has hooks.
    #[must_use]
    pub fn has_hooks(&self, point: HookPoint) -> bool {
        !self.at(point).is_empty()
    }

    /// The hooks of a point.
    fn at(&self, point: HookPoint) -> &[Entry] {
        self.hooks.get(point).map_or(&[], Vec::as_slice)
    }
}

impl fmt::Debug for HookManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = self.hooks.iter().filter(|(_, hooks)| !hooks.is_empty());
        let names = |hooks: &[Entry]| hooks.iter().map(|entry| entry.caller.info.name).collect::<Vec<_>>();
        f.debug_map().entries(points.map(|(point, hooks)| (point.name(), names(hooks)))).finish()
    }
}

impl<E: Event> Serves<E> for HookManager {
    fn has_rails(&self) -> bool {
        self.has_hooks(E::POINT)
    }

    fn may_rewrite(&self) -> bool {
        self.at(E::POINT).iter().any(|entry| entry.rewrites)
    }

    fn stream_window(&self) -> usize {
        self.at(E::POINT).iter().map(|entry| entry.hook.stream_window()).max().unwrap_or(0)
    }

    async fn run_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
        let mut inputs = E::inputs(payload);
        // Asked once: it costs as much as a hook.
        let (hooks, traced, mut faulted) = (self.at(E::POINT), telemetry::takes_rails(), None);
        for (place, entry) in hooks.iter().enumerate() {
            let part = inputs.reborrow();
            let call =
                if traced { entry.call_in_span::<E>(part, ctx) } else { entry.hook.call(&entry.caller, part, ctx) };
            let outcome = call.await;
            if matches!(outcome, Ok(Decision::Continue)) {
                continue;
            }
            let outcome = check::<E>(&entry.caller, outcome);
            if E::POINT.is_the_end() && outcome.is_err() {
                // The others are to be told as well.
                faulted = faulted.or(outcome.err());
                continue;
            }
            if let Some(stopped) = StoppedBy::of::<E>(&outcome) {
                ctx.set_stopped(stopped);
            }
            for later in &hooks[place + 1..] {
                later.hook.run_always_rails(inputs.reborrow(), ctx).await;
            }
            return outcome;
        }
        faulted.map_or(Ok(Decision::Continue), Err)
    }

    async fn run_always_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        let mut inputs = E::inputs(payload);
        for entry in self.at(E::POINT) {
            entry.hook.run_always_rails(inputs.reborrow(), ctx).await;
        }
    }
}

/// The same as a constant of the program: there is one for each hook that its source adds somewhere, however often.
fn interned(info: RailInfo) -> &'static RailInfo {
    static HOOKS: Mutex<Vec<&'static RailInfo>> = Mutex::new(Vec::new());
    let mut hooks = HOOKS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = hooks.iter().find(|known| ***known == info) {
        return known;
    }
    let new = Box::leak(Box::new(info));
    hooks.push(new);
    new
}

/// Holds what a hook decided against the event.
fn check<E: Event>(hook: &Caller, outcome: Outcome<AnyEvent>) -> Outcome<E> {
    let decision = outcome?;
    let (action, needs) = match &decision {
        Decision::Continue => ("continue", Allows::Nothing),
        Decision::Skip { .. } => ("skip", Allows::Skip),
        Decision::Retry { .. } => ("retry", Allows::Retry),
        Decision::Abort(_) => ("abort", Allows::Abort),
    };
    let fault = |cause| RailFault { rail_name: hook.info.name, event: E::POINT, cause };
    if needs > E::ALLOWS {
        return Err(fault(FaultCause::IllegalAction { event: E::POINT, action }));
    }
    decision.try_map(|substitute| {
        substitute.downcast().map(|substitute| *substitute).map_err(|_| {
            // Without the path: the modules of this crate mean nothing to its users.
            let expected = type_name::<E::Substitute>().rsplit("::").next().unwrap_or_default();
            fault(FaultCause::WrongSubstitute { event: E::POINT, expected })
        })
    })
}

/// A rail as the hook of one event.
struct RailHook<E, R> {
    rail: Arc<R>,
    event: std::marker::PhantomData<E>,
}

impl<E: Event, R: RailOn<E> + Send + Sync + 'static> Hook for RailHook<E, R> {
    fn call<'a>(&'a self, _: &'a Caller, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a> {
        let point = inputs.point();
        let Some(payload) = E::payload(inputs) else { return misplaced(&<R as RailOn<E>>::CALLER, E::POINT, point) };
        Box::pin(async move {
            let output = self.rail.call(payload, ctx).await;
            // The rail is one for all its events, so its place is where it lies, and not the hook of one event.
            let place = Arc::as_ptr(&self.rail).addr() as u64;
            erase(outcome::<E>(R::decide(output)).map(|decision| decision.at(place)))
        })
    }

    fn run_always_rails<'a>(&'a self, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> ObserverFuture<'a> {
        match E::payload(inputs) {
            Some(payload) => Box::pin(RailOn::call_if_always(&*self.rail, payload, ctx)),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn stream_window(&self) -> usize {
        R::ROW.window
    }
}

/// Forgets the type of a substitute, until [`check`] asks for it.
pub(crate) fn erase<S: Send + 'static>(outcome: Result<Decision<S>, RailFault>) -> Outcome<AnyEvent> {
    outcome?.try_map(|substitute| Ok(Box::new(substitute) as AnySubstitute))
}

/// What a hook answers at a point that it was not made for.
#[cold]
pub(crate) fn misplaced<'a>(hook: &Caller, made_for: HookPoint, at: HookPoint) -> HookFuture<'a> {
    let error = format!("a hook made for {made_for} was added at {at}");
    Box::pin(std::future::ready(Err(RailFault::of(hook, at, FaultCause::Error(error.into())))))
}
