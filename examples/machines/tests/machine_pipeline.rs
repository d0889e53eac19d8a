//! What the example `machine_pipeline` prints.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

#[test]
fn both_machines_improve_their_tool_and_end() {
    let output = examples_machines::command("machine_pipeline").unwrap().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let (file, typed) = text.split_once("\ntyped.rs\n").unwrap();
    for (text, constructs, improves, complete) in [
        (file, "process -> optimizing", "process -> optimizing", "optimizing -> complete"),
        (typed, "Process -> Optimizing", "Optimizing -> Process", "Optimizing -> Complete"),
    ] {
        // In this order.
        let mut rest = text;
        for line in [
            constructs,
            "construct_tool",
            "quality 0.85",
            improves,
            "propose_tool_improvement",
            "quality 0.92",
            complete,
        ] {
            // The improvement comes before or after the second edge.
            let at = rest.find(line).unwrap_or_else(|| panic!("`{line}` is missing: {text}"));
            rest = &rest[at..];
        }
        assert!(text.contains("7 steps, 1 tool constructed, 1 improved"), "{text}");
    }
}
