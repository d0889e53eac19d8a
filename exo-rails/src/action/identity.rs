//! The key under which the context counts the retries of a rail.

use std::any::type_name;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Identifies a rail by its type and its place in the guard set. The place is the path through nested chains and managers.
///
/// The identity distinguishes rails that share a name, a priority and a location in the source: rails of one generic type,
/// hooks added in a loop, and a chain that is listed at two places. Each of them has its own count of retries.
#[derive(Clone, Copy)]
pub(crate) struct RailIdentity {
    // A function, because `type_name` is not a `const fn`, and identities are made in constants.
    rail: fn() -> &'static str,
    place: u64,
}

impl RailIdentity {
    /// Creates the identity of the rail or hook of this type, without a place.
    pub(crate) const fn of<R: ?Sized>() -> Self {
        Self { rail: type_name::<R>, place: 0 }
    }

    /// Returns the identity of this rail at a place of the chain or manager at `path`.
    pub(crate) const fn at(self, path: Path, place: u64) -> Self {
        Self { rail: self.rail, place: path.to(place).0 }
    }

    /// Returns the type and the place.
    pub(crate) fn key(self) -> (&'static str, u64) {
        ((self.rail)(), self.place)
    }
}

/// The path to a chain or manager in a guard set, from the outermost place to the innermost, as a hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(u64);

impl Path {
    /// Extends the path by a place of the chain or manager at this path.
    pub(crate) const fn to(self, place: u64) -> Self {
        // Adds 1 because 0 is a valid place too. Rotates because the order of the places matters.
        Self((self.0.rotate_left(5) ^ place.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Combines the place of a list and the index of a rail in this list into one place.
    pub(crate) const fn in_list(place: u64, index: usize) -> u64 {
        Self(place).to(index as u64).0
    }
}

impl PartialEq for RailIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for RailIdentity {}

impl Hash for RailIdentity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for RailIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rail, place) = self.key();
        write!(f, "{rail} at {place:x}")
    }
}
