//! The steps of a chain at one event, taken one after the other.
//!
//! A step is the direct call of a rail at a known place. The code of a walk is here and not in the expansion of
//! `rail_chain!`, so that the compiler checks it once, when it compiles this library, and not with every chain.

use std::marker::PhantomData;
use std::ops::ControlFlow;

use tracing::{Instrument, Span};

use crate::chain::RailAt;
use crate::chain::serves::Serves;
use crate::context::{RailContext, StoppedBy};
use crate::decision::{Decision, Outcome};
use crate::event::{Event, Payloads};
use crate::point::RailInfo;
use crate::rail::{Rail, RailOn, Stateless};
use crate::telemetry;

/// The steps of a chain at event `E`.
pub trait Walk<E: Event> {
    /// The chain that they are of.
    type Chain;

    /// How many steps there are.
    const STEPS: usize;

    /// Whether none of them is the call of a rail.
    const EMPTY: bool;

    /// Takes the steps until a rail does not continue.
    fn walk<'a, N: Note>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls the rails from this step on that are always called.
    fn observe<'a, N: Note>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        from: usize,
    ) -> impl Future<Output = ()> + Send;
}

/// The steps of event `E`, in the order that the constants know. The macro implements it beside [`RailAt`].
pub trait StepsOn<E: Event>: super::Places {
    /// Which place is at which step.
    type Steps: Walk<E, Chain = Self::Chain>;
}

/// How a walk takes its steps: whether it notes at which one it was stopped, which only chains with rails that are always
/// called want to know, and whether it opens a span around each.
///
/// What is left out is no code at all: a step is then the call of the rail and nothing else.
pub trait Note {
    /// What a step gives.
    type Out<E: Event, S: Step<E>>: Send;

    /// Takes a step.
    fn call<'a, E: Event, S: Step<E>>(
        chain: &'a S::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out<E, S>> + Send;

    /// Takes a step beside others.
    fn call_concurrent<'a, E: Event, S: Step<E>>(
        chain: &'a S::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out<E, S>> + Send;

    /// What the rail decided.
    fn decide<E: Event, S: Step<E>>(output: Self::Out<E, S>) -> ControlFlow<Outcome<E>>;

    /// Calls the rail of a step when it is one that is always called.
    fn observe<'a, E: Event, S: Step<E>>(
        chain: &'a S::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;

    /// The walk was stopped at this step.
    fn stopped_at(ctx: &mut RailContext, step: usize);

    /// What it noted was a step after so many others.
    fn after(ctx: &mut RailContext, steps: usize);
}

/// Steps that are the calls of their rails.
macro_rules! plain_steps {
    () => {
        type Out<E: Event, S: Step<E>> = S::Out;

        #[inline(always)]
        fn call<'a, E: Event, S: Step<E>>(
            chain: &'a S::Chain,
            payload: E::Payload<'a>,
            ctx: &'a mut RailContext,
        ) -> impl Future<Output = S::Out> + Send {
            S::call(chain, payload, ctx)
        }

        fn call_concurrent<'a, E: Event, S: Step<E>>(
            chain: &'a S::Chain,
            payload: E::Shared<'a>,
            ctx: &'a RailContext,
        ) -> impl Future<Output = S::Out> + Send {
            S::call_concurrent(chain, payload, ctx)
        }

        #[inline(always)]
        fn decide<E: Event, S: Step<E>>(output: S::Out) -> ControlFlow<Outcome<E>> {
            S::decide(output)
        }

        fn observe<'a, E: Event, S: Step<E>>(
            chain: &'a S::Chain,
            payload: E::Payload<'a>,
            ctx: &'a mut RailContext,
        ) -> impl Future<Output = ()> + Send {
            S::observe(chain, payload, ctx)
        }
    };
}

/// Nobody wants to know.
#[derive(Debug)]
pub enum Unnoted {}

impl Note for Unnoted {
    plain_steps!();

    #[inline(always)]
    fn stopped_at(_: &mut RailContext, _: usize) {}

    #[inline(always)]
    fn after(_: &mut RailContext, _: usize) {}
}

/// It is noted in the context.
#[derive(Debug)]
pub enum Noted {}

impl Note for Noted {
    plain_steps!();

