//! Judges commands: a line of JSON for each command from the standard input, and a line of JSON for each decision.
//!
//! ```text
//! $ echo '{"command": "rm -rf build ~", "directory": "/home/dev/app"}' | cargo run --release -p exo-rails-shell --example judge
//! {"decision":"deny","rules":["deletes-outside"],…
//! ```
//!
//! Without `directory`, the project is the directory in which the command begins. Other fields are ignored. A line that cannot be
//! read is denied, with the reason.

use std::io::{self, BufRead as _, Write as _};

use exo_rails_shell::ShellRules;
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        writeln!(output, "{}", judged(&line?))?;
    }
    output.flush()
}

fn judged(line: &str) -> Value {
    let denied = |reason: String| json!({ "decision": "deny", "rules": ["unreadable"], "to_pass": [reason], "commands": [], "effects": [] });
    let read: Value = match serde_json::from_str(line) {
        Ok(read) => read,
        Err(error) => return denied(format!("the line is not JSON: {error}")),
    };
    let Some(command) = read["command"].as_str() else {
        return denied("the line has no text with the name `command`".to_owned());
    };
    let rules = match &read["directory"] {
        Value::Null => Ok(ShellRules::default()),
        Value::String(directory) => ShellRules::builder().working_directory(directory).build(),
        _ => return denied("`directory` is not a text".to_owned()),
    };
    match rules {
        Ok(rules) => serde_json::to_value(rules.judge(command).explain(command))
            .unwrap_or_else(|error| denied(error.to_string())),
        Err(error) => denied(error.to_string()),
    }
}
