//! Judges commands: a line of JSON for each command from the standard input, and a line of JSON for each decision.
//!
//! ```text
//! $ echo '{"command": "rm -rf build ~/x", "directory": "/home/dev/app"}' | cargo run --release -p exo-rails-shell --example judge
//! {"decision":"deny","effects":[{"kind":"deletes","object":"build",…
//! ```
//!
//! Without `directory`, the project is the directory in which the command begins. Other fields are ignored. A line that cannot be
//! read is denied, with the reason.

use std::io::{self, BufRead as _, Write as _};

use exo_rails_shell::effects::judge;
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        writeln!(output, "{}", judged(&line?))?;
    }
    output.flush()
}

fn judged(line: &str) -> Value {
    let denied =
        |reason: String| json!({ "decision": "deny", "rules": ["unreadable"], "effects": [], "reason": reason });
    let read: Value = match serde_json::from_str(line) {
        Ok(read) => read,
        Err(error) => return denied(format!("the line is not JSON: {error}")),
    };
    let Some(command) = read["command"].as_str() else {
        return denied("the line has no text with the name `command`".to_owned());
    };
    if !matches!(read["directory"], Value::Null | Value::String(_)) {
        return denied("`directory` is not a text".to_owned());
    }
    let judged = judge(command, read["directory"].as_str());
    if let Some(reason) = judged.unreadable {
        return denied(format!("the command cannot be read: {reason}"));
    }
    let effects = judged.effects.iter().map(|effect| {
        json!({
            "kind": effect.kind.name(),
            "object": effect.object,
            "possible": effect.is_possible,
            "start": effect.span.start,
            "end": effect.span.end,
            "text": command.get(effect.span.clone()),
        })
    });
    json!({
        "decision": judged.decision,
        "rules": judged.rules,
        "effects": effects.collect::<Vec<_>>(),
        "to_pass": judged.advice(),
    })
}