    #[cold]
    fn stopped_at(ctx: &mut RailContext, step: usize) {
        ctx.stopped_at = step;
    }

    #[cold]
    fn after(ctx: &mut RailContext, steps: usize) {
        ctx.stopped_at += steps;
    }
}

/// The same with a span around each rail.
#[derive(Debug)]
pub struct InSpans<N>(PhantomData<N>);

impl<N: Note> Note for InSpans<N> {
    type Out<E: Event, S: Step<E>> = ControlFlow<Outcome<E>>;

    fn call<'a, E: Event, S: Step<E>>(
        chain: &'a S::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ControlFlow<Outcome<E>>> + Send {
        let span = span_of::<E, S>();
        // In the span: a rail that does not wait does its work when it is called.
        let call = span.in_scope(|| S::call(chain, payload, ctx));
        in_span::<E, S>(span, call)
    }

    fn call_concurrent<'a, E: Event, S: Step<E>>(
        chain: &'a S::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = ControlFlow<Outcome<E>>> + Send {
        let span = span_of::<E, S>();
        let call = span.in_scope(|| S::call_concurrent(chain, payload, ctx));
        in_span::<E, S>(span, call)
    }

    fn decide<E: Event, S: Step<E>>(flow: ControlFlow<Outcome<E>>) -> ControlFlow<Outcome<E>> {
        flow
    }

    fn observe<'a, E: Event, S: Step<E>>(
        chain: &'a S::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        let span = if S::ALWAYS { telemetry::rail_span(&S::INFO, E::POINT) } else { Span::none() };
        let call = span.in_scope(|| S::observe(chain, payload, ctx));
        async move {
            call.instrument(span.clone()).await;
            telemetry::flowed::<E>(&span, &ControlFlow::Continue(()));
        }
    }

    fn stopped_at(ctx: &mut RailContext, step: usize) {
        N::stopped_at(ctx, step);
    }

    fn after(ctx: &mut RailContext, steps: usize) {
        N::after(ctx, steps);
    }
}

/// The span of a step. The steps after the last rail are no rails.
fn span_of<E: Event, S: Step<E>>() -> Span {
    if S::INFO.name.is_empty() { Span::none() } else { telemetry::rail_span(&S::INFO, E::POINT) }
}

/// What a call in a span comes to, which the span tells.
async fn in_span<E: Event, S: Step<E>>(
    span: Span,
    call: impl Future<Output = S::Out> + Send,
) -> ControlFlow<Outcome<E>> {
    let output = call.instrument(span.clone()).await;
    let flow = span.in_scope(|| S::decide(output));
    telemetry::flowed::<E>(&span, &flow);
    flow
}

/// Whether there are spans around rails.
pub trait Spans {
    /// How steps are taken that would be taken like this without spans.
    type Around<N: Note>: Note;
}

/// There are none.
#[derive(Debug)]
pub enum Untraced {}

impl Spans for Untraced {
    type Around<N: Note> = N;
}

/// There are: the chain has `#[chain(trace)]`.
#[derive(Debug)]
pub enum Traced {}

impl Spans for Traced {
    type Around<N: Note> = InSpans<N>;
}

/// How the steps of an event are taken: whether there are rails that are always called, and whether there are spans.
#[derive(Debug)]
pub struct Always<const THERE_ARE: bool, T = Untraced>(PhantomData<T>);

/// What a chain does at an event. See [`Always`].
pub trait Course {
    /// Runs the rails.
    fn take_steps<'a, E: Event, W: Walk<E, Chain: Serves<E>>>(
        chain: &'a W::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Calls only those that are always called: a rail of the chain around has stopped the event.
    fn observe<'a, E: Event, W: Walk<E, Chain: Serves<E>>>(
        chain: &'a W::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;
}

impl<T: Spans> Course for Always<false, T> {
    #[inline(always)]
    fn take_steps<'a, E: Event, W: Walk<E, Chain: Serves<E>>>(
        chain: &'a W::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send {
        W::walk::<T::Around<Unnoted>>(chain, payload, ctx)
    }

    fn observe<'a, E: Event, W: Walk<E, Chain: Serves<E>>>(
        _: &'a W::Chain,
        _: E::Payload<'a>,
        _: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

