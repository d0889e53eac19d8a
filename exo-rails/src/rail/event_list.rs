//! The events of a rail, as types.

use crate::event::Event;
use crate::rail::RailOn;

/// A visitor of the events of a rail `R`, one by one, with their types.
#[doc(hidden)]
pub trait EventVisitor<R: ?Sized> {
    fn visit<E: Event>(&mut self)
    where
        R: RailOn<E>;
}

/// The events of a rail `R`, as types. `RailManager` uses them to collect rails at run time.
#[doc(hidden)]
pub trait EventList<R: ?Sized> {
    /// Passes every event to a visitor.
    fn visit<V: EventVisitor<R>>(visitor: &mut V);
}

#[diagnostic::do_not_recommend]
impl<R: ?Sized> EventList<R> for () {
    fn visit<V: EventVisitor<R>>(_: &mut V) {}
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: RailOn<E>, L: EventList<R>> EventList<R> for (E, L) {
    fn visit<V: EventVisitor<R>>(visitor: &mut V) {
        visitor.visit::<E>();
        L::visit(visitor);
    }
}
