//! Runs the example `sse_server` as a user does, and checks its output.

use std::process::Command;

#[test]
fn the_answers_to_five_questions() -> std::io::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--example", "sse_server"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("sse_server.txt"));
    Ok(())
}
