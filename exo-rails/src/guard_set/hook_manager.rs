//! The runtime list of plain hooks, and of chains beside them.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::Instrument;

use crate::action::{Allowed, RailIdentity, RailSkip};
use crate::chain::Serves;
use crate::context::RailContext;
use crate::decision::{Decision, OnFault, Outcome, PlacedRail, outcome};
use crate::error::{FaultCause, RailFault};
use crate::event::{AnyEvent, AnySubstitute, Event, Inputs};
use crate::guard_set::hook::{Hook, HookFuture, ObserverFuture};
use crate::guard_set::listed::{self, Listed};
use crate::point::{DEFAULT_PRIORITY, HookPoint, PerPoint, RailName};
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
/// Chains stand in the list beside plain hooks: see [`GuardSet::register`](crate::GuardSet::register). A
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
    at: PlacedRail,
    priority: i32,
    rewrites: bool,
    hook: Arc<dyn Hook>,
}

impl Entry {
    #[cold]
    fn call_in_span<'a, E: Event>(&'a self, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a> {
        let span = telemetry::rail_span(&self.at.name, self.priority, E::POINT);
        let call = span.in_scope(|| self.hook.call(&self.at, inputs, ctx)).instrument(span.clone());
        Box::pin(async move {
            // What the event does not allow is a fault in the span too.
            let outcome = check::<E>(&self.at, call.await);
            telemetry::decided::<E>(&span, &outcome);
            erase::<E>(outcome)
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
    pub fn add<H: Hook>(&mut self, point: HookPoint, hook: H) -> HookHandle {
        let (handle, priority) = (HookHandle::next(), DEFAULT_PRIORITY);
        let (name, rail) = (RailName::new(type_name::<H>()), RailIdentity::of::<H>());
        let at =
            PlacedRail { name, named_here: false, rail, place: handle.0, reversed: false, on_fault: OnFault::Abort };
        self.push(point, Entry { handle, at, priority, rewrites: true, hook: Arc::new(hook) })
    }

    /// Adds a rail as the hook of one of its events.
    pub(crate) fn add_rail<E: Event, R: RailOn<E> + Send + Sync + 'static>(&mut self, rail: Arc<R>) -> HookHandle {
        // All events share one rail, so its place is its address, and not the handle of one hook.
        let at = R::ROW.placed::<R>(Arc::as_ptr(&rail).addr() as u64, false, R::ON_FAULT);
        let hook: RailHook<E, R> = RailHook { rail, event: std::marker::PhantomData };
        let (handle, priority, rewrites) = (HookHandle::next(), R::PRIORITY, hook.rail.may_rewrite());
        self.push(E::POINT, Entry { handle, at, priority, rewrites, hook: Arc::new(hook) })
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
        let names = points.map(|(point, hooks)| {
            let names: Vec<_> = hooks.iter().map(|entry| &entry.at.name).collect();
            (point.name(), names)
        });
        f.debug_map().entries(names).finish()
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
        listed::run(self.at(E::POINT), payload, ctx).await
    }

    async fn run_always_rails<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) {
        listed::run_always::<E, _>(self.at(E::POINT), payload, ctx).await;
    }
}

impl<E: Event> Listed<E> for Entry {
    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext, traced: bool) -> Outcome<E> {
        let inputs = E::inputs(payload);
        let call = if traced { self.call_in_span::<E>(inputs, ctx) } else { self.hook.call(&self.at, inputs, ctx) };
        match call.await {
            Ok(Decision::Continue) => Ok(Decision::Continue),
            outcome => check::<E>(&self.at, outcome),
        }
    }

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        self.hook.run_always_rails(&self.at, E::inputs(payload), ctx)
    }
}

/// Holds what a hook decided against the event.
fn check<E: Event>(hook: &PlacedRail, outcome: Outcome<AnyEvent>) -> Outcome<E> {
    let decision = outcome?;
    let fault = |cause| RailFault { rail_name: hook.name.clone(), event: E::POINT, cause };
    let action = decision.action();
    let not_allowed = || fault(FaultCause::IllegalAction { action });
    Ok(match decision {
        Decision::Continue => Decision::Continue,
        Decision::Skip(RailSkip { rail_name, reason, substitute }) => {
            // Without the path: the modules of this crate mean nothing to its users.
            let expected = || type_name::<E::Substitute>().rsplit("::").next().unwrap_or_default();
            let wrong = |_| fault(FaultCause::WrongSubstitute { expected: expected() });
            let substitute = substitute.map(|substitute| substitute.downcast().map(|substitute| *substitute));
            // A skip that the event does not allow is reported as such, even when its substitute has the wrong type.
            let skip = |substitute| E::Skip::try_allow(RailSkip { rail_name, reason, substitute });
            match substitute.transpose() {
                Ok(substitute) => Decision::Skip(skip(substitute).map_err(|_| not_allowed())?),
                Err(substitute) => return Err(skip(None).map_or_else(|_| not_allowed(), |_| wrong(substitute))),
            }
        }
        Decision::Retry(retry) => Decision::Retry(E::Retry::try_allow(retry).map_err(|_| not_allowed())?),
        Decision::Abort(abort) => Decision::Abort(E::Abort::try_allow(abort).map_err(|_| not_allowed())?),
    })
}

/// A rail as the hook of one event.
struct RailHook<E, R> {
    rail: Arc<R>,
    event: std::marker::PhantomData<E>,
}

impl<E: Event, R: RailOn<E> + Send + Sync + 'static> Hook for RailHook<E, R> {
    fn call<'a>(&'a self, at: &'a PlacedRail, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a> {
        let point = inputs.point();
        let Some(mut payload) = E::payload(inputs) else { return misplaced(at, E::POINT, point) };
        Box::pin(async move {
            let output = self.rail.call_at(E::reborrow(&mut payload), ctx, at).await;
            erase::<E>(outcome::<E>(R::decide(output, at, ctx)))
        })
    }

    fn run_always_rails<'a>(
        &'a self,
        at: &'a PlacedRail,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> ObserverFuture<'a> {
        match E::payload(inputs) {
            Some(payload) => Box::pin(RailOn::call_if_always(&*self.rail, payload, ctx, at)),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn stream_window(&self) -> usize {
        RailOn::stream_window(&*self.rail)
    }
}

/// Forgets the type of a substitute, until [`check`] asks for it.
pub(crate) fn erase<E: Event>(outcome: Outcome<E>) -> Outcome<AnyEvent> {
    Ok(match outcome? {
        Decision::Continue => Decision::Continue,
        Decision::Skip(skip) => {
            let RailSkip { rail_name, reason, substitute } = skip.into_inner();
            let substitute = substitute.map(|substitute| Box::new(substitute) as AnySubstitute);
            Decision::Skip(RailSkip { rail_name, reason, substitute })
        }
        Decision::Retry(retry) => Decision::Retry(retry.into_inner()),
        Decision::Abort(abort) => Decision::Abort(abort.into_inner()),
    })
}

/// What a hook answers at a point that it was not made for.
#[cold]
pub(crate) fn misplaced<'a>(hook: &PlacedRail, made_for: HookPoint, at: HookPoint) -> HookFuture<'a> {
    let error = format!("a hook made for {made_for} was added at {at}");
    Box::pin(std::future::ready(Err(RailFault::of(hook, at, FaultCause::Error(error.into())))))
}
