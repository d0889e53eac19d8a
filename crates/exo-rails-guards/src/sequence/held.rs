//! The calls of a run, from their beginning to their end.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use exo_rails_policy::Decimal;
use exo_rails_sequence::grammar::Outcome;

use super::state::LastEnd;
use crate::limits::call_id::CallId;

/// The largest number of calls of a run that are known. A call that is forgotten counts again if it is tried again.
const MOST: usize = 1_024;

/// How a call has ended, by what its tool has really done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The tool, or a fallback, has succeeded.
    Succeeded,
    /// The tool has not succeeded, and a rail has made a result without an error. The rail may have done the work of the tool.
    Replaced,
    Failed,
    /// A guard has refused the call.
    Refused,
    /// Nobody knows what the tool has done.
    Unknown,
}

impl Ending {
    /// Returns the outcome. A call that a rail has replaced may have happened, and it does not make another call possible.
    /// `None` if nobody knows.
    pub(super) const fn outcome(self, makes_possible: bool) -> Option<Outcome> {
        match self {
            Self::Succeeded => Some(Outcome::Succeeded),
            Self::Replaced if !makes_possible => Some(Outcome::Succeeded),
            Self::Replaced | Self::Failed => Some(Outcome::Failed),
            Self::Refused => Some(Outcome::Refused),
            Self::Unknown => None,
        }
    }

    /// Returns whether the tool may have done its work.
    pub(super) const fn may_have_happened(self) -> bool {
        matches!(self, Self::Succeeded | Self::Replaced | Self::Unknown)
    }
}

/// A call that has begun.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    pub(super) call: CallId,
    /// The name of the call in the store, which is the same for all attempts.
    pub(super) id: String,
    /// What the rules know about the call.
    pub(super) parts: Vec<Part>,
    /// Whether the guard has refused the last attempt.
    pub(super) is_refused: bool,
    /// How the last attempt has ended. `None` if it has not ended.
    pub(super) ending: Option<Ending>,
}

/// What a rule knows about a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The place of the rule in the configuration.
    pub(super) rule: usize,
    /// The record that the call must look at.
    pub(super) checked: Option<String>,
    /// The record that remembers the call.
    pub(super) remembered: Option<String>,
    /// The record that forgets other calls after this one.
    pub(super) forgets: Option<String>,
    /// The last end of this record when the call began.
    pub(super) last: Option<LastEnd>,
    pub(super) amount: Decimal,
    /// Whether the record has the call as a running one.
    pub(super) is_running: bool,
    /// Whether the record has the call as an ended one.
    pub(super) is_counted: bool,
    /// Whether nobody knows how an attempt has ended. Then the record keeps the call as a running one.
    pub(super) is_unknown: bool,
}

impl Hold {
    /// Returns whether the call has these parts. Otherwise it is an earlier call with the same context.
    fn is_about(&self, parts: &[Part]) -> bool {
        let key = |part: &Part| (part.rule, part.checked.clone(), part.remembered.clone(), part.forgets.clone());
        self.parts.iter().map(key).eq(parts.iter().map(key))
    }
}

impl Part {
    /// Returns whether the records of this part remember the same call as those of a part of a replaced guard.
    pub(super) fn continues(&self, replaced: &Self) -> bool {
        self.remembered == replaced.remembered
    }

    /// Returns whether this part of an earlier attempt counts, and counts the same as one of a later attempt.
    pub(super) fn is_the_same_count(&self, later: &Self) -> bool {
        (self.is_counted || self.is_unknown)
            && self.rule == later.rule
            && self.remembered == later.remembered
            && self.amount == later.amount
    }
}

/// The state of a guard in a run: a value in `ctx.run`.
#[derive(Debug, Default)]
pub(super) struct Held(VecDeque<(Arc<str>, Hold)>);

impl Held {
    /// Takes what is known about a call from its earlier attempts.
    pub(super) fn take(&mut self, guard: &Arc<str>, call: CallId, attempt: u32) -> Option<Hold> {
        let place = self.place(guard, call)?;
        // In shadow, an equal call may be running.
        if attempt == 0 && !call.is_unique() {
            return None;
        }
        let (_, hold) = self.0.remove(place)?;
        (attempt > 0).then_some(hold)
    }

    pub(super) fn keep(&mut self, guard: &Arc<str>, hold: Hold) {
        if self.0.len() >= MOST {
            let ended = self.0.iter().position(|(_, hold)| hold.ending.is_some());
            self.0.remove(ended.unwrap_or_default());
        }
        self.0.push_back((Arc::clone(guard), hold));
    }

    /// Ends the last attempt of a call with these parts. A call that was not skipped has begun here. A skipped call may be
    /// another one with the same context, so its parts are compared. A rail may have changed the parts of a call that has run.
    pub(super) fn end(
        &mut self,
        guard: &Arc<str>,
        call: CallId,
        parts: &[Part],
        ending: Ending,
        was_skipped: bool,
    ) -> End {
        let is_call = |hold: &Hold| hold.call == call && (!was_skipped || hold.is_about(parts));
        let running = self.0.iter_mut().rev().find(|(of, hold)| of == guard && is_call(hold) && hold.ending.is_none());
        if let Some((_, hold)) = running {
            hold.ending = Some(ending);
            return End::Begun(Box::new(hold.clone()));
        }
        let ended = self.0.iter().rev().find(|(of, hold)| of == guard && is_call(hold));
        ended.map_or(End::Unseen, |(_, hold)| End::Again(Box::new(hold.clone())))
    }

    /// Takes a running call that another guard with one of these records has begun. This guard has replaced the other one.
    pub(super) fn end_replaced(&mut self, guard: &Arc<str>, call: CallId, parts: &[Part]) -> Option<Hold> {
        let is_shared = |part: &Part| part.remembered.is_some() && parts.iter().any(|new| new.continues(part));
        let is_it = |of: &Arc<str>, hold: &Hold| {
            call.is_unique()
                && of != guard
                && hold.call == call
                && hold.ending.is_none()
                && hold.parts.iter().any(is_shared)
        };
        let place = self.0.iter().rposition(|(of, hold)| is_it(of, hold))?;
        self.0.remove(place).map(|(_, hold)| hold)
    }

    /// Notes which rules have counted the call.
    pub(super) fn note(&mut self, guard: &Arc<str>, ended: &Hold) {
        if let Some((_, hold)) = self.0.iter_mut().rev().find(|(of, hold)| of == guard && hold.id == ended.id) {
            hold.parts.clone_from(&ended.parts);
            hold.ending = ended.ending;
        }
    }

    fn place(&self, guard: &Arc<str>, call: CallId) -> Option<usize> {
        self.0.iter().rposition(|(of, hold)| of == guard && hold.call == call)
    }
}

/// What is known about a call that ends.
#[derive(Debug)]
pub(super) enum End {
    /// The call has begun.
    Begun(Box<Hold>),
    /// The last attempt has ended already. For example, it was an error, and this is the output in its place.
    Again(Box<Hold>),
    /// Nobody has seen the beginning.
    Unseen,
}

/// Returns a name that no other call has.
pub(super) fn new_id() -> String {
    // The standard library seeds each `RandomState` with random bytes of the operating system.
    format!("{:016x}", RandomState::new().hash_one((SystemTime::now(), std::process::id())))
}
