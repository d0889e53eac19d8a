//! The return types of rails.

use std::error::Error as StdError;

use crate::action::{Abort, NoRetry, RailAction, RetryOrContinue, RetryRequest, Skip, Verdict};
use crate::decision::returned::{Reader, Returned, Unnamed};
use crate::error::FaultCause;
use crate::event::{
    AllowsAbort, AllowsRetry, AllowsSkip, Decoy, Event, Layer, NoLayer, OneLayer, Payloads, SubstituteFor,
};

/// The return types of rails.
///
/// | type | events |
/// |---|---|
/// | `()` | every event: the rail observes |
/// | [`Verdict`] | events that allow an abort |
/// | [`RailAction`], `RailAction<S>` | events that allow a skip, a retry and an abort; `S` is the result type of the event's operation |
/// | `RailAction<S, RetryOrContinue>` | the same events; the rail [continues](crate::RetryOrContinue) when its retries are used up |
/// | `RailAction<S, NoRetry>` | events that allow a skip and an abort; `S` may be [`NoSubstitute`](crate::NoSubstitute) |
/// | `Option<T>` | the events of `T`; `None` continues |
/// | `Result<T, E>` | the events of `T`; an `Err` is a [fault](crate::RailFault), not a decision; `E` is an error type or text |
///
/// A fault ends the run if the rail is a guard: if `T` can decide, or if the rail takes what the event carries by `&mut`. A
/// rail that returns `Result<(), E>` and takes nothing by `&mut` only observes. The library reports its `Err` as a
/// `tracing` warning, and the run goes on. So **to refuse something, return a [`Verdict`] or a [`RailAction`], not an
/// `Err`.** [`OnFault`](crate::OnFault) has the complete table.
///
/// The library implements the trait for these types only.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` cannot return `{Self}`",
    label = "a rail on `{E}` cannot return this",
    note = "a rail on `Error` only observes, and returns `()`",
    note = "a rail on another event returns `RailAction`, `Verdict`, `()`, or `RailAction<S>` to skip with a substitute `S`",
    note = "`S` is the output of the operation: `InvokeOutput` on `Start`, `ModelResponse` on `PreLlmCall` and `LlmError`, `ToolOutput` on `PreToolCall` and `ToolError`",
    note = "it may return an `Option<_>` or a `Result<_, E>` of these too; `E` is an error type or text"
)]
pub trait RailOutput<E: Payloads>: Sized + Send {
    /// Whether a value of this type can be a decision other than "continue".
    const DECIDES: bool;

    /// Whether a rail with this output can surround an operation.
    #[doc(hidden)]
    type Layer: Layer;

    /// Returns `true` if the value continues and holds nothing to drop. Takes a reference, so that the compiler does not
    /// move a value that continues.
    #[doc(hidden)]
    fn continues(&self) -> bool;

    /// Passes the value to a reader, field by field. The value goes to the reader directly: if it went through another
    /// type, the compiler would copy its fields even when the rails continue.
    #[doc(hidden)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read;
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for () {
    const DECIDES: bool = false;
    type Layer = NoLayer;

    #[inline(always)]
    fn continues(&self) -> bool {
        true
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        reader.goes_on()
    }
}

/// The output of a rail around an operation: a call of it does nothing.
#[doc(hidden)]
#[derive(Debug)]
pub struct Surrounds;

#[diagnostic::do_not_recommend]
impl<E: Payloads> RailOutput<E> for Surrounds {
    const DECIDES: bool = false;
    type Layer = OneLayer;

    #[inline(always)]
    fn continues(&self) -> bool {
        true
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        reader.goes_on()
    }
}

#[diagnostic::do_not_recommend]
impl<E: AllowsAbort> RailOutput<E> for Verdict {
    const DECIDES: bool = true;
    type Layer = NoLayer;

