//! Takes the steps of a chain at one event, in turn.
//!
//! A step is the direct call of a rail at a known place. The code of a walk is in the library, and not in the expansion of
//! `rail_chain!`. So the compiler checks it once, with this library, and not with every chain.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use tracing::{Instrument, Span};

use crate::chain::around::{Around, AroundMode, HasAround};
use crate::chain::crowded::Pick;
use crate::chain::serves::Serves;
use crate::chain::{Facts, NO_PLACE, NoRail, RailAt, RailList};
use crate::context::{RailContext, RunScope};
use crate::decision::{Decision, Outcome, PlacedRail, record_stop};
use crate::event::{Begins, Event, Inside, Layer, Next, OperationResult, Payloads, Surroundings, SurroundingsOf};
use crate::point::RailInfo;
use crate::rail::{EventFact, LayerOf, Rail, RailOn, Row, Stateless};
use crate::telemetry;

/// The steps of a chain at event `E`: the places of its rails in the list `L`.
pub trait Walk<E: Event, L: RailList> {
    /// The number of steps.
    const STEPS: usize;

    /// Whether no step calls a rail.
    const EMPTY: bool;

    /// Takes the steps until a rail does not continue.
    fn walk<'a, M: Mode>(
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls the rails that are always called, beginning with step `from`.
    fn call_always_rails<'a, M: Mode>(
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        from: usize,
    ) -> impl Future<Output = ()> + Send;

    /// Runs an operation inside the rails that surround it.
    fn surround<'a, N>(next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>;

    /// Returns a fact about the rails that are present.
    fn fact<F: EventFact>(chain: &L::Chain) -> F::Value;
}

/// The steps of event `E`, in the sorted order. The macro implements it for custom events, and
/// [`LifecycleSteps`](super::lifecycle::LifecycleSteps) for the events of the library.
pub trait StepsOn<E: Event>: RailList + Sized {
    /// The place at each step.
    type Steps: Walk<E, Self>;

    /// Runs the rails.
    #[inline(always)]
    fn run_rails<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        Self::Chain: Serves<E>,
    {
        Self::Mode::run_rails::<E, Self>(chain, payload, ctx)
    }
}

/// How a chain takes its steps: whether it has rails that are always called, and whether each step has a span.
///
/// A mode is a type, so a chain contains no code for features that it does not use. If a chain has no rails that are always
/// called, and no spans, a step is only the call of the rail.
pub trait Mode {
    /// Whether the chain has rails that are always called. If so, a walk records the step that stopped it.
    const HAS_ALWAYS: bool;

    /// Whether the chain has rails around operations.
    type Around: AroundMode;

    /// The step in this mode.
    type Step<E: Event, S: Step<E>>: Step<E, Chain = S::Chain>;

    /// Runs the rails of an event. If a rail stops the event, calls the later rails that are always called.
    fn run_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls only the rails that are always called, because a rail of the outer chain has stopped the event.
    fn run_always_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;

    /// Records the step that stopped the walk.
    #[inline(always)]
    fn stopped_at(ctx: &mut RailContext, step: usize) {
        if Self::HAS_ALWAYS {
            record_step(ctx, step);
        }
    }

    /// Adds this number of earlier steps to the recorded step.
    #[inline(always)]
    fn stopped_after(ctx: &mut RailContext, steps: usize) {
        if Self::HAS_ALWAYS {
            record_step(ctx, ctx.stopped_at + steps);
        }
    }
}

#[cold]
const fn record_step(ctx: &mut RailContext, step: usize) {
    ctx.stopped_at = step;
}

/// Declares a mode for chains with rails that are always called, and for chains without.
macro_rules! mode {
    ($(#[$doc:meta])* $mode:ident: $one:ident => $step:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $mode<const HAS_ALWAYS: bool, const HAS_AROUND: u8> {}

        impl<const HAS_AROUND: u8> Mode for $mode<false, HAS_AROUND>
        where
            HasAround<HAS_AROUND>: AroundMode,
        {
            const HAS_ALWAYS: bool = false;

            type Around = HasAround<HAS_AROUND>;

            type Step<E: Event, $one: Step<E>> = $step;

            #[inline(always)]
            fn run_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
                chain: &'a L::Chain,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = Outcome<E>> + Send {
                L::Steps::walk::<Self>(chain, payload, ctx)
            }

            fn run_always_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
                _: &'a L::Chain,
                _: E::Payload<'a>,
                _: &'a mut RailContext,
            ) -> impl Future<Output = ()> + Send {
                std::future::ready(())
            }
        }

        impl<const HAS_AROUND: u8> Mode for $mode<true, HAS_AROUND>
        where
            HasAround<HAS_AROUND>: AroundMode,
        {
            const HAS_ALWAYS: bool = true;

            type Around = HasAround<HAS_AROUND>;

            type Step<E: Event, $one: Step<E>> = $step;

            async fn run_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
                chain: &'a L::Chain,
                mut payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> Outcome<E> {
                let outcome = L::Steps::walk::<Self>(chain, E::reborrow(&mut payload), ctx).await;
                if record_stop(&outcome, ctx) {
                    let from = ctx.stopped_at + 1;
                    L::Steps::call_always_rails::<Self>(chain, payload, ctx, from).await;
                }
                outcome
            }

            fn run_always_rails<'a, E: Event, L: StepsOn<E, Chain: Serves<E>>>(
                chain: &'a L::Chain,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = ()> + Send {
                L::Steps::call_always_rails::<Self>(chain, payload, ctx, 0)
            }
        }
    };
}

