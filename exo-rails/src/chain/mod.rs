//! Chains: rails sorted at compile time and called without dispatch at run time.

pub(crate) mod order;
pub(crate) mod requirements;
pub(crate) mod sorting;

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::action::RailOutput;
use crate::checks::Stateless;
use crate::context::RailContext;
use crate::decision::{Decision, Outcome};
use crate::event::{Event, Payloads};
use crate::hook_manager::{HookHandle, HookManager};
use crate::hook_point::HookPoint;
use crate::plan::Plan;
use crate::rail::{Caller, Declared, EventVisitor, Rail, RailOn};
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
        Self: Sized + Send + Sync + 'static,
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

/// The rail that a chain lists at place `I`, from 0; at the place after the last, [`NoRail`].
///
/// The macro implements it for a private type beside the chain: a public chain may list private rails.
#[doc(hidden)]
pub trait RailAt<const I: usize> {
    type Chain;
    // Without a bound, so that what is not a rail is reported once: by the row, at its name.
    type Rail;
    const ROW: sorting::Row;

    fn rail(chain: &Self::Chain) -> &Self::Rail;
}

/// The place `I` of a list of rails, as a type.
#[doc(hidden)]
#[derive(Debug)]
pub struct At<P, const I: usize>(PhantomData<P>);

/// One step of a chain at event `E`: a direct call of the rail at a known place.
#[doc(hidden)]
pub trait Step<E: Event> {
    type Chain;
    type Out: Send;

    fn call<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send;

    fn flow(output: Self::Out) -> ControlFlow<Outcome<E>>;
}

impl<E: Event, P: RailAt<I>, const I: usize> Step<E> for At<P, I>
where
    P::Rail: RailOn<E> + 'static,
{
    type Chain = P::Chain;
    type Out = <P::Rail as RailOn<E>>::Out;

    #[inline(always)]
    fn call<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        P::rail(chain).call(payload, ctx)
    }

    #[inline(always)]
    fn flow(output: Self::Out) -> ControlFlow<Outcome<E>> {
        P::Rail::flow(output)
    }
}

/// Nothing. At the end of every chain, it is what the steps after the last rail of an event call; and it stands at the
/// place `I` of a list where the name is that of a plain function.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoRail<const I: usize = 0>;

impl NoRail {
    /// No chain looks at it: its rails are at the places before.
    pub const ROW: sorting::Row = <Self as Rail>::ROW;
}

impl<const I: usize> Rail for NoRail<I> {
    const NAME: &'static str = "";
    const PRIORITY: i32 = i32::MAX;
    const EVENTS: &'static [HookPoint] = &[];
    const REWRITES: &'static [HookPoint] = &[];
    const DECLARED: Declared = Declared { file: file!(), line: line!(), column: column!() };

    fn each_event<V: EventVisitor<Self>>(_: &mut V) {}
}

#[diagnostic::do_not_recommend]
impl<const I: usize> Stateless for NoRail<I> {
    const RAIL: &'static Self = &Self;
}

impl<E: Event, const I: usize> RailOn<E> for NoRail<I> {
    type Out = ();

    #[inline(always)]
    fn call<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A chain at work as a rail of another chain.
#[diagnostic::do_not_recommend]
impl<E: Event, C: Chain + RunOn<E>> RailOn<E> for C {
    type Out = ChainOutput<E>;

    #[inline]
    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        ChainOutput(self.dispatch(payload, ctx).await)
    }
}

/// What a chain returns as a rail: its outcome, which passes through the chain around it as it is.
#[doc(hidden)]
pub struct ChainOutput<E: Payloads>(Outcome<E>);

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for ChainOutput<E> {
    const DECIDES: bool = true;

    #[inline(always)]
    fn flow(self, _: &Caller, _: HookPoint) -> ControlFlow<Outcome<E>> {
        match self.0 {
            Ok(Decision::Continue) => ControlFlow::Continue(()),
            stopped => ControlFlow::Break(stopped),
        }
    }
}
