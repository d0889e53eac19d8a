//! What rails and guard sets say about an event before it runs.

use super::{RailOn, contains};
use crate::event::Event;

/// A fact about the rails of an event: one of the types in [`facts`](crate::facts).
///
/// A guarded operation asks a guard set for facts before it runs an event, and leaves out what no rail needs. Each fact is a type, so
/// the compiler knows the facts of a chain, and a question costs nothing. Ask for a fact with [`Serves::fact`](crate::Serves::fact):
///
/// ```
/// use exo_rails::facts::{HasRails, MayRewrite};
/// use exo_rails::prelude::*;
/// use exo_rails::Serves;
///
/// #[rail(on = [PreToolCall])]
/// fn look(call: &ToolCallInputs) {}
///
/// let rails = rail_chain![look];
/// assert!(Serves::<PreToolCall>::fact::<HasRails>(&rails));
/// assert!(!Serves::<PreToolCall>::fact::<MayRewrite>(&rails));
/// assert!(!Serves::<PostToolCall>::fact::<HasRails>(&rails));
/// ```
///
/// A wrapper of a guard set forwards the question. For several guard sets, [`join`](Self::join) returns the larger value.
pub trait EventFact: Sized + 'static {
    /// Whether the fact holds, or a number.
    type Value: FactValue;

    /// The value for a guard set about which nothing is known: the most.
    const UNKNOWN: Self::Value = <Self::Value as FactValue>::MOST;

    /// The value for an event without rails.
    const NONE: Self::Value = <Self::Value as FactValue>::LEAST;

    #[doc(hidden)]
    const KIND: FactKind;

    /// Returns the value of two guard sets together.
    #[inline]
    #[must_use]
    fn join(one: Self::Value, other: Self::Value) -> Self::Value {
        one.max(other)
    }

    /// Returns the value of a wrapper that acts on the event itself, for example to write a log. `inner` is the value of the guard set
    /// inside. The wrapper counts as a rail, so the library enters the event.
    ///
    /// ```
    /// use exo_rails::facts::{HasRails, MayRewrite};
    /// use exo_rails::EventFact;
    ///
    /// assert!(HasRails::entered(false));
    /// assert!(!MayRewrite::entered(false));
    /// ```
    #[inline]
    #[must_use]
    fn entered(inner: Self::Value) -> Self::Value {
        if matches!(Self::KIND, FactKind::HasRails) { Self::UNKNOWN } else { inner }
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn of(number: impl Into<usize>) -> Self::Value {
        Self::Value::of(number.into())
    }

    /// The fact of a rail that stands alone.
    #[doc(hidden)]
    fn of_rail<E: Event, R: RailOn<E>>(rail: &R) -> Self::Value;
}

/// The value of an [`EventFact`]: `bool` or `usize`.
pub trait FactValue: Copy + Ord + Into<usize> {
    #[doc(hidden)]
    const LEAST: Self;

    #[doc(hidden)]
    const MOST: Self;

    #[doc(hidden)]
    #[must_use]
    fn of(number: usize) -> Self;
}

impl FactValue for bool {
    const LEAST: Self = false;
    const MOST: Self = true;

    #[inline]
    fn of(number: usize) -> Self {
        number > 0
    }
}

impl FactValue for usize {
    const LEAST: Self = 0;
    const MOST: Self = Self::MAX;

    #[inline]
    fn of(number: usize) -> Self {
        number
    }
}

/// Declares the facts.
macro_rules! facts {
    ($($(#[$doc:meta])* $fact:ident: $value:ty = |$rail:ident: $r:ident on $e:ident| $of_rail:expr;)*) => {
        /// The facts about the rails of an event: see [`EventFact`](crate::EventFact).
        pub mod facts {
            $(
                $(#[$doc])*
                #[derive(Debug)]
                pub enum $fact {}
            )*
        }

        /// Which fact. A guard set that knows some facts itself matches on it, and the compiler leaves out the other arms.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FactKind {
            $($fact),*
        }

        $(
            impl EventFact for facts::$fact {
                type Value = $value;
                const KIND: FactKind = FactKind::$fact;

                #[inline]
                fn of_rail<$e: Event, $r: RailOn<$e>>($rail: &$r) -> $value {
                    $of_rail
                }
            }
        )*
    };
}

facts! {
    /// Whether the event has rails. If it has none, the library does not enter the event, and the context stays at the previous event.
    HasRails: bool = |_rail: R on E| const { contains(R::EVENTS, E::POINT) };

    /// Whether a rail may change the payload. A guarded operation then keeps a copy of its inputs for retries.
    MayRewrite: bool = |_rail: R on E| const { contains(R::REWRITES, E::POINT) };

    /// How many characters of a streamed answer the rails need to see together. The library asks only for
    /// [`LlmChunk`](crate::events::LlmChunk), when the answer begins.
    ///
    /// The library holds back this number of characters, unless the rails declare for each window how much of it is
    /// [undecided](crate::StreamWindow). For a guard set that says nothing, it holds back the whole answer.
    ///
    /// If your guard set changes windows itself, it must call [`StreamWindow::replace`](crate::StreamWindow::replace) or
    /// [`StreamWindow::hold_back`](crate::StreamWindow::hold_back). Otherwise its rails may release text that the guard set
    /// still needs.
    WindowSize: usize = |rail: R on E| rail.stream_window();

    /// Whether a rail may read [how long](crate::RailContext::elapsed) the operation before the event took. A guarded operation then
    /// reads the clock.
    IsTimed: bool = |_rail: R on E| const { R::DECLARATION.timed.has(E::POINT) };

    /// Whether a rail that is present surrounds the operation that the event begins.
    Surrounds: bool = |_rail: R on E| const { R::DECLARATION.around.has(E::POINT) };
}
