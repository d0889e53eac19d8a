//! The functions that a guarded operation calls.
//!
//! A function of the user is checked in steps, and each step is a trait: the function, its future, the result of the
//! future, and the value and the error of the result. So rustc names the step that is wrong. Each trait has one
//! implementation, so rustc goes down to this step by itself.

use futures_core::Stream;

use crate::error::OperationError;
use crate::message::{ModelCallInputs, ModelDelta, ToolOutput};
use crate::operation::failure::IntoFailure;
use crate::operation::permit::{AnyRails, Permit};

/// A function that a guarded operation calls with the permit: an async function or closure.
///
/// The library implements the trait for every `FnMut(Permit<I, P>)` that is `Send`, with a [`GuardedFuture`] that is
/// `Send`. `P` is the proof of the permit.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::Guarded;
///
/// /// Calls a tool of a service.
/// async fn call_tool<R: GuardSet>(
///     rails: &R,
///     ctx: &mut RunContext,
///     tool: impl Guarded<ToolCallInputs, ToolOutput>,
/// ) -> Result<ToolOutput, RunError> {
///     rails.guard_tool_call(ToolCallInputs::new("search"), ctx, tool).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that can be guarded",
    label = "this function does not take a `Permit<{I}>`",
    note = "write `async |call| …`: an async function or closure that takes a `Permit<{I}>`"
)]
pub trait Guarded<I, O, E = OperationError, P = AnyRails>: FnMut(Permit<I, P>) -> Self::Future + Send {
    // An associated type, not a parameter of the methods. With it, the compiler knows that the future borrows from the
    // same places as the closure when it checks whether a task is `Send`.
    /// The future that the function returns.
    type Future: GuardedFuture<O, E> + Send;
}

impl<I, O, E, P, F, Fut> Guarded<I, O, E, P> for F
where
    F: FnMut(Permit<I, P>) -> Fut + Send,
    Fut: GuardedFuture<O, E> + Send,
{
    type Future = Fut;
}

/// A function that a guarded operation calls at most once, such as the function of
/// [`guard_run_once`](crate::Guard::guard_run_once). It may borrow by `&mut`, and move what it captures.
///
/// The library implements the trait for every `FnOnce(Permit<I>)` that is `Send`, with a [`GuardedFuture`] that is
/// `Send`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that can be guarded",
    label = "this function does not take a `Permit<{I}>`",
    note = "write `async |call| …`: an async function or closure that takes a `Permit<{I}>`"
)]
pub trait GuardedOnce<I, O, E = OperationError>: FnOnce(Permit<I>) -> Self::Future + Send {
    /// The future that the function returns.
    type Future: GuardedFuture<O, E> + Send;
}

impl<I, O, E, F, Fut> GuardedOnce<I, O, E> for F
where
    F: FnOnce(Permit<I>) -> Fut + Send,
    Fut: GuardedFuture<O, E> + Send,
{
    type Future = Fut;
}

/// The function of a [`Tool`](crate::Tool): an async function or closure that takes the arguments or the permit.
///
/// Each call runs a clone of the function. So an async closure can own the state of the tool, and its calls share this
/// state if it is in an `Arc`. State that is not behind a pointer, such as a `OnceLock` or a map, is copied for each call.
///
/// The library implements the trait for every `FnOnce(A)` that is `Clone`, `Send`, `Sync` and `'static`, with a
/// [`GuardedFuture`] that is `Send` and `'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the function of a tool",
    label = "not the function of a tool",
    note = "write `async |args: …| …`: an async function or closure that takes the arguments"
)]
pub trait ToolFunction<A>: FnOnce(A) -> Self::Future + Clone + Send + Sync + 'static {
    /// The future that the function returns.
    type Future: GuardedFuture<ToolOutput> + Send + 'static;
}

impl<A, F, Fut> ToolFunction<A> for F
where
    F: FnOnce(A) -> Fut + Clone + Send + Sync + 'static,
    Fut: GuardedFuture<ToolOutput> + Send + 'static,
{
    type Future = Fut;
}

/// The future of a [guarded function](Guarded): it yields a `Result`, with a value that
/// [becomes the output](IntoOutput), and [any error](IntoFailure).
///
/// The library implements the trait for every such future.
#[diagnostic::on_unimplemented(
    message = "this function must be async, but it returns `{Self}`",
    label = "the function of this call is not async",
    note = "write `async` before the `fn`, or write the closure as `async |call| …`"
)]
pub trait GuardedFuture<O, E = OperationError>:
    Future<Output: GuardedResult<Value: IntoOutput<O>, Error: IntoFailure<E>>>
{
}

impl<O, E, Fut: IsFuture> GuardedFuture<O, E> for Fut where
    Fut::Yields: GuardedResult<Value: IntoOutput<O>, Error: IntoFailure<E>>
{
}

