//! The conversations that the guards of a session have read, so that a turn costs what it adds.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use exo_rails::message::Messages;
use exo_rails::{RunScope, SharedExtensions};

/// The last conversation that each guard has read. A value of the session, or of a run without a session. The messages are shared with
/// the conversation, so they take no memory of their own as long as it lasts.
#[derive(Default)]
struct Read(HashMap<Judge, Messages>);

/// Returns the values that end with the session, or with a run that has none.
pub(crate) fn values(scope: &RunScope) -> &SharedExtensions {
    if scope.session_id().is_some() { &scope.session } else { &scope.run }
}

/// A guard in this process. After a reload, the new guard judges all texts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Judge(u64);

impl Judge {
    pub(crate) fn new() -> Self {
        static JUDGES: AtomicU64 = AtomicU64::new(0);
        Self(JUDGES.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns how many messages at the beginning of a conversation the guard has read in an earlier turn.
    pub(crate) fn read_before(self, messages: &Messages, scope: &RunScope) -> usize {
        // Most runs begin without a conversation, and a value of the run is an allocation.
        if messages.is_empty() {
            return 0;
        }
        values(scope).update(|Read(known): &mut Read| known.get(&self).map_or(0, |last| messages.shared_start(last)))
    }

    /// Records that the guard has read a conversation, as it is now.
    pub(crate) fn has_read(self, messages: &Messages, scope: &RunScope) {
        if messages.is_empty() {
            return;
        }
        values(scope).update(|Read(known): &mut Read| {
            known.insert(self, messages.clone());
        });
    }
}

/// Forgets all conversations. What the guards have learned from them ends too.
pub(crate) fn forget(scope: &RunScope) {
    drop(scope.session.remove::<Read>());
}
