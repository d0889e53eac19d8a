//! A rail at its place in a guard set.

use crate::action::{Path, RailIdentity};
use crate::decision::on_fault::OnFault;
use crate::point::RailName;

/// A rail or hook at its place in a guard set: what its decisions say of it, and what its retries are counted by.
#[derive(Clone, Debug)]
pub struct PlacedRail {
    /// What it is called at this place.
    pub(crate) name: RailName,
    /// Whether the guard set gave the rail another name than the one that the rail declares.
    pub(crate) named_here: bool,
    /// Its type.
    pub(crate) rail: RailIdentity,
    /// The number of the place. In a chain it is the index in the list.
    pub(crate) place: u64,
    /// Whether the guard set runs its rails in the reverse of their order at the event. A list of rails does the same.
    pub(crate) reversed: bool,
    /// What a fault of it does. A plain hook fails closed.
    pub(crate) on_fault: OnFault,
}

impl PlacedRail {
    /// The rail of this index, when the rail at this place is a list.
    #[cold]
    pub(crate) fn element(&self, index: usize) -> Self {
        Self { name: format!("{}[{index}]", self.name).into(), named_here: true, ..self.unnamed_element(index) }
    }

    /// The same with the name of the list: its own name is made only when somebody reads it.
    pub(crate) fn unnamed_element(&self, index: usize) -> Self {
        Self { place: Path::in_list(self.place, index), ..self.clone() }
    }

    /// By what its retries are counted, in the chain or manager that is at this path.
    pub(super) const fn identity(&self, path: Path) -> RailIdentity {
        self.rail.at(path, self.place)
    }
}
