//! Whether a rail can surround an operation, as a type.
//!
//! Each rail around an operation is a layer of the type of the operation's future. The compiler has a limit for the depth of
//! a type. So a rail that never surrounds an operation must not add a layer.

use super::operation::{Begins, Next, Operation};

/// The data that the rails around an operation share: the chain and the inputs.
pub struct Surroundings<'a, C, I> {
    pub(crate) chain: &'a C,
    pub(crate) inputs: &'a I,
}

// Not derived: a derive would require `Clone` and `Copy` of the chain and the inputs.
impl<C, I> Clone for Surroundings<'_, C, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, I> Copy for Surroundings<'_, C, I> {}

/// The [`Surroundings`] for the rails of chain `C` around the operation of event `E`.
pub type SurroundingsOf<'a, E, C> = Surroundings<'a, C, <<E as Begins>::Operation as Operation>::Inputs>;

/// An operation inside rails of chain `C`, with the data that these rails share.
pub trait Inside<'a, E: Begins, C: 'a>: Next<E::Operation> {
    /// Returns the data that the rails share.
    fn at(&self) -> SurroundingsOf<'a, E, C>;
}

/// Whether a rail can surround an operation.
pub trait Layer {
    /// The operation inside the rail: `Around`, or `N` unchanged if the rail cannot surround an operation.
    type Of<'a, E: Begins, C: 'a, Around: Inside<'a, E, C>, N: Inside<'a, E, C>>: Inside<'a, E, C>;

    /// Puts the rail around the operation, if it can surround one.
    fn put<'a, E, C, Around, N>(next: N, around: impl FnOnce(N) -> Around) -> Self::Of<'a, E, C, Around, N>
    where
        E: Begins,
        C: 'a,
        Around: Inside<'a, E, C>,
        N: Inside<'a, E, C>;
}

/// The rail cannot surround an operation.
#[derive(Debug)]
pub enum NoLayer {}

/// The rail can surround an operation.
#[derive(Debug)]
pub enum OneLayer {}

impl Layer for NoLayer {
    type Of<'a, E: Begins, C: 'a, Around: Inside<'a, E, C>, N: Inside<'a, E, C>> = N;

    #[inline(always)]
    fn put<'a, E, C, Around, N>(next: N, _: impl FnOnce(N) -> Around) -> N
    where
        E: Begins,
        C: 'a,
        Around: Inside<'a, E, C>,
        N: Inside<'a, E, C>,
    {
        next
    }
}

impl Layer for OneLayer {
    type Of<'a, E: Begins, C: 'a, Around: Inside<'a, E, C>, N: Inside<'a, E, C>> = Around;

    #[inline(always)]
    fn put<'a, E, C, Around, N>(next: N, around: impl FnOnce(N) -> Around) -> Around
    where
        E: Begins,
        C: 'a,
        Around: Inside<'a, E, C>,
        N: Inside<'a, E, C>,
    {
        around(next)
    }
}
