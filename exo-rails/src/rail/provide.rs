//! The return types of rails that provide values.

use std::any::Any;
use std::sync::Arc;

use crate::action::{Abort, NoSubstitute, RailAction, RetryRequest, Skip};
use crate::context::RailContext;
use crate::decision::{RailOutput, Returned, Unnamed};
use crate::event::Payloads;
use crate::point::IntoReason;

/// The decision of a rail that provides a value: the value, or an action that stops the event.
///
/// It is a [`RailAction`] with a value in the variant that continues. A rail that never stops an event returns the
/// value itself.
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[derive(Provided)]
/// struct Customer { name: String }
///
/// #[rail(priority = 10, on = [PreToolCall], provides = [Customer])]
/// fn identify(call: &ToolCallInputs) -> Provide<Customer, ToolOutput> {
///     match call.str_argument("user") {
///         Some(name) => Provide::value(Customer { name: name.to_owned() }),
///         None => Provide::skip_with(ToolOutput::text("who asks?"), "the call does not say for whom it is"),
///     }
/// }
/// ```
#[must_use = "a dropped decision has no effect: return it"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provide<T, S = NoSubstitute> {
    /// Provides the value and continues.
    Value(T),
    /// See [`RailAction::Skip`].
    Skip(Skip<S>),
    /// See [`RailAction::Retry`].
    Retry(RetryRequest),
    /// See [`RailAction::Abort`].
    Abort(Abort),
}

impl<T, S> Provide<T, S> {
    /// Provides the value and continues.
    pub const fn value(value: T) -> Self {
        Self::Value(value)
    }

    /// See [`RailAction::abort`].
    pub fn abort(reason: impl IntoReason) -> Self {
        Self::Abort(Abort { reason: reason.into_reason(), ending: None })
    }

    /// See [`RailAction::skip`].
    pub fn skip(reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: None })
    }

    /// See [`RailAction::skip_with`].
    pub fn skip_with(substitute: S, reason: impl IntoReason) -> Self {
        Self::Skip(Skip { reason: reason.into_reason(), substitute: Some(substitute) })
    }

    /// See [`RailAction::retry`].
    pub const fn retry(request: RetryRequest) -> Self {
        Self::Retry(request)
    }
}

/// The return types of a rail that provides `T`: one value, or several in a tuple.
///
/// | type | the rail |
/// |---|---|
/// | `T` | only provides |
/// | [`Provide<T, S>`](Provide) | provides, or stops the event |
/// | `Result<_, E>` of these | may fault, which stops the run |
#[diagnostic::on_unimplemented(
    message = "the rail provides `{T}`, but returns `{Self}`",
    label = "does not contain the value",
    note = "return `{T}`, or `Provide<{T}>` from a rail that may stop the event instead",
    note = "a `Result<_, E>` of these is allowed too; return several values as a tuple, in the order of `provides`"
)]
pub trait Provision<T>: Sized {
    /// The decision that remains without the value.
    type Decision;

    /// Returns the value, if there is one, and the decision.
    fn split(self) -> (Option<T>, Self::Decision);
}

#[diagnostic::do_not_recommend]
impl<T> Provision<T> for T {
    type Decision = ();

    fn split(self) -> (Option<T>, ()) {
        (Some(self), ())
    }
}

#[diagnostic::do_not_recommend]
impl<T, S> Provision<T> for Provide<T, S> {
    type Decision = RailAction<S>;

    fn split(self) -> (Option<T>, RailAction<S>) {
        match self {
            Self::Value(value) => (Some(value), RailAction::Continue),
            Self::Skip(skip) => (None, RailAction::Skip(skip)),
            Self::Retry(request) => (None, RailAction::Retry(request)),
            Self::Abort(abort) => (None, RailAction::Abort(abort)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T, E> Provision<T> for Result<T, E> {
    type Decision = Result<(), E>;

    fn split(self) -> (Option<T>, Result<(), E>) {
        match self {
            Ok(value) => (Some(value), Ok(())),
            Err(error) => (None, Err(error)),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T, S, E> Provision<T> for Result<Provide<T, S>, E> {
    type Decision = Result<RailAction<S>, E>;

    fn split(self) -> (Option<T>, Result<RailAction<S>, E>) {
        match self.map(Provision::split) {
            Ok((value, decision)) => (value, Ok(decision)),
            Err(error) => (None, Err(error)),
        }
    }
}

/// The error of a rail that was called without a value that it needs. A chain checks this at compile time. Outside a
/// chain, nothing checks it before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it needs `{value}`, and no earlier rail provided it at this event")]
#[non_exhaustive]
pub struct MissingValue {
    /// The name of the value's type.
    pub value: &'static str,
}

/// Returns a value that a rail needs. The macros call it.
///
/// # Errors
/// Returns an error if no rail has provided the value.
#[doc(hidden)]
pub fn needed<T: Any + Send + Sync>(ctx: &RailContext, value: &'static str) -> Result<Arc<T>, MissingValue> {
    ctx.provided_handle().ok_or(MissingValue { value })
}

/// Provides a value. The macros call it.
#[doc(hidden)]
pub fn hand_on<T: Any + Send + Sync>(ctx: &mut RailContext, value: T) {
    ctx.provide(value);
}

/// [`Provision`] with the event. rustc reports a return type without the values, and one that the event does not allow,
/// with one message.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` that provides `{T}` cannot return `{Self}`",
    label = "a rail that provides `{T}` cannot return this",
    note = "return `{T}`, or `Provide<{T}>` from a rail that may stop the event instead; a rail on `Error` only observes",
    note = "to skip with a substitute, return `Provide<{T}, S>`: `S` is `InvokeOutput` on `Start`, `ModelResponse` on `PreLlmCall` and `LlmError`, `ToolOutput` on `PreToolCall` and `ToolError`",
    note = "a `Result<_, E>` of these is allowed too, where `E` is an error type or text; return several values as a tuple, in the order of `provides`"
)]
pub trait Provides<E: Payloads, T>: Sized {
    /// Returns the values, if there are any, and the decision.
    #[doc(hidden)]
    fn split(self) -> (Option<T>, Returned<E>);
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, T, P: Provision<T>> Provides<E, T> for P
where
    P::Decision: RailOutput<E>,
{
    fn split(self) -> (Option<T>, Returned<E>) {
        let (values, decision) = Provision::split(self);
        (values, decision.read(Unnamed))
    }
}
