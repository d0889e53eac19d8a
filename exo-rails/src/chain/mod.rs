//! Chains: rails sorted at compile time and called without dispatch at run time.

pub(crate) mod concurrent;
pub(crate) mod flow;
pub(crate) mod order;
pub(crate) mod requirements;
pub(crate) mod sorting;
pub(crate) mod walk;

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::action::RailOutput;
use crate::checks::Stateless;
use crate::context::RailContext;
use crate::decision::{Decision, Outcome};
use crate::event::{Event, Payloads};
use crate::hook_manager::{HookHandle, HookManager};
use crate::hook_point::HookPoint;
use crate::plan::Plan;
use crate::rail::{Caller, EventList, EventVisitor, Rail, RailInfo, RailOn, SourceLocation};
use crate::rails::Serves;
use sorting::Row;

/// A guard set made by `rail_chain!`.
///
/// The order of its rails at each event is a constant, and each step of it a direct call. A chain is a
/// [`Rail`] as well, so one chain can be listed in another: it then runs there as one rail, at the priority in
/// its `#[chain(priority = 20)]` attribute (50 without).
pub trait Chain: Rail<Events: EventList<Self>> {
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
        Self: Sized + Send + Sync + 'static,
    {
        let mut registration = Registration { chain: Arc::new(self), hooks, handles: Vec::new() };
        Self::Events::visit(&mut registration);
        registration.handles
    }
}

/// Adds a hook for each event that the chain has rails on.
struct Registration<'h, C> {
    chain: Arc<C>,
    hooks: &'h mut HookManager,
    handles: Vec<HookHandle>,
}

impl<C: Chain + Send + Sync + 'static> EventVisitor<C> for Registration<'_, C> {
    fn visit<E: Event>(&mut self)
    where
        C: RailOn<E>,
    {
        if C::EVENTS.contains(&E::POINT) {
            self.handles.push(self.hooks.add_rail::<E, C>(Arc::clone(&self.chain)));
        }
    }
}

/// The list of a chain's rails, as a type.
///
/// The macro implements it for a private type beside the chain: a public chain may list private rails.
#[doc(hidden)]
pub trait Places {
    type Chain;
}

/// The rail that a chain lists at place `I`, from 0; at the place after the last, [`NoRail`].
#[doc(hidden)]
pub trait RailAt<const I: usize>: Places {
    // Without a bound, so that what is not a rail is reported once: by the row, at its name.
    type Rail;
    /// How a walk comes to it: see [`walk::Access`].
    type Access;
}

/// Nothing. At the end of every chain, it is what the steps after the last rail of an event call; and it stands at the
/// place `I` of a list where the name is that of a plain function.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoRail<const I: usize = 0>;

impl<const I: usize> Rail for NoRail<I> {
    const DECLARATION: Row =
        Row::new(RailInfo { name: "", priority: i32::MAX, declared: SourceLocation::here(&module_path!()) }, &[], &[]);

    type Events = ();
}

#[diagnostic::do_not_recommend]
impl<const I: usize> Stateless for NoRail<I> {
    const RAIL: &'static Self = &Self;
}

impl<E: Event, const I: usize> RailOn<E> for NoRail<I> {
    type Out = ();

    #[inline(always)]
    fn call<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = ()> + Send {
        Nothing
    }

    fn call_concurrent<'a>(&'a self, _: E::Shared<'a>, _: &'a RailContext) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// The call of [`NoRail`]. Of no size and without a state, unlike [`std::future::Ready`]: in a chain of 50 rails there are 14.
struct Nothing;

impl Future for Nothing {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// A chain at work as a rail of another chain.
#[diagnostic::do_not_recommend]
impl<E: Event, C: Chain + Serves<E>> RailOn<E> for C {
    type Out = ChainOutput<E>;

    #[inline]
    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        ChainOutput(self.run_rails(payload, ctx).await)
    }

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        Serves::run_always_rails(self, payload, ctx)
    }
}

/// What a chain returns as a rail: its outcome, which passes through the chain around it as it is.
#[doc(hidden)]
pub struct ChainOutput<E: Payloads>(Outcome<E>);

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for ChainOutput<E> {
    const DECIDES: bool = true;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self.0, Ok(Decision::Continue))
    }

    #[inline(always)]
    fn flow(self, _: &Caller, _: HookPoint) -> ControlFlow<Outcome<E>> {
        match self.0 {
            Ok(Decision::Continue) => ControlFlow::Continue(()),
            stopped => ControlFlow::Break(stopped),
        }
    }
}
