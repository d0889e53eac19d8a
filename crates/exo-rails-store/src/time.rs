//! Times in milliseconds.

use std::time::Duration;

/// The latest time. A duration that ends later never ends. Scripts in Redis compute with `f64`, which is exact up to here.
const LATEST: u64 = (1 << 53) - 1;

/// The time in milliseconds for which a store remembers an expired reservation. During this time, it can tell a late settlement
/// from a second one.
pub(crate) const GRACE: u64 = 600_000;

/// Milliseconds of a duration, rounded up.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).map_or(LATEST, |millis| millis.min(LATEST))
}

/// The time at the end of a duration.
pub(crate) fn after(now: u64, duration: Duration) -> u64 {
    now.saturating_add(millis(duration)).min(LATEST)
}

/// The duration between two times. 0 if `to` is before `from`.
pub(crate) fn between(from: u64, to: u64) -> Duration {
    Duration::from_millis(to.saturating_sub(from))
}
