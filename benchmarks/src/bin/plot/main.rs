//! Draws the figures of `dispatch_cost`.
//!
//! ```text
//! cargo run --release -p benchmarks --bin dispatch_cost -- --json benchmarks/results/dispatch.json
//! cargo run -p benchmarks --bin plot -- benchmarks/results/dispatch.json benchmarks/results
//! ```
//!
//! The program writes two files. `dispatch.svg` shows the time of a dispatch over the number of rails, with a line for
//! each way to dispatch. `ratio.svg` compares the chain with hand-written code for each kind of rails, and shows the
//! range of the middle half.

mod dispatch;
mod ratio;
mod style;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;

/// The fields of a row that are drawn.
#[derive(Deserialize)]
struct Row {
    kind: String,
    rails: u32,
    variant: String,
    ns: Spread,
    ratio: Option<Spread>,
}

/// The median of several figures, and the range of their middle half.
#[derive(Deserialize)]
struct Spread {
    median: f64,
    quartiles: [f64; 2],
}

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [figures, folder] = args.as_slice() else {
        eprintln!("usage: cargo run -p benchmarks --bin plot -- FIGURES.json FOLDER");
        return ExitCode::from(2);
    };
    match draw(Path::new(figures), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(figures: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(figures).map_err(|error| format!("cannot read `{}`: {error}", figures.display()))?;
    let rows: Vec<Row> = serde_json::from_str(&text)?;
    dispatch::draw(&rows, &folder.join("dispatch.svg"))?;
    ratio::draw(&rows, &folder.join("ratio.svg"))
}
