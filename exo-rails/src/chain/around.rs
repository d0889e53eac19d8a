//! The rails of a chain around an operation: each runs the next one, and the last one runs the operation.

use std::marker::PhantomData;

use crate::chain::serves::Serves;
use crate::chain::walk::{Step, StepsOn, Walk};
use crate::context::RunScope;
use crate::event::{Begins, Next, Operation, OperationResult};

/// Whether a chain has rails around operations. It is a type, so a chain contains no code for what it does not use.
pub trait AroundMode {
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

/// Whether there are rails around operations, as a type: `0` for none, `1` when all of them are there, `2` when some may be
/// absent.
#[derive(Debug)]
pub enum HasAround<const RAILS: u8> {}

/// Says of a chain that it has no rails [around an operation](macro@crate::rail#rails-around-an-operation): a hook runs no
/// operation, so only such a chain can be [registered](crate::GuardSet::register).
///
/// Code that is generic over chains and registers them needs it as a bound:
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
    note = "code that is generic over chains asks for those without such rails: `C: Chain<Around: WithoutAround>`"
)]
pub trait WithoutAround {}

impl WithoutAround for HasAround<0> {}

impl AroundMode for HasAround<0> {
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
        // Where all of them are absent, an absent rail costs a branch, and no future that finds it absent.
        if L::Steps::surrounds(chain) {
            HasAround::<1>::surround::<E, L, N>(chain, inputs, next).await
        } else {
            next.run().await
        }
    }
}

/// What the rails around an operation share.
pub struct Surroundings<'a, C, I> {
    pub(super) chain: &'a C,
    pub(super) inputs: &'a I,
}

// Not derived: that would ask for the same of the chain.
impl<C, I> Clone for Surroundings<'_, C, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, I> Copy for Surroundings<'_, C, I> {}

/// What the rails of chain `C` around the operation of event `E` share.
pub type SurroundingsOf<'a, E, C> = Surroundings<'a, C, <<E as Begins>::Operation as Operation>::Inputs>;

/// An operation inside rails of chain `C`, which find there what they share.
pub trait Inside<'a, E: Begins, C: 'a>: Next<E::Operation> {
    /// What they share.
    fn at(&self) -> SurroundingsOf<'a, E, C>;
}

/// What the innermost of the rails runs.
pub(super) struct InChain<'a, C, I, N> {
    // Here only: each of the rails moves what is further in.
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

/// An operation with what the rail of step `S` does around it.
pub(super) struct Around<'a, E, S, N> {
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
    S: Step<E, Chain: Sync>,
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
    S: Step<E, Chain: Sync>,
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
