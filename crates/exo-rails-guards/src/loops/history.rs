//! The calls that the guard remembers.

use exo_rails::RailContext;
use serde::{Deserialize, Serialize};
use tokio::time::{Duration, Instant};

/// The number of different guards that can have a history in a run.
const MOST_GUARDS: usize = 8;

/// The number of calls for which the guard remembers a warning.
const MOST_WARNED: usize = 64;

/// The calls that [`Loops`](super::Loops) remembers. It is a value in [`ctx.run`](exo_rails::RunScope::run) or in
/// [`ctx.session`](exo_rails::RunScope::session).
///
/// The history contains hashes and no texts. The [`window`](field@super::LoopsConfig::window) bounds its size. Each record of a
/// run has the history of the run, so a resumed run goes on with it. A saved session does not have the history of the session.
/// To save it too, add this type to the [`KeptValues`](exo_rails::KeptValues) with which you save the values of the session:
///
/// ```
/// use exo_rails::KeptValues;
/// use exo_rails_guards::loops::LoopHistory;
///
/// let kept = KeptValues::new().keep::<LoopHistory>("loops");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopHistory {
    guards: Vec<(u64, History)>,
}

impl LoopHistory {
    /// Returns the history of a guard.
    pub(super) fn of(&mut self, guard: u64) -> &mut History {
        let place = self.guards.iter().position(|(of, _)| *of == guard).unwrap_or_else(|| {
            if self.guards.len() == MOST_GUARDS {
                self.guards.remove(0);
            }
            self.guards.push((guard, History::default()));
            self.guards.len() - 1
        });
        &mut self.guards[place].1
    }
}

/// The history of one guard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    /// The calls, in the order in which the model asked for them. The list grows to twice the window before the oldest are
    /// removed.
    entries: Vec<Entry>,
    /// The calls in the warnings that the model has read.
    warned: Vec<u64>,
    /// The largest progress so far.
    best: Option<f64>,
    /// The calls since then.
    idle: u32,
    /// The number of model calls so far. It tells steps apart if the program does not number them.
    round: u32,
    is_drift_warned: bool,
    #[serde(default)]
    waiting: Waiting,
}

/// The last calls of tools that wait: equal ones in a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Waiting {
    call: u64,
    result: Option<u64>,
    /// The calls that have not waited.
    count: u32,
    /// When the last call has ended.
    #[serde(skip)]
    ended: Option<Instant>,
}

impl Waiting {
    /// Begins a call of a tool that waits. Returns the number of equal calls in a row, with this one, that came too fast.
    pub(super) fn begin(&self, call: u64, wait: Duration) -> u32 {
        if self.call != call {
            return 1;
        }
        let has_waited = self.ended.is_some_and(|ended| ended.elapsed() >= wait);
        self.count.saturating_add(u32::from(!has_waited))
    }

    /// Ends a call. A refused call has no result. Returns the number of equal calls in a row that came too fast.
    pub(super) fn end(&mut self, call: u64, result: Option<u64>, count: u32) -> u32 {
        let is_same = self.call == call && (result.is_none() || self.result.is_none() || self.result == result);
        let result = result.or(self.result.filter(|_| is_same));
        *self = Self { call, result, count: if is_same { count } else { 1 }, ended: Some(Instant::now()) };
        self.count
    }
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The tool and its arguments.
    pub(super) call: u64,
    /// The result. `None` if the call has not ended, or was refused by the guard.
    pub(super) result: Option<u64>,
    is_running: bool,
    is_refused: bool,
    place: Place,
    round: u32,
}

/// How a call has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) result: u64,
    pub(super) was_skipped: bool,
}

/// The place of a call in the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    turn: u32,
    step: u32,
    number: u32,
}

impl Place {
    pub(super) fn of(ctx: &RailContext) -> Self {
        Self { turn: ctx.turn(), step: ctx.step(), number: ctx.call_number() }
    }

    #[cfg(test)]
    pub(super) fn at(step: u32, number: u32) -> Self {
        Self { turn: 0, step, number }
    }
}

impl Entry {
    pub(super) const fn new(call: u64, place: Place, round: u32) -> Self {
        Self { call, result: None, is_running: true, is_refused: false, place, round }
    }

    /// Returns whether both calls belong to one answer of the model.
    fn is_beside(&self, other: &Self) -> bool {
        let step = |entry: &Self| (entry.place.turn, entry.place.step, entry.round);
        step(self) == step(other) && self.place.number != other.place.number
    }
}

