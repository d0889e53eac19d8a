//! Rails around an operation, in a list that is made at run time.

use futures_util::future::BoxFuture;

use super::managed_entry::ManagedEntry;
use crate::context::RunScope;
use crate::event::{Begins, BoxedNext, Next, Operation, OperationResult};

/// Runs an operation inside the rails around it.
pub(super) fn surround<'a, E: Begins>(
    rails: &'a [ManagedEntry<E>],
    inputs: &'a <E::Operation as Operation>::Inputs,
    next: impl Next<E::Operation> + 'a,
) -> BoxFuture<'a, OperationResult<E::Operation>> {
    let next = BoxedNext::new(next);
    let around: Vec<_> = rails.iter().filter(|listed| listed.around).collect();
    // The last rail of the list is the innermost.
    let next = around.into_iter().rev().fold(next, |next, entry| BoxedNext::new(Listed { entry, inputs, next }));
    Box::pin(next.run())
}

/// An operation inside one rail of a list.
struct Listed<'a, E: Begins> {
    entry: &'a ManagedEntry<E>,
    inputs: &'a <E::Operation as Operation>::Inputs,
    next: BoxedNext<'a, E::Operation>,
}

impl<E: Begins> Next<E::Operation> for Listed<'_, E> {
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        self.entry.rail.surround(self.inputs, self.next)
    }

    fn scope(&self) -> &RunScope {
        Next::scope(&self.next)
    }

    fn attempt(&self) -> u32 {
        Next::attempt(&self.next)
    }
}
