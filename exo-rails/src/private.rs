//! What the expansions of the macros name. Nobody else should: it changes without notice.

pub use crate::chain::order::Checks;
pub use crate::chain::sorting::{Listing, Row, Sorted, Summary};
pub use crate::chain::{At, NoRail, RailAt, Step};
pub use crate::rail::EventVisitor;
