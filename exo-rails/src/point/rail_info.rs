//! A rail's name, priority and location in the source.

use std::hash::Hash;

use serde::Serialize;

use super::text;
use crate::point::source_location::SourceLocation;

/// The priority of a rail that declares none.
pub const DEFAULT_PRIORITY: i32 = 50;

/// A rail's name, priority and location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct RailInfo {
    /// The name of the rail.
    pub name: &'static str,
    /// The priority. Lower numbers run first.
    pub priority: i32,
    /// The location of the rail's declaration.
    pub declared: SourceLocation,
}

impl RailInfo {
    /// Returns `true` if both describe the same rail. Constants can call it. Two rails with the same name at the same
    /// location are the same rail, unless they are instances of one generic type.
    pub(crate) const fn same(&self, other: &Self) -> bool {
        // Compares the numbers first, because that is quicker and constants evaluate slowly.
        self.declared.same(&other.declared) && text::same(self.name, other.name)
    }
}
