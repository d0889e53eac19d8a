//! Secrets that a rail hides or refuses are not in a log.

use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, RecalledMemory};
use exo_rails_agent::{Agent, ScriptedModel};
use exo_rails_audit::{Audit, AuditConfig, Level, Verify};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::bench::{Disk, hex, runtime};

/// Replaces a secret in all text of a run.
struct Hide {
    secret: String,
}

impl Hide {
    fn hide(&self, text: &mut String) {
        *text = text.replace(&self.secret, "[secret]");
    }
}

#[rail(priority = 1)]
impl Hide {
    #[on(Start)]
    fn input(&self, run: &mut InvokeInputs) {
        run.for_each_text(|text| self.hide(text));
    }

    #[on(MemoryRecalled)]
    fn recalled(&self, memory: &mut RecalledMemory) {
        memory.for_each_text(|text| self.hide(text));
    }

    #[on(LlmChunk)]
    fn piece(&self, window: &mut StreamWindow) {
        window.replace(&[self.secret.as_str()], "[secret]");
    }

    #[on(PostLlmCall)]
    fn answer(&self, response: &mut ModelResponse) {
        response.for_each_text(|text| self.hide(text));
    }

    #[on(PreToolCall)]
    fn arguments(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) {
        call.for_each_text(|text| self.hide(text));
        ctx.emit("finding", &json!({ "guard": "hide", "rule": "secret", "message": "the arguments have a secret" }));
    }

    #[on(PostToolCall)]
    fn output(&self, output: &mut ToolOutput) {
        output.for_each_text(|text| self.hide(text));
    }

    #[on(ToolError)]
    fn error(&self, error: &OperationError) -> RailAction<ToolOutput> {
        if format!("{error:?}").contains(&self.secret) {
            return RailAction::skip_with(ToolOutput::error("The tool has failed."), "the error has a secret");
        }
        RailAction::Continue
    }

    #[on(MemoryStored)]
    fn stored(&self, entry: &mut MemoryEntry) {
        entry.for_each_text(|text| self.hide(text));
    }
}

/// Refuses a tool before the rail that hides the secret.
#[rail(priority = 0, on = [PreToolCall])]
fn no_deletion(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "delete" { RailAction::skip("no deletion") } else { RailAction::Continue }
}

rail_chain! {
    struct Rails { no_deletion, hide: Hide }
}

fn run(config: AuditConfig, secret: &str) -> Vec<u8> {
    let disk = Disk::default();
    runtime().block_on(async {
        let audit = Audit::to_sink(config, disk.clone()).unwrap();
        let (start, end) = secret.split_at(secret.char_indices().nth(4).unwrap().0);
        let script = json!([
            { "call": [
                { "tool": "login", "arguments": { "key": secret, "list": [format!("x{secret}y")] } },
                { "tool": "fail", "arguments": { "key": secret } },
                { "tool": "delete", "arguments": { "key": secret } },
            ] },
            { "deltas": [format!("The key is {start}"), format!("{end}.")] },
        ]);
        let model: ScriptedModel = script.to_string().parse().unwrap();
        let text = secret.to_owned();
        let login = Tool::new("login", "", json!({}), move |args: Value| {
            let output = format!("used {args} and {text}");
            async move { Ok::<_, OperationError>(output) }
        });
        let text = secret.to_owned();
        let fail = Tool::new("fail", "", json!({}), move |_: Value| {
            let error = OperationError::new(exo_rails::OperationErrorKind::Other, text.clone());
            async move { Err::<String, _>(error) }
        });
        let delete = Tool::new("delete", "", json!({}), |_: Value| async { Ok::<_, OperationError>("deleted") });
        let rails = audit.wrap(Rails { hide: Hide { secret: secret.to_owned() } });
        let agent = Agent::builder("desk", model).tool(login).tool(fail).tool(delete).rails(rails).build();
        let output = agent.run(format!("My key is {secret}.")).await.unwrap();
        assert_eq!(output.text, "The key is [secret].");
        audit.close().await.unwrap();
    });
    disk.log()
}

/// All texts in JSON, and in JSON that texts contain.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            into.push(text.clone());
            if let Ok(inner @ (Value::Object(_) | Value::Array(_) | Value::String(_))) = serde_json::from_str(text) {
                texts(&inner, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => {
            for (name, field) in fields {
                into.push(name.clone());
                texts(field, into);
            }
        }
        _ => {}
    }
}

fn check(log: &[u8], secret: &str) {
    let verified = Verify::new().reader(log).unwrap();
    assert!(verified.events > 10);
    let log = String::from_utf8(log.to_vec()).unwrap();
    let mut places = vec![log.clone()];
    for line in log.lines() {
        texts(&serde_json::from_str(line).unwrap(), &mut places);
    }
    let characters: Vec<char> = secret.chars().collect();
    let pieces = characters.windows(8).map(|piece| piece.iter().collect::<String>());
    let mut forms: Vec<String> = pieces.collect();
    forms.push(hex(secret.as_bytes()));
    // Hashes of the texts that had the secret. A hash of a known text would show that it was there.
    let arguments = json!({ "key": secret }).to_string();
    for text in [secret, &arguments, &format!("My key is {secret}."), &format!("The key is {secret}.")] {
        forms.push(hex(&Sha256::digest(text.as_bytes())));
    }
    for form in forms {
        assert!(!places.iter().any(|place| place.contains(&form)), "the log has {form:?}: {log}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_hidden_secret_is_not_in_the_log(secret in "[A-Za-z0-9+/_\u{e9}\u{4e2d}-]{12,40}") {
        for level in [Level::Metadata, Level::Full] {
            check(&run(Audit::builder().level(level).chunks(true), &secret), &secret);
        }
    }
}

/// The check finds a secret that no rail hides.
#[test]
#[should_panic(expected = "the log has")]
fn the_check_finds_a_secret_that_no_rail_hides() {
    let log = run(Audit::builder().level(Level::Full), "a-secret-of-the-test");
    check(&log, "[secret]");
}
