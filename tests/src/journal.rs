//! The journal of a run, in the values of the run.

use exo_rails::RunScope;

#[derive(Clone, Default)]
struct Journal(Vec<String>);

/// Adds an entry.
pub fn note(scope: &RunScope, entry: impl Into<String>) {
    scope.run.update(|journal: &mut Journal| journal.0.push(entry.into()));
}

/// Returns the entries so far.
#[must_use]
pub fn notes(scope: &RunScope) -> Vec<String> {
    scope.run.get::<Journal>().unwrap_or_default().0
}

/// Returns the entries so far, and clears the journal.
#[must_use]
pub fn take_notes(scope: &RunScope) -> Vec<String> {
    scope.run.remove::<Journal>().unwrap_or_default().0
}
