//! What a guarded operation calls.

use futures_core::Stream;

use crate::error::OperationError;
use crate::message::{ModelCallInputs, ModelDelta};
use crate::operation::permit::Permit;

/// What a guarded operation calls with the permit: an async function or closure.
///
/// It is implemented for every `FnMut(Permit<I>)` whose future is `Send` and yields `Result<O, E>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation that can be guarded",
    label = "not an operation",
    note = "an operation is an async function or closure of a permit, like `|call| async move {{ tools.run(call).await }}`",
    note = "it takes a `Permit<{I}>`; its future is `Send` and yields `Result<{O}, _>` with an error that converts into `{E}`",
    note = "inside a run, take a context from its permit: `let mut ctx = run.context();`"
)]
pub trait Guarded<I, O, E>: FnMut(Permit<I>) -> Self::Future + Send {
    // An associated type and not a parameter of the methods: so the compiler sees, when it looks whether a
    // task is `Send`, that the future borrows from the same places as the closure.
    /// What it returns.
    type Future: Future<Output = Result<O, Self::Error>> + Send;

    /// How it fails.
    type Error: Into<E> + Send;
}

#[diagnostic::do_not_recommend]
impl<I, O, E, F, Fut, Error> Guarded<I, O, E> for F
where
    F: FnMut(Permit<I>) -> Fut + Send,
    Fut: Future<Output = Result<O, Error>> + Send,
    Error: Into<E> + Send,
{
    type Future = Fut;
    type Error = Error;
}

/// What [`guard_stream`](crate::Guard::guard_stream) calls with the permit: a function or closure that gives a stream of
/// [`ModelDelta`]s.
///
/// It is implemented for every `FnMut(Permit<ModelCallInputs>)` whose stream is `Send` and yields
/// `Result<ModelDelta, E>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model call that can be streamed",
    label = "not a streamed model call",
    note = "a streamed model call is a function or closure of a permit that gives a stream, like `|request| model.stream(request)`",
    note = "the stream is `Send` and yields `Result<ModelDelta, _>` with an error that converts into `OperationError`"
)]
pub trait GuardedStream: FnMut(Permit<ModelCallInputs>) -> Self::Stream + Send {
    /// What it gives.
    type Stream: Stream<Item = Result<ModelDelta, Self::Error>> + Send;

    /// How it fails.
    type Error: Into<OperationError> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, S, Error> GuardedStream for F
where
    F: FnMut(Permit<ModelCallInputs>) -> S + Send,
    S: Stream<Item = Result<ModelDelta, Error>> + Send,
    Error: Into<OperationError> + Send,
{
    type Stream = S;
    type Error = Error;
}
