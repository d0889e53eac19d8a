//! How a mistake is reported once: types that exist only where a constant compiles.

/// `T`, from a constant that says that it is what the macro takes it for.
///
/// Where the constant does not compile, rustc knows no such type: it has reported the constant, and nothing that is made
/// of the type is a further error. `Here` is a type of the crate that asks: to a foreign trait of foreign types an
/// implementation could be added one day, so rustc would not look through it where implementations could conflict.
#[doc(hidden)]
pub type Sound<T, Here, const IS_SO: bool> = <Said<IS_SO> as Kept<T, Here>>::Type;

/// See [`Sound`].
#[doc(hidden)]
#[derive(Debug)]
pub enum Said<const IS_SO: bool> {}

/// See [`Sound`].
#[doc(hidden)]
pub trait Kept<T, Here> {
    type Type;
}

impl<T, Here> Kept<T, Here> for Said<true> {
    type Type = T;
}

/// Implemented by nothing.
///
/// Where a trait has one implementation that could be meant, rustc takes it, and reports what that lacks, in words that
/// are not ours. Where it has two, rustc looks at both, and reports the trait itself when neither holds. So some traits
/// have a second one, which never holds: it is for another `One` than the one that is asked for.
#[doc(hidden)]
pub trait Never {}