mode! {
    /// Calls the rails without spans.
    Plain: S => S
}

mode! {
    /// Calls each rail in a span: the mode of a chain with `#[chain(trace)]`.
    Traced: S => InSpan<S>
}

/// A step in a span.
#[derive(Debug)]
pub struct InSpan<S>(PhantomData<S>);

impl<E: Event, S: Step<E>> Step<E> for InSpan<S> {
    type Chain = S::Chain;
    type Out = (Span, S::Out);
    const INFO: RailInfo = S::INFO;
    const ALWAYS: bool = S::ALWAYS;

    type Around<'a, N: Inside<'a, E, S::Chain>>
        = S::Around<'a, N>
    where
        E: Begins;

    fn around<'a, N>(next: N) -> S::Around<'a, N>
    where
        E: Begins,
        N: Inside<'a, E, S::Chain>,
    {
        S::around(next)
    }

    fn call<'a>(
        chain: &'a S::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        let span = span_of::<E, S>();
        // The call itself is in the span too: a rail that awaits nothing does its work when it is called.
        let call = span.in_scope(|| S::call(chain, payload, ctx)).instrument(span.clone());
        async move { (span, call.await) }
    }

    fn call_concurrent<'a>(
        chain: &'a S::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        let span = span_of::<E, S>();
        let call = span.in_scope(|| S::call_concurrent(chain, payload, ctx)).instrument(span.clone());
        async move { (span, call.await) }
    }

    fn decide((span, output): Self::Out, ctx: &RailContext) -> ControlFlow<Outcome<E>> {
        let flow = span.in_scope(|| S::decide(output, ctx));
        telemetry::flowed::<E>(&span, &flow);
        flow
    }

    fn call_if_always<'a>(
        chain: &'a S::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        let span = if S::ALWAYS { span_of::<E, S>() } else { Span::none() };
        let call = span.in_scope(|| S::call_if_always(chain, payload, ctx));
        async move {
            call.instrument(span.clone()).await;
            telemetry::flowed::<E>(&span, &ControlFlow::Continue(()));
        }
    }

    fn surround<'a, N>(next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, S::Chain>,
    {
        S::surround(next)
    }

    fn fact<F: EventFact>(chain: &S::Chain) -> F::Value {
        S::fact::<F>(chain)
    }
}

/// Returns the span of a step. Unused steps have no span.
fn span_of<E: Event, S: Step<E>>() -> Span {
    let RailInfo { name, priority, .. } = S::INFO;
    if name.is_empty() { Span::none() } else { telemetry::rail_span(name, priority, E::POINT) }
}

/// The first steps of a long chain, and the other steps.
#[derive(Debug)]
pub struct Then<A, B>(PhantomData<(A, B)>);

impl<E: Event, L: RailList<Chain: Serves<E>>, A: Walk<E, L>, B: Walk<E, L>> Walk<E, L> for Then<A, B> {
    const STEPS: usize = A::STEPS + B::STEPS;

    const EMPTY: bool = A::EMPTY;

