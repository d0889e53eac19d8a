//! Times.

use std::fmt;
use std::time::{Duration, Instant};

/// Returns the median time of one call of `work`.
pub(crate) fn median<T>(mut work: impl FnMut() -> T) -> Micros {
    const CALLS: u32 = 20;
    let mut times: Vec<Duration> = (0..301)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                std::hint::black_box(work());
            }
            start.elapsed() / CALLS
        })
        .collect();
    times.sort_unstable();
    Micros(times[times.len() / 2])
}

/// A time, written in microseconds.
pub(crate) struct Micros(pub(crate) Duration);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} µs", self.0.as_secs_f64() * 1e6)
    }
}
