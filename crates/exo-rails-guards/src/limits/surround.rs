//! What guards around an operation share.

use std::pin::Pin;

use exo_rails::{Next, Operation, OperationResult};

/// Runs the rest of an operation in a box.
///
/// Each rail around an operation is a layer of the type of its future, and the compiler limits the depth of a type. A kit has three
/// such guards, and a program can have a kit in a kit. With a box, the layers inside do not count. It costs one allocation for each
/// call that the guard surrounds.
pub(crate) fn boxed<'n, O: Operation>(
    next: impl Next<O> + 'n,
) -> Pin<Box<dyn Future<Output = OperationResult<O>> + Send + 'n>> {
    Box::pin(async move { next.run().await })
}