    #[inline(always)]
    fn continues(&self) -> bool {
        matches!(self, Self::Continue)
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        match self {
            Self::Continue => reader.goes_on(),
            Self::Abort(reason) => reader.aborts(Abort { reason, ending: None }),
        }
    }
}

/// Implements [`RailOutput`] for the actions. They differ only in how they retry.
macro_rules! action_output {
    ($($allows:ident: $retry:ty, $request:ident, $reader:ident => $read:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<E: $allows, S: SubstituteFor<E>> RailOutput<E> for RailAction<S, $retry> {
            const DECIDES: bool = true;
            type Layer = NoLayer;

            #[inline(always)]
            fn continues(&self) -> bool {
                matches!(self, Self::Continue)
            }

            #[inline(always)]
            fn read<R: Reader<E>>(self, $reader: R) -> R::Read {
                match self {
                    Self::Continue => $reader.goes_on(),
                    Self::Skip(skip) => $reader.skips(with_substitute::<E, S>(skip)),
                    Self::Retry($request) => $read,
                    Self::Abort(abort) => $reader.aborts(abort),
                }
            }
        }
    )*};
}

action_output! {
    AllowsRetry: RetryRequest, request, reader => reader.retries(request);
    AllowsRetry: RetryOrContinue, request, reader => reader.retries_or_continues(request);
    AllowsSkip: NoRetry, never, reader => match never {};
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, T: RailOutput<E>> RailOutput<E> for Option<T> {
    const DECIDES: bool = T::DECIDES;
    type Layer = NoLayer;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.as_ref().is_none_or(T::continues)
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        match self {
            None => reader.goes_on(),
            Some(output) => output.read(reader),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E, T, Error> RailOutput<E> for Result<T, Error>
where
    E: Payloads,
    T: RailOutput<E>,
    Error: Into<Box<dyn StdError + Send + Sync>> + Send,
{
    const DECIDES: bool = T::DECIDES;
    type Layer = NoLayer;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.as_ref().is_ok_and(T::continues)
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        match self {
            Ok(output) => output.read(reader),
            Err(error) => reader.faults(FaultCause::Error(error.into())),
        }
    }
}

#[inline(always)]
fn with_substitute<E: Payloads, S: SubstituteFor<E>>(skip: Skip<S>) -> Skip<E::Substitute> {
    let Skip { reason, substitute } = skip;
    Skip { reason, substitute: substitute.map(S::into_substitute) }
}

/// The return types of rails that only observe.
#[diagnostic::on_unimplemented(
    message = "a rail with `always` only observes: it cannot return `{Self}`",
    label = "a rail with `always` cannot return this",
    note = "the chain calls such a rail even if an earlier rail has stopped the event, so the rail cannot decide",
    note = "the rail returns `()` or `Result<(), E>`, where `E` is an error type or text"
)]
pub trait Observes<E: Payloads>: Sized {
    /// See [`RailOutput`].
    #[doc(hidden)]
    fn returned(self) -> Returned<E>;
}

#[diagnostic::do_not_recommend]
impl<E: Payloads> Observes<E> for () {
    fn returned(self) -> Returned<E> {
        Returned::Continue
    }
}

#[diagnostic::do_not_recommend]
impl<E: Payloads, Error> Observes<E> for Result<(), Error>
where
    Self: RailOutput<E>,
{
    fn returned(self) -> Returned<E> {
        RailOutput::read(self, Unnamed)
    }
}

/// [`RailOutput`] with the return types of the event as a parameter, so that the error message lists them.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` cannot return `{Self}`",
    label = "a rail on `{E}` cannot return this",
    note = "a rail on `{E}` returns one of these: `{Returns}`",
    note = "a rail that returns `()` only observes; an `Option<_>` or a `Result<_, E>` of these is allowed too, where `E` is text or an error type like `Box<dyn Error + Send + Sync>`",
    note = "to provide a value, write `provides = [RateLimitLeft]`"
)]
pub trait ReturnedAt<E: Event, Returns, Impl = ()>: Sized + Send {
    /// See [`RailOutput`].
    const DECIDES: bool;

    /// See [`RailOutput`].
    #[doc(hidden)]
    type Layer: Layer;

    /// See [`RailOutput`].
    #[doc(hidden)]
    fn continues(&self) -> bool;

    /// See [`RailOutput`].
    #[doc(hidden)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read;

    /// See [`RailOutput`].
    #[doc(hidden)]
    fn returned(self) -> Returned<E> {
        self.read(Unnamed)
    }
}

// Not a subtrait of `RailOutput`: rustc would report a type that implements neither trait twice.
macro_rules! returned_at {
    ($(<$($decoy:ident)?> $which:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<E: Event, T: RailOutput<E>, $($decoy: Decoy)?> ReturnedAt<E, E::Returns, $which> for T {
            const DECIDES: bool = T::DECIDES;
            type Layer = T::Layer;

            #[inline(always)]
            fn continues(&self) -> bool {
                RailOutput::continues(self)
            }

            #[inline(always)]
            fn read<R: Reader<E>>(self, reader: R) -> R::Read {
                RailOutput::read(self, reader)
            }
        }
    )*};
}

returned_at! {
    <> ();
    // See `Decoy`.
    <Impl> Impl;
}

/// [`ReturnedAt`] for a custom event, whose declaration determines the return types.
#[diagnostic::on_unimplemented(
    message = "a rail on `{E}` cannot return `{Self}`",
    label = "a rail on `{E}` cannot return this",
    note = "a rail on `{E}` returns one of these: `{Returns}`; an `Option<_>` or a `Result<_, E>` of them is allowed too",
    note = "to let rails decide, declare the event with `#[event(allows = \"abort\")]`, `\"skip\"` or `\"retry\"`",
    note = "to skip at an event without retries, return `RailAction<NoSubstitute, NoRetry>`, or with a substitute `RailAction<Memories, NoRetry>`"
)]
pub trait ReturnedAtCustom<E: Event, Returns, Impl = ()> {
    /// See [`RailOutput`].
    const DECIDES: bool;
}

#[diagnostic::do_not_recommend]
impl<E: Event, T: RailOutput<E>> ReturnedAtCustom<E, E::Returns> for T {
    const DECIDES: bool = T::DECIDES;
}

/// See `Decoy`.
#[diagnostic::do_not_recommend]
impl<E: Event, T: RailOutput<E>, Impl: Decoy> ReturnedAtCustom<E, E::Returns, Impl> for T {
    const DECIDES: bool = T::DECIDES;
}
