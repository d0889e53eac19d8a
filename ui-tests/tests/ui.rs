//! Programs that must not compile, with the message that the user reads, and programs that must.

use trybuild::TestCases;

#[test]
fn mistakes_explain_themselves() {
    let cases = TestCases::new();
    let topics = [
        "events",
        "parameters",
        "returns",
        "rail_items",
        "attributes",
        "chains",
        "order",
        "guarding",
        "hooks",
        "tool_args",
        "tools",
        "values",
        "always",
        "tool_rails",
        "faults",
        "custom_events",
        "concurrent",
    ];
    for topic in topics {
        cases.compile_fail(format!("fail/{topic}/*.rs"));
    }
}

#[test]
fn what_is_right_compiles() {
    TestCases::new().pass("pass/*.rs");
}
