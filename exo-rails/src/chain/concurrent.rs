//! Runs the rails of a chain at one event concurrently.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use crate::chain::serves::Serves;
use crate::chain::walk::{At, Mode, Step, Walk};
use crate::chain::{NO_PLACE, RailList};
use crate::context::RailContext;
use crate::decision::{Decision, Outcome};
use crate::event::{Begins, Event, Inside, OperationResult};
use crate::rail::EventFact;

/// The progress of one rail.
enum Progress<E: Event> {
    Running,
    Passed,
    Stopped(Outcome<E>),
}

impl<E: Event> Progress<E> {
    /// Polls the rail if it is still running. Returns `true` if the rail has ended.
    fn poll<S: Step<E>>(
        &mut self,
        rail: Pin<&mut impl Future<Output = S::Out>>,
        ctx: &RailContext,
        task: &mut Context<'_>,
    ) -> bool {
        if !matches!(self, Self::Running) {
            return true;
        }
        let Poll::Ready(output) = rail.poll(task) else { return false };
        *self = match S::decide(output, ctx) {
            ControlFlow::Continue(()) => Self::Passed,
            ControlFlow::Break(outcome) => Self::Stopped(outcome),
        };
        true
    }
}

/// Polls the rails in the order of their priorities. The first rail that stops the event decides, as soon as all rails
/// before it have continued. The rails after it are not polled again.
///
/// `$waits` is true if an earlier rail is still running.
macro_rules! each {
    ($waits:ident, $ctx:ident, $task:ident; $($place:ident $progress:ident $future:ident $step:ty),*) => {
        $(
            $waits |= !$progress.poll::<$step>($future.as_mut(), $ctx, $task);
            if matches!($progress, Progress::Stopped(_)) {
                if $waits {
                    return Poll::Pending;
                }
                if let Progress::Stopped(outcome) = std::mem::replace(&mut $progress, Progress::Passed) {
                    return Poll::Ready(outcome);
                }
            }
        )*
    };
}

/// Declares walks that take all their steps concurrently. The unused steps of a walk are [`NoRail`](super::NoRail).
macro_rules! concurrent {
    ($($name:ident: $($place:ident $progress:ident $future:ident),*;)*) => {$(
        /// A walk that takes this number of steps concurrently. Each step is the place of a rail in the list of the chain.
        #[derive(Debug)]
        pub enum $name<$(const $place: usize = NO_PLACE),*> {}

        impl<E: Event, L: RailList<Chain: Serves<E>>, $(const $place: usize),*> Walk<E, L> for $name<$($place),*>
        where
            $(At<L, $place>: Step<E, Chain = L::Chain>,)*
        {
            const STEPS: usize = [$($place),*].len();

            // Unused steps come last, so the walk is empty if its first step is unused.
            const EMPTY: bool = <At<L, A0> as Step<E>>::INFO.name.is_empty();

            async fn walk<'a, M: Mode>(
                chain: &'a L::Chain,
                payload: E::Payload<'a>,
                ctx: &'a mut RailContext,
            ) -> Outcome<E> {
                let (shared, ctx) = (E::share(payload), &*ctx);
                $(
                    let mut $future = pin!(M::Step::<E, At<L, $place>>::call_concurrent(chain, shared, ctx));
                    let mut $progress = Progress::<E>::Running;
                )*
                poll_fn(move |task| {
                    let mut waits = false;
                    each!(waits, ctx, task; $($place $progress $future M::Step::<E, At<L, $place>>),*);
                    if waits { Poll::Pending } else { Poll::Ready(Ok(Decision::Continue)) }
                })
                .await
            }

            // No rail of a concurrent chain is always called.
            fn call_always_rails<'a, M: Mode>(
                _: &'a L::Chain,
                _: E::Payload<'a>,
                _: &'a mut RailContext,
                _: usize,
            ) -> impl Future<Output = ()> + Send {
                std::future::ready(())
            }

            // Rails that run concurrently do not surround operations.
            fn surround<'a, N>(
                next: N,
            ) -> impl Future<Output = OperationResult<E::Operation>> + Send
            where
                E: Begins,
                N: Inside<'a, E, L::Chain>,
            {
                next.run()
            }

            fn fact<F: EventFact>(chain: &L::Chain) -> F::Value {
                let facts = F::NONE;
                $(let facts = F::join(facts, <At<L, $place> as Step<E>>::fact::<F>(chain));)*
                facts
            }
        }
    )*};
}

concurrent! {
    Concurrent2: A0 p0 f0, A1 p1 f1;
    Concurrent4: A0 p0 f0, A1 p1 f1, A2 p2 f2, A3 p3 f3;
    Concurrent8: A0 p0 f0, A1 p1 f1, A2 p2 f2, A3 p3 f3, A4 p4 f4, A5 p5 f5, A6 p6 f6, A7 p7 f7;
    Concurrent16: A0 p0 f0, A1 p1 f1, A2 p2 f2, A3 p3 f3, A4 p4 f4, A5 p5 f5, A6 p6 f6, A7 p7 f7, A8 p8 f8, A9 p9 f9, A10 p10 f10, A11 p11 f11, A12 p12 f12, A13 p13 f13, A14 p14 f14, A15 p15 f15;
}
