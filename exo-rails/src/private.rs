//! What the expansions of the macros name. Nobody else should: it changes without notice.

pub use crate::chain::sorting::{Listing, Row, Sorted, Summary};
pub use crate::chain::{NoRail, RailAt};
pub use crate::rail::EventVisitor;

/// Whether no two parameters take the same part.
#[must_use]
pub const fn disjoint(takes: &[u8]) -> bool {
    let (mut taken, mut i) = (0, 0);
    while i < takes.len() {
        if taken & takes[i] != 0 {
            return false;
        }
        taken |= takes[i];
        i += 1;
    }
    true
}
