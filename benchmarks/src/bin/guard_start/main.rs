//! Measures how long each guard takes to be made in a fresh process, and what its first use costs.
//!
//! ```text
//! cargo run --release -p benchmarks --features guards --bin guard_start               # times
//! cargo run --release -p benchmarks --features guards --bin guard_start -- --check    # instructions, and the committed figures
//! cargo run --release -p benchmarks --features guards --bin guard_start -- --update   # records the new figures
//! ```
//!
//! The program starts itself once for each guard and each round, because a second guard in one process finds what the first one has
//! made. The times are the fastest and the median of the processes. `--check` counts instructions with callgrind, so it does not depend on the speed of the machine.

mod guards;
mod instructions;

use std::error::Error;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use guards::GUARDS;

const HELP: &str = "\
Measures how long each guard takes to be made in a fresh process, and what its first use costs.

Usage: cargo run --release -p benchmarks --features guards --bin guard_start -- [OPTIONS]

Options:
      --check   count instructions, and hold them against the committed figures
      --update  count instructions, and write the figures anew
  -h, --help    print this help
";

/// The argument with which the program starts itself. The name of a guard follows.
const ONE: &str = "--one";

/// The processes for each guard.
const ROUNDS: usize = 41;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => times().map(|()| true),
        ["--check"] => instructions::check(false),
        ["--update"] => instructions::check(true),
        [ONE, guard] => one(guard).map(|()| true),
        ["--help" | "-h"] => {
            print!("{HELP}");
            Ok(true)
        }
        _ => Err(HELP.into()),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes one guard and uses it twice. Prints the nanoseconds of each.
fn one(name: &str) -> Result<(), Box<dyn Error>> {
    let (_, text, event) = GUARDS.iter().find(|(table, ..)| *table == name).ok_or("there is no such guard")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let prepared = guards::prepared(text, *event)?;
    let start = Instant::now();
    let made = guards::construct(prepared)?;
    let construction = start.elapsed();
    let used = || {
        let start = Instant::now();
        guards::use_once(&made, *event, &runtime).map(|()| start.elapsed())
    };
    let (first, second) = (used()?, used()?);
    println!("{} {} {}", construction.as_nanos(), first.as_nanos(), second.as_nanos());
    Ok(())
}

fn times() -> Result<(), Box<dyn Error>> {
    println!("{:<18} {:>20} {:>20} {:>20}", "µs: fastest, median", "construction", "first use", "second use");
    for (name, _, _) in GUARDS {
        let mut rounds = (0..ROUNDS).map(|_| round(name)).collect::<Result<Vec<_>, _>>()?;
        let mut times = |of: usize| {
            rounds.sort_unstable_by_key(|times| times[of]);
            let micros = |round: usize| rounds[round][of].as_secs_f64() * 1e6;
            format!("{:.1}, {:.1}", micros(0), micros(ROUNDS / 2))
        };
        println!("{name:<18} {:>20} {:>20} {:>20}", times(0), times(1), times(2));
    }
    Ok(())
}

/// Starts a process for a guard. Returns the times that it prints.
fn round(name: &str) -> Result<[Duration; 3], Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).args([ONE, name]).stderr(Stdio::inherit()).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let times: Vec<_> =
        printed.split_whitespace().map(|time| time.parse().map(Duration::from_nanos)).collect::<Result<_, _>>()?;
    times.try_into().map_err(|_| format!("`{name}` printed no times").into())
}
