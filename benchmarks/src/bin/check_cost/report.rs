//! Prints the figures as tables and as JSON.

use std::io::{self, Write};

use serde::Serialize;

use crate::check::{self, Spread};
use crate::size::{self, Sizes};

/// Writes the table of times.
pub(crate) fn checks(rows: &[check::Row], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "`cargo check` in ms: medians, and the middle half of the rounds in brackets\n")?;
    writeln!(
        out,
        "{:<8} {:>5}  {:>7}  {:>7}  {:>7} {:18}  {:>5} {:14}  {:>6} {:16}  {:>6}  {:>7}  {:>7}",
        "mode", "rails", "empty", "by hand", "rails", "", "ratio", "", "a rail", "", "added", "further", "nested",
    )?;
    for row in rows {
        writeln!(
            out,
            "{:<8} {:>5}  {:>7.1}  {:>7.1}  {:>7.1} {:>18}  {:>5.2} {:>14}  {:>6.2} {:>16}  {:>6.2}  {:>7}  {:>7.1}",
            row.mode,
            row.rails,
            row.empty.median,
            row.by_hand.median,
            row.with_rails.median,
            middle_half(&row.with_rails, 1),
            row.ratio.median,
            middle_half(&row.ratio, 2),
            row.per_rail.median,
            middle_half(&row.per_rail, 2),
            row.added_per_rail.median,
            row.per_further_rail.map_or_else(String::new, |further| format!("{:.2}", further.median)),
            row.nested.median,
        )?;
    }
    writeln!(
        out,
        "\na rail: with its function, minus the empty crate; added: minus its function and a call by hand; further:"
    )?;
    writeln!(out, "each additional rail, compared with the row above; nested: the same rails in five nested chains")?;
    out.flush()
}

fn middle_half(Spread { quartiles: [low, high], .. }: &Spread, digits: usize) -> String {
    format!("({low:.digits$} to {high:.digits$})")
}

/// Writes the table of sizes.
pub(crate) fn sizes(rows: &[size::Row], mut out: impl Write) -> io::Result<()> {
    writeln!(out, "release builds, in bytes; `loaded` is all sections that are loaded to run the program\n")?;
    writeln!(out, "{:<7} {:>5}  {SIZE_HEADS}", "", "rails")?;
    for row in rows {
        line(&mut out, ".text", row.rails, &row.text)?;
    }
    writeln!(out)?;
    for row in rows {
        line(&mut out, "loaded", row.rails, &row.loaded)?;
    }
    out.flush()
}

const SIZE_HEADS: &str = "    empty    by hand      rails   ratio  without empty  a function by hand   a rail";

fn line(out: &mut impl Write, name: &str, rails: usize, sizes: &Sizes) -> io::Result<()> {
    writeln!(
        out,
        "{name:<7} {rails:>5}  {:>9}  {:>9}  {:>9}  {:>6.3}  {:>13.3}  {:>18.0}  {:>7.0}",
        sizes.empty,
        sizes.by_hand,
        sizes.with_rails,
        sizes.ratio,
        sizes.ratio_without_empty,
        sizes.per_function_by_hand,
        sizes.per_rail,
    )
}

/// Writes the figures as JSON, with one object for each row.
pub(crate) fn json(rows: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, rows)?;
    writeln!(out)?;
    out.flush()
}
