//! The figures, as a table and as JSON.

use std::io::{self, Write};

use serde::Serialize;

use crate::cases::HAND_WRITTEN;
use crate::measure::{Case, Figures, Spread};

/// A row of the table.
pub(crate) struct Row {
    case: Case,
    figures: Figures,
}

/// Brings cases and figures together.
pub(crate) fn rows(cases: Vec<Case>, figures: Vec<Figures>) -> Vec<Row> {
    cases.into_iter().zip(figures).map(|(case, figures)| Row { case, figures }).collect()
}

/// Writes the table.
pub(crate) fn table(rows: &[Row], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{:<9} {:>5}  {:<13} {HEADS}", "kind", "rails", "variant")?;
    for (index, Row { case, figures }) in rows.iter().enumerate() {
        if index > 0 && case.variant == HAND_WRITTEN {
            writeln!(out)?;
        }
        let ns = format!("{:.1}", figures.ns.median);
        writeln!(
            out,
            "{:<9} {:>5}  {:<13} {ns:>9} {:>17} {:>20} {:>12} {:>13}",
            case.kind,
            case.rails,
            case.variant,
            middle_half(&figures.ns, 1),
            figures.ratio.as_ref().map_or_else(String::new, |ratio| format!(
                "{:.2} {}",
                ratio.median,
                middle_half(ratio, 2)
            )),
            figures.allocations,
            figures.future_bytes,
        )?;
    }
    out.flush()
}

const HEADS: &str = "ns median       middle half                ratio  allocations  future bytes";

fn middle_half(Spread { quartiles: [low, high], .. }: &Spread, digits: usize) -> String {
    format!("({low:.digits$} to {high:.digits$})")
}

/// Writes the figures as JSON, an object for each row.
pub(crate) fn json(rows: &[Row], mut out: impl Write) -> io::Result<()> {
    let rows: Vec<_> = rows.iter().map(JsonRow::from).collect();
    serde_json::to_writer_pretty(&mut out, &rows)?;
    writeln!(out)?;
    out.flush()
}

#[derive(Serialize)]
struct JsonRow {
    kind: &'static str,
    rails: usize,
    variant: &'static str,
    ns: JsonSpread,
    ratio: Option<JsonSpread>,
    allocations: u64,
    future_bytes: usize,
}

#[derive(Serialize)]
struct JsonSpread {
    median: f64,
    quartiles: [f64; 2],
}

impl From<&Row> for JsonRow {
    fn from(Row { case: Case { variant, kind, rails, .. }, figures }: &Row) -> Self {
        let Figures { ns, ratio, allocations, future_bytes } = figures;
        Self {
            kind,
            rails: *rails,
            variant,
            ns: ns.into(),
            ratio: ratio.as_ref().map(JsonSpread::from),
            allocations: *allocations,
            future_bytes: *future_bytes,
        }
    }
}

impl From<&Spread> for JsonSpread {
    fn from(Spread { median, quartiles }: &Spread) -> Self {
        Self { median: rounded(*median), quartiles: quartiles.map(rounded) }
    }
}

/// More digits would be noise.
fn rounded(figure: f64) -> f64 {
    (figure * 1000.0).round() / 1000.0
}
