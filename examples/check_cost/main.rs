//! What rails cost while one types: `cargo check` of a crate of rails and a chain, against the same functions without
//! any attribute and a hand-written call of each.
//!
//! ```console
//! cargo run --example check_cost
//! cargo run --example check_cost -- --rails 200 --rounds 31
//! ```
//!
//! It writes both crates (and an empty one, for what `cargo check` takes by itself) to `target/check_cost`, checks
//! them once, and then in turns, each time after its source was touched: with what the compiler keeps from check to
//! check, as while one types, and without (`CARGO_INCREMENTAL=0`), when all of the crate is checked anew.

mod sources;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lexopt::prelude::*;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Args {
    rails: usize,
    rounds: usize,
}

fn main() -> Result<()> {
    let args = args()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/check_cost");
    let variants = [
        ("empty", "//! Nothing.\n".to_owned()),
        ("by_hand", sources::by_hand(args.rails)),
        ("rails", sources::rails(args.rails)),
    ];
    let packages = variants.iter().map(|(name, source)| package(&root, name, source)).collect::<Result<Vec<_>>>()?;
    fs::write(
        root.join("Cargo.toml"),
        "[workspace]\nmembers = [\"empty\", \"by_hand\", \"rails\"]\nresolver = \"3\"\n",
    )?;
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"), root.join("Cargo.lock"))?;
    println!("`cargo check`, {} functions, medians of {} interleaved rounds", args.rails, args.rounds);
    let names = variants.map(|(name, _)| name);
    for mode in [Mode { name: "touched", incremental: true }, Mode { name: "anew", incremental: false }] {
        let medians = mode.measure(&packages, args.rounds)?;
        println!("{}", mode.name);
        for (name, median) in names.iter().zip(&medians) {
            println!("  {name:8} {:7.1} ms", 1e3 * median.as_secs_f64());
        }
        println!("  rails / by hand: {:.2}", medians[2].as_secs_f64() / medians[1].as_secs_f64());
    }
    Ok(())
}

/// Whether the compiler may use what it kept from the check before.
struct Mode {
    name: &'static str,
    incremental: bool,
}

impl Mode {
    /// How long each package takes: the median.
    fn measure(&self, packages: &[PathBuf], rounds: usize) -> Result<Vec<Duration>> {
        for package in packages {
            self.check(package)?;
        }
        let mut times = vec![Vec::new(); packages.len()];
        for _ in 0..rounds {
            for (package, times) in packages.iter().zip(&mut times) {
                times.push(self.timed(package)?);
            }
        }
        Ok(times.iter_mut().map(|times| median(times)).collect())
    }

    fn timed(&self, package: &Path) -> Result<Duration> {
        let source = package.join("src/lib.rs");
        fs::write(&source, fs::read(&source)?)?;
        let start = Instant::now();
        self.check(package)?;
        Ok(start.elapsed())
    }

    fn check(&self, package: &Path) -> Result<()> {
        // Each in a folder of its own: Cargo checks all dependencies again when the setting changes.
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--target-dir"])
            .arg(package.with_file_name(self.name))
            .env("CARGO_INCREMENTAL", if self.incremental { "1" } else { "0" })
            .current_dir(package)
            .stdin(Stdio::null())
            .output()?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    }
}

fn args() -> Result<Args> {
    let mut args = Args { rails: 50, rounds: 15 };
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("rails") => args.rails = parser.value()?.parse()?,
            Long("rounds") => args.rounds = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    if args.rails == 0 || args.rounds == 0 {
        return Err("`--rails` and `--rounds` are at least 1".into());
    }
    Ok(args)
}

/// Writes a package; returns its folder.
fn package(root: &Path, name: &str, source: &str) -> Result<PathBuf> {
    let folder = root.join(name);
    fs::create_dir_all(folder.join("src"))?;
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../exo-rails");
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nexo-rails.path = '{}'\n",
            library.display(),
        ),
    )?;
    fs::write(folder.join("src/lib.rs"), source)?;
    Ok(folder)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
