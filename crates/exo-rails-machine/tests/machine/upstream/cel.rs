//! The expressions of conditions.

use super::met;

const NAMES: &str = "machine \"M\" {
    retryCount: 2; maxRetries: 3; state: \"CLOSED\"; nothing: null; on: true; ratio: 2.0;
    user: { name: \"start\"; priority: 5; }; config: { retry: { most: 3; delay: 1000; }; };
}
State processing; State next;";

fn when(expression: &str, errors: usize) -> Result<bool, String> {
    met(&format!("{NAMES} processing -when: '{expression}'-> next;"), errors)
}

/// The expression, and whether it is true after five errors.
#[test]
fn expressions_are_evaluated_as_cel() {
    let cases = [
        ("true", true),
        ("false", false),
        ("!false", true),
        ("errorCount > 3", true),
        ("errorCount < 10", true),
        ("errorCount == 5", true),
        ("errorCount != 0", true),
        ("errorCount >= 5", true),
        ("errorCount <= 5", true),
        ("errorCount > 5", false),
        (r#"activeState == "processing""#, true),
        (r#"activeState != "idle""#, true),
        (r#"activeState == "idle""#, false),
        (r#"errorCount > 0 && activeState == "processing""#, true),
        (r#"errorCount > 5 && activeState == "processing""#, false),
        (r#"errorCount > 5 || activeState == "processing""#, true),
        (r#"errorCount > 5 || activeState == "idle""#, false),
        ("!(errorCount > 5)", true),
        ("(errorCount > 0)", true),
        (r#"(errorCount < 9) && (activeState == "processing")"#, true),
        ("retryCount < maxRetries", true),
        ("retryCount >= maxRetries", false),
        ("ratio == retryCount", true),
        ("on", true),
        (r#"user.name == "start""#, true),
        ("user.priority > 3", true),
        ("config.retry.most == 3 && config.retry.delay >= 1000", true),
        (r#"errorCount > 0 && retryCount < maxRetries && state == "CLOSED""#, true),
        (r#"(errorCount > 9 || retryCount >= maxRetries) && state == "OPEN""#, false),
        ("nothing == null", true),
        // What is not needed for the result is not evaluated.
        ("errorCount == 5 || missing > 1", true),
        ("errorCount == 0 && missing > 1", false),
        // There, `errors` is the number of the errors. Here, it is the list of their messages.
        ("size(errors) == errorCount", true),
        (r#"errors.exists(error, error == "error 4")"#, true),
    ];
    for (expression, expected) in cases {
        assert_eq!(when(expression, 5), Ok(expected), "{expression}");
    }
}

/// There, wrong syntax is false, and every other error is true. Here, no error is a result.
#[test]
fn errors_are_neither_true_nor_false() {
    let cases = [
        ("errorCount >", "found the end"),
        ("invalid syntax here", "invalid syntax here"),
        ("undefinedVar == 5", "undefinedVar"),
        ("errorCount == 5 && missing > 1", "missing"),
        ("user.missing == 1", "missing"),
        ("errors > 3", ""),
        ("nothing > 3", ""),
        ("retryCount", "not a boolean"),
    ];
    for (expression, part) in cases {
        let error = when(expression, 5).expect_err(expression);
        assert!(error.contains(part), "{expression}: {error}");
    }
}
