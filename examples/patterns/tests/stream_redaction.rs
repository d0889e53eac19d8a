//! Runs the example `stream_redaction` as a user does, and checks its output except the times.

#[test]
fn only_a_key_delays_the_first_text() -> std::io::Result<()> {
    let output = examples_patterns::command("stream_redaction")?.args(["--speed", "1000"]).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> =
        printed.lines().map(|line| line.split(" characters, ").next().unwrap_or_default().trim()).collect();
    let of = |key: &str| {
        format!(
            "Log in with the key {key} and open the list of orders. Do not send this key to anybody, and ask for another one \
             when it was seen."
        )
    };
    let expected = [
        "no rail        first text after  1",
        &of("sk-live-4f9d27b1a6e0"),
        "replace        first text after  1",
        &of("[key]"),
        // The naive rail has also replaced an incomplete key.
        "64 characters  first text after 76",
        &of("[key]a6e0"),
    ];
    assert_eq!(lines, expected);
    Ok(())
}
