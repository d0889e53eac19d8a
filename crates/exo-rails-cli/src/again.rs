//! The command line that continues an execution.

use std::{env, fmt};

/// Options for the beginning of an execution, or for one call only, and whether they have a value.
const DROPPED: [(&str, bool); 8] = [
    ("--resume", false),
    ("--restart", false),
    ("--from", true),
    ("--start", true),
    ("--set", true),
    ("--approve", true),
    ("--deny", true),
    ("--unknown-calls", true),
];

/// The command that continues an execution. It has all options of this call but those for the beginning: without the option for
/// guards, the next call would have none.
pub(crate) struct Again {
    arguments: Vec<String>,
}

impl Again {
    /// Takes the command line of this program.
    pub(crate) fn of_this_call() -> Self {
        // Options that are not Unicode cannot be shown.
        let arguments = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        Self { arguments: without(&DROPPED, arguments) }
    }

    /// Adds an option without a value.
    pub(crate) fn with_flag(mut self, name: &str) -> Self {
        self.arguments.push(name.to_owned());
        self
    }

    /// Returns the command with another value of an option.
    pub(crate) fn with(&self, name: &'static str, value: u64) -> String {
        let mut arguments = without(&[(name, true)], self.arguments.iter().cloned());
        arguments.extend([name.to_owned(), value.to_string()]);
        Self { arguments }.to_string()
    }
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("exo-rails")?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

fn without(dropped: &[(&str, bool)], mut arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    while let Some(argument) = arguments.next() {
        let name = argument.split_once('=').map_or(argument.as_str(), |(name, _)| name);
        match dropped.iter().find(|(dropped, _)| *dropped == name) {
            // The value is the next argument, or behind `=`.
            Some((_, true)) if name == argument => drop(arguments.next()),
            Some(_) => {}
            None => kept.push(argument),
        }
    }
    kept
}

/// Quotes an argument for a shell, if it needs that.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    let text = exo_rails_guards::approval::visible(argument);
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_command_omits_the_options_that_begin_an_execution() {
        let cases: [(&[&str], &str); 4] = [
            (&["exec", "a.dygram", "--policy", "policy.toml"], "exec a.dygram --policy policy.toml"),
            (&["exec", "--set", "a.b=1", "--set=a.c=2", "a.dygram", "--restart"], "exec a.dygram"),
            (
                &["exec", "a.dygram", "--resume", "--approve", "0/1", "--deny=2", "--unknown-calls", "tell"],
                "exec a.dygram",
            ),
            (&["step", "my file's.dygram", "--from", "x"], r"step 'my file'\''s.dygram'"),
        ];
        for (arguments, expected) in cases {
            let arguments = arguments.iter().map(|argument| (*argument).to_owned());
            let again = Again { arguments: without(&DROPPED, arguments) };
            assert_eq!(again.to_string(), format!("exo-rails {expected}"));
        }
    }

    #[test]
    fn a_repeated_command_has_each_option_once() {
        let arguments = ["exec", "a.dygram", "--max-steps", "3"].map(str::to_owned).to_vec();
        let again = Again { arguments }.with_flag("--resume");
        assert_eq!(again.with("--max-steps", 6), "exo-rails exec a.dygram --resume --max-steps 6");
    }
}
