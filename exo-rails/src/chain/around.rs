//! The rails of a chain around an operation: each runs the next one, and the last one runs the operation.

use crate::chain::serves::Serves;
use crate::chain::walk::{Step, StepsOn, Walk};
use crate::context::RunScope;
use crate::event::{Begins, Innermost, Next, Operation, OperationResult, Watched};

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

    /// See [`Serves::execute`].
    fn execute<'a, E, L, X>(
        chain: &'a L::Chain,
        inputs: &'a <E::Operation as Operation>::Inputs,
        innermost: X,
    ) -> impl Future<Output = Result<OperationResult<E::Operation>, X::Over>> + Send
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        X: Innermost<E::Operation>;
}

/// Whether there are rails around operations, as a type.
#[derive(Debug)]
pub enum HasAround<const YES: bool> {}

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

impl WithoutAround for HasAround<false> {}

impl AroundMode for HasAround<false> {
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

    #[inline(always)]
    fn execute<'a, E, L, X>(
        _: &'a L::Chain,
        _: &'a <E::Operation as Operation>::Inputs,
        innermost: X,
    ) -> impl Future<Output = Result<OperationResult<E::Operation>, X::Over>> + Send
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        X: Innermost<E::Operation>,
    {
        innermost.execute()
    }
}

impl AroundMode for HasAround<true> {
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
        L::Steps::surround(&Surroundings { chain, inputs }, next).await
    }

    async fn execute<'a, E, L, X>(
        chain: &'a L::Chain,
        inputs: &'a <E::Operation as Operation>::Inputs,
        innermost: X,
    ) -> Result<OperationResult<E::Operation>, X::Over>
    where
        E: Begins,
        L: StepsOn<E, Chain: Serves<E>>,
        X: Innermost<E::Operation>,
    {
        let mut watched = Watched::new(innermost);
        let result = L::Steps::surround(&Surroundings { chain, inputs }, &mut watched).await;
        watched.ended(result)
    }
}

/// What the rails around an operation share.
pub struct Surroundings<'a, C, I> {
    pub(super) chain: &'a C,
    pub(super) inputs: &'a I,
}

/// What the rails of chain `C` around the operation of event `E` share.
pub type SurroundingsOf<'a, E, C> = Surroundings<'a, C, <<E as Begins>::Operation as Operation>::Inputs>;

/// An operation with what the rail of a step does around it.
pub(super) struct Around<'a, E: Begins, S: Step<E>, N> {
    pub(super) at: &'a SurroundingsOf<'a, E, S::Chain>,
    pub(super) next: N,
}

impl<E, S, N> Next<E::Operation> for Around<'_, E, S, N>
where
    E: Begins,
    S: Step<E, Chain: Sync>,
    N: Next<E::Operation>,
{
    #[inline(always)]
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        S::surround(self.at, self.next)
    }

    fn scope(&self) -> &RunScope {
        self.next.scope()
    }

    fn attempt(&self) -> u32 {
        self.next.attempt()
    }
}
