//! The replies of people, in the forms of AG-UI and MCP, and what people see of a call.

#![no_main]

use std::sync::LazyLock;

use exo_rails::{RunContext, ToolCallInputs};
use exo_rails_ag_ui::ResumeEntry;
use exo_rails_ag_ui::mcp::ElicitResult;
use exo_rails_guards::approval::{ApprovalRequest, Remember, Reply, ShownLimits};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fn request(tool: &str, arguments: Value) -> ApprovalRequest {
    let call = ToolCallInputs::new(tool).with_arguments(arguments);
    let ctx = RunContext::new("fuzz").with_run_id("run-1");
    ApprovalRequest::new("approval", "rule-1", &call, "a person must agree", &ctx).with_remember([Remember::Session])
}

/// The request that replies are about.
static REQUEST: LazyLock<ApprovalRequest> = LazyLock::new(|| request("refund", json!({ "order": 7 })));

/// Whether a text has a string of JSON with this word, read by nothing but a search.
fn has_word(text: &str, word: &str) -> bool {
    text.contains(&format!("\"{word}\"")) || text.contains("\\u")
}

fn check(text: &str, reply: &Reply) {
    match reply {
        Reply::ApproveOnce => assert!(has_word(text, "approve_once") || has_word(text, "approved"), "{text}"),
        Reply::ApproveForSession => assert!(has_word(text, "approve_for_session"), "{text}"),
        Reply::ApproveForever => panic!("the request does not offer it: {text}"),
        Reply::Change { .. } => assert!(has_word(text, "change") || has_word(text, "editedArgs"), "{text}"),
        _ => {}
    }
    let entry = ResumeEntry::reply(&REQUEST, reply);
    assert_eq!(entry.to_reply(&REQUEST).ok().as_ref(), Some(reply), "{text}");
}

fuzz_target!(|data: &[u8]| {
    let [kind, rest @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    match kind % 3 {
        0 => {
            let Ok(entry) = serde_json::from_str::<ResumeEntry>(text) else { return };
            if let Ok(reply) = entry.to_reply(&REQUEST) {
                assert_eq!(entry.interrupt_id, REQUEST.id);
                check(text, &reply);
            }
        }
        1 => {
            let Ok(result) = serde_json::from_str::<ElicitResult>(text) else { return };
            if let Ok(reply) = result.to_reply(&REQUEST) {
                check(text, &reply);
            }
        }
        _ => {
            let arguments = serde_json::from_str(text).unwrap_or_else(|_| json!({ text: [text] }));
            let request = request(text, arguments);
            let shown = request.shown(ShownLimits::default());
            for line in shown.lines.iter().chain(&shown.warnings).chain([&shown.tool_name, &request.to_string()]) {
                // Controls, marks of direction, invisible characters, and tags.
                let deceives = |letter: char| {
                    letter.is_control()
                        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
                };
                assert!(!line.chars().any(deceives), "{line:?}");
            }
        }
    }
});
