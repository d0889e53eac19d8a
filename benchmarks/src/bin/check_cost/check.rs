//! How long `cargo check` takes.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use crate::Result;
use crate::packages::{self, Kind, Package};

/// The figures for one count of rails, in milliseconds.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) mode: &'static str,
    pub(crate) rails: usize,
    pub(crate) empty: Spread,
    pub(crate) by_hand: Spread,
    pub(crate) with_rails: Spread,
    /// The same rails in chains that are in each other.
    pub(crate) nested: Spread,
    /// Rails against calls by hand, of the same round.
    pub(crate) ratio: Spread,
    /// What a rail takes, its function with it; the empty crate is subtracted.
    pub(crate) per_rail: Spread,
    /// What a rail takes beyond its function and a call by hand.
    pub(crate) added_per_rail: Spread,
    /// What each rail takes that this row has more than the one before it.
    pub(crate) per_further_rail: Option<Spread>,
}

/// The middle of several figures, and the range in which half of them lie.
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
            // More digits would be noise.
            figures.get(index).map(|figure| (figure * 1000.0).round() / 1000.0).unwrap_or_default()
        };
        Self { median: at(2), quartiles: [at(1), at(3)] }
    }
}

/// Whether the compiler may use what it kept from the check before.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    incremental: bool,
    /// Whether it is made to forget before each check, so that it only keeps for the next.
    forgets: bool,
}

/// Measures crates of so many rails, and of so many functions.
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
    /// How long each package takes, round by round. They take turns: what slows one of them down slows all.
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

    /// Each has a folder of its own: Cargo checks all dependencies again when the setting changes.
    fn target(self) -> PathBuf {
        packages::root().join(self.name)
    }

    /// The figures of times that stand in the order of the packages.
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

/// What one of so many takes that the second has and the first has not.
fn each(first: &[f64], second: &[f64], count: usize) -> Spread {
    #[allow(clippy::cast_precision_loss, reason = "nobody compiles so many")]
    let count = count as f64;
    Spread::of(first.iter().zip(second).map(|(first, second)| (second - first) / count))
}
