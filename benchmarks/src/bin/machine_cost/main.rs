//! Measures machines: a deterministic step beside other ways to write it, the time to read a large file, and what `machine!` adds
//! to `cargo check`.
//!
//! ```console
//! cargo run --release -p benchmarks --features machines --bin machine_cost
//! cargo run --release -p benchmarks --features machines --bin machine_cost -- --check
//! ```

mod check;
mod reading;
mod steps;

use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().any(|argument| argument == "--check") {
        return check::measure();
    }
    steps::measure()?;
    reading::measure()
}

/// Returns the median of some times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
