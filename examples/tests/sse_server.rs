//! Runs the example `sse_server` as a user does, and checks its output.

mod built;

#[test]
fn the_answers_to_five_questions() -> std::io::Result<()> {
    let output = built::command("sse_server")?.output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("sse_server.txt"));
    Ok(())
}
