//! Chains: rails sorted at compile time and called without dispatch at run time.

pub(crate) mod around;
pub(crate) mod concurrent;
pub(crate) mod crowded;
pub(crate) mod lifecycle;
pub(crate) mod no_rail;
pub(crate) mod order;
pub(crate) mod requirements;
pub(crate) mod serves;
pub(crate) mod sorting;
pub(crate) mod stands_alone;
pub(crate) mod values;
pub(crate) mod walk;

pub use no_rail::*;
pub use requirements::*;
pub use serves::*;
pub use sorting::*;

use crate::context::RailContext;
use crate::decision::{Decision, Outcome, PlacedRail, RailOutput, Reader};
use crate::event::{Begins, Event, Next, Operation, OperationResult, Payloads};
use crate::rail::{EventList, Plan, Rail, RailOn, Stateless};

/// A guard set made by `rail_chain!`.
///
/// The order of its rails at each event is a constant, and each step of it a direct call. A chain is a
/// [`Rail`] as well, so one chain can be listed in another: it then runs there as one rail, at the priority in
/// its `#[chain(priority = 20)]` attribute (50 without).
pub trait Chain: Rail<Events: EventList<Self>> {
    /// Which rails run at which event, in which order.
    const PLAN: Plan;

    /// Whether it has rails around operations: see [`WithoutAround`](crate::WithoutAround).
    type Around;
}

/// The list of a chain's rails, as a type.
///
/// The macro implements it for a private type beside the chain: a public chain may list private rails.
#[doc(hidden)]
pub trait RailList {
    // It has no parameters.
    type Chain: 'static;
    type Facts: Facts;
    type Mode: walk::Mode;
}

/// The rail that a chain lists at place `I`, from 0.
#[doc(hidden)]
pub trait RailAt<const I: usize>: RailList {
    // Without a bound, so that what is not a rail is reported once: by the row, at its name.
    type Rail;
    /// How a walk comes to it: see [`walk::Access`].
    type Access;
}

impl<L: RailList> RailAt<NO_PLACE> for L {
    type Rail = NoRail;
    type Access = walk::ByName;
}

/// A chain at work as a rail of another chain.
#[diagnostic::do_not_recommend]
impl<E: Event, C: Chain + Serves<E>> RailOn<E> for C {
    type Out = ChainOutput<E>;

    #[inline]
    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        ChainOutput(self.run_rails(payload, ctx).await)
    }

    #[inline]
    async fn call_at<'a>(
        &'a self,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> Self::Out {
        let outside = ctx.go_into(at.place);
        let outcome = self.run_rails(E::reborrow(&mut payload), ctx).await;
        ctx.return_to(outside);
        ChainOutput(outcome)
    }

    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        _: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        Serves::run_always_rails(self, payload, ctx)
    }

    #[inline]
    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        Serves::surround(self, inputs, next)
    }

    fn may_rewrite(&self) -> bool {
        Serves::<E>::may_rewrite(self)
    }

    fn stream_window(&self) -> usize {
        Serves::<E>::stream_window(self)
    }
}

/// What a chain returns as a rail: its outcome, which passes through the chain around it as it is.
#[doc(hidden)]
pub struct ChainOutput<E: Payloads>(pub(crate) Outcome<E>);

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for ChainOutput<E> {
    const DECIDES: bool = true;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self.0, Ok(Decision::Continue))
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        reader.passes_on(self.0)
    }
}

/// Implemented by a [`Chain`] for each rail `R` that it lists by its name alone.
///
/// A rail that is listed twice makes two implementations, and the compiler reports a conflict at both places: both would
/// be the same rail. Two fields of one type are two rails.
pub trait RunsEachRailOnce<R>: Chain {}

/// What a chain without fields asks of each chain that it lists: so it is [`Stateless`] when no chain lists another around a
/// circle.
///
/// On a circle there is no end to it. rustc then reports this trait: so the name is the message.
pub trait ListsNoChainAroundIt {}

impl<R: Stateless> ListsNoChainAroundIt for &R {}
