//! The message should say: `Batch` is generic, and the payload of an event is one type: name its parameter, for example
//! `payload = &mut Batch<Reading>`.

use exo_rails::prelude::*;

#[derive(Debug)]
struct Reading {
    celsius: f64,
}

#[derive(Debug)]
struct Batch<T> {
    rows: Vec<T>,
}

/// The greenhouse has collected a batch of readings.
#[derive(Event)]
#[event(payload = &mut Batch, allows = "abort")] // <- here
struct BatchCollected;

#[rail(priority = 10, on = [BatchCollected])]
fn plausible(batch: &mut Batch<Reading>) -> Verdict {
    batch.rows.retain(|reading| reading.celsius.is_finite());
    Verdict::abort_if(batch.rows.is_empty(), "no sensor has measured anything")
}

rail_chain! {
    #[chain(events = [BatchCollected])]
    struct GreenhouseRails { plausible }
}

fn main() {
    let _ = GreenhouseRails;
}
