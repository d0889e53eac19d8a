//! Measures the size of programs.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::Result;
use crate::packages::{self, Kind, Package};

/// The figures for one number of rails.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) rails: usize,
    pub(crate) text: Sizes,
    pub(crate) loaded: Sizes,
}

/// The sizes of three programs, in bytes.
#[derive(Serialize)]
pub(crate) struct Sizes {
    /// The program without rails and calls.
    pub(crate) empty: u64,
    pub(crate) by_hand: u64,
    pub(crate) with_rails: u64,
    /// The ratio of the whole programs.
    pub(crate) ratio: f64,
    /// The ratio without the bytes of the empty program.
    pub(crate) ratio_without_empty: f64,
    /// The bytes of a rail with its function.
    pub(crate) per_rail: f64,
    pub(crate) per_function_by_hand: f64,
}

#[allow(clippy::cast_precision_loss, reason = "no program is so large")]
impl Sizes {
    fn new(rails: usize, [empty, by_hand, with_rails]: [u64; 3]) -> Self {
        let beyond = |size: u64| size.saturating_sub(empty) as f64;
        let rounded = |figure: f64| (figure * 1000.0).round() / 1000.0;
        Self {
            empty,
            by_hand,
            with_rails,
            ratio: rounded(with_rails as f64 / by_hand as f64),
            ratio_without_empty: rounded(beyond(with_rails) / beyond(by_hand)),
            per_rail: rounded(beyond(with_rails) / rails as f64),
            per_function_by_hand: rounded(beyond(by_hand) / rails as f64),
        }
    }
}

/// The sizes of one program, in bytes.
#[derive(Clone, Copy)]
struct Program {
    /// The code.
    text: u64,
    /// Everything that is loaded to run the program.
    loaded: u64,
}

/// Measures programs with these numbers of rails and functions.
pub(crate) fn measure(rails: &[usize]) -> Result<Vec<Row>> {
    // This check comes before the slow build of the programs.
    size().arg("--version").stdout(Stdio::null()).status().map_err(|error| missing(&error))?;
    let packages = packages::write(Kind::Programs, rails)?;
    let programs = packages.iter().map(built).collect::<Result<Vec<_>>>()?;
    let Some((empty, pairs)) = programs.split_first() else { return Ok(Vec::new()) };
    let rows = rails.iter().zip(pairs.chunks_exact(2)).map(|(&rails, pair)| {
        let programs = [*empty, pair[0], pair[1]];
        let of = |size: fn(Program) -> u64| Sizes::new(rails, programs.map(size));
        Row { rails, text: of(|program| program.text), loaded: of(|program| program.loaded) }
    });
    Ok(rows.collect())
}

fn built(package: &Package) -> Result<Program> {
    let target = packages::root().join("built");
    package.cargo(&["build", "--release"], &target, false)?;
    program(&target.join("release").join(&package.name))
}

fn size() -> Command {
    let mut command = Command::new("size");
    command.stdin(Stdio::null());
    command
}

fn missing(error: &io::Error) -> String {
    format!("cannot run `size`, which is part of the GNU binutils: {error}")
}

/// Reads the sections of a file from `size -A`: name, size and address. A section without an address is not loaded.
fn program(path: &Path) -> Result<Program> {
    let output = size().arg("-A").arg(path).output().map_err(|error| missing(&error))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let mut program = Program { text: 0, loaded: 0 };
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut columns = line.split_whitespace();
        let (Some(name), Some(size), Some(address)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        let (Ok(size), Ok(1..)) = (size.parse::<u64>(), address.parse::<u64>()) else { continue };
        program.loaded += size;
        if name == ".text" {
            program.text = size;
        }
    }
    if program.text == 0 {
        return Err(format!("`size -A` lists no `.text` of `{}`", path.display()).into());
    }
    Ok(program)
}
