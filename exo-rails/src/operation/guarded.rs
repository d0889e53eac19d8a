//! What a guarded operation calls.

use futures_core::Stream;

use crate::error::OperationError;
use crate::message::{ModelCallInputs, ModelDelta};
use crate::operation::failure::IntoFailure;
use crate::operation::permit::Permit;

/// What a guarded operation calls with the permit: an async function or closure.
///
/// It is implemented for every `FnMut(Permit<I>)` whose future yields a `Result`: its value [converts](Into) into `O`, so
/// text is fine for a tool, a model and a run, and its error is [any error](IntoFailure). The methods of
/// [`Guard`](crate::Guard) ask for `Send` as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operation that can be guarded",
    label = "not an operation",
    note = "an operation is an async function or closure of a `Permit<{I}>`, like `|call| async move {{ tools.run(call).await }}`",
    note = "it returns `Result<{O}, _>`, where the error is an error type or text; text may stand for the output of a tool, a model and a run",
    note = "a retry calls it again, so it borrows nothing by `&mut`: inside a run, take a context from its permit, `let mut ctx = run.context();`"
)]
pub trait Guarded<I, O, E>: FnMut(Permit<I>) -> Self::Future {
    // An associated type and not a parameter of the methods: so the compiler sees, when it looks whether a
    // task is `Send`, that the future borrows from the same places as the closure.
    /// What it returns.
    type Future: Future<Output = Result<Self::Value, Self::Error>>;

    /// What it yields.
    type Value: Into<O>;

    /// How it fails.
    type Error: IntoFailure<E>;
}

// Without a bound `Send`: the methods ask for it apart from the shape, so that rustc names the value that is not.
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

/// What [`guard_stream`](crate::Guard::guard_stream) calls with the permit: a function or closure that gives a stream of
/// [`ModelDelta`]s.
///
/// It is implemented for every `FnMut(Permit<ModelCallInputs>)` whose stream is `Send` and yields
/// `Result<ModelDelta, E>`, where `E` is [any error](IntoFailure).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model call that can be streamed",
    label = "not a streamed model call",
    note = "a streamed model call is a function or closure of a permit that gives a stream, like `|request| model.stream(request)`",
    note = "the stream is `Send` and yields `Result<ModelDelta, _>`, where the error is an error type or text"
)]
pub trait GuardedStream: FnMut(Permit<ModelCallInputs>) -> Self::Stream + Send {
    /// What it gives.
    type Stream: Stream<Item = Result<ModelDelta, Self::Error>> + Send;

    /// How it fails.
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
