//! How a mistake is reported once: types that exist only where a constant compiles.

/// `T`, when the constant `IS_SO` compiles: the macro writes the constant at the user's token, and it holds what the macro
/// assumes of `T`.
///
/// When the constant does not compile, rustc reports the constant, and the type does not exist. Code that uses
/// the type adds no errors. `Here` is a type of the crate that asks. Another crate could implement a foreign trait for
/// foreign types later, so rustc would not look through the alias where implementations could conflict.
#[doc(hidden)]
pub type Sound<T, Here, const IS_SO: bool> = <Check<IS_SO> as Passed<T, Here>>::Type;

/// See [`Sound`].
#[doc(hidden)]
#[derive(Debug)]
pub enum Check<const IS_SO: bool> {}

/// See [`Sound`].
#[doc(hidden)]
pub trait Passed<T, Here> {
    type Type;
}

impl<T, Here> Passed<T, Here> for Check<true> {
    type Type = T;
}

/// Nothing implements it: it makes a second implementation of a trait that never applies.
///
/// When a trait has one implementation that could apply, rustc takes it and reports which of its bounds is not met. The
/// message of the trait is lost. When there are two, rustc reports the trait itself. The second one is for another `Impl`
/// parameter than `()`, and all callers ask for `()`.
#[doc(hidden)]
pub trait Decoy {}