    async fn walk<'a, M: Mode>(
        chain: &'a L::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> Outcome<E> {
        match A::walk::<M>(chain, E::reborrow(&mut payload), ctx).await {
            Ok(Decision::Continue) => {}
            stopped => return stopped,
        }
        // Most chains of this length have few rails on any one event. `EMPTY` is a constant, so unused steps have no code.
        if B::EMPTY {
            return Ok(Decision::Continue);
        }
        let outcome = B::walk::<M>(chain, E::reborrow(&mut payload), ctx).await;
        if !matches!(outcome, Ok(Decision::Continue)) {
            M::stopped_after(ctx, A::STEPS);
        }
        outcome
    }

    async fn call_always_rails<'a, M: Mode>(
        chain: &'a L::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        from: usize,
    ) {
        A::call_always_rails::<M>(chain, E::reborrow(&mut payload), ctx, from).await;
        if !B::EMPTY {
            B::call_always_rails::<M>(chain, payload, ctx, from.saturating_sub(A::STEPS)).await;
        }
    }

    fn surround<'a, N>(next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>,
    {
        A::surround(Rest::<'a, E, L, B, N> { next, steps: PhantomData })
    }

    fn fact<F: EventFact>(chain: &L::Chain) -> F::Value {
        F::join(A::fact::<F>(chain), B::fact::<F>(chain))
    }
}

impl<E: Event, L: RailList<Chain: Serves<E>>, A: Pick<E, L>, B: Pick<E, L>> Pick<E, L> for Then<A, B> {
    fn has(place: usize) -> bool {
        A::has(place) || B::has(place)
    }

    async fn call<'a, M: Mode>(
        place: usize,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> ControlFlow<Outcome<E>> {
        if A::has(place) {
            A::call::<M>(place, chain, payload, ctx).await
        } else {
            B::call::<M>(place, chain, payload, ctx).await
        }
    }

    async fn call_if_always<'a, M: Mode>(
        place: usize,
        chain: &'a L::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) {
        if A::has(place) {
            A::call_if_always::<M>(place, chain, payload, ctx).await;
        } else {
            B::call_if_always::<M>(place, chain, payload, ctx).await;
        }
    }

    async fn surround_at<'a, N>(place: usize, next: N) -> OperationResult<E::Operation>
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>,
    {
        if A::has(place) { A::surround_at(place, next).await } else { B::surround_at(place, next).await }
    }
}

/// An operation inside the rails of the other steps of a long chain.
struct Rest<'a, E, L, B, N> {
    next: N,
    steps: PhantomData<fn(&'a E, L) -> B>,
}

impl<'a, E, L, B, N> Inside<'a, E, L::Chain> for Rest<'a, E, L, B, N>
where
    E: Begins,
    L: RailList<Chain: Sync>,
    B: Walk<E, L>,
    N: Inside<'a, E, L::Chain>,
{
    fn at(&self) -> SurroundingsOf<'a, E, L::Chain> {
        self.next.at()
    }
}

impl<'a, E, L, B, N> Next<E::Operation> for Rest<'a, E, L, B, N>
where
    E: Begins,
    L: RailList<Chain: Sync>,
    B: Walk<E, L>,
    N: Inside<'a, E, L::Chain>,
{
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        B::surround(self.next)
    }

    fn scope(&self) -> &RunScope {
        self.next.scope()
    }

    fn attempt(&self) -> u32 {
        self.next.attempt()
    }
}

/// How a walk finds a rail in the chain.
pub trait Access<C, R> {
    /// Returns the rail.
    fn rail(chain: &C) -> &R;
}

/// The rail is the field for place `I`.
#[derive(Debug)]
pub enum InField<const I: usize> {}

/// The rail has no state, so all chains share one value.
#[derive(Debug)]
pub enum ByName {}

impl<C, R: Stateless> Access<C, R> for ByName {
    #[inline(always)]
    fn rail(_: &C) -> &R {
        R::RAIL
    }
}

/// Place `I` of a list of rails, as a type.
#[derive(Debug)]
pub struct At<L, const I: usize>(PhantomData<L>);

/// One step of a chain at event `E`: a direct call of the rail at a known place.
///
/// The walk has no variable for the rail, and no `match` on the rail's output. With either of them, the future of a walk
/// would grow with each step. The compiler keeps a flag for each value that it may have to drop.
pub trait Step<E: Event> {
    /// The chain.
    type Chain: 'static;
    /// The output of the rail.
    type Out: Send;
    /// The rail. The name of an unused step is empty.
    const INFO: RailInfo;
    /// Whether the rail is always called.
    const ALWAYS: bool;

    /// Calls the rail.
    fn call<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send;

    /// Calls the rail concurrently with others.
    fn call_concurrent<'a>(
        chain: &'a Self::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send;

    /// Turns the output of the rail into its decision.
    fn decide(output: Self::Out, ctx: &RailContext) -> ControlFlow<Outcome<E>>;

    /// Calls the rail if it is always called.
    fn call_if_always<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;

    /// An operation inside the rail, or the operation itself if the rail cannot surround one.
    type Around<'a, N: Inside<'a, E, Self::Chain>>: Inside<'a, E, Self::Chain>
    where
        E: Begins;

