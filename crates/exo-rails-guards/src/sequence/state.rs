//! What a rule remembers: a record in the store for each rule, each scope, and each value of its `same` fields.

use std::time::Duration;

use exo_rails_policy::Decimal;
use serde::{Deserialize, Serialize};

/// The largest number of entries of a record. From then on, calls that lie close together are one entry with the time of the
/// last one. So they are forgotten up to 1 % of the window later, and never earlier.
pub(super) const MOST_ENTRIES: usize = 256;

/// The calls that a rule remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// Calls that have begun and not ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    running: Vec<Running>,
    /// Calls that have ended, from the oldest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ended: Vec<Ended>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Running {
    id: String,
    /// The time since the call has begun, in milliseconds.
    age: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    amount: Decimal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Ended {
    /// The last call of the entry.
    id: String,
    /// A name of this end of the call. A call that is tried again ends again. Empty if the end is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    end: String,
    /// The time since its end, in milliseconds.
    age: u64,
    /// The time between the ends of the first and the last call of the entry, in milliseconds.
    #[serde(default, skip_serializing_if = "is_none")]
    span: u64,
    /// The number of calls.
    calls: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    amount: Decimal,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(number: &u64) -> bool {
    *number == 0
}

const fn is_zero(amount: &Decimal) -> bool {
    amount.is_zero()
}

/// The last end of a record: the call, and the name of its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LastEnd {
    id: String,
    end: String,
}

/// How a rule remembers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Whether only the last call counts.
    pub(super) only_last: bool,
    /// The time after which a call is forgotten.
    pub(super) within: Option<u64>,
    /// The time after which a running call counts as ended.
    pub(super) hold_for: u64,
}

/// What a record contains, apart from one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The number of calls that run.
    pub(super) running: u64,
    /// The number of calls that have ended.
    pub(super) ended: u64,
    /// The sum of the amounts of all calls.
    pub(super) amount: Decimal,
    /// The time until the oldest call that has ended is forgotten.
    pub(super) oldest_leaves: Option<Duration>,
    /// The time until the last call that has ended is forgotten.
    pub(super) last_leaves: Option<Duration>,
}

impl Seen {
    pub(super) const fn calls(&self) -> u64 {
        self.running.saturating_add(self.ended)
    }
}

impl State {
    /// Lets time pass.
    pub(super) fn advance(&mut self, time: Duration, memory: Memory) {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        for age in
            self.running.iter_mut().map(|call| &mut call.age).chain(self.ended.iter_mut().map(|call| &mut call.age))
        {
            *age = age.saturating_add(time);
        }
        for Running { id, age, amount } in self.running.extract_if(.., |call| call.age >= memory.hold_for) {
            let ended = Ended { id, end: String::new(), age: age - memory.hold_for, span: 0, calls: 1, amount };
            let place = self.ended.partition_point(|other| other.age > ended.age);
            self.ended.insert(place, ended);
        }
        if let Some(within) = memory.within {
            self.ended.retain(|call| call.age < within);
        }
        self.shorten(memory);
    }

    /// Begins a call. An earlier attempt of the call is over.
    pub(super) fn begin(&mut self, id: &str, amount: Decimal) {
        self.remove(id);
        self.running.push(Running { id: id.to_owned(), age: 0, amount });
    }

    /// Returns whether so many calls run that the record has no room.
    pub(super) const fn is_full(&self) -> bool {
        self.running.len() >= MOST_ENTRIES
    }

    /// Removes a running call. Returns whether it was there.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        let before = self.running.len();
        self.running.retain(|call| call.id != id);
        self.running.len() < before
    }

    /// Removes a call that has run for too long, and ends after that. Returns whether it must be added again, because the window
    /// begins with its end.
    pub(super) fn remove_late(&mut self, id: &str, memory: Memory) -> bool {
        if memory.within.is_some() {
            self.ended.retain(|call| call.id != id || call.calls > 1);
        }
        memory.within.is_some()
    }

    /// Adds a call that has ended now.
    pub(super) fn end(&mut self, id: &str, end: &str, amount: Decimal, memory: Memory) {
        self.ended.push(Ended { id: id.to_owned(), end: end.to_owned(), age: 0, span: 0, calls: 1, amount });
        self.shorten(memory);
    }

    /// Forgets all ended calls if this is the last end.
    pub(super) fn forget_until(&mut self, last: &LastEnd) {
        if self.last().as_ref() == Some(last) {
            self.ended.clear();
        }
    }

    /// Returns the last end.
    pub(super) fn last(&self) -> Option<LastEnd> {
        self.ended.last().map(|Ended { id, end, .. }| LastEnd { id: id.clone(), end: end.clone() })
    }

    /// Returns what the record contains, apart from the call with this id.
    pub(super) fn without(&self, id: &str, memory: Memory) -> Seen {
        let running = self.running.iter().filter(|call| call.id != id);
        // Otherwise an entry can be several calls.
        let ended = self.ended.iter().filter(|call| !memory.only_last || call.id != id);
        let amounts = running.clone().map(|call| call.amount).chain(ended.clone().map(|call| call.amount));
        let leaves = |call: &Ended| memory.within.map(|within| Duration::from_millis(within.saturating_sub(call.age)));
        Seen {
            running: running.count() as u64,
            ended: ended.clone().fold(0, |sum, call| sum.saturating_add(call.calls)),
            amount: amounts.fold(Decimal::default(), Decimal::saturating_add),
            oldest_leaves: ended.clone().next().and_then(leaves),
            last_leaves: ended.clone().next_back().and_then(leaves),
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.running.is_empty() && self.ended.is_empty()
    }

    /// Keeps the record small.
    fn shorten(&mut self, memory: Memory) {
        if memory.only_last {
            let last = self.ended.len().saturating_sub(1);
            self.ended.drain(..last);
            return;
        }
        // Without a window, no call is forgotten, so all of them can be one entry.
        let most = if memory.within.is_some() { MOST_ENTRIES } else { 1 };
        while self.ended.len() > most {
            let span = |place: &usize| {
                let (earlier, later) = (&self.ended[*place], &self.ended[place + 1]);
                earlier.age.saturating_add(earlier.span).saturating_sub(later.age)
            };
            let Some(place) = (0..self.ended.len() - 1).min_by_key(span) else { return };
            let span = span(&place);
            let earlier = self.ended.remove(place);
            let later = &mut self.ended[place];
            later.calls = later.calls.saturating_add(earlier.calls);
            later.amount = later.amount.saturating_add(earlier.amount);
            later.span = span;
        }
    }
}
