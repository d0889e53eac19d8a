//! Finds loops in a history.

use std::cmp::Reverse;

use exo_rails_policy::loops::{Level, Levels};

use super::LoopsConfig;
use super::history::Entry;

/// A loop at the end of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    pub(super) pattern: Pattern,
    /// The number of calls, or of rounds.
    pub(super) count: u32,
    pub(super) level: Level,
    /// The different calls of the loop. Empty for drift.
    pub(super) calls: Vec<u64>,
}

/// The kinds of loops. If several have the same consequence, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Repetition,
    Oscillation { period: usize },
    Stagnation,
    Redundancy,
    Polling,
    Drift,
    Waiting,
}

impl Pattern {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Repetition => "repetition",
            Self::Oscillation { .. } => "oscillation",
            Self::Stagnation => "stagnation",
            Self::Redundancy => "redundancy",
            Self::Polling => "polling",
            Self::Drift => "drift",
            Self::Waiting => "waiting",
        }
    }
}

/// Returns the loop with the strongest consequence at the end of the calls. `idle` is the number of calls without progress.
pub(super) fn judge(config: &LoopsConfig, calls: &[Entry], idle: Option<u32>) -> Option<Loop> {
    let mut worst: Option<(Pattern, u32, Level)> = None;
    let mut found = |pattern, count, levels: Levels| {
        if let Some(level) = levels.of(count)
            && worst.is_none_or(|(_, _, worst)| level > worst)
        {
            worst = Some((pattern, count, level));
        }
    };
    found(Pattern::Repetition, repeated(calls, is_same), config.repetition);
    if let Some((period, rounds)) = oscillation(calls, config.max_period) {
        found(Pattern::Oscillation { period }, rounds, config.oscillation);
    }
    found(Pattern::Stagnation, stagnant(calls, config.stagnation.largest()), config.stagnation);
    found(Pattern::Redundancy, redundant(calls), config.redundancy);
    found(Pattern::Polling, repeated(calls, |one, other| one.call == other.call), config.polling);
    found(Pattern::Drift, idle.unwrap_or_default(), config.drift);
    let (pattern, count, level) = worst?;
    let period = match pattern {
        Pattern::Oscillation { period } => period,
        Pattern::Drift => 0,
        Pattern::Stagnation => count as usize,
        _ => 1,
    };
    let calls = calls.iter().rev().take(period).map(|entry| entry.call).collect();
    Some(Loop { pattern, count, level, calls })
}

/// Returns whether two calls are the same. A call that is running or was refused has no result, so only its arguments count.
fn is_same(one: &Entry, other: &Entry) -> bool {
    one.call == other.call && (one.result.is_none() || other.result.is_none() || one.result == other.result)
}

/// Returns how many of the last calls repeat with this period. The calls of the first round always count.
fn periodic(calls: &[Entry], period: usize, same: impl Fn(&Entry, &Entry) -> bool) -> usize {
    let Some(pairs) = calls.len().checked_sub(period) else { return 0 };
    let matches = (0..pairs).rev().take_while(|place| same(&calls[*place], &calls[place + period])).count();
    matches + period
}

/// Returns how many of the last calls are the same.
fn repeated(calls: &[Entry], same: impl Fn(&Entry, &Entry) -> bool) -> u32 {
    count(periodic(calls, 1, same))
}

/// Returns the period with the most rounds, and the rounds.
fn oscillation(calls: &[Entry], max_period: usize) -> Option<(usize, u32)> {
    let length = |period| periodic(calls, period, is_same);
    // If shorter rounds make up a round, only the shorter rounds count.
    let is_shortest =
        |period: usize, of: usize| !(1..period).any(|shorter| period.is_multiple_of(shorter) && length(shorter) >= of);
    let periods = 2..=max_period.min(calls.len() / 2);
    let lengths = periods.map(|period| (period, length(period)));
    let rounds = lengths.filter(|(period, length)| *length >= period * 2 && is_shortest(*period, *length));
    rounds
        .map(|(period, length)| (period, count(length / period)))
        .max_by_key(|(period, rounds)| (*rounds, Reverse(*period)))
}

/// Returns how often the last call was made with the same result. Other calls in between do not matter, but another result of
/// the call does.
fn redundant(calls: &[Entry]) -> u32 {
    let Some(last) = calls.last() else { return 0 };
    let mut result = None;
    let same = calls.iter().rev().filter(|entry| entry.call == last.call).take_while(|entry| match entry.result {
        None => true,
        Some(this) => *result.get_or_insert(this) == this,
    });
    count(same.count())
}

/// Returns how many of the last calls were made before with the same result, up to a number.
fn stagnant(calls: &[Entry], most: u32) -> u32 {
    let is_known = |place: usize| {
        let before = calls[..place].iter().rfind(|before| before.call == calls[place].call);
        before.is_some_and(|before| is_same(before, &calls[place]))
    };
    count((0..calls.len()).rev().take(most as usize).take_while(|place| is_known(*place)).count())
}

fn count(calls: usize) -> u32 {
    u32::try_from(calls).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