    /// Puts the rail around an operation, if the rail can surround one.
    fn around<'a, N>(next: N) -> Self::Around<'a, N>
    where
        E: Begins,
        N: Inside<'a, E, Self::Chain>;

    /// Runs an operation inside the rail.
    fn surround<'a, N>(next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, Self::Chain>;

    /// Returns a fact about the rail, in the configuration of the chain.
    fn fact<F: EventFact>(chain: &Self::Chain) -> F::Value;
}

impl<E: Event, L: RailAt<I>, const I: usize> Step<E> for At<L, I>
where
    L::Rail: RailOn<E> + 'static,
    L::Access: Access<L::Chain, L::Rail>,
{
    type Chain = L::Chain;
    type Out = <L::Rail as RailOn<E>>::Out;
    const INFO: RailInfo = Self::ROW.info;
    const ALWAYS: bool = <L::Rail as RailOn<E>>::ALWAYS;

    type Around<'a, N: Inside<'a, E, L::Chain>>
        = <LayerOf<E, L::Rail> as Layer>::Of<'a, E, L::Chain, Around<'a, E, Self, N>, N>
    where
        E: Begins;

    #[inline(always)]
    fn around<'a, N>(next: N) -> Self::Around<'a, N>
    where
        E: Begins,
        N: Inside<'a, E, L::Chain>,
    {
        <LayerOf<E, L::Rail> as Layer>::put(next, Around::new)
    }

    #[inline(always)]
    fn call<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        L::Access::rail(chain).call_at(payload, ctx, Self::PLACED)
    }

    fn call_concurrent<'a>(
        chain: &'a Self::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        L::Access::rail(chain).call_concurrent_at(payload, ctx, Self::PLACED)
    }

    #[inline(always)]
    fn decide(output: Self::Out, ctx: &RailContext) -> ControlFlow<Outcome<E>> {
        L::Rail::decide(output, Self::PLACED, ctx)
    }

    fn call_if_always<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        L::Access::rail(chain).call_if_always(payload, ctx, Self::PLACED)
    }

    #[inline(always)]
    fn surround<'a, N>(next: N) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Inside<'a, E, Self::Chain>,
    {
        let Surroundings { chain, inputs } = next.at();
        L::Access::rail(chain).surround(inputs, next)
    }

    #[inline]
    fn fact<F: EventFact>(chain: &Self::Chain) -> F::Value {
        L::Access::rail(chain).fact::<F>()
    }
}

impl<L: RailList, const I: usize> At<L, I> {
    /// The facts that the chain knows about the rail at this place.
    const ROW: &'static Row = if I < <L::Facts as Facts>::ROWS.len() {
        &<L::Facts as Facts>::ROWS[I]
    } else {
        &<NoRail as Rail>::DECLARATION
    };
}

/// The rail at a place, on an event.
trait Placed<E: Event> {
    const PLACED: &'static PlacedRail;
}

impl<E: Event, L: RailAt<I, Rail: RailOn<E>>, const I: usize> Placed<E> for At<L, I> {
    const PLACED: &'static PlacedRail = &Self::ROW.placed::<L::Rail>(
        I as u64,
        L::Facts::ONION && E::POINT.is_after(),
        <L::Rail as RailOn<E>>::ON_FAULT,
    );
}

