//! Shell commands in the arguments of a call: found, judged, and compared with the patterns of rules.

use std::ops::Range;
use std::sync::Arc;

use exo_rails_policy::{PointerPattern, Severity};
use serde_json::Value;

use super::tools::ToolFacts;
#[cfg(feature = "shell")]
use crate::arguments::fixed_text;
use crate::arguments::{Search, Way, each_leaf, nested, place};
use crate::finding::Place;
use crate::places::path::Match;
use exo_rails_policy::permissions::Permission;

/// A text in a call that a shell would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandText {
    pub(crate) text: String,
    /// The directory in which it runs, if the call names one.
    pub(crate) directory: Option<String>,
    /// The place of the text. Ranges of bytes are known only if the text is there as it is.
    pub(crate) place: Place,
    is_verbatim: bool,
}

impl CommandText {
    /// Returns the place of a part of the text.
    pub(crate) fn place_of(&self, range: &Range<usize>) -> Place {
        if self.is_verbatim { self.place.clone().bytes(range.clone()) } else { self.place.clone() }
    }
}

const DIRECTORIES: [&str; 7] = ["cwd", "workdir", "working_dir", "working_directory", "directory", "dir", "work_dir"];
const VARIABLES: [&str; 3] = ["env", "environment", "variables"];
const MORE_WORDS: [&str; 3] = ["args", "arguments", "argv"];

/// Returns all commands in the arguments of a shell tool. Several readings of one argument are several commands. `None` if an
/// argument that is a command cannot be read.
pub(crate) fn command_texts(facts: &ToolFacts<'_>, arguments: &Value) -> Option<Vec<CommandText>> {
    let mut found = Found { texts: Vec::new(), is_readable: true };
    for argument in facts.argv {
        argument.each(arguments, &mut |way, value| found.argv(value, place(way)));
    }
    for argument in facts.commands {
        argument.each(arguments, &mut |way, value| found.command(value, way, arguments, facts));
    }
    if found.texts.is_empty() && found.is_readable {
        // The command is at an unusual place: every text may be it.
        each_leaf(arguments, &mut |name, leaf| {
            if let Some(text) = leaf.as_str() {
                let place = name.map(Place::argument).unwrap_or_default();
                found.push(text.to_owned(), place, false);
            }
        });
    }
    if !found.is_readable || found.texts.is_empty() {
        return None;
    }
    let variables = assignments(arguments)?;
    let directories = directories(arguments)?;
    let mut all = Vec::new();
    for text in found.texts {
        let text = if variables.is_empty() {
            text
        } else {
            CommandText { text: format!("{variables}{}", text.text), is_verbatim: false, ..text }
        };
        for directory in &directories {
            all.push(CommandText { directory: directory.clone(), ..text.clone() });
        }
    }
    Some(all)
}

fn visit(arguments: &Value, name: &str, visit: &mut dyn FnMut(&Value)) {
    PointerPattern::name(name).each(arguments, &mut |_, value| visit(value));
}

struct Found {
    texts: Vec<CommandText>,
    is_readable: bool,
}

impl Found {
    fn push(&mut self, text: String, place: Place, is_verbatim: bool) {
        let text = CommandText { text, directory: None, place, is_verbatim };
        if !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }

