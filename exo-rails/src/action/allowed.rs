//! What a decision can hold at an event.

use std::convert::Infallible;

/// What a [`Decision`](crate::Decision) holds for an action: a `T` at events that allow the action, and
/// [`Infallible`] at the others.
///
/// It is implemented for these types only. Code that is generic over the event reads a decision with it:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::Allowed;
///
/// fn is_aborted_by<E: Event>(decision: &Decision<E>, rail: &str) -> bool {
///     matches!(decision, Decision::Abort(abort) if abort.get().rail_name == *rail)
/// }
/// ```
pub trait Allowed<T>: Sized + Send + 'static {
    /// The same value as the event holds it.
    ///
    /// # Errors
    /// When the event does not allow the action: then the value comes back.
    fn try_allow(value: T) -> Result<Self, T>;

    /// The value.
    fn get(&self) -> &T;

    /// The value, to be changed.
    fn get_mut(&mut self) -> &mut T;

    /// The value, without the event.
    fn into_inner(self) -> T;
}

impl<T> Allowed<T> for Infallible {
    fn try_allow(value: T) -> Result<Self, T> {
        Err(value)
    }

    fn get(&self) -> &T {
        match *self {}
    }

    fn get_mut(&mut self) -> &mut T {
        match *self {}
    }

    fn into_inner(self) -> T {
        match self {}
    }
}

macro_rules! allowed {
    ($(<$($param:ident),*> $type:ty;)*) => {$(
        impl<$($param: Send + 'static),*> Allowed<Self> for $type {
            #[inline]
            fn try_allow(value: Self) -> Result<Self, Self> {
                Ok(value)
            }

            #[inline]
            fn get(&self) -> &Self {
                self
            }

            #[inline]
            fn get_mut(&mut self) -> &mut Self {
                self
            }

            #[inline]
            fn into_inner(self) -> Self {
                self
            }
        }
    )*};
}

allowed! {
    <S> crate::action::RailSkip<S>;
    <> crate::action::RailRetry;
    <> crate::error::RailAbortError;
}
