//! The generic cell rate algorithm, as in [ITU-T I.371](https://www.itu.int/rec/T-REC-I.371) and in the crate `governor`.
//!
//! The state of a limit is one time: the time at which the next call would arrive if all calls came at exactly the allowed
//! rate. A call can come earlier than this time, but at most by the tolerance. The state is stored as the distance of this time
//! from now, so that no process needs the clock of another process.

use std::time::Duration;

use super::RateLimit;

/// A rate with a burst, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    /// The time between two calls at exactly this rate.
    interval: u64,
    /// How much earlier than at exactly this rate a call may come.
    tolerance: u64,
}

/// The place of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// The time until the call may begin.
    pub(super) wait: Duration,
    /// The new state.
    pub(super) ahead: u64,
}

/// Returns the rate of a limit.
pub(super) fn rate_of(limit: &RateLimit) -> Rate {
    Rate::new(limit.calls, limit.every.period(), limit.burst.unwrap_or(limit.calls))
}

impl Rate {
    /// Makes the rate of a number of calls in a period. Both numbers are at least 1.
    pub(super) fn new(calls: u32, period: Duration, burst: u32) -> Self {
        // Rounded up, so that the rate is never exceeded.
        let interval = nanos(period).div_ceil(u64::from(calls.max(1))).max(1);
        Self { interval, tolerance: interval.saturating_mul(u64::from(burst.max(1) - 1)) }
    }

    /// Takes a place. `ahead` is the state, and `age` the time since it was written.
    pub(super) fn take(self, ahead: u64, age: Duration) -> Taken {
        let ahead = ahead.saturating_sub(nanos(age));
        let wait = Duration::from_nanos(ahead.saturating_sub(self.tolerance));
        Taken { wait, ahead: ahead.saturating_add(self.interval) }
    }

    /// Gives a place back. Returns the new state.
    pub(super) fn give_back(self, ahead: u64, age: Duration) -> u64 {
        ahead.saturating_sub(nanos(age)).saturating_sub(self.interval)
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the waits of calls that come at these milliseconds.
    fn waits(rate: Rate, calls: &[u64]) -> Vec<u64> {
        let (mut state, mut last) = (0, 0);
        calls
            .iter()
            .map(|now| {
                let taken = rate.take(state, Duration::from_millis(now - last));
                (state, last) = (taken.ahead, *now);
                u64::try_from(taken.wait.as_millis()).unwrap_or(u64::MAX)
            })
            .collect()
    }

    #[test]
    fn each_arrival_waits_as_long_as_the_table_says() {
        // 4 calls a second are one in 250 ms.
        for (burst, arrivals, expected) in [
            (1, vec![0, 250, 500], vec![0, 0, 0]),
            (1, vec![0, 249, 500], vec![0, 1, 0]),
            (1, vec![0, 0, 0], vec![0, 250, 500]),
            (3, vec![0, 0, 0, 0], vec![0, 0, 0, 250]),
            (3, vec![0, 0, 0, 250, 250], vec![0, 0, 0, 0, 250]),
            // After a pause there is one burst, and not more.
            (3, vec![0, 60_000, 60_000, 60_000, 60_000], vec![0, 0, 0, 0, 250]),
        ] {
            assert_eq!(waits(Rate::new(4, SECOND, burst), &arrivals), expected, "burst {burst}: {arrivals:?}");
        }
    }

    #[test]
    fn a_returned_place_is_free_at_once() {
        let rate = Rate::new(1, SECOND, 1);
        let taken = rate.take(0, Duration::ZERO);
        let free = rate.give_back(taken.ahead, Duration::ZERO);
        assert_eq!(rate.take(free, Duration::ZERO).wait, Duration::ZERO);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let rate = Rate::new(1, Duration::from_hours(24), u32::MAX);
        let taken = rate.take(u64::MAX, Duration::ZERO);
        assert_eq!(taken.ahead, u64::MAX);
        assert_eq!(Rate::new(u32::MAX, SECOND, 1).interval, 1);
    }
}
