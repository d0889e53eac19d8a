//! Runs the example `retry_then_fallback` as a user does, and checks its output.

#[test]
fn each_failure_is_retried_then_falls_back() -> std::io::Result<()> {
    let output = examples_agent::command("retry_then_fallback")?.output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    let failed = printed.matches("  attempt ").count();
    assert_eq!((failed, printed.matches("the second provider is asked").count()), (1 + 3 + 1 + 3, 3), "{printed}");
    Ok(())
}