/// A future, with a message of its own for a function that returns none.
#[diagnostic::on_unimplemented(
    message = "this function must be async, but it returns `{Self}`",
    label = "the function of this call is not async",
    note = "write `async` before the `fn`, or write the closure as `async |call| …`"
)]
#[doc(hidden)]
pub trait IsFuture: Future<Output = Self::Yields> {
    // A name for `Output` that this trait gives. With `Output`, rustc would report `Future`.
    type Yields;
}

#[diagnostic::do_not_recommend]
impl<Fut: Future> IsFuture for Fut {
    type Yields = Fut::Output;
}

/// The result of a [guarded function](Guarded): a `Result`.
#[diagnostic::on_unimplemented(
    message = "this function must yield a `Result`, but it yields `{Self}`",
    label = "the function of this call yields no `Result`",
    note = "return `Ok::<_, OperationError>(…)`, or write `-> Result<…, OperationError>`"
)]
pub trait GuardedResult {
    /// The value.
    type Value;

    /// The error.
    type Error;

    /// Returns itself, for code that knows only this trait.
    ///
    /// # Errors
    /// Returns the error, if it is one.
    fn into_result(self) -> Result<Self::Value, Self::Error>;
}

#[diagnostic::do_not_recommend]
impl<Value, Error> GuardedResult for Result<Value, Error> {
    type Value = Value;
    type Error = Error;

    #[inline(always)]
    fn into_result(self) -> Self {
        self
    }
}

/// Converts the value into the output `O`, and the error into the error of the guard.
#[inline]
pub(crate) fn converted<O, E>(result: impl GuardedResult<Value: IntoOutput<O>, Error: IntoFailure<E>>) -> Result<O, E> {
    match result.into_result() {
        Ok(value) => Ok(value.into_output()),
        Err(error) => Err(error.into_failure()),
    }
}

/// A value that a [guarded function](Guarded) may return: the output `O` of the operation, or what [converts](Into)
/// into it. A tool, a model or a run may also return text.
///
/// The library implements the trait for every type that converts.
#[diagnostic::on_unimplemented(
    message = "the output of the operation is `{O}`, and `{Self}` does not convert into it",
    label = "the function of this call yields `{Self}`",
    note = "return `{O}`, or a type that converts into it: a tool, a model and a run may return text",
    note = "to return a value of your own as JSON, write `ToolOutput::json(&value)?`"
)]
pub trait IntoOutput<O> {
    /// Converts the value into the output.
    fn into_output(self) -> O;
}

#[diagnostic::do_not_recommend]
impl<O, Value: Into<O>> IntoOutput<O> for Value {
    #[inline]
    fn into_output(self) -> O {
        self.into()
    }
}

/// A function that [`guard_stream`](crate::Guard::guard_stream) calls with the permit. It returns a stream of
/// [`ModelDelta`]s.
///
/// The library implements the trait for every `FnMut(Permit<ModelCallInputs>)` that is `Send`, with a stream that is
/// `Send` and yields `Result<ModelDelta, E>`, where `E` is [any error](IntoFailure).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model call that can be streamed",
    label = "this function does not take a `Permit<ModelCallInputs>`",
    note = "write `|request| model.stream(request)`: a function or closure that takes a `Permit<ModelCallInputs>` and returns a stream"
)]
pub trait GuardedStream: FnMut(Permit<ModelCallInputs>) -> Self::Stream + Send {
    /// The stream that the function returns.
    type Stream: DeltaStream + Send;
}

impl<F, S> GuardedStream for F
where
    F: FnMut(Permit<ModelCallInputs>) -> S + Send,
    S: DeltaStream + Send,
{
    type Stream = S;
}

/// The stream of a [streamed model call](GuardedStream): it yields `Result<ModelDelta, E>`, where `E` is
/// [any error](IntoFailure).
///
/// The library implements the trait for every such stream.
pub trait DeltaStream:
    Stream<Item: GuardedResult<Value: IntoOutput<ModelDelta>, Error: IntoFailure<OperationError>>>
{
}

impl<S: IsStream> DeltaStream for S where
    S::Yields: GuardedResult<Value: IntoOutput<ModelDelta>, Error: IntoFailure<OperationError>>
{
}

/// A stream, with a message of its own for a function that returns none.
#[diagnostic::on_unimplemented(
    message = "this function must return a stream, but it returns `{Self}`",
    label = "the function of this call returns no stream",
    note = "return the stream, and do not await it in the function: `|request| model.stream(request)`"
)]
#[doc(hidden)]
pub trait IsStream: Stream<Item = Self::Yields> {
    // See `IsFuture`.
    type Yields;
}

#[diagnostic::do_not_recommend]
impl<S: Stream> IsStream for S {
    type Yields = S::Item;
}
