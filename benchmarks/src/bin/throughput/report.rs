//! Prints the figures as a table and as JSON.

use std::fs;
use std::io::{self, Write};
use std::time::Duration;

use serde_json::json;

use crate::Result;

/// A chain, and its operations a second in each round: on one thread and on two.
pub(crate) struct Row {
    pub(crate) chain: &'static str,
    pub(crate) operations: [Vec<f64>; 2],
}

impl Row {
    pub(crate) fn new(chain: &'static str) -> Self {
        Self { chain, operations: [Vec::new(), Vec::new()] }
    }

    /// Returns the operations on two threads divided by the operations on one thread, for each round.
    fn scaling(&self) -> Vec<f64> {
        let [one, two] = &self.operations;
        one.iter().zip(two).map(|(one, two)| two / one).collect()
    }
}

/// Returns the operations a second.
#[allow(clippy::cast_precision_loss, reason = "they are counted in thousands")]
pub(crate) fn a_second(operations: u64, time: Duration) -> f64 {
    operations as f64 / time.as_secs_f64()
}

/// Writes the table and the JSON.
pub(crate) fn print(rows: &[Row], json: Option<&str>) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:<10} {:>17} {:>17} {:>8}", "chain", "1 thread, ops/s", "2 threads, ops/s", "scaling")?;
    for row in rows {
        let [one, two] = [0, 1].map(|threads| median(row.operations[threads].clone()));
        writeln!(out, "{:<10} {one:>17.0} {two:>17.0} {:>8.2}", row.chain, median(row.scaling()))?;
    }
    if let Some(path) = json {
        let rows: Vec<_> = rows.iter().map(as_json).collect();
        fs::write(path, serde_json::to_string_pretty(&rows)? + "\n")?;
    }
    Ok(())
}

fn as_json(row: &Row) -> serde_json::Value {
    let [one, two] = [0, 1].map(|threads| median(row.operations[threads].clone()).round());
    json!({ "chain": row.chain, "one_thread": one, "two_threads": two, "scaling": median(row.scaling()) })
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
