//! The figures, as a table and as JSON.

use std::io::{self, Write};

use serde::Serialize;

use crate::measure::{Case, Figures};
use crate::variants::HAND_WRITTEN;

/// A row of the table.
pub(crate) struct Row {
    case: Case,
    figures: Figures,
    /// The median against that of the hand-written code for the same rails.
    ratio: Option<f64>,
}

/// Brings cases and figures together.
pub(crate) fn rows(cases: Vec<Case>, figures: Vec<Figures>) -> Vec<Row> {
    let hand_written: Vec<_> = cases
        .iter()
        .zip(&figures)
        .filter(|(case, _)| case.variant == HAND_WRITTEN)
        .map(|(case, figures)| ((case.kind, case.rails), figures.ns_median))
        .collect();
    let base = |case: &Case| hand_written.iter().find(|(set, _)| *set == (case.kind, case.rails)).map(|base| base.1);
    let row = |(case, figures): (Case, Figures)| {
        let ratio = base(&case).map(|base| figures.ns_median / base);
        Row { case, figures, ratio }
    };
    cases.into_iter().zip(figures).map(row).collect()
}

/// Writes the table.
pub(crate) fn table(rows: &[Row], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{:<8} {:>5}  {:<13} {HEADS}", "kind", "rails", "variant")?;
    for (index, row) in rows.iter().enumerate() {
        let Row { case, figures, ratio } = row;
        if index > 0 && case.variant == HAND_WRITTEN {
            writeln!(out)?;
        }
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        writeln!(
            out,
            "{:<8} {:>5}  {:<13} {:>9.1} {:>8.1} {:>9.1} {ratio:>7} {:>12} {:>13}",
            case.kind,
            case.rails,
            case.variant,
            figures.ns_median,
            figures.ns_min,
            figures.ns_max,
            figures.allocations,
            figures.future_bytes,
        )?;
    }
    out.flush()
}

const HEADS: &str = "ns median   ns min    ns max   ratio  allocations  future bytes";

/// Writes the figures as JSON, an object for each row.
pub(crate) fn json(rows: &[Row], mut out: impl Write) -> io::Result<()> {
    let rows: Vec<_> = rows.iter().map(JsonRow::from).collect();
    serde_json::to_writer_pretty(&mut out, &rows)?;
    writeln!(out)?;
    out.flush()
}

#[derive(Serialize)]
struct JsonRow {
    variant: &'static str,
    kind: &'static str,
    rails: usize,
    ns_median: f64,
    ns_min: f64,
    ns_max: f64,
    allocations: u64,
}

impl From<&Row> for JsonRow {
    fn from(Row { case, figures, .. }: &Row) -> Self {
        Self {
            variant: case.variant,
            kind: case.kind,
            rails: case.rails,
            ns_median: rounded(figures.ns_median),
            ns_min: rounded(figures.ns_min),
            ns_max: rounded(figures.ns_max),
            allocations: figures.allocations,
        }
    }
}

/// More digits would be noise.
fn rounded(nanoseconds: f64) -> f64 {
    (nanoseconds * 100.0).round() / 100.0
}