impl History {
    /// Begins a call. Returns the calls up to this one.
    pub(super) fn begin(&mut self, call: u64, place: Place, window: usize) -> &[Entry] {
        if self.entries.len() >= window.saturating_mul(2) {
            self.entries.drain(..self.entries.len() - window);
        }
        // The call begins again after a suspension, or an equal call of the step is there already.
        self.entries.retain(|entry| !(entry.is_running && entry.place == place && entry.call == call));
        let new = Entry::new(call, place, self.round);
        let beside = self.entries.iter().rposition(|entry| entry.call == call && entry.is_beside(&new));
        let position = beside.unwrap_or_else(|| {
            let is_later = |entry: &&Entry| entry.is_beside(&new) && entry.place.number > place.number;
            let position = self.entries.len() - self.entries.iter().rev().take_while(is_later).count();
            self.entries.insert(position, new);
            position
        });
        &self.entries[(position + 1).saturating_sub(window)..=position]
    }

    /// Begins another attempt of a call. Returns the calls up to this one.
    pub(super) fn begin_again(&mut self, call: u64, place: Place, window: usize) -> &[Entry] {
        let is_this = |entry: &Entry| entry.place == place && entry.call == call;
        let Some(position) = self.entries.iter().rposition(is_this) else { return self.begin(call, place, window) };
        self.entries[position] = Entry::new(call, place, self.entries[position].round);
        &self.entries[(position + 1).saturating_sub(window)..=position]
    }

    /// Marks the latest call at this place as refused.
    pub(super) fn refuse(&mut self, place: Place) {
        if let Some(entry) = self.entries.iter_mut().rfind(|entry| entry.is_running && entry.place == place) {
            entry.is_refused = true;
        }
    }

    /// Ends a call. A call that was skipped has no result if this guard has refused it. Returns the calls up to this one, if it
    /// counts.
    pub(super) fn end(&mut self, call: u64, ended: Ended, place: Place, window: usize) -> Option<&[Entry]> {
        // Another guard has refused the call before this one saw it.
        if self.running(call, place).is_none() {
            self.begin(call, place, window);
        }
        let position = self.running(call, place)?;
        let entry = &mut self.entries[position];
        entry.is_running = false;
        entry.result = (!(entry.is_refused && ended.was_skipped)).then_some(ended.result);
        Some(&self.entries[(position + 1).saturating_sub(window)..=position])
    }

    fn running(&self, call: u64, place: Place) -> Option<usize> {
        let is_here = |entry: &Entry| entry.is_running && entry.place == place;
        // A rail may have changed the arguments after the guard saw them.
        let same = self.entries.iter().rposition(|entry| is_here(entry) && entry.call == call);
        same.or_else(|| self.entries.iter().rposition(is_here))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Begins a step: the calls of the next answer.
    pub(super) const fn begin_step(&mut self) {
        self.round = self.round.wrapping_add(1);
    }

    /// Returns the last calls of tools that wait.
    pub(super) const fn waiting(&mut self) -> &mut Waiting {
        &mut self.waiting
    }

    /// Forgets all calls.
    pub(super) fn clear(&mut self) {
        *self = Self { best: self.best, round: self.round, ..Self::default() };
    }

    /// Forgets all calls if this measure is progress. Returns whether it is.
    pub(super) fn advance(&mut self, measure: Option<f64>) -> bool {
        let Some(measure) = measure else { return false };
        let before = self.best;
        if before.is_some_and(|best| measure <= best) {
            return false;
        }
        (self.best, self.idle) = (Some(measure), 0);
        if before.is_some() {
            self.clear();
        }
        before.is_some()
    }

    /// Counts a call that has ended without progress.
    pub(super) const fn count_idle(&mut self) {
        self.idle = self.idle.saturating_add(1);
    }

    /// Returns the number of calls without progress, if the program measures it.
    pub(super) fn idle(&self) -> Option<u32> {
        self.best.map(|_| self.idle)
    }

    /// Returns whether the model has not been warned about a loop of these calls yet. Without calls, the loop is drift.
    pub(super) fn warn_once(&mut self, calls: &[u64]) -> bool {
        if calls.is_empty() {
            return !std::mem::replace(&mut self.is_drift_warned, true);
        }
        let mut is_new = false;
        for call in calls {
            if !self.warned.contains(call) {
                is_new = true;
                self.warned.push(*call);
            }
        }
        let excess = self.warned.len().saturating_sub(MOST_WARNED);
        self.warned.drain(..excess);
        is_new
    }
}
