//! Measures the time of `cargo check`.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use crate::Result;
use crate::packages::{self, Kind, Package};

/// The figures for one number of rails, in milliseconds.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) mode: &'static str,
    pub(crate) rails: usize,
    pub(crate) empty: Spread,
    pub(crate) by_hand: Spread,
    pub(crate) with_rails: Spread,
    /// The same rails in nested chains.
    pub(crate) nested: Spread,
    /// The time with rails, divided by the time with calls by hand in the same round.
    pub(crate) ratio: Spread,
    /// The time of a rail with its function. The time of the empty crate is subtracted.
    pub(crate) per_rail: Spread,
    /// The additional time of a rail, compared with its function and a call by hand.
    pub(crate) added_per_rail: Spread,
    /// The time of each rail that this row has more than the previous row.
    pub(crate) per_further_rail: Option<Spread>,
}

/// The median of several figures, and the range of their middle half.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) quartiles: [f64; 2],
}

impl Spread {
    fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<_> = figures.collect();
        figures.sort_unstable_by(f64::total_cmp);
        let at = |quarter: usize| {
            let index = figures.len().saturating_sub(1) * quarter / 4;
            // Further digits would be noise.
            figures.get(index).map(|figure| (figure * 1000.0).round() / 1000.0).unwrap_or_default()
        };
        Self { median: at(2), quartiles: [at(1), at(3)] }
    }
}

/// A mode of the checks: whether the compiler may use its results from the previous check.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    incremental: bool,
    /// Whether these results are removed before each check, so that the compiler only writes them.
    forgets: bool,
}

/// Measures crates with these numbers of rails and functions.
pub(crate) fn measure(rails: &[usize], rounds: usize) -> Result<Vec<Row>> {
    let packages = packages::write(Kind::Libraries, rails)?;
    let modes = [
        Mode { name: "touched", incremental: true, forgets: false },
        Mode { name: "first", incremental: true, forgets: true },
        Mode { name: "anew", incremental: false, forgets: false },
    ];
    let mut rows = Vec::new();
    for mode in modes {
        let times = mode.times(&packages, rounds)?;
        rows.extend(mode.rows(rails, &times));
    }
    Ok(rows)
}

impl Mode {
    /// Returns the times of each package, round by round. The packages take turns, so a slow moment of the machine
    /// affects all of them.
    fn times(self, packages: &[Package], rounds: usize) -> Result<Vec<Vec<f64>>> {
        for package in packages {
            self.check(package)?;
        }
        let mut times = vec![Vec::new(); packages.len()];
        for _ in 0..rounds {
            for (package, times) in packages.iter().zip(&mut times) {
                times.push(self.timed(package)?);
            }
        }
        Ok(times)
    }

    fn timed(self, package: &Package) -> Result<f64> {
        if self.forgets {
            packages::forget(&self.target(), &package.name)?;
        }
        let source = package.folder.join(Kind::Libraries.file());
        fs::write(&source, fs::read(&source)?)?;
        let start = Instant::now();
        self.check(package)?;
        Ok(1e3 * start.elapsed().as_secs_f64())
    }

    fn check(self, package: &Package) -> Result<()> {
        package.cargo(&["check"], &self.target(), self.incremental)
    }

    /// Returns the target folder. Each mode has its own folder, because Cargo checks all dependencies again when the
    /// setting changes.
    fn target(self) -> PathBuf {
        packages::root().join(self.name)
    }

    /// Returns the figures. The times have the order of the packages.
    fn rows(self, rails: &[usize], times: &[Vec<f64>]) -> Vec<Row> {
        let Some((empty, others)) = times.split_first() else { return Vec::new() };
        let mut before: Option<(usize, &[f64])> = None;
        let rows = rails.iter().zip(others.chunks_exact(3)).map(|(&rails, times)| {
            let [by_hand, with_rails, nested] = [0, 1, 2].map(|variant| times[variant].as_slice());
            let row = Row {
                mode: self.name,
                rails,
                empty: Spread::of(empty.iter().copied()),
                by_hand: Spread::of(by_hand.iter().copied()),
                with_rails: Spread::of(with_rails.iter().copied()),
                nested: Spread::of(nested.iter().copied()),
                ratio: Spread::of(with_rails.iter().zip(by_hand).map(|(rails, by_hand)| rails / by_hand)),
                per_rail: each(empty, with_rails, rails),
                added_per_rail: each(by_hand, with_rails, rails),
                per_further_rail: before.map(|(fewer, times)| each(times, with_rails, rails - fewer)),
            };
            before = Some((rails, with_rails));
            row
        });
        rows.collect()
    }
}

/// Returns the time of one item, for a second crate that has `count` items more than the first.
fn each(first: &[f64], second: &[f64], count: usize) -> Spread {
    #[allow(clippy::cast_precision_loss, reason = "nobody compiles so many")]
    let count = count as f64;
    Spread::of(first.iter().zip(second).map(|(first, second)| (second - first) / count))
}
