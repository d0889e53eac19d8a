//! A rail's name, priority and location in the source.

use std::hash::Hash;

use serde::Serialize;

use super::text;
use crate::point::source_location::SourceLocation;

/// The priority of a rail that gives none.
pub const DEFAULT_PRIORITY: i32 = 50;

/// A rail's name, priority and location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct RailInfo {
    /// What it is called.
    pub name: &'static str,
    /// Lower numbers run first.
    pub priority: i32,
    /// Where it was declared.
    pub declared: SourceLocation,
}

impl RailInfo {
    /// Whether both are of one rail, in a constant: no two rails have the same name at the same place, but those made
    /// from one generic type.
    pub(crate) const fn same(&self, other: &Self) -> bool {
        // Numbers first: that is quicker, and constants are slow.
        self.declared.same(&other.declared) && text::same(self.name, other.name)
    }
}
