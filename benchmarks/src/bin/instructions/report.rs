//! Compares the figures with those of hand-written code, and with the committed figures.

use std::io::{self, Write};

use crate::counts::Counts;

/// A count up to this factor above the committed count is not a difference. It may come from another linker or another C
/// library.
const TOLERANCE: f64 = 1.02;

/// The row of a case.
pub(crate) struct Row<'c> {
    case: &'c str,
    hand_written: f64,
    static_chain: f64,
    /// The committed figure. `None` for a new case.
    committed: Option<f64>,
}

impl Row<'_> {
    /// Returns `true` if the chain takes more instructions than before, or has no committed figure.
    pub(crate) fn has_grown(&self) -> bool {
        self.committed.is_none_or(|committed| self.static_chain > committed * TOLERANCE)
    }
}

/// Returns the cases for which there are figures of both the chain and the hand-written code.
pub(crate) fn rows<'c>(counted: &'c Counts, committed: &Counts) -> Vec<Row<'c>> {
    let row = |(case, variants): (&'c String, &std::collections::BTreeMap<String, f64>)| {
        let before = committed.0.get(case).and_then(|variants| variants.get("static_chain")).copied();
        Some(Row {
            case,
            hand_written: *variants.get("hand_written")?,
            static_chain: *variants.get("static_chain")?,
            committed: before,
        })
    };
    counted.0.iter().filter_map(row).collect()
}

/// Writes the table.
pub(crate) fn table(rows: &[Row<'_>], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{:<12} {:>12} {:>12} {:>7} {:>12}", "case", "hand-written", "chain", "ratio", "committed")?;
    for row in rows {
        let Row { case, hand_written, static_chain, committed } = row;
        let ratio = static_chain / hand_written;
        let committed = committed.map_or_else(|| "none".to_owned(), |committed| format!("{committed:.1}"));
        let note = if row.has_grown() { "  has grown" } else { "" };
        writeln!(out, "{case:<12} {hand_written:>12.1} {static_chain:>12.1} {ratio:>7.3} {committed:>12}{note}")?;
    }
    out.flush()
}
