//! Chains: rails that the compiler sorts, and that run as direct calls.

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

use std::marker::PhantomData;

use crate::chain::around::AroundMode;
use crate::context::RailContext;
use crate::decision::{Decision, Outcome, PlacedRail, RailOutput, Reader};
use crate::event::{Begins, Event, Layer, Next, Operation, OperationResult, Payloads};
use crate::rail::{EventFact, EventList, Plan, Rail, RailOn, Stateless};

/// A guard set that `rail_chain!` makes.
///
/// The order of its rails at each event is a constant, and each step is a direct call. A chain is a [`Rail`] too, so you
/// can list it in another chain. There it runs as one rail, at the priority in `#[chain(priority = 20)]`, or at 50 by
/// default.
pub trait Chain: Rail<Events: EventList<Self>> {
    /// The rails of each event, in the order in which they run.
    const PLAN: Plan;

    /// Whether the chain has rails around operations: see [`WithoutAround`](crate::WithoutAround).
    type Around: AroundMode;
}

/// The list of a chain's rails, as a type.
///
/// The macro implements it for a private type beside the chain, because a public chain may list private rails.
#[doc(hidden)]
pub trait RailList {
    // `'static`, because a chain has no parameters.
    type Chain: 'static;
    type Facts: Facts;
    type Mode: walk::Mode;
}

/// The rail that a chain lists at place `I`, counted from 0.
#[doc(hidden)]
pub trait RailAt<const I: usize>: RailList {
    // Without a bound, so that the compiler reports a type that is not a rail once: at its name, where the row is made.
    type Rail;
    /// How a walk finds the rail in the chain: see [`walk::Access`].
    type Access;
}

impl<L: RailList> RailAt<NO_PLACE> for L {
    type Rail = NoRail;
    type Access = walk::ByName;
}

/// A list of rails with a field at place `I` that threads can share. If they can share all fields, they can share the chain.
///
/// The macro implements it at a constant, which calls [`shared`] and [`sent`] at the type of the field. If the constant does not
/// compile, rustc reports the type once, and not the chain.
#[doc(hidden)]
pub trait SharedField<const I: usize>: RailAt<I, Rail: Send + Sync> {}

/// Checks that threads can share a field. rustc shows the comment.
#[doc(hidden)]
pub const fn shared<T>()
where
    T: Sync, // threads share a chain: write `Arc`, not `Rc`, and `Box<dyn Policy + Send + Sync>`, not `Box<dyn Policy>`
{
}

/// Checks that a field can move to another thread. rustc shows the comment.
#[doc(hidden)]
pub const fn sent<T>()
where
    T: Send, // threads share a chain: write `Arc`, not `Rc`, and `Box<dyn Policy + Send + Sync>`, not `Box<dyn Policy>`
{
}

/// A chain as a rail of another chain.
#[diagnostic::do_not_recommend]
impl<E: Event, C: Chain + Serves<E>> RailOn<E> for C {
    type Out = ChainOutput<E, <C::Around as AroundMode>::Layer>;

    #[inline]
    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        ChainOutput::new(self.run_rails(payload, ctx).await)
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
        ChainOutput::new(outcome)
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

    #[inline]
    fn fact<F: EventFact>(&self) -> F::Value {
        Serves::<E>::fact::<F>(self)
    }
}

/// The output of a chain as a rail: its outcome, which passes through the outer chain unchanged.
#[doc(hidden)]
pub struct ChainOutput<E: Payloads, L>(Outcome<E>, PhantomData<fn() -> L>);

impl<E: Payloads, L> ChainOutput<E, L> {
    pub(crate) const fn new(outcome: Outcome<E>) -> Self {
        Self(outcome, PhantomData)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, L: Layer> RailOutput<E> for ChainOutput<E, L> {
    const DECIDES: bool = true;
    type Layer = L;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self.0, Ok(Decision::Continue))
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        reader.passes_on(self.0)
    }
}

/// Implemented by a [`Chain`] for each rail `R` that it lists without a field.
///
/// If a chain lists such a rail twice, there are two implementations, and the compiler reports the conflict at both places.
/// Both listings would be the same rail. Two fields of one type are two rails.
pub trait RunsEachRailOnce<R>: Chain {}

/// The bound of a chain without fields on each chain that it lists. The chain is [`Stateless`] if all these chains are.
///
/// If a chain lists itself, directly or through other chains, the bounds never end. rustc then reports this trait, so the
/// name of the trait is the message.
pub trait ListsNoChainAroundIt {}

impl<R: Stateless> ListsNoChainAroundIt for &R {}
