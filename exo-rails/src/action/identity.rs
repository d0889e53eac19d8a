//! By what the retries of a rail are counted.

use std::any::type_name;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Which rail it is: its type, and its place in the guard set. The place is the path through nested chains and managers.
///
/// It distinguishes rails that share a name, a priority and a location in the source: rails of one generic type, hooks
/// added in a loop, and a chain that is listed at two places. Each has its own retries.
#[derive(Clone, Copy)]
pub(crate) struct RailIdentity {
    // The type has a name in constants only as a function.
    rail: fn() -> &'static str,
    place: u64,
}

impl RailIdentity {
    /// The rail or hook of this type, before it has a place.
    pub(crate) const fn of<R: ?Sized>() -> Self {
        Self { rail: type_name::<R>, place: 0 }
    }

    /// The same rail at this place of the chain or manager that is at `path`.
    pub(crate) const fn at(self, path: Path, place: u64) -> Self {
        Self { rail: self.rail, place: path.to(place).0 }
    }

    fn key(self) -> (&'static str, u64) {
        ((self.rail)(), self.place)
    }
}

/// The path to a chain or manager in a guard set: the place of the outermost one comes first. A hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(u64);

impl Path {
    /// The path to this place of the chain or manager that is here.
    pub(crate) const fn to(self, place: u64) -> Self {
        // 0 is a place as well, and the order of the places counts.
        Self((self.0.rotate_left(5) ^ place.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// The rail of this index in the list at a place, as one place.
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