    fn command(&mut self, value: &Value, way: &Way<'_>, arguments: &Value, facts: &ToolFacts<'_>) {
        let place = place(way);
        match value {
            Value::String(text) => {
                let is_verbatim = arguments.pointer(&place.pointer) == Some(value);
                if let Some(Value::Array(words)) = nested(text) {
                    self.command(&Value::Array(words), way, arguments, facts);
                }
                let mut words = None;
                let is_known = |more: &PointerPattern| facts.argv.contains(more) || facts.commands.contains(more);
                for more in MORE_WORDS.iter().filter(|more| !is_known(&PointerPattern::name(more))) {
                    visit(arguments, more, &mut |value| match value {
                        Value::Array(items) => words = quoted_words(items),
                        Value::String(text) => words = Some(text.clone()),
                        Value::Null => {}
                        _ => self.is_readable = false,
                    });
                }
                match words.filter(|words| !words.is_empty()) {
                    Some(words) => self.push(format!("{text} {words}"), place, false),
                    None => self.push(text.clone(), place, is_verbatim),
                }
            }
            Value::Array(items) => {
                let Some(quoted) = quoted_words(items) else {
                    self.is_readable = false;
                    return;
                };
                if items.len() != 1 {
                    self.push(quoted, place.clone(), false);
                }
                // Some tools join the words, and pass the text to a shell.
                let joined: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                self.push(joined.join(" "), place, false);
            }
            Value::Null => {}
            _ => self.is_readable = false,
        }
    }

    fn argv(&mut self, value: &Value, place: Place) {
        let words = match value {
            Value::Array(items) => quoted_words(items),
            Value::String(text) => match nested(text) {
                Some(Value::Array(items)) => quoted_words(&items),
                _ => Some(quoted(text)),
            },
            Value::Null => return,
            _ => None,
        };
        match words {
            Some(words) => self.push(words, place, false),
            None => self.is_readable = false,
        }
    }
}

/// Returns the words as a shell text with one simple command.
fn quoted_words(items: &[Value]) -> Option<String> {
    let words: Option<Vec<String>> = items
        .iter()
        .map(|item| match item {
            Value::String(word) => Some(quoted(word)),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .collect();
    words.filter(|words| !words.is_empty()).map(|words| words.join(" "))
}

/// Returns the word so that a shell reads exactly this word.
fn quoted(word: &str) -> String {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./,:@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Returns the environment of the call as assignments in front of a command. `None` if it cannot be read.
fn assignments(arguments: &Value) -> Option<String> {
    let (mut text, mut is_readable) = (String::new(), true);
    for name in VARIABLES {
        visit(arguments, name, &mut |value| match value {
            Value::Object(variables) => {
                for (name, value) in variables {
                    let is_name =
                        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    is_readable &= is_name;
                    text.extend([name, "=", &quoted(&super::condition::text_of(value)), " "]);
                }
            }
            Value::Null => {}
            _ => is_readable = false,
        });
    }
    is_readable.then_some(text)
}

/// Returns the directories that the call names, or `[None]`. `None` if one cannot be read.
fn directories(arguments: &Value) -> Option<Vec<Option<String>>> {
    let (mut all, mut is_readable) = (Vec::new(), true);
    for name in DIRECTORIES {
        visit(arguments, name, &mut |value| match value {
            Value::String(directory) if directory.is_empty() => {}
            Value::String(directory) => all.push(Some(directory.clone())),
            Value::Null => {}
            _ => is_readable = false,
        });
    }
    if all.is_empty() {
        all.push(None);
    }
    is_readable.then_some(all)
}

/// What a judge says about a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The programs that the text runs.
    pub(crate) commands: Vec<ShellCommand>,
    pub(crate) judgements: Vec<Judgement>,
    /// The paths that the text reads, writes or deletes: from the working directory, or with `/` or `~` in front. `*` and `?` are those of
    /// patterns of names.
    #[cfg(feature = "shell")]
    pub(crate) paths: Vec<String>,
    /// The hosts to which the text connects.
    #[cfg_attr(
        not(feature = "urls"),
        expect(dead_code, reason = "without the feature `urls`, no rule is about hosts")
    )]
    pub(crate) hosts: Vec<String>,
}

/// What the rules about shell commands say about an effect, about one command, or about the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) permission: Permission,
    pub(crate) rule: Arc<str>,
    pub(crate) reason: Arc<str>,
    pub(crate) severity: Severity,
    /// Whether a rule of the configuration says it, and not the shipped policy.
    pub(crate) is_own: bool,
    /// Whether a rule about the command can lift it.
    pub(crate) is_liftable: bool,
    pub(crate) about: About,
    pub(crate) range: Range<usize>,
}