impl<T: Spans> Course for Always<true, T> {
    async fn take_steps<'a, E: Event, W: Walk<E, Chain: Serves<E>>>(
        chain: &'a W::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> Outcome<E> {
        let outcome = W::walk::<T::Around<Noted>>(chain, E::reborrow(&mut payload), ctx).await;
        if let Some(stopped) = StoppedBy::of::<E>(&outcome) {
            let from = ctx.stopped_at + 1;
            ctx.set_stopped(stopped);
            W::observe::<T::Around<Noted>>(chain, payload, ctx, from).await;
        }
        outcome
    }

    fn observe<'a, E: Event, W: Walk<E, Chain: Serves<E>>>(
        chain: &'a W::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        W::observe::<T::Around<Noted>>(chain, payload, ctx, 0)
    }
}

/// The first steps of a long chain, and the others.
#[derive(Debug)]
pub struct Then<A, B>(PhantomData<(A, B)>);

impl<E: Event, A: Walk<E, Chain: Serves<E>>, B: Walk<E, Chain = A::Chain>> Walk<E> for Then<A, B> {
    type Chain = A::Chain;

    const STEPS: usize = A::STEPS + B::STEPS;

    const EMPTY: bool = A::EMPTY;

    async fn walk<'a, N: Note>(
        chain: &'a A::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> Outcome<E> {
        match A::walk::<N>(chain, E::reborrow(&mut payload), ctx).await {
            Ok(Decision::Continue) => {}
            stopped => return stopped,
        }
        // Most chains with so many rails have few on any one event. A constant: of steps that are none, there is no code.
        if B::EMPTY {
            return Ok(Decision::Continue);
        }
        let outcome = B::walk::<N>(chain, E::reborrow(&mut payload), ctx).await;
        if !matches!(outcome, Ok(Decision::Continue)) {
            N::after(ctx, A::STEPS);
        }
        outcome
    }

    async fn observe<'a, N: Note>(
        chain: &'a A::Chain,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        from: usize,
    ) {
        A::observe::<N>(chain, E::reborrow(&mut payload), ctx, from).await;
        if !B::EMPTY {
            B::observe::<N>(chain, payload, ctx, from.saturating_sub(A::STEPS)).await;
        }
    }
}

/// How a walk comes from the chain to a rail in it.
pub trait Access<C, R> {
    /// The rail.
    fn rail(chain: &C) -> &R;
}

/// The rail has no state, so there is one for all chains.
#[derive(Debug)]
pub enum ByName {}

impl<C, R: Stateless> Access<C, R> for ByName {
    #[inline(always)]
    fn rail(_: &C) -> &R {
        R::RAIL
    }
}

/// The place `I` of a list of rails, as a type.
#[derive(Debug)]
pub struct At<P, const I: usize>(PhantomData<P>);

/// One step of a chain at event `E`: a direct call of the rail at a known place.
///
/// With a variable for the rail, or a match on what comes back in the walk itself, the future of a walk would grow
/// with each step: the compiler keeps a flag for what may have to be dropped.
pub trait Step<E: Event> {
    /// The chain.
    type Chain;
    /// What the rail returns.
    type Out: Send;
    /// The rail; its name is empty where there is none.
    const INFO: RailInfo;
    /// Whether it is one that is always called.
    const ALWAYS: bool;

    /// Calls the rail.
    fn call<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send;

    /// Calls the rail beside others.
    fn call_concurrent<'a>(
        chain: &'a Self::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send;

    /// What the rail decided.
    fn decide(output: Self::Out) -> ControlFlow<Outcome<E>>;

    /// Calls the rail when it is one that is always called.
    fn observe<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send;
}

impl<E: Event, P: RailAt<I>, const I: usize> Step<E> for At<P, I>
where
    P::Rail: RailOn<E> + 'static,
    P::Access: Access<P::Chain, P::Rail>,
{
    type Chain = P::Chain;
    type Out = <P::Rail as RailOn<E>>::Out;
    const INFO: RailInfo = <P::Rail as Rail>::INFO;
    const ALWAYS: bool = <P::Rail as RailOn<E>>::ALWAYS;

    #[inline(always)]
    fn call<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        P::Access::rail(chain).call(payload, ctx)
    }

    fn call_concurrent<'a>(
        chain: &'a Self::Chain,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        P::Access::rail(chain).call_concurrent(payload, ctx)
    }

    #[inline(always)]
    fn decide(output: Self::Out) -> ControlFlow<Outcome<E>> {
        P::Rail::decide(output)
    }

    fn observe<'a>(
        chain: &'a Self::Chain,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = ()> + Send {
        P::Access::rail(chain).call_if_always(payload, ctx)
    }
}

