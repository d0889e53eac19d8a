//! The types that a decision can hold at an event.

/// The type that a [`Decision`](crate::Decision) holds for an action: `T` if the event allows the action, otherwise
/// [`EventCannotSkip`], [`EventCannotRetry`] or [`EventCannotAbort`].
///
/// The library implements the trait for these types only. Use it to read a decision in code that is generic over the event:
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
    /// Converts the value to the type that the event holds.
    ///
    /// # Errors
    /// Returns the value as the error if the event does not allow the action.
    fn try_allow(value: T) -> Result<Self, T>;

    /// Returns the value.
    fn get(&self) -> &T;

    /// Returns the value by `&mut`.
    fn get_mut(&mut self) -> &mut T;

    /// Returns the value, and consumes `self`.
    fn into_inner(self) -> T;
}

/// Defines a type without values for each action that an event may not allow.
// rustc names the type if someone reads the content of such an action. So the name says what is wrong.
macro_rules! not_allowed {
    ($($(#[$meta:meta])* $name:ident)*) => {$(
        $(#[$meta])*
        ///
        /// No value has this type, so a `match` needs no arm for the action.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl<T> Allowed<T> for $name {
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
    )*};
}

not_allowed! {
    /// What a decision holds for a skip, if no rail of the event may skip.
    EventCannotSkip
    /// What a decision holds for a retry, if no rail of the event may ask for one.
    EventCannotRetry
    /// What a decision holds for an abort, if no rail of the event may abort.
    EventCannotAbort
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
