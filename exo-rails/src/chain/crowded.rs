//! The steps of a rare event that has more rails than a chain has direct steps for it. Each of these steps looks up its
//! rail by the place in the list.
//!
//! A step costs compile time even if no rail uses it. So a chain has only a few direct steps for an event that usually has
//! few rails. If the event has more rails, this module's steps replace the direct ones.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::chain::around::InChain;
use crate::chain::serves::Serves;
use crate::chain::walk::{Mode, Walk};
use crate::chain::{Facts, NO_PLACE, RailList};
use crate::context::{RailContext, RunScope};
use crate::decision::{Decision, Outcome};
use crate::event::{Begins, BoxedNext, Event, Inside, Next, OperationResult, SurroundingsOf};
use crate::rail::EventFact;

/// The steps of a rare event: `Few`, or [`Looked`] if the event is `CROWDED`.
pub type Fitting<const CROWDED: bool, Few, All> = <Room<CROWDED> as Fits>::Steps<Few, All>;

/// Whether an event has more rails than direct steps, as a type.
#[derive(Debug)]
pub enum Room<const CROWDED: bool> {}

/// Chooses the steps. The compiler does not check the type that is not chosen, so this type costs only its name.
pub trait Fits {
    /// The chosen steps.
    type Steps<Few, All>;
}

impl Fits for Room<false> {
    type Steps<Few, All> = Few;
}

impl Fits for Room<true> {
    type Steps<Few, All> = Looked<All>;
}

/// A walk over all places of a list, in the order of the list. The caller picks one place at a time.
pub trait Pick<E: Event, L: RailList>: Walk<E, L> {
    /// Returns `true` if this walk has the place.
    fn has(place: usize) -> bool;

    /// Calls the rail at this place.
    fn call<'a, M: Mode>(
        place: usize,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ControlFlow<Outcome<E>>> + Send;

    /// Calls the rail at this place if it is always called.
    fn call_if_always<'a, M: Mode>(
        place: usize,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;

    /// Runs an operation inside the rail at this place.
    fn surround_at<'a, N>(place: usize, next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>;
}

/// The steps of a crowded event. `All` has all places, and each step looks up its place there.
#[derive(Debug)]
pub struct Looked<All>(PhantomData<All>);

/// Returns the places of the rails on the event, in the order in which they run.
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
        // The last rail is the innermost.
        let places = order::<E, L>().rev().filter(|place| L::Facts::ROWS[*place].around.has(E::POINT));
        let around = |next, place| BoxedNext::new(Around::<'_, E, L, All> { at, place, next, all: PhantomData });
        places.fold(BoxedNext::new(next), around).run().await
    }

    fn fact<F: EventFact>(chain: &L::Chain) -> F::Value {
        All::fact::<F>(chain)
    }
}

/// An operation inside the rail at a place.
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
