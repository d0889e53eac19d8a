//! Prints the figures as a table and as JSON.

use std::io::{self, Write};

use serde::Serialize;

use crate::cases::HAND_WRITTEN;
use crate::measure::{Case, Figures, Spread};

/// A row of the table.
pub(crate) struct Row {
    case: Case,
    figures: Figures,
}

/// Joins cases and figures.
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
        let (ns, half) = spread(&figures.ns, 1);
        let ratio = figures.ratio.as_ref().map_or_else(String::new, in_one);
        writeln!(
            out,
            "{:<9} {:>5}  {:<13} {ns:>9} {half:>22} {ratio:>28} {:>12} {:>13}",
            case.kind, case.rails, case.variant, figures.allocations, figures.future_bytes,
        )?;
    }
    against_static(rows, &mut out)?;
    out.flush()
}

const HEADS: &str = "ns median            middle half                        ratio  allocations  future bytes";

/// Writes the time of each variant divided by the time of the static chain, at a number of rails for which every variant
/// has figures.
fn against_static(rows: &[Row], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\nagainst the static chain, {COMPARED} rails of the kind \"{KIND}\"")?;
    for Row { case, figures } in rows.iter().filter(|row| (row.case.kind, row.case.rails) == (KIND, COMPARED)) {
        let against = figures.against_static.as_ref().map_or_else(String::new, in_one);
        writeln!(out, "{:<13} {against:>28}", case.variant)?;
    }
    Ok(())
}

const KIND: &str = "inspect";
const COMPARED: usize = 20;

/// Formats the median and the middle half.
fn spread(Spread { median, quartiles: [low, high] }: &Spread, digits: usize) -> (String, String) {
    // Only small figures have decimals.
    let digits = if *median < 10_000.0 { digits } else { 0 };
    (format!("{median:.digits$}"), format!("({low:.digits$} to {high:.digits$})"))
}

fn in_one(ratio: &Spread) -> String {
    let (median, half) = spread(ratio, 2);
    format!("{median} {half}")
}

/// Writes the figures as JSON, with one object for each row.
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
    against_static: Option<JsonSpread>,
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
        let Figures { ns, ratio, against_static, allocations, future_bytes } = figures;
        Self {
            kind,
            rails: *rails,
            variant,
            ns: ns.into(),
            ratio: ratio.as_ref().map(JsonSpread::from),
            against_static: against_static.as_ref().map(JsonSpread::from),
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

/// Rounds a figure. Further digits would be noise.
fn rounded(figure: f64) -> f64 {
    (figure * 1000.0).round() / 1000.0
}
