//! More rails on a rare event than a chain has direct steps for: they are looked up by their places, in their order.
//!
//! A step costs the compiler the same whether or not a rail takes it, so at the events on which few rails are, a chain has a
//! few steps. Where there are more rails, the event has these steps in their place.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::chain::around::{InChain, Inside, SurroundingsOf};
use crate::chain::serves::Serves;
use crate::chain::walk::{Mode, Walk};
use crate::chain::{Facts, NO_PLACE, RailList};
use crate::context::{RailContext, RunScope};
use crate::decision::{Decision, Outcome};
use crate::event::{Begins, BoxedNext, Event, Next, OperationResult};

/// The steps of a rare event: `Few`, unless it is `CROWDED`.
pub type Fitting<const CROWDED: bool, Few, All> = <Room<CROWDED> as Fits>::Steps<Few, All>;

/// Whether an event has more rails than direct steps, as a type.
#[derive(Debug)]
pub enum Room<const CROWDED: bool> {}

/// Chooses the steps. Nothing is asked of those that are not chosen, so they cost the compiler their names.
pub trait Fits {
    /// The steps.
    type Steps<Few, All>;
}

impl Fits for Room<false> {
    type Steps<Few, All> = Few;
}

impl Fits for Room<true> {
    type Steps<Few, All> = Looked<All>;
}

/// A walk over all places of a list, in the order of the list. One of its rails is called at a time.
pub trait Pick<E: Event, L: RailList>: Walk<E, L> {
    /// Whether the place is one of its own.
    fn has(place: usize) -> bool;

    /// Calls the rail at this place.
    fn call<'a, M: Mode>(
        place: usize,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ControlFlow<Outcome<E>>> + Send;

    /// The same when it is one that is always called.
    fn call_if_always<'a, M: Mode>(
        place: usize,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;

    /// Runs an operation, with what the rail at this place does around it.
    fn surround_at<'a, N>(place: usize, next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>;
}

/// The steps of an event, each looked up in `All`, which has all places.
#[derive(Debug)]
pub struct Looked<All>(PhantomData<All>);

/// The places of the rails on the event, in their order.
fn order<E: Event, L: RailList>() -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
    let places = L::Facts::order::<E>();
    let count = places.iter().position(|place| *place == NO_PLACE).unwrap_or(places.len());
    places[..count].iter().copied()
}

impl<E: Event, L: RailList<Chain: Serves<E>>, All: Pick<E, L>> Walk<E, L> for Looked<All> {
    const STEPS: usize = All::STEPS;

    const EMPTY: bool = false;

    async fn walk<'a, M: Mode>(
        chain: &'a L::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> Outcome<E> {
        for (step, place) in order::<E, L>().enumerate() {
            let flow = All::call::<M>(place, chain, E::reborrow(&mut payload), &mut *ctx).await;
            if let ControlFlow::Break(outcome) = flow {
                M::stopped_at(ctx, step);
                return outcome;
            }
        }
        Ok(Decision::Continue)
    }

    async fn call_always_rails<'a, M: Mode>(
        chain: &'a L::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        from: usize,
    ) {
        for place in order::<E, L>().skip(from) {
            All::call_if_always::<M>(place, chain, E::reborrow(&mut payload), &mut *ctx).await;
        }
    }

    async fn surround<'a, N>(next: N) -> OperationResult<E::Operation>
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>,
    {
        let at = next.at();
        // The last is the innermost.
        let around = |next, place| BoxedNext::new(Around::<'_, E, L, All> { at, place, next, all: PhantomData });
        order::<E, L>().rev().fold(BoxedNext::new(next), around).run().await
    }

    fn surrounds(chain: &L::Chain) -> bool {
        All::surrounds(chain)
    }

    fn may_rewrite(chain: &L::Chain) -> bool {
        All::may_rewrite(chain)
    }

    fn stream_window(chain: &L::Chain) -> usize {
        All::stream_window(chain)
    }
}

/// An operation with what the rail at a place does around it.
struct Around<'a, E: Begins, L: RailList, All> {
    at: SurroundingsOf<'a, E, L::Chain>,
    place: usize,
    next: BoxedNext<'a, E::Operation>,
    all: PhantomData<fn() -> All>,
}

impl<E: Begins, L: RailList<Chain: Sync>, All: Pick<E, L>> Next<E::Operation> for Around<'_, E, L, All> {
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        All::surround_at(self.place, InChain::new(self.at, self.next))
    }

    fn scope(&self) -> &RunScope {
        self.next.scope()
    }

    fn attempt(&self) -> u32 {
        self.next.attempt()
    }
}
