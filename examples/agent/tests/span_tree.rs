//! Runs the example `span_tree` as a user does, and checks its output.

#[test]
fn the_program_prints_the_span_tree_of_both_runs() -> std::io::Result<()> {
    let output = examples_agent::command("span_tree")?.output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("span_tree.txt"));
    Ok(())
}