/// What a judgement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// A command, by its number.
    Command(usize),
    /// What the shell itself does, such as a redirection.
    Shell,
    /// A text that cannot be read.
    Text,
}

#[cfg(feature = "shell")]
pub(crate) use exo_rails_shell::ShellCommand;

/// Without the feature `shell`, no text has commands.
#[cfg(not(feature = "shell"))]
#[derive(Clone, Debug)]
pub(crate) struct ShellCommand {
    pub(crate) range: Range<usize>,
    pub(crate) is_builtin: bool,
}

/// Judges shell commands.
#[cfg(feature = "shell")]
pub(crate) type Judge = exo_rails_shell::ShellRules;

/// Judges no shell command: without the feature `shell`, each is unknown.
#[cfg(not(feature = "shell"))]
#[derive(Debug, Default)]
pub(crate) struct Judge;

#[cfg(feature = "shell")]
pub(crate) fn read(judge: &Judge, text: &CommandText) -> Reading {
    let verdict = match &text.directory {
        Some(directory) => judge.judge_in(directory, &text.text),
        None => judge.judge(&text.text),
    };
    let (mut paths, mut hosts) = (Vec::new(), Vec::new());
    for effect in &verdict.effects {
        use exo_rails_shell::EffectKind::{Receives, Sends, SendsCredentials};
        if effect.place.is_some() {
            paths.push(effect.object.replacen("$TMPDIR/", "/tmp/", 1));
        } else if matches!(effect.kind, Receives | Sends | SendsCredentials) && !effect.object.is_empty() {
            hosts.push(effect.object.clone());
        }
    }
    let judgements = verdict.judgements.iter().map(|judgement| Judgement {
        permission: judgement.decision.into(),
        rule: Arc::clone(&judgement.rule),
        reason: Arc::clone(&judgement.reason),
        severity: judgement.severity,
        is_own: judgement.is_own,
        // A rule that denies always decides.
        is_liftable: judgement.protects.is_none()
            && !(judgement.is_own && judgement.decision == exo_rails_shell::ShellDecision::Deny),
        about: match (judgement.command, judgement.effect) {
            (Some(number), _) => About::Command(number),
            (None, Some(_)) => About::Shell,
            (None, None) => About::Text,
        },
        range: judgement.range.clone(),
    });
    Reading { judgements: judgements.collect(), commands: verdict.commands, paths, hosts }
}

#[cfg(not(feature = "shell"))]
pub(crate) fn read(_judge: &Judge, text: &CommandText) -> Reading {
    let judgement = Judgement {
        permission: Permission::Ask,
        rule: Arc::from("shell-unread"),
        reason: Arc::from("nothing reads shell commands, because the feature `shell` of exo-rails-guards is off"),
        severity: Severity::Medium,
        is_own: false,
        is_liftable: false,
        about: About::Text,
        range: 0..text.text.len(),
    };
    Reading { judgements: vec![judgement], ..Reading::default() }
}

/// Patterns of which a command has to match one.
#[derive(Debug)]
pub(crate) struct CommandPatterns {
    #[cfg(feature = "shell")]
    patterns: Vec<exo_rails_shell::CommandPattern>,
    /// Without the feature `shell`, no value of this type can be made.
    #[cfg(not(feature = "shell"))]
    none: std::convert::Infallible,
    pub(crate) fixed: usize,
}

#[cfg(feature = "shell")]
impl CommandPatterns {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, String> {
        let fixed = patterns.iter().map(|pattern| fixed_text(pattern)).min().unwrap_or(0);
        let patterns = patterns.iter().map(|pattern| exo_rails_shell::CommandPattern::new(pattern));
        Ok(Self { patterns: patterns.collect::<Result<_, _>>()?, fixed })
    }

