//! Whether a saved state can be one that an executor has saved.

use super::MachineState;

impl MachineState {
    /// Returns what is wrong with the paths of a saved state. Paths are found by their numbers, and parents are older than their
    /// children, so no path waits for itself.
    pub(crate) fn damage(&self) -> Option<String> {
        for (at, path) in self.paths.iter().enumerate() {
            if usize::try_from(path.id) != Ok(at) {
                return Some(format!("its path {at} has the number {}", path.id));
            }
            if let Some(parent) = path.parent.filter(|parent| *parent >= path.id) {
                return Some(format!("its path {at} waits for path {parent}, which does not come before it"));
            }
        }
        None
    }
}
