//! A rail at its place in a guard set.

use crate::action::{Path, RailIdentity};
use crate::decision::on_fault::OnFault;
use crate::error::{FaultCause, RailFault};
use crate::point::{HookPoint, RailName};

/// A rail or hook at its place in a guard set. It has the name for the rail's decisions and the key for its retries.
#[derive(Clone, Debug)]
pub struct PlacedRail {
    /// The name of the rail at this place.
    pub(crate) name: RailName,
    /// Whether the guard set gave the rail a name other than the declared one.
    pub(crate) named_here: bool,
    /// The type of the rail.
    pub(crate) rail: RailIdentity,
    /// The number of the place. In a chain, this is the index in the list.
    pub(crate) place: u64,
    /// Whether the guard set runs its rails in reverse order at this event. A list of rails then does so too.
    pub(crate) reversed: bool,
    /// The effect of the rail's fault. A plain hook fails closed.
    pub(crate) on_fault: OnFault,
}

impl PlacedRail {
    /// Returns the rail at this index of a list of rails. The list is the rail at this place.
    #[cold]
    pub(crate) fn element(&self, index: usize) -> Self {
        Self { name: format!("{}[{index}]", self.name).into(), named_here: true, ..self.unnamed_element(index) }
    }

    /// Like [`element`](Self::element), but keeps the name of the list. The name with the index costs an allocation, so the
    /// list makes it only when the rail has decided.
    pub(crate) fn unnamed_element(&self, index: usize) -> Self {
        Self { place: Path::in_list(self.place, index), ..self.clone() }
    }

    /// Returns the key for the rail's retries, in the chain or manager at this path.
    pub(crate) const fn identity(&self, path: Path) -> RailIdentity {
        self.rail.at(path, self.place)
    }
}

impl RailFault {
    /// Creates the fault of a rail with this cause. If the cause is itself a fault, returns that fault unchanged: a rail
    /// that asks other rails does not hide which of them faulted.
    #[cold]
    pub(crate) fn of(rail: &PlacedRail, point: HookPoint, cause: FaultCause) -> Self {
        let cause = match cause {
            FaultCause::Error(error) => match error.downcast() {
                Ok(fault) => return *fault,
                Err(error) => FaultCause::Error(error),
            },
            cause => cause,
        };
        Self { rail_name: rail.name.clone(), event: point, cause }
    }
}