/// Walks of certain lengths; a chain takes the shortest in which its rails have room, and fills it with
/// [`NoRail`](super::NoRail). Each group adds to those before it.
macro_rules! walks {
    (@one $name:ident $($place:ident $step:literal)*) => {
        /// A walk of this many steps: each the place of a rail in the list `P`.
        #[derive(Debug)]
        pub struct $name<P, $(const $place: usize),*>(PhantomData<P>);

        impl<E: Event, P: super::Places<Chain: Serves<E>>, $(const $place: usize),*> Walk<E>
            for $name<P, $($place),*>
        where
            $(At<P, $place>: Step<E, Chain = P::Chain>,)*
        {
            type Chain = P::Chain;

            const STEPS: usize = [$($step),*].len();

            // Those that are none come last.
            const EMPTY: bool = <At<P, A0> as Step<E>>::INFO.name.is_empty();

            #[inline]
            fn walk<'a, N: Note>(
                chain: &'a Self::Chain,
                mut payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> impl Future<Output = Outcome<E>> + Send {
                // Not an `async fn`: that would keep its arguments twice.
                async move {
                    // They are kept in this order, in which rails take them: so both are lent in one move.
                    let _ = (&payload, &ctx);
                    $(
                        let lent = <E as Payloads>::reborrow(&mut payload);
                        let output = N::call::<E, At<P, $place>>(chain, lent, &mut *ctx).await;
                        match N::decide::<E, At<P, $place>>(output) {
                            ControlFlow::Break(outcome) => {
                                N::stopped_at(ctx, $step);
                                return outcome;
                            }
                            ControlFlow::Continue(()) => {}
                        }
                    )*
                    Ok(Decision::Continue)
                }
            }

            async fn observe<'a, N: Note>(
                chain: &'a Self::Chain,
                mut payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
                from: usize,
            ) {
                $(
                    if from <= $step {
                        N::observe::<E, At<P, $place>>(chain, E::reborrow(&mut payload), &mut *ctx).await;
                    }
                )*
            }
        }
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

/// The most steps that one walk has.
const LONGEST: usize = 64;

/// Declares [`Order`] with a field for each step.
macro_rules! order {
    ($($field:ident $step:literal)*) => {
        /// Which places are at the steps of one walk, as fields: when an expansion names a field, the compiler has
        /// half the work that it has with an element of a list.
        #[allow(missing_docs)]
        #[derive(Clone, Copy, Debug)]
        pub struct Order { $(pub $field: usize,)* }

        impl Order {
            /// The steps of an event from this one on.
            #[must_use]
            pub const fn from<const N: usize>(order: &[usize; N], start: usize) -> Self {
                let (mut places, mut i) = ([N; LONGEST], 0);
                while i < LONGEST && start + i < N {
                    places[i] = order[start + i];
                    i += 1;
                }
                Self { $($field: places[$step],)* }
            }
        }
    };
}

order! {
    s0 0 s1 1 s2 2 s3 3 s4 4 s5 5 s6 6 s7 7 s8 8 s9 9 s10 10 s11 11 s12 12 s13 13 s14 14 s15 15
    s16 16 s17 17 s18 18 s19 19 s20 20 s21 21 s22 22 s23 23 s24 24 s25 25 s26 26 s27 27 s28 28 s29 29 s30 30 s31 31
    s32 32 s33 33 s34 34 s35 35 s36 36 s37 37 s38 38 s39 39 s40 40 s41 41 s42 42 s43 43 s44 44 s45 45 s46 46 s47 47
    s48 48 s49 49 s50 50 s51 51 s52 52 s53 53 s54 54 s55 55 s56 56 s57 57 s58 58 s59 59 s60 60 s61 61 s62 62 s63 63
}
