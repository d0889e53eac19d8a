//! Rails around an operation that are listed at run time.

use futures_util::future::BoxFuture;

use super::rail_manager::ManagedEntry;
use crate::context::RunScope;
use crate::event::{Begins, Next, Operation, OperationResult};

/// Runs an operation, with what the rails of a list do around it.
pub(super) fn surround<'a, E: Begins>(
    rails: &'a [ManagedEntry<E>],
    inputs: &'a <E::Operation as Operation>::Inputs,
    next: impl Next<E::Operation> + 'a,
) -> BoxFuture<'a, OperationResult<E::Operation>> {
    let next = BoxedNext(Box::new(next));
    let around: Vec<_> = rails.iter().filter(|listed| listed.around).collect();
    // The last is the innermost.
    let next = around.into_iter().rev().fold(next, |next, listed| BoxedNext(Box::new(Listed { listed, inputs, next })));
    next.0.run()
}

/// What a rail of a list surrounds, without its type.
pub(super) struct BoxedNext<'a, O: Operation>(Box<dyn DynNext<'a, O> + 'a>);

trait DynNext<'a, O: Operation>: Send {
    fn run(self: Box<Self>) -> BoxFuture<'a, OperationResult<O>>;
    fn scope(&self) -> &RunScope;
    fn attempt(&self) -> u32;
}

impl<'a, O: Operation, N: Next<O> + 'a> DynNext<'a, O> for N {
    fn run(self: Box<Self>) -> BoxFuture<'a, OperationResult<O>> {
        Box::pin(Next::run(*self))
    }

    fn scope(&self) -> &RunScope {
        Next::scope(self)
    }

    fn attempt(&self) -> u32 {
        Next::attempt(self)
    }
}

impl<O: Operation> Next<O> for BoxedNext<'_, O> {
    fn run(self) -> impl Future<Output = OperationResult<O>> + Send {
        self.0.run()
    }

    fn scope(&self) -> &RunScope {
        self.0.scope()
    }

    fn attempt(&self) -> u32 {
        self.0.attempt()
    }
}

/// An operation with what one rail of a list does around it.
struct Listed<'a, E: Begins> {
    listed: &'a ManagedEntry<E>,
    inputs: &'a <E::Operation as Operation>::Inputs,
    next: BoxedNext<'a, E::Operation>,
}

impl<E: Begins> Next<E::Operation> for Listed<'_, E> {
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        self.listed.rail.surround(self.inputs, self.next)
    }

    fn scope(&self) -> &RunScope {
        Next::scope(&self.next)
    }

    fn attempt(&self) -> u32 {
        Next::attempt(&self.next)
    }
}
