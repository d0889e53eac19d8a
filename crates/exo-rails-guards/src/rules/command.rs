//! Shell commands in the arguments of a call: found, judged, and compared with the patterns of rules.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use exo_rails_policy::{PointerPattern, Severity};
use exo_rails_text::spelling::folded;
use globset::GlobMatcher;
use serde_json::Value;

use super::tools::ToolFacts;
use crate::arguments::{Search, Way, each_leaf, fixed_text, glob, nested, place};
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

/// What a judge says about a text: its simple commands, and judgements about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) commands: Vec<SimpleCommand>,
    pub(crate) judgements: Vec<Judgement>,
}

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// The program and its arguments. `None` is a word that is not known before the command runs.
    pub(crate) words: Vec<Option<String>>,
    /// The paths of redirections.
    pub(crate) files: Vec<Option<String>>,
    /// Whether the command has neither assignments nor redirections.
    pub(crate) is_bare: bool,
    pub(crate) range: Range<usize>,
}

/// What the rules about shell commands say about one command, or about the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) permission: Permission,
    pub(crate) rule: Arc<str>,
    pub(crate) reason: Arc<str>,
    pub(crate) severity: Severity,
    /// The number of the command. `None` for the whole text.
    pub(crate) command: Option<usize>,
    pub(crate) range: Range<usize>,
    /// Whether something unknown decides, so that a rule that denies may be meant.
    pub(crate) is_unknown: bool,
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
    let word = |word: &exo_rails_shell::Word| word.value().map(str::to_owned);
    let commands = verdict.commands.iter().map(|command| SimpleCommand {
        words: command.words.iter().map(word).collect(),
        files: command.redirections.iter().map(|redirection| word(&redirection.path)).collect(),
        is_bare: command.assignments.is_empty() && command.redirections.is_empty(),
        range: command.range.clone(),
    });
    let judgements = verdict.judgements.iter().map(|judgement| Judgement {
        permission: judgement.decision.into(),
        rule: Arc::clone(&judgement.rule),
        reason: Arc::clone(&judgement.reason),
        severity: judgement.severity,
        command: judgement.command,
        range: judgement.range.clone(),
        is_unknown: judgement.depends_on_unknown || judgement.command.is_none(),
    });
    Reading { commands: commands.collect(), judgements: judgements.collect() }
}

#[cfg(not(feature = "shell"))]
pub(crate) fn read(_judge: &Judge, text: &CommandText) -> Reading {
    Reading {
        commands: Vec::new(),
        judgements: vec![Judgement {
            permission: Permission::Ask,
            rule: Arc::from("shell-unread"),
            reason: Arc::from("nothing reads shell commands, because the feature `shell` of exo-rails-guards is off"),
            severity: Severity::Medium,
            command: None,
            range: 0..text.text.len(),
            is_unknown: true,
        }],
    }
}

/// Patterns of which a command has to match one.
pub(crate) struct CommandPatterns {
    patterns: Vec<Pattern>,
    pub(crate) fixed: usize,
}

impl fmt::Debug for CommandPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandPatterns").field("patterns", &self.patterns.len()).finish_non_exhaustive()
    }
}

/// The words of a pattern, for commands such as `git push --force`.
struct Pattern {
    exact: Vec<GlobMatcher>,
    program: GlobMatcher,
    operands: Vec<GlobMatcher>,
    options: Vec<String>,
}

impl CommandPatterns {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, String> {
        let fixed = patterns.iter().map(|pattern| fixed_text(pattern)).min().unwrap_or(0);
        let patterns = patterns.iter().map(|pattern| Pattern::new(pattern)).collect::<Result<_, _>>()?;
        Ok(Self { patterns, fixed })
    }

    /// Returns whether the command certainly is one of the patterns, for a rule that lets calls run.
    pub(crate) fn allows(&self, command: &SimpleCommand) -> bool {
        command.is_bare && self.patterns.iter().any(|pattern| pattern.allows(&command.words))
    }

    /// Returns whether the command may be one of the patterns, for a rule that stops calls.
    pub(crate) fn catches(&self, command: &SimpleCommand) -> Match {
        self.patterns.iter().map(|pattern| pattern.catches(&command.words)).max().unwrap_or(Match::No)
    }
}

impl Pattern {
    fn new(pattern: &str) -> Result<Self, String> {
        let words: Vec<&str> = pattern.split_whitespace().collect();
        let Some((program, rest)) = words.split_first() else {
            return Err("a command is empty: write its first words, such as `git push`".to_owned());
        };
        if let Some(operator) =
            words.iter().find(|word| word.contains(['|', ';', '&', '<', '>', '`', '$', '\'', '"', '\\']))
        {
            return Err(format!(
                "`{operator}` is not a word of a simple command: write the first words of one command, such as `git push`"
            ));
        }
        let (options, operands): (Vec<&str>, Vec<&str>) = rest.iter().partition(|word| word.starts_with('-'));
        let matcher = |word: &str, any_case| Ok::<_, String>(glob(word, any_case, false)?.compile_matcher());
        Ok(Self {
            exact: words.iter().map(|word| matcher(word, false)).collect::<Result<_, _>>()?,
            program: matcher(base_name(program), true)?,
            operands: operands.iter().map(|word| matcher(word, true)).collect::<Result<_, _>>()?,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        })
    }

