//! The first command of the README builds few crates.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::Command;

/// The most crates that a new user waits for.
const MOST: usize = 60;

#[test]
fn the_first_command_of_the_readme_builds_few_crates() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    assert!(readme.contains("$ cargo run --example guarded_agent "), "the README has another first command");

    // The command names no package, so Cargo builds for the default members. `cargo tree` selects the same packages and
    // features. It lists the crates of this system.
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let tree = ["tree", "--offline", "--edges", "normal,build,dev", "--prefix", "none", "--no-dedupe"];
    let output = Command::new(cargo).args(tree).current_dir(root).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout)?;
    // Two versions of a crate are two crates.
    let crates: BTreeSet<_> =
        listed.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>()).filter(|name| name.len() == 2).collect();

    let has = |name: &str| crates.iter().any(|listed| listed[0] == name);
    assert!(has("examples-agent") && has("exo-rails-agent") && has("syn"), "{listed}");
    assert!(crates.len() <= MOST, "{} crates: {crates:#?}", crates.len());
    Ok(())
}
