//! Distinguishes a guard set from a chain that needs values of an outer chain.

use std::future::ready;
use std::marker::PhantomData;

use crate::chain::lifecycle::LifecycleSteps;
use crate::chain::walk::{Mode, Plain, Step, StepsOn, Traced, Walk};
use crate::chain::{RailList, Serves};
use crate::context::RailContext;
use crate::decision::{Decision, Outcome};
use crate::event::{Begins, Event, Inside, OperationResult};
use crate::rail::EventFact;

/// An event that never happens. Only guard sets serve it: a chain that needs no values of an outer chain, a manager, or a
/// wrapper that forwards all events to a guard set.
///
/// It is an event because a wrapper implements [`Serves`] for all events, also in other crates. So every wrapper forwards
/// this event too.
#[doc(hidden)]
#[derive(Debug, exo_rails_macros::Event)]
pub struct StandsAlone;

/// The mode of a chain with `#[chain(needs = […])]`. It behaves like `M`, but the chain does not stand alone.
#[derive(Debug)]
pub struct Within<M>(PhantomData<M>);

impl<M: Mode> Mode for Within<M> {
    const HAS_ALWAYS: bool = M::HAS_ALWAYS;

    type Around = M::Around;

    type Step<E: Event, S: Step<E>> = M::Step<E, S>;

    #[inline(always)]
    fn run_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send {
        M::run_rails::<E, L>(chain, payload, ctx)
    }

    fn run_always_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        M::run_always_rails::<E, L>(chain, payload, ctx)
    }
}

/// The modes of chains that stand alone.
pub trait AloneMode: Mode {}

impl<const HAS_ALWAYS: bool, const HAS_AROUND: u8> AloneMode for Plain<HAS_ALWAYS, HAS_AROUND> where Self: Mode {}
impl<const HAS_ALWAYS: bool, const HAS_AROUND: u8> AloneMode for Traced<HAS_ALWAYS, HAS_AROUND> where Self: Mode {}

impl<L: LifecycleSteps<Mode: AloneMode>> StepsOn<StandsAlone> for L {
    type Steps = NoStep;
}

/// The steps at an event that never happens.
#[derive(Debug)]
pub enum NoStep {}

impl<E: Event, L: RailList> Walk<E, L> for NoStep {
    const STEPS: usize = 0;
    const EMPTY: bool = true;

    fn walk<'a, M: Mode>(
        _: &'a L::Chain,
        _: E::Payload<'a>,
        _: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send {
        ready(Ok(Decision::Continue))
    }

    fn call_always_rails<'a, M: Mode>(
        _: &'a L::Chain,
        _: E::Payload<'a>,
        _: &'a mut RailContext,
        _: usize,
    ) -> impl Future<Output = ()> + Send {
        ready(())
    }

    fn surround<'a, N>(next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>,
    {
        next.run()
    }

    fn fact<F: EventFact>(_: &L::Chain) -> F::Value {
        F::NONE
    }
}
