//! The state of a circuit, and its changes.
//!
//! The state is a record in the store. Times are ages of the record by the clock of the store, so no process needs the clock of
//! another process.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Breaker;
use crate::store::Change;

/// The time after which an unused record expires.
const KEPT: Duration = Duration::from_hours(24);

/// The state of a circuit. Without a record, the circuit is closed and has no failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Circuit {
    /// Calls run.
    Closed {
        /// The failures in a row.
        row: u32,
        calls: u32,
        failed: u32,
        /// How long the window was open when the record was written, in milliseconds.
        window_age: u64,
    },
    /// No call runs.
    Open,
    /// Some calls run, to see whether they succeed.
    HalfOpen { running: u32, succeeded: u32 },
}

/// The decision about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Run,
    /// The call runs, and its result decides whether the circuit closes.
    Probe,
    /// The call does not run. The next call can run after this time.
    Refuse(Duration),
}

type Found = Option<(Circuit, Duration)>;

/// How a breaker moves between the states of its circuit.
pub(super) trait Moves {
    /// Decides about a call.
    fn enter(&self, found: Found) -> (Change<Circuit>, Pass);

    /// Counts the end of a call. `failed` is `None` if the failure does not count. Returns whether the circuit opens.
    fn leave(&self, found: Found, pass: Pass, failed: Option<bool>) -> (Change<Circuit>, bool);
}

impl Moves for Breaker {
    fn enter(&self, found: Found) -> (Change<Circuit>, Pass) {
        let open = Duration::from_millis(self.open_ms);
        let probe = |running, succeeded| (put(Circuit::HalfOpen { running, succeeded }), Pass::Probe);
        match found {
            None | Some((Circuit::Closed { .. }, _)) => (Change::Keep, Pass::Run),
            Some((Circuit::Open, age)) if age < open => (Change::Keep, Pass::Refuse(open.saturating_sub(age))),
            Some((Circuit::Open, _)) => probe(1, 0),
            // The probes have not ended for a long time, so their process may have died.
            Some((Circuit::HalfOpen { succeeded, .. }, age)) if age >= open => probe(1, succeeded),
            Some((Circuit::HalfOpen { running, succeeded }, _)) if running + succeeded < self.probes => {
                probe(running + 1, succeeded)
            }
            Some((Circuit::HalfOpen { .. }, age)) => (Change::Keep, Pass::Refuse(open.saturating_sub(age))),
        }
    }

    fn leave(&self, found: Found, pass: Pass, failed: Option<bool>) -> (Change<Circuit>, bool) {
        match (found, pass, failed) {
            (Some((Circuit::HalfOpen { .. }, _)), Pass::Probe, Some(true)) => (put(Circuit::Open), true),
            (Some((Circuit::HalfOpen { running, succeeded }, _)), Pass::Probe, Some(false)) => {
                let succeeded = succeeded + 1;
                if succeeded >= self.probes {
                    return (Change::Remove, false);
                }
                (put(Circuit::HalfOpen { running: running.saturating_sub(1), succeeded }), false)
            }
            (Some((Circuit::HalfOpen { running, succeeded }, _)), Pass::Probe, None) => {
                (put(Circuit::HalfOpen { running: running.saturating_sub(1), succeeded }), false)
            }
            // A call that began before the circuit opened.
            (Some((Circuit::Open | Circuit::HalfOpen { .. }, _)), ..) | (_, _, None) => (Change::Keep, false),
            (None | Some((Circuit::Closed { .. }, _)), _, Some(failed)) => count(self, found, failed),
        }
    }
}

fn count(breaker: &Breaker, found: Found, has_failed: bool) -> (Change<Circuit>, bool) {
    let (mut row, mut calls, mut failed, mut window_age) = (0_u32, 0_u32, 0_u32, 0_u64);
    if let Some((Circuit::Closed { row: r, calls: c, failed: f, window_age: w }, age)) = found {
        let age = w.saturating_add(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        if age < breaker.window_ms {
            (row, calls, failed, window_age) = (r, c, f, age);
        }
    }
    if !has_failed && breaker.failure_percent == 0 {
        // A success ends the row, and nothing else is counted.
        return (if found.is_some() { Change::Remove } else { Change::Keep }, false);
    }
    row = if has_failed { row.saturating_add(1) } else { 0 };
    calls = calls.saturating_add(1);
    failed = failed.saturating_add(u32::from(has_failed));
    let in_row = breaker.failures > 0 && row >= breaker.failures;
    let percent = u64::from(failed) * 100 >= u64::from(calls) * u64::from(breaker.failure_percent);
    let in_window = breaker.failure_percent > 0 && calls >= breaker.min_calls && percent;
    if has_failed && (in_row || in_window) {
        return (put(Circuit::Open), true);
    }
    let left = Duration::from_millis(breaker.window_ms.saturating_sub(window_age));
    (Change::Put(Circuit::Closed { row, calls, failed, window_age }, Some(left)), false)
}

fn put(circuit: Circuit) -> Change<Circuit> {
    Change::Put(circuit, Some(KEPT))
}
