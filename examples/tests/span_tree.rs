//! Runs the example `span_tree` as a user does, and checks its output.

use std::process::Command;

#[test]
fn the_tree_of_both_runs() -> std::io::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--example", "span_tree"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("span_tree.txt"));
    Ok(())
}
