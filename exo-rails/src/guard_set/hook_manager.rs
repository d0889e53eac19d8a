//! The list of plain hooks and registered chains that a program makes at run time.

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
use crate::rail::{EventFact, FactKind, RailOn, facts};
use crate::telemetry;

/// Hooks for each [`HookPoint`], called in the order in which they were added.
///
/// A plain hook is an async function of [`Inputs`] and [`RailContext`] that returns one of the return types of rails. Use
/// it for guards that the program chooses at run time.
///
/// The compiler checks the actions of a rail. The manager checks the actions of a plain hook when the hook has run: an
/// action that the event does not allow is a [fault](crate::FaultCause::IllegalAction). If a plain hook returns an error,
/// the run ends, even if the hook only observes. At the end of a run or a session nothing can be stopped. So if a hook
/// faults at [`Error`](struct@crate::events::Error), for example, the library reports the fault as a `tracing` warning, and
/// the run ends with its own error.
///
/// If a hook needs state, write a rail with state and register its chain here. A closure cannot be a hook if its future
/// borrows from a captured value.
///
/// A `HookManager` lists chains beside plain hooks: see [`GuardSet::register`](crate::GuardSet::register). It is itself a
/// guard set, so you can use it like a chain.
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

/// Identifies one hook in its [`HookManager`]. Pass it to [`remove`](HookManager::remove).
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
            // Checks the decision first, so that the span records a fault if the event does not allow the action.
            let outcome = check::<E>(&self.at, call.await);
            telemetry::decided::<E>(&span, &outcome);
            erase::<E>(outcome)
        })
    }
}

impl HookManager {
    /// Creates a manager without hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook after the other hooks of the point, and returns its handle.
    ///
    /// The name of the hook in decisions and faults is the path of its function.
    pub fn add<H: Hook>(&mut self, point: HookPoint, hook: H) -> HookHandle {
        let (handle, priority) = (HookHandle::next(), DEFAULT_PRIORITY);
        let (name, rail) = (RailName::new(type_name::<H>()), RailIdentity::of::<H>());
        let at =
            PlacedRail { name, named_here: false, rail, place: handle.0, reversed: false, on_fault: OnFault::Abort };
        self.push(point, Entry { handle, at, priority, rewrites: true, hook: Arc::new(hook) })
    }

    /// Adds a rail as the hook of one of its events.
    pub(crate) fn add_rail<E: Event, R: RailOn<E> + Send + Sync + 'static>(&mut self, rail: Arc<R>) -> HookHandle {
        // The hooks of all events share one rail. So the place is the address of the rail, and not the handle of one hook.
        let at = R::ROW.placed::<R>(Arc::as_ptr(&rail).addr() as u64, false, R::ON_FAULT);
        let hook: RailHook<E, R> = RailHook { rail, event: std::marker::PhantomData };
        let (handle, priority, rewrites) =
            (HookHandle::next(), R::PRIORITY, RailOn::<E>::fact::<facts::MayRewrite>(&*hook.rail));
        self.push(E::POINT, Entry { handle, at, priority, rewrites, hook: Arc::new(hook) })
    }

    fn push(&mut self, point: HookPoint, entry: Entry) -> HookHandle {
        let handle = entry.handle;
        self.hooks.entry(point).push(entry);
        handle
    }

    /// Removes a hook. Returns `true` if the manager had the hook.
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

    /// Returns `true` if the point has hooks.
    #[must_use]
    pub fn has_hooks(&self, point: HookPoint) -> bool {
        !self.at(point).is_empty()
    }

    /// Returns the hooks of a point.
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
    fn fact<F: EventFact>(&self) -> F::Value {
        let hooks = self.at(E::POINT);
        match F::KIND {
            FactKind::HasRails => F::of(hooks.len()),
            FactKind::MayRewrite => F::of(hooks.iter().any(|entry| entry.rewrites)),
            FactKind::WindowSize => F::of(hooks.iter().map(|entry| entry.hook.stream_window()).max().unwrap_or(0)),
            FactKind::IsTimed | FactKind::Surrounds => F::UNKNOWN,
        }
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

/// Checks that the event allows the decision of a hook.
fn check<E: Event>(hook: &PlacedRail, outcome: Outcome<AnyEvent>) -> Outcome<E> {
    let decision = outcome?;
    let fault = |cause| RailFault { rail_name: hook.name.clone(), event: E::POINT, cause };
    let action = decision.action();
    let not_allowed = || fault(FaultCause::IllegalAction { action });
    Ok(match decision {
        Decision::Continue => Decision::Continue,
        Decision::Skip(RailSkip { rail_name, reason, substitute }) => {
            // Without the path, because the modules of this crate mean nothing to its users.
            let expected = || type_name::<E::Substitute>().rsplit("::").next().unwrap_or_default();
            let wrong = |_| fault(FaultCause::WrongSubstitute { expected: expected() });
            let substitute = substitute.map(|substitute| substitute.downcast().map(|substitute| *substitute));
            // If the event does not allow a skip, the fault names the skip, even if the substitute has the wrong type too.
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
        RailOn::<E>::fact::<facts::WindowSize>(&*self.rail)
    }
}

/// Erases the type of the substitute. [`check`] restores it.
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

/// Returns the fault of a hook that was added at a point other than its own.
#[cold]
pub(crate) fn misplaced<'a>(hook: &PlacedRail, made_for: HookPoint, at: HookPoint) -> HookFuture<'a> {
    let error = format!("a hook made for {made_for} was added at {at}");
    Box::pin(std::future::ready(Err(RailFault::of(hook, at, FaultCause::Error(error.into())))))
}
