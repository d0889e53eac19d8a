//! Compares the instructions of the construction and of the first use with the committed figures.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::guards::GUARDS;

/// A count up to this percentage of the committed count is not a difference. The seeds of hash tables and the addresses of memory
/// change the counts a little.
const TOLERANCE: u64 = 105;

/// The instructions of a guard.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Counts {
    construction: u64,
    first_use: u64,
}

/// Counts, compares and prints. Returns `true` if no count has grown.
pub(crate) fn check(update: bool) -> Result<bool, Box<dyn Error>> {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        println!("skipped: there is no `valgrind` on this machine (a package of that name on most systems)");
        return Ok(true);
    }
    let mut counted = BTreeMap::new();
    for (name, _, _) in GUARDS {
        counted.insert(name.to_owned(), count(name)?);
    }
    if update {
        fs::write(committed(), serde_json::to_string_pretty(&counted)? + "\n")?;
    }
    let committed: BTreeMap<String, Counts> = serde_json::from_str(&fs::read_to_string(committed())?)?;
    let mut is_good = true;
    println!(
        "{:<18} {:>14} {:>14} {:>14} {:>14}",
        "instructions", "construction", "committed", "first use", "committed"
    );
    for (name, counts) in &counted {
        let (before, has_grown) = match committed.get(name) {
            Some(before) => {
                let grown = |now: u64, before: u64| now * 100 > before * TOLERANCE;
                (*before, grown(counts.construction, before.construction) || grown(counts.first_use, before.first_use))
            }
            None => (Counts { construction: 0, first_use: 0 }, true),
        };
        is_good &= !has_grown;
        let note = if has_grown { "  has grown" } else { "" };
        println!(
            "{name:<18} {:>14} {:>14} {:>14} {:>14}{note}",
            counts.construction, before.construction, counts.first_use, before.first_use
        );
    }
    Ok(is_good)
}

/// Returns the path of the committed figures.
fn committed() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/results/guard_start.json"))
}

/// Counts the instructions that making a guard and its first use take, with everything that they call.
fn count(guard: &str) -> Result<Counts, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("exo-rails-guard-start-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let out = folder.join("counts");
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
    // The counts begin again at each call of these functions, and are written after it, to files that are numbered from 1.
    for function in ["construct", "use_once"] {
        let symbol = format!("guard_start::guards::{function}");
        valgrind.args([format!("--zero-before={symbol}"), format!("--dump-after={symbol}")]);
    }
    let output = valgrind.arg(std::env::current_exe()?).args([crate::ONE, guard]).output()?;
    if !output.status.success() {
        return Err(format!("callgrind failed for `{guard}`: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let counts = Counts { construction: total(&out.with_extension("1"))?, first_use: total(&out.with_extension("2"))? };
    fs::remove_dir_all(&folder)?;
    Ok(counts)
}

/// Reads the sum of a file of callgrind.
fn total(file: &Path) -> Result<u64, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).ok_or_else(|| format!("`{}` has no sum", file.display()).into())
}