    /// Returns whether the command certainly is one of the patterns, for a rule that lets calls run.
    pub(crate) fn allows(&self, command: &ShellCommand) -> bool {
        self.patterns.iter().any(|pattern| pattern.allows(command).is_some())
    }

    /// Returns whether the patterns name the words at `range`, for a rule that lets calls run.
    pub(crate) fn names(&self, command: &ShellCommand, range: &Range<usize>) -> bool {
        self.patterns.iter().any(|pattern| pattern.names(command, range))
    }

    /// Returns whether the command may be one of the patterns, for a rule that stops calls.
    pub(crate) fn catches(&self, command: &ShellCommand) -> Match {
        let matches = self.patterns.iter().map(|pattern| match pattern.catches(command) {
            exo_rails_shell::Holds::No => Match::No,
            exo_rails_shell::Holds::Maybe => Match::Maybe,
            exo_rails_shell::Holds::Yes => Match::Yes,
        });
        matches.max().unwrap_or(Match::No)
    }
}

#[cfg(not(feature = "shell"))]
impl CommandPatterns {
    pub(crate) fn new(_: &[String]) -> Result<Self, String> {
        Err("rules about commands need the feature `shell` of exo-rails-guards: enable it".to_owned())
    }

    pub(crate) const fn allows(&self, _: &ShellCommand) -> bool {
        match self.none {}
    }

    pub(crate) const fn names(&self, _: &ShellCommand, _: &Range<usize>) -> bool {
        match self.none {}
    }

    pub(crate) const fn catches(&self, _: &ShellCommand) -> Match {
        match self.none {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use serde_json::json;

    use super::super::tools::Tools;
    use super::*;
    use exo_rails_policy::ToolName;

    fn texts(arguments: &Value) -> Option<Vec<String>> {
        let tools = Tools::new(std::collections::BTreeMap::default()).unwrap();
        let facts = tools.facts(&ToolName::new("shell"));
        let texts = command_texts(&facts, arguments)?;
        Some(
            texts
                .into_iter()
                .map(|text| format!("{}{}", text.directory.map(|dir| dir + "> ").unwrap_or_default(), text.text))
                .collect(),
        )
    }

    #[test]
    fn commands_are_found_in_every_form() {
        for (arguments, expected) in [
            (json!({ "command": "ls -la" }), vec!["ls -la"]),
            (json!({ "cmd": "ls" }), vec!["ls"]),
            (json!({ "command": "ls", "cmd": "rm x" }), vec!["ls", "rm x"]),
            (json!({ "command": ["bash", "-lc", "rm -rf /"] }), vec!["bash -lc 'rm -rf /'", "bash -lc rm -rf /"]),
            (json!({ "command": ["rm -rf /"] }), vec!["rm -rf /"]),
            (json!({ "command": "[\"rm\", \"x y\"]" }), vec!["rm 'x y'", "rm x y", "[\"rm\", \"x y\"]"]),
            (json!({ "command": "git", "args": ["push", "-f"] }), vec!["git push -f"]),
            (json!({ "Command": "ls" }), vec!["ls"]),
            (json!("{\"command\": \"ls\"}"), vec!["ls"]),
            (json!({ "input": { "text": "rm x" } }), vec!["rm x"]),
            (json!({ "command": "rm x", "cwd": "/etc" }), vec!["/etc> rm x"]),
            (json!({ "command": "ls", "env": { "PATH": "/a b" } }), vec!["PATH='/a b' ls"]),
        ] {
            assert_eq!(texts(&arguments).unwrap_or_default(), expected, "{arguments}");
        }
        for arguments in
            [json!({}), json!({ "command": 5 }), json!({ "command": [["ls"]] }), json!({ "command": "ls", "cwd": 1 })]
        {
            assert_eq!(texts(&arguments), None, "{arguments}");
        }
    }
}