    fn allows(&self, words: &[Option<String>]) -> bool {
        words.len() >= self.exact.len()
            && self
                .exact
                .iter()
                .zip(words)
                .all(|(pattern, word)| word.as_deref().is_some_and(|word| pattern.is_match(word)))
    }

    fn catches(&self, words: &[Option<String>]) -> Match {
        let Some((program, rest)) = words.split_first() else { return Match::No };
        let program = match program {
            Some(program) => folded(base_name(program))
                .iter()
                .any(|name| self.program.is_match(name.trim_end_matches(".exe")))
                .into(),
            None => Match::Maybe,
        };
        if program == Match::No {
            return Match::No;
        }
        let options = self.options.iter().map(|option| has_option(rest, option)).min().unwrap_or(Match::Yes);
        program.min(options).min(self.has_operands(rest))
    }

    /// Returns whether the operands of the pattern are the first operands of the command. A word after an option may be its
    /// value or an operand.
    fn has_operands(&self, words: &[Option<String>]) -> Match {
        // The best match for each number of operands that are found.
        let mut best = vec![Match::No; self.operands.len() + 1];
        best[0] = Match::Yes;
        let mut after_option = false;
        for word in words {
            let mut next = vec![Match::No; best.len()];
            for (found, so_far) in best.iter().enumerate().filter(|(_, so_far)| **so_far > Match::No) {
                let (is_it, is_skipped) = match (word, self.operands.get(found)) {
                    (_, None) => (Match::No, Match::Yes),
                    (None, Some(_)) => (Match::Maybe, Match::Maybe),
                    (Some(word), Some(operand)) => {
                        let is_it = folded(word).iter().any(|word| operand.is_match(word.as_ref()));
                        (is_it.into(), (word.starts_with('-') || after_option || word.is_empty()).into())
                    }
                };
                next[found] = next[found].max((*so_far).min(is_skipped));
                if let Some(more) = next.get_mut(found + 1) {
                    *more = (*more).max((*so_far).min(is_it));
                }
            }
            best = next;
            after_option = word.as_deref().is_some_and(|word| word.starts_with('-') && !word.contains('='));
        }
        best.last().copied().unwrap_or(Match::No)
    }
}

fn base_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// Returns whether the command has an option: `--force` is also `--forc` and `--force=x`, and `-f` is also in `-rf`.
fn has_option(words: &[Option<String>], option: &str) -> Match {
    let is_long = option.starts_with("--");
    let has = |word: &str| {
        let name = word.split('=').next().unwrap_or(word);
        if is_long { name == option || (name.len() > 3 && option.starts_with(name)) } else { word == option }
    };
    let known = || words.iter().flatten();
    let has_letters = || {
        let letters = || {
            known()
                .filter(|word| word.starts_with('-') && !word.starts_with("--"))
                .flat_map(|word| word.chars().skip(1))
        };
        !is_long && option.chars().skip(1).all(|letter| letters().any(|c| c == letter))
    };
    if known().any(|word| has(word)) || has_letters() {
        Match::Yes
    } else if words.contains(&None) {
        Match::Maybe
    } else {
        Match::No
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

    fn command(text: &str) -> SimpleCommand {
        let words = text.split(' ').map(|word| (word != "?").then(|| word.to_owned())).collect();
        SimpleCommand { words, files: Vec::new(), is_bare: true, range: 0..0 }
    }

    #[test]
    fn patterns_catch_commands_with_options_between() {
        use Match::{Maybe, No, Yes};
        for (pattern, text, expected) in [
            ("git push", "git push origin main", Yes),
            ("git push", "git -C /x push", Yes),
            ("git push", "git --no-pager push", Yes),
            ("git push", "/usr/bin/git push", Yes),
            ("git push", "GIT push", Yes),
            ("git push", "git.exe push", Yes),
            ("git push", "git commit -m push", No),
            ("git push", "git log", No),
            ("git push", "git ?", Maybe),
            ("git push", "? push", Maybe),
            ("git push", "? status", No),
            ("git push --force", "git push origin --force", Yes),
            ("git push --force", "git push --forc", Yes),
            ("git push --force", "git push", No),
            ("git push --force", "git push ?", Maybe),
            ("rm -rf", "rm -r -f x", Yes),
            ("rm -rf", "rm -fvr x", Yes),
            ("rm -rf", "rm -r x", No),
            ("npm run *", "npm run build", Yes),
            ("npm run *", "npm run", No),
        ] {
            let patterns = CommandPatterns::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(patterns.catches(&command(text)), expected, "`{pattern}` and `{text}`");
        }
    }

    #[test]
    fn patterns_allow_commands_that_begin_with_their_words() {
        for (pattern, text, expected) in [
            ("git push", "git push origin", true),
            ("git push", "git -C /x push", false),
            ("git push", "/tmp/git push", false),
            ("git push", "Git push", false),
            ("git push", "git ? origin", false),
            ("git push", "git push ?", true),
            ("git *", "git status", true),
            ("*", "? x", false),
        ] {
            let patterns = CommandPatterns::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(patterns.allows(&command(text)), expected, "`{pattern}` and `{text}`");
        }
        let with_redirection = SimpleCommand { is_bare: false, ..command("git push") };
        assert!(!CommandPatterns::new(&["*".to_owned()]).unwrap().allows(&with_redirection));
    }
}
