//! The functions that a guarded operation calls.

use futures_core::Stream;

use crate::error::OperationError;
use crate::message::{ModelCallInputs, ModelDelta};
use crate::operation::failure::IntoFailure;
use crate::operation::permit::Permit;

/// A function that a guarded operation calls with the permit: an async function or closure.
///
/// The library implements the trait for every `FnMut(Permit<I>)` whose future returns a `Result`. The value
/// [converts](Into) into `O`: a tool, a model and a run can return text. The error is [any error](IntoFailure). The
/// methods of [`Guard`](crate::Guard) also require `Send`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation that can be guarded",
    label = "not an operation",
    note = "an operation is an async function or closure that takes a `Permit<{I}>`, like `|call| async move {{ tools.run(call).await }}`",
    note = "it returns `Result<{O}, _>`: the error is an error type or text, and a tool, a model and a run may return text as the output",
    note = "a retry calls the closure again: clone what it captures, and borrow nothing by `&mut`; inside a run, take a context from the permit, `let mut ctx = run.context();`"
)]
pub trait Guarded<I, O, E>: FnMut(Permit<I>) -> Self::Future {
    // An associated type, not a parameter of the methods. With it, the compiler knows that the future borrows from the
    // same places as the closure when it checks whether a task is `Send`.
    /// The future that the function returns.
    type Future: Future<Output = Result<Self::Value, Self::Error>>;

    /// The value of the future.
    type Value: Into<O>;

    /// The error of the future.
    type Error: IntoFailure<E>;
}

// The bound `Send` is on the methods and not here, so that rustc names the value that is not `Send`.
#[diagnostic::do_not_recommend]
impl<I, O, E, F, Fut, Output, Error> Guarded<I, O, E> for F
where
    F: FnMut(Permit<I>) -> Fut,
    Fut: Future<Output = Result<Output, Error>>,
    Output: Into<O>,
    Error: IntoFailure<E>,
{
    type Future = Fut;
    type Value = Output;
    type Error = Error;
}

/// A function that [`guard_stream`](crate::Guard::guard_stream) calls with the permit. It returns a stream of
/// [`ModelDelta`]s.
///
/// The library implements the trait for every `FnMut(Permit<ModelCallInputs>)` whose stream is `Send` and yields
/// `Result<ModelDelta, E>`, where `E` is [any error](IntoFailure).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model call that can be streamed",
    label = "not a streamed model call",
    note = "a streamed model call is a function or closure that takes a permit and returns a stream, like `|request| model.stream(request)`",
    note = "the stream is `Send` and yields `Result<ModelDelta, _>`: the error is an error type or text",
    note = "a retry calls the closure again: clone what it captures, and borrow nothing by `&mut`"
)]
pub trait GuardedStream: FnMut(Permit<ModelCallInputs>) -> Self::Stream + Send {
    /// The stream that the function returns.
    type Stream: Stream<Item = Result<ModelDelta, Self::Error>> + Send;

    /// The error of the stream.
    type Error: IntoFailure<OperationError> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, S, Error> GuardedStream for F
where
    F: FnMut(Permit<ModelCallInputs>) -> S + Send,
    S: Stream<Item = Result<ModelDelta, Error>> + Send,
    Error: IntoFailure<OperationError> + Send,
{
    type Stream = S;
    type Error = Error;
}
