//! Payloads that a test can hold.

use std::fmt::Debug;

use crate::event::Event;

/// An event whose payload a test can make and hold.
///
/// The library implements the trait for every [event](crate::events) and every [custom event](derive@crate::Event). The
/// type of the payload depends on its parts:
///
/// - One part: the part itself, such as `ToolCallInputs` at `PreToolCall`.
/// - Several parts: a tuple, such as `(ToolCallInputs, ToolOutput)` at `PostToolCall`.
/// - No parts, at a custom event without a payload: `()`.
///
/// ```
/// use exo_rails::testing;
/// use exo_rails::{Event, prelude::*};
///
/// #[derive(Debug)]
/// struct Memories(Vec<String>);
///
/// #[derive(Event)]
/// #[event(payload = &mut Memories, allows = "skip")]
/// struct MemoriesRecalled;
///
/// #[rail(on = [MemoriesRecalled])]
/// fn shorten(memories: &mut Memories) {
///     memories.0.truncate(1);
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let rails = rail_chain![#[chain(events = [MemoriesRecalled])] shorten];
/// let recalled = testing::at::<MemoriesRecalled>(&rails, Memories(vec!["Ada".into(), "Bo".into()])).await;
/// assert_eq!(recalled.assert_continued().payload.0, ["Ada"]);
/// # }
/// ```
pub trait OwnedPayload: Event {
    /// The parts of the payload, by value.
    type Owned: Debug + Send;

    /// Lends the parts to the rails.
    fn lend(owned: &mut Self::Owned) -> Self::Payload<'_>;
}

impl<E: Event> OwnedPayload for E
where
    E::Payload<'static>: Parts<Owned: Debug + Send>,
    for<'a> E::Payload<'a>: LentFrom<'a, <E::Payload<'static> as Parts>::Owned>,
{
    type Owned = <E::Payload<'static> as Parts>::Owned;

    fn lend(owned: &mut Self::Owned) -> E::Payload<'_> {
        LentFrom::lend(owned)
    }
}

/// A value that a test passes as the payload of an event: all its parts by value, several in a tuple.
///
/// The library implements the trait for every type that [converts](Into) into the parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the payload of `{E}`",
    label = "not the payload of `{E}`",
    note = "write all parts of the payload, in a tuple if there are several: `PreToolCall` takes a call, and `PostToolCall` takes `(call, output)`"
)]
pub trait IntoOwnedPayload<E: OwnedPayload> {
    // For the bound `Itself: Sized`, which is always met: see `RunFuture` in `operation/guard.rs`.
    #[doc(hidden)]
    type Itself;

    /// Converts into the parts.
    fn into_owned(self) -> E::Owned;
}

#[diagnostic::do_not_recommend]
impl<E: OwnedPayload, T: Into<E::Owned>> IntoOwnedPayload<E> for T {
    type Itself = ();

    fn into_owned(self) -> E::Owned {
        self.into()
    }
}

/// A payload: references to its parts.
#[doc(hidden)]
pub trait Parts {
    /// The parts, by value.
    type Owned;
}

/// A payload that borrows its parts for `'a`.
#[doc(hidden)]
pub trait LentFrom<'a, Owned> {
    fn lend(owned: &'a mut Owned) -> Self;
}

macro_rules! references {
    ($($reference:ty),*) => {$(
        impl<'a, T> Parts for $reference {
            type Owned = T;
        }

        impl<'a, T> LentFrom<'a, T> for $reference {
            fn lend(owned: &'a mut T) -> Self {
                owned
            }
        }
    )*};
}

references!(&'a T, &'a mut T);

impl Parts for () {
    type Owned = ();
}

impl LentFrom<'_, ()> for () {
    fn lend((): &mut ()) -> Self {}
}

macro_rules! tuples {
    ($(($($part:ident $owned:ident $name:ident),*))*) => {$(
        impl<$($part: Parts),*> Parts for ($($part,)*) {
            type Owned = ($($part::Owned,)*);
        }

        impl<'a, $($part: LentFrom<'a, $owned>, $owned),*> LentFrom<'a, ($($owned,)*)> for ($($part,)*) {
            fn lend(($($name,)*): &'a mut ($($owned,)*)) -> Self {
                ($($part::lend($name),)*)
            }
        }
    )*};
}

// A payload has at most seven parts. A payload of one part is not a tuple.
tuples! {
    (A OwnedA a, B OwnedB b)
    (A OwnedA a, B OwnedB b, C OwnedC c)
    (A OwnedA a, B OwnedB b, C OwnedC c, D OwnedD d)
    (A OwnedA a, B OwnedB b, C OwnedC c, D OwnedD d, E OwnedE e)
    (A OwnedA a, B OwnedB b, C OwnedC c, D OwnedD d, E OwnedE e, F OwnedF f)
    (A OwnedA a, B OwnedB b, C OwnedC c, D OwnedD d, E OwnedE e, F OwnedF f, G OwnedG g)
}
