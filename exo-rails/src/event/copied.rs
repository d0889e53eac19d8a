//! Payloads that can be copied, for rails in shadow.

use crate::event::Event;

/// An event whose payload can be copied. A rail [in shadow](crate::Mode::Shadow) decides on the copy.
///
/// The library implements the trait for every [event](crate::events), and for a [custom event](derive@crate::Event) if the
/// parts that it carries by `&mut` are `Clone`. Parts that an event carries by `&` are not copied.
///
/// Code that is generic over events needs the trait as a bound:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{CopiedPayload, InMode, Serves};
///
/// async fn try_out<E: CopiedPayload, R: Serves<E>>(rails: InMode<R>) -> bool
/// where
///     InMode<R>: Serves<E>,
/// {
///     rails.mode() != exo_rails::Mode::Enforce
/// }
/// # let _ = try_out::<PreToolCall, exo_rails::NoRails>;
/// ```
#[diagnostic::on_unimplemented(
    message = "a rail on `{Self}` cannot run in shadow: the payload of the event cannot be cloned",
    label = "the payload of `{Self}` cannot be cloned",
    note = "write `#[derive(Clone)]` above the types that the event carries by `&mut`"
)]
pub trait CopiedPayload: Event {
    /// The place for the copies.
    #[doc(hidden)]
    type Copies: Default + Send;

    /// Returns the payload with copies of the parts that rails can change. If `copies` has copies already, the payload has
    /// these.
    #[doc(hidden)]
    fn copied<'a>(payload: Self::Payload<'a>, copies: &'a mut Self::Copies) -> Self::Payload<'a>;
}

#[diagnostic::do_not_recommend]
impl<E: Event> CopiedPayload for E
where
    E::Payload<'static>: CopiedParts<Copies: Default + Send>,
    for<'a> E::Payload<'a>: CopyInto<'a, <E::Payload<'static> as CopiedParts>::Copies>,
{
    type Copies = <E::Payload<'static> as CopiedParts>::Copies;

    fn copied<'a>(payload: E::Payload<'a>, copies: &'a mut Self::Copies) -> E::Payload<'a> {
        payload.copy_into(copies)
    }
}

/// A payload whose parts can be copied.
#[doc(hidden)]
pub trait CopiedParts {
    /// The place for the copies.
    type Copies;
}

/// A payload that borrows its parts for `'a`.
#[doc(hidden)]
pub trait CopyInto<'a, Copies> {
    fn copy_into(self, copies: &'a mut Copies) -> Self;
}

impl<T> CopiedParts for &T {
    type Copies = ();
}

impl<'a, T> CopyInto<'a, ()> for &'a T {
    fn copy_into(self, (): &'a mut ()) -> Self {
        self
    }
}

impl<T: Clone> CopiedParts for &mut T {
    type Copies = Option<T>;
}

impl<'a, T: Clone> CopyInto<'a, Option<T>> for &'a mut T {
    fn copy_into(self, copies: &'a mut Option<T>) -> Self {
        copies.get_or_insert_with(|| self.clone())
    }
}

impl CopiedParts for () {
    type Copies = ();
}

impl CopyInto<'_, ()> for () {
    fn copy_into(self, (): &mut ()) -> Self {}
}

macro_rules! tuples {
    ($(($($part:ident $copies:ident $name:ident $place:ident),*))*) => {$(
        impl<$($part: CopiedParts),*> CopiedParts for ($($part,)*) {
            type Copies = ($($part::Copies,)*);
        }

        impl<'a, $($part: CopyInto<'a, $copies>, $copies),*> CopyInto<'a, ($($copies,)*)> for ($($part,)*) {
            fn copy_into(self, ($($place,)*): &'a mut ($($copies,)*)) -> Self {
                let ($($name,)*) = self;
                ($($name.copy_into($place),)*)
            }
        }
    )*};
}

// A payload has at most seven parts. A payload of one part is not a tuple.
tuples! {
    (A CopiesA a in_a, B CopiesB b in_b)
    (A CopiesA a in_a, B CopiesB b in_b, C CopiesC c in_c)
    (A CopiesA a in_a, B CopiesB b in_b, C CopiesC c in_c, D CopiesD d in_d)
    (A CopiesA a in_a, B CopiesB b in_b, C CopiesC c in_c, D CopiesD d in_d, E CopiesE e in_e)
    (A CopiesA a in_a, B CopiesB b in_b, C CopiesC c in_c, D CopiesD d in_d, E CopiesE e in_e, F CopiesF f in_f)
    (A CopiesA a in_a, B CopiesB b in_b, C CopiesC c in_c, D CopiesD d in_d, E CopiesE e in_e, F CopiesF f in_f, G CopiesG g in_g)
}
