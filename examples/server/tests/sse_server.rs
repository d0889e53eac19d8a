//! Runs the example `sse_server` as a user does, and checks its output.

#[test]
fn the_program_streams_the_answers_to_five_questions() -> std::io::Result<()> {
    let output = examples_server::command("sse_server")?.output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("sse_server.txt"));
    Ok(())
}
