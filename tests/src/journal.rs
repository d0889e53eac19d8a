//! What has happened in a run, in order: kept in its store.

use exo_rails::RunScope;

#[derive(Clone, Default)]
struct Journal(Vec<String>);

/// Adds an entry.
pub fn note(scope: &RunScope, entry: impl Into<String>) {
    scope.run.update(|journal: &mut Journal| journal.0.push(entry.into()));
}

/// The entries so far.
#[must_use]
pub fn notes(scope: &RunScope) -> Vec<String> {
    scope.run.get::<Journal>().unwrap_or_default().0
}

/// The entries so far, which the journal forgets.
#[must_use]
pub fn take_notes(scope: &RunScope) -> Vec<String> {
    scope.run.remove::<Journal>().unwrap_or_default().0
}
