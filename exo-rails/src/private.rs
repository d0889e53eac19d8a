//! What the expansions of the macros name. Nobody else should: it changes without notice.

use crate::context::RailContext;
use crate::event::{Event, Param};

pub use crate::chain::sorting::{Listing, Row, Sorted, Summary};
pub use crate::chain::{Lists, NoRail, RailAt, Stateless};
pub use crate::rail::EventVisitor;

/// Takes one parameter of a rail out of the parts of an event.
///
/// # Panics
/// Never: the parameters of a rail take different parts, or it does not compile ([`disjoint`]).
#[inline]
pub fn pick<'a, E: Event, P: Param<'a, E>>(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> P {
    match P::take(parts, ctx) {
        Some(param) => param,
        None => unreachable!("two parameters of a rail take the same part"),
    }
}

/// Whether no two parameters take the same part.
#[must_use]
pub const fn disjoint(takes: &[u8]) -> bool {
    let (mut seen, mut i) = (0, 0);
    while i < takes.len() {
        if seen & takes[i] != 0 {
            return false;
        }
        seen |= takes[i];
        i += 1;
    }
    true
}
