//! The rails of a chain around an operation. Each rail runs the next one, and the last rail runs the operation.

use std::marker::PhantomData;

use crate::chain::serves::Serves;
use crate::chain::walk::{Step, StepsOn, Walk};
use crate::context::RunScope;
use crate::event::{
    Begins, Inside, Layer, Next, NoLayer, OneLayer, Operation, OperationResult, Surroundings, SurroundingsOf,
};
use crate::rail::facts;

/// Whether a chain has rails around operations. This is a type, so a chain without such rails contains no code for them.
pub trait AroundMode {
    /// The layer of the chain as a rail of an outer chain.
    type Layer: Layer;

    /// See [`Serves::surround`].
    fn surround<'a, E, L, N>(
        chain: &'a L::Chain,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        N: Next<E::Operation>;
}

/// Whether a chain has rails around operations, as a type: `0` if it has none, `1` if all of them are always present, `2`
/// if some of them may be absent.
#[derive(Debug)]
pub enum HasAround<const RAILS: u8> {}

/// A chain without rails [around an operation](macro@crate::rail#rails-around-an-operation). Only such a chain can be
/// [registered](crate::GuardSet::register), because a hook does not run the operation.
///
/// Generic code that registers chains needs this bound:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{Chain, WithoutAround};
///
/// fn registered<C>(chain: C) -> HookManager
/// where
///     C: Chain<Around: WithoutAround> + GuardSet + 'static,
/// {
///     let mut hooks = HookManager::new();
///     chain.register(&mut hooks);
///     hooks
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "a chain that has rails around an operation cannot be registered with a `HookManager`",
    label = "may have a rail with `around`",
    note = "a hook sees an event and runs no operation: guard the agent or the operation with the chain itself, or add it to a `RailManager`",
    note = "in code that is generic over chains, write the bound `C: Chain<Around: WithoutAround>`"
)]
pub trait WithoutAround {}

impl WithoutAround for HasAround<0> {}

impl AroundMode for HasAround<0> {
    type Layer = NoLayer;

    #[inline(always)]
    fn surround<'a, E, L, N>(
        _: &'a L::Chain,
        _: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        N: Next<E::Operation>,
    {
        next.run()
    }
}

impl AroundMode for HasAround<1> {
    type Layer = OneLayer;

    #[inline(always)]
    fn surround<'a, E, L, N>(
        chain: &'a L::Chain,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        N: Next<E::Operation>,
    {
        L::Steps::surround(InChain::new(Surroundings { chain, inputs }, next))
    }
}

impl AroundMode for HasAround<2> {
    type Layer = OneLayer;

    async fn surround<'a, E, L, N>(
        chain: &'a L::Chain,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> OperationResult<E::Operation>
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        N: Next<E::Operation>,
    {
        // If all of them are absent, each absent rail costs a branch, and not a future that finds the rail absent.
        if L::Steps::fact::<facts::Surrounds>(chain) {
            HasAround::<1>::surround::<E, L, N>(chain, inputs, next).await
        } else {
            next.run().await
        }
    }
}

/// The operation for the innermost rail.
pub(super) struct InChain<'a, C, I, N> {
    // Only the innermost value has this field, because each rail moves the value that it surrounds.
    at: Surroundings<'a, C, I>,
    next: N,
}

impl<'a, C, I, N> InChain<'a, C, I, N> {
    pub(super) const fn new(at: Surroundings<'a, C, I>, next: N) -> Self {
        Self { at, next }
    }
}

impl<'a, E, C, N> Inside<'a, E, C> for InChain<'a, C, <E::Operation as Operation>::Inputs, N>
where
    E: Begins,
    C: Sync,
    N: Next<E::Operation>,
{
    #[inline(always)]
    fn at(&self) -> SurroundingsOf<'a, E, C> {
        self.at
    }
}

impl<C, O, N> Next<O> for InChain<'_, C, O::Inputs, N>
where
    C: Sync,
    O: Operation,
    N: Next<O>,
{
    #[inline(always)]
    fn run(self) -> impl Future<Output = OperationResult<O>> + Send {
        self.next.run()
    }

    fn scope(&self) -> &RunScope {
        self.next.scope()
    }

    fn attempt(&self) -> u32 {
        self.next.attempt()
    }
}

/// An operation inside the rail of step `S`.
pub struct Around<'a, E, S, N> {
    next: N,
    step: PhantomData<fn(&'a E) -> S>,
}

impl<E, S, N> Around<'_, E, S, N> {
    #[inline(always)]
    pub(super) const fn new(next: N) -> Self {
        Self { next, step: PhantomData }
    }
}

impl<'a, E, S, N> Inside<'a, E, S::Chain> for Around<'a, E, S, N>
where
    E: Begins,
    S: Step<E>,
    N: Inside<'a, E, S::Chain>,
{
    #[inline(always)]
    fn at(&self) -> SurroundingsOf<'a, E, S::Chain> {
        self.next.at()
    }
}

impl<'a, E, S, N> Next<E::Operation> for Around<'a, E, S, N>
where
    E: Begins,
    S: Step<E>,
    N: Inside<'a, E, S::Chain>,
{
    #[inline(always)]
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        S::surround(self.next)
    }

    fn scope(&self) -> &RunScope {
        self.next.scope()
    }

    fn attempt(&self) -> u32 {
        self.next.attempt()
    }
}
