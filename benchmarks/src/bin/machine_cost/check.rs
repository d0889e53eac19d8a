//! What a `machine!` of 50 nodes adds to `cargo check`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const NODES: usize = 50;
const ROUNDS: usize = 9;

type Error = Box<dyn std::error::Error>;

/// Measures a crate with the machine, and one with only its types, in turns.
pub(crate) fn measure() -> Result<(), Error> {
    let types = "use serde::{Deserialize, Serialize};\n\n#[derive(Serialize, Deserialize)]\npub struct Data { pub count: f64, pub text: String }\n";
    let crates = [package("without_machine", types)?, package("with_machine", &format!("{types}{}", machine()?))?];
    for incremental in ["1", "0"] {
        let mut times = [Vec::new(), Vec::new()];
        // The first checks compile the dependencies.
        for folder in &crates {
            check(folder, incremental)?;
        }
        for _ in 0..ROUNDS {
            for (folder, times) in crates.iter().zip(&mut times) {
                times.push(check(folder, incremental)?);
            }
        }
        let [without, with] = times.map(|times| super::median(times).as_secs_f64() * 1e3);
        println!(
            "`cargo check` with CARGO_INCREMENTAL={incremental}: {without:.0} ms without the machine, {with:.0} ms with its {NODES} nodes, {:.0} ms more",
            with - without
        );
    }
    Ok(())
}

/// Writes a machine in which each task has a condition, a prompt and permissions.
fn machine() -> Result<String, std::fmt::Error> {
    let mut text = "\nexo_rails_machine::machine! {\n    pub machine Large {\n        context data: Data;\n        init Begin { -> T0; }\n".to_owned();
    let tasks = NODES - 2;
    for i in 0..tasks {
        let next = if i + 1 < tasks { format!("T{}", i + 1) } else { "Done".to_owned() };
        writeln!(
            text,
            "        task T{i} {{ prompt: \"Look at {{{{data.text}}}}.\"; writes data; -> Done @auto when data.count > {i}.0; -> {next}; }}"
        )?;
    }
    writeln!(text, "        end Done;\n    }}\n}}")?;
    Ok(text)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn package(name: &str, source: &str) -> Result<PathBuf, Error> {
    let folder = root().join("target/machine_cost").join(name);
    fs::create_dir_all(folder.join("src"))?;
    let machine = root().canonicalize()?.join("exo-rails-machine");
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\nexo-rails-machine = {{ path = '{}' }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n",
            machine.display()
        ),
    )?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("src/lib.rs"), source)?;
    Ok(folder)
}

/// Checks a crate whose source has changed.
fn check(folder: &Path, incremental: &str) -> Result<Duration, Error> {
    let source = folder.join("src/lib.rs");
    fs::write(&source, fs::read(&source)?)?;
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    command.args(["check", "--quiet", "--offline"]).current_dir(folder);
    command.env("CARGO_TARGET_DIR", root().join("target/machine_cost/target")).env("CARGO_INCREMENTAL", incremental);
    let begin = Instant::now();
    let status = command.status()?;
    let elapsed = begin.elapsed();
    if !status.success() {
        return Err(format!("`cargo check` of {} failed", folder.display()).into());
    }
    Ok(elapsed)
}
