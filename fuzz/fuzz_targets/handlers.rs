//! The answers of hook handlers: what a command writes, with its exit code.

#![no_main]

use exo_rails_guards::handlers::fuzzing::meaning;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// The longest reason, in characters.
const MAX_REASON: usize = 4_000;

fuzz_target!(|data: &[u8]| {
    let [exit_code, output @ ..] = data else { return };
    let exit_code = match exit_code % 8 {
        0..=4 => Some(0),
        5 => Some(2),
        6 => None,
        _ => Some(i32::from(*exit_code)),
    };
    // The standard error follows a zero byte, which JSON does not have.
    let mut parts = output.splitn(2, |byte| *byte == 0);
    let (stdout, stderr) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let meaning = meaning(exit_code, stdout, stderr);
    let Some((blocks, asks, reason)) = &meaning else {
        assert_ne!(exit_code, Some(2), "exit code 2 always decides");
        return;
    };
    if let Some(reason) = reason {
        assert!(!reason.trim().is_empty() && reason.chars().count() <= MAX_REASON);
        assert!(!reason.chars().any(|letter| letter.is_control() && letter != '\n' && letter != '\t'));
    }
    match exit_code {
        Some(2) => assert!(*blocks),
        Some(0) => {
            // A reader that knows nothing of the protocol sees the same decision.
            let plain: Value = match serde_json::from_slice(stdout) {
                Ok(plain) => plain,
                Err(_) => return assert!(stdout.trim_ascii().is_empty() && !blocks && !asks),
            };
            let fields = plain.as_object().expect("an answer is an object");
            let decision = fields.get("decision").filter(|decision| !decision.is_null());
            let expected = match decision {
                None => (false, false),
                Some(Value::String(word)) if word == "allow" => (false, false),
                Some(Value::String(word)) if word == "ask" => (false, true),
                Some(Value::String(word)) if word == "block" => (true, false),
                Some(other) => panic!("{other} was taken for a decision"),
            };
            assert_eq!((*blocks, *asks), expected);
            let known = ["decision", "reason", "context_message", "updated", "suppress_output"];
            assert!(fields.keys().all(|name| known.contains(&name.as_str())));
            assert!(reason.is_none() || decision.is_some(), "a reason alone is a fault");
        }
        other => panic!("{other:?} decided"),
    }
});
