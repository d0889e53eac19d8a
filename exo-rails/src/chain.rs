//! Chains: rails sorted at compile time and called without dispatch at run time.

use std::future::Ready;
use std::sync::Arc;

use crate::context::RailContext;
use crate::event::{Event, Payloads};
use crate::hook_manager::{HookHandle, HookManager};
use crate::hook_point::HookPoint;
use crate::plan::{Plan, PlannedRail};
use crate::rail::{Declared, EventVisitor, Rail, RailOn};
use crate::rails::RunOn;

/// A guard set made by `rail_chain!`.
///
/// The order of its rails at each event is a constant, and each step of it a direct call. A chain is a
/// [`Rail`] as well, so one chain can be listed in another: it then runs there as one rail, at the priority in
/// its `#[chain(priority = 20)]` attribute (50 without).
pub trait Chain: Rail {
    /// Which rails run at which event, in which order.
    const PLAN: Plan;

    /// Registers the chain with the runtime hook manager: one hook for each event that has rails, and none
    /// elsewhere. Plain hooks and chains live there side by side, in the order in which they were added.
    ///
    /// Returns the hooks' handles, in the order of [`PLAN`](Self::PLAN).
    ///
    /// ```
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PreToolCall])]
    /// async fn observe(call: &ToolCallInputs) { println!("{}", call.tool_name) }
    ///
    /// let mut hooks = HookManager::new();
    /// rail_chain![observe].register(&mut hooks);
    /// assert!(hooks.has_hooks(HookPoint::PreToolCall));
    /// assert!(!hooks.has_hooks(HookPoint::PostToolCall));
    /// ```
    fn register(self, hooks: &mut HookManager) -> Vec<HookHandle>
    where
        Self: Sized + 'static,
    {
        let mut registration = Registration { chain: Arc::new(self), hooks, handles: Vec::new() };
        Self::each_event(&mut registration);
        registration.handles
    }
}

/// Adds a hook for each event that the chain has rails on.
struct Registration<'h, C> {
    chain: Arc<C>,
    hooks: &'h mut HookManager,
    handles: Vec<HookHandle>,
}

impl<C: Chain + 'static> EventVisitor<C> for Registration<'_, C> {
    fn visit<E: Event>(&mut self)
    where
        C: RailOn<E>,
    {
        if C::EVENTS.contains(&E::POINT) {
            self.handles.push(self.hooks.add_rail::<E, C>(Arc::clone(&self.chain)));
        }
    }
}

/// The rail that a chain lists at place `I`, from 0; at the place after the last, [`NoRail`].
#[doc(hidden)]
pub trait RailAt<const I: usize> {
    type Rail: Rail;

    fn rail(&self) -> &Self::Rail;
}

/// Implemented by a chain once for each rail that it lists: listing one twice is a conflict.
#[doc(hidden)]
pub trait Lists<R> {}

/// The end of every chain: what the steps after the last rail of an event call.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoRail;

impl Rail for NoRail {
    const NAME: &'static str = "";
    const PRIORITY: i32 = i32::MAX;
    const EVENTS: &'static [HookPoint] = &[];
    const REWRITES: &'static [HookPoint] = &[];
    const DECLARED: Declared = Declared { file: file!(), line: line!(), column: column!() };

    fn each_event<V: EventVisitor<Self>>(_: &mut V) {}
}

impl<E: Event> RailOn<E> for NoRail {
    type Out = ();

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the call must leave nothing behind")]
    fn call<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> Ready<()> {
        std::future::ready(())
    }
}

/// What a chain knows of one rail before it runs.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Row {
    events: &'static [HookPoint],
    rewrites: &'static [HookPoint],
    rail: PlannedRail,
}

impl Row {
    /// The row of rail `R`.
    #[must_use]
    pub const fn of<R: Rail>() -> Self {
        let rail = PlannedRail { info: R::INFO, inner: R::INNER };
        Self { events: R::EVENTS, rewrites: R::REWRITES, rail }
    }
}

const fn contains(events: &[HookPoint], event: HookPoint) -> bool {
    let mut i = 0;
    while i < events.len() {
        if events[i].same(event) {
            return true;
        }
        i += 1;
    }
    false
}

/// How many of the rails are on the event.
#[doc(hidden)]
#[must_use]
pub const fn count(rows: &[Row], event: HookPoint) -> usize {
    let (mut i, mut count) = (0, 0);
    while i < rows.len() {
        count += contains(rows[i].events, event) as usize;
        i += 1;
    }
    count
}

/// Whether one of the rails may change the payload of the event.
#[doc(hidden)]
#[must_use]
pub const fn rewrites(rows: &[Row], event: HookPoint) -> bool {
    let mut i = 0;
    while i < rows.len() {
        if contains(rows[i].rewrites, event) {
            return true;
        }
        i += 1;
    }
    false
}

/// The places of the rails that are on the event, by priority and then by place; the rest is filled with `N`,
/// the place of [`NoRail`].
///
/// An insertion sort, because it is stable and short: constants cannot call the library's.
#[doc(hidden)]
#[must_use]
pub const fn order<const N: usize>(rows: &[Row; N], event: HookPoint) -> [usize; N] {
    let mut order = [N; N];
    let (mut place, mut len) = (0, 0);
    while place < N {
        if contains(rows[place].events, event) {
            let mut at = len;
            while at > 0 && rows[order[at - 1]].rail.info.priority > rows[place].rail.info.priority {
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = place;
            len += 1;
        }
        place += 1;
    }
    order
}

/// The first `M` rails in this order, for the plan.
#[doc(hidden)]
#[must_use]
pub const fn planned<const N: usize, const M: usize>(rows: &[Row; N], order: &[usize; N]) -> [PlannedRail; M] {
    const NONE: PlannedRail = PlannedRail { info: NoRail::INFO, inner: None };
    let mut rails = [NONE; M];
    let mut i = 0;
    while i < M {
        rails[i] = rows[order[i]].rail;
        i += 1;
    }
    rails
}

/// Lends a payload; a function, so that the macro's output needs no turbofish.
#[doc(hidden)]
#[inline]
pub fn reborrow<'s, E: Event>(payload: &'s mut <E as Payloads>::Payload<'_>) -> <E as Payloads>::Payload<'s> {
    E::reborrow(payload)
}

/// A chain at work as a rail of another chain: its outcome passes through as it is.
#[diagnostic::do_not_recommend]
impl<E: Event, C: Chain + RunOn<E>> RailOn<E> for C {
    type Out = crate::decision::Outcome<E>;

    #[inline]
    fn call<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        self.dispatch(payload, ctx)
    }
}
