//! Types that exist only if a constant compiles. With them, the compiler reports a mistake once.

/// `T`, if the constant `IS_SO` compiles. The macro writes this constant at the user's token, and the constant checks what
/// the macro assumes about `T`.
///
/// If the constant does not compile, rustc reports the constant, and the type does not exist. The code that uses the type
/// then adds no further errors.
///
/// `Here` is a type of the crate that uses the alias. Without it, rustc would not look through the alias where
/// implementations could overlap, because another crate could later implement a foreign trait for foreign types.
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

/// A trait that no type implements. It bounds a second implementation of another trait, so that this second implementation
/// never applies.
///
/// If only one implementation of a trait could apply, rustc selects it and reports which of its bounds is not met. The
/// message of the trait itself is then lost. If two could apply, rustc reports the trait. The second implementation has an
/// `Impl` parameter other than `()`, and all callers use `()`.
#[doc(hidden)]
pub trait Decoy {}