/// Declares walks of certain lengths. A chain uses the shortest walk that has enough steps, and [`NoRail`](super::NoRail)
/// fills the unused steps. Each group of steps extends the groups before it.
macro_rules! walks {
    (@one $name:ident $($place:ident $step:literal)*) => {
        /// A walk of this number of steps. Each step is the place of a rail in the list of the chain.
        #[derive(Debug)]
        pub enum $name<$(const $place: usize = NO_PLACE),*> {}

        impl<E: Event, L: RailList<Chain: Serves<E>>, $(const $place: usize),*> Walk<E, L> for $name<$($place),*>
        where
            $(At<L, $place>: Step<E, Chain = L::Chain>,)*
        {
            const STEPS: usize = [$($step),*].len();

            // Unused steps come last, so the walk is empty if its first step is unused.
            const EMPTY: bool = <At<L, A0> as Step<E>>::INFO.name.is_empty();

            #[inline]
            fn walk<'a, M: Mode>(
                chain: &'a L::Chain,
                mut payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = Outcome<E>> + Send {
                // Not an `async fn`: its future would store the arguments twice.
                async move {
                    // Captures the payload and the context in this order. Rails take them in the same order, so both are
                    // lent in one move.
                    let _ = (&payload, &ctx);
                    $(
                        let lent = <E as Payloads>::reborrow(&mut payload);
                        let output = M::Step::<E, At<L, $place>>::call(chain, lent, &mut *ctx).await;
                        match M::Step::<E, At<L, $place>>::decide(output, ctx) {
                            ControlFlow::Break(outcome) => {
                                M::stopped_at(ctx, $step);
                                return outcome;
                            }
                            ControlFlow::Continue(()) => {}
                        }
                    )*
                    Ok(Decision::Continue)
                }
            }

            async fn call_always_rails<'a, M: Mode>(
                chain: &'a L::Chain,
                mut payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
                from: usize,
            ) {
                $(
                    if from <= $step {
                        let lent = E::reborrow(&mut payload);
                        M::Step::<E, At<L, $place>>::call_if_always(chain, lent, &mut *ctx).await;
                    }
                )*
            }

            #[inline]
            fn surround<'a, N>(
                next: N,
            ) -> impl Future<Output = OperationResult<E::Operation>> + Send
            where
                E: Begins,
                N: Inside<'a, E, L::Chain>,
            {
                walks!(@nest E, L, next; $($place)*).run()
            }

            #[inline]
            fn fact<F: EventFact>(chain: &L::Chain) -> F::Value {
                let facts = F::NONE;
                $(let facts = F::join(facts, <At<L, $place> as Step<E>>::fact::<F>(chain));)*
                facts
            }
        }

        impl<E: Event, L: RailList<Chain: Serves<E>>, $(const $place: usize),*> Pick<E, L> for $name<$($place),*>
        where
            $(At<L, $place>: Step<E, Chain = L::Chain>,)*
        {
            fn has(place: usize) -> bool {
                [$($place),*].contains(&place)
            }

            async fn call<'a, M: Mode>(
                place: usize,
                chain: &'a L::Chain,
                mut payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> ControlFlow<Outcome<E>> {
                $(
                    if place == $place {
                        let lent = <E as Payloads>::reborrow(&mut payload);
                        let output = M::Step::<E, At<L, $place>>::call(chain, lent, &mut *ctx).await;
                        return M::Step::<E, At<L, $place>>::decide(output, ctx);
                    }
                )*
                ControlFlow::Continue(())
            }

            async fn call_if_always<'a, M: Mode>(
                place: usize,
                chain: &'a L::Chain,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) {
                $(
                    if place == $place {
                        return M::Step::<E, At<L, $place>>::call_if_always(chain, payload, ctx).await;
                    }
                )*
            }

            async fn surround_at<'a, N>(place: usize, next: N) -> OperationResult<E::Operation>
            where
                E: Begins,
                N: Inside<'a, E, L::Chain>,
            {
                $(
                    if place == $place {
                        return <At<L, $place> as Step<E>>::surround(next).await;
                    }
                )*
                next.run().await
            }
        }
    };
    (@nest $event:ident, $list:ident, $next:ident;) => { $next };
    (@nest $event:ident, $list:ident, $next:ident; $place:ident $($more:ident)*) => {
        <At<$list, $place> as Step<$event>>::around(walks!(@nest $event, $list, $next; $($more)*))
    };
    (@all [$($before:tt)*]) => {};
    (@all [$($before:tt)*] ($name:ident $($place:tt)*) $($more:tt)*) => {
        walks!(@one $name $($before)* $($place)*);
        walks!(@all [$($before)* $($place)*] $($more)*);
    };
    ($($groups:tt)*) => { walks!(@all [] $($groups)*); };
}

walks! {
    (Steps1 A0 0)
    (Steps2 A1 1)
    (Steps3 A2 2)
    (Steps4 A3 3)
    (Steps6 A4 4 A5 5)
    (Steps8 A6 6 A7 7)
    (Steps12 A8 8 A9 9 A10 10 A11 11)
    (Steps16 A12 12 A13 13 A14 14 A15 15)
    (Steps24 A16 16 A17 17 A18 18 A19 19 A20 20 A21 21 A22 22 A23 23)
    (Steps32 A24 24 A25 25 A26 26 A27 27 A28 28 A29 29 A30 30 A31 31)
    (Steps48
        A32 32 A33 33 A34 34 A35 35 A36 36 A37 37 A38 38 A39 39
        A40 40 A41 41 A42 42 A43 43 A44 44 A45 45 A46 46 A47 47)
    (Steps64
        A48 48 A49 49 A50 50 A51 51 A52 52 A53 53 A54 54 A55 55
        A56 56 A57 57 A58 58 A59 59 A60 60 A61 61 A62 62 A63 63)
}
