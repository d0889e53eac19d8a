//! One command: the rules about it, and what it does to the commands behind it.

use std::ops::Range;
use std::sync::Arc;

use super::inside::Inside;
use super::variables::{Variable, is_assignment};
use super::{Around, Judge, MAX_COMMANDS, MAX_DEPTH, Origin, Reads};
use crate::config::ProgramConfig;
use crate::decision::ShellDecision;
use crate::lexer::Refusal;
use crate::matching::View;
use crate::pattern::Holds;
use crate::place::{Directory, Where};
use crate::severity::Severity;
use crate::shipped::Named;
use crate::verdict::{Judgement, ShellCommand};
use crate::word::{Word, base_name, mark};

impl Judge<'_> {
    /// Judges a command by its number.
    pub(super) fn command(&mut self, number: usize, around: &Around) {
        let words = self.verdict.commands[number].words.clone();
        let Some(first) = words.first() else { return };
        let range = self.verdict.commands[number].range.clone();
        let Some(name) = first.value().map(base_name) else {
            return self.unknown(
                "unknown-command",
                "the program is not known before the command runs",
                Some(number),
                range,
            );
        };
        if name.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() {
            return self.unknown("unknown-command", "the name of the program is a number", Some(number), range);
        }
        if !name.bytes().all(|b| b.is_ascii_graphic()) {
            let reason = if name.is_ascii() {
                "the name of the program has a blank"
            } else {
                "the name of the program has letters that look like others"
            };
            if !name.is_empty() {
                self.unknown("look-alike", reason, Some(number), range);
            }
            return;
        }
        if name == "!" {
            // The grammar does not take `!` behind `time`, and bash does.
            let refusal = Refusal { rule: "unreadable", reason: "a `!` is not in front of a pipeline", at: 0 };
            return self.refuse(&refusal, &Origin::Within(range), Some(number));
        }
        if name.contains('!') {
            return self.unknown(
                "history",
                "an interactive shell replaces `!` by an earlier command",
                Some(number),
                range,
            );
        }
        let policy = self.policy;
        let named = policy.named(name);
        let program = named.and_then(|named| policy.program(named.program?));
        let feeding = self.feeding(&around.reads);
        if self.renamed && !matches!(name, "alias" | "unalias") {
            self.unknown(
                "renamed",
                "an earlier part of the command changes what names of programs mean",
                Some(number),
                range.clone(),
            );
        }
        if !self.functions.contains(name) {
            self.unlisted(number, first, named, &range);
        }
        let input_text = match &around.reads {
            Reads::Text { value, .. } => Some(value.as_str()),
            _ => None,
        };
        self.rules(number, &words, name, program, &feeding, input_text);
        if first.value.contains('/') {
            self.runs_written(number, first, true);
        }
        self.builtin(number, name, &words);
        if let Some(program) = program {
            self.files_of(number, program, &words);
            Inside { judge: self, number, words: &words, program, around }.judge();
        }
    }

    fn unlisted(&mut self, number: usize, program: &Word, named: Option<&Named>, range: &Range<usize>) {
        if named.is_some_and(|named| named.known) {
            return;
        }
        let outer = self.verdict.commands[number].inside.and_then(|outer| self.verdict.commands[outer].program());
        let outer = outer.and_then(|name| self.policy.named(name)?.program);
        let downloaded = outer.and_then(|outer| self.policy.program(outer)).is_some_and(|outer| outer.downloads);
        let (decision, rule, reason) = if self.is_of_project(program) {
            (self.policy.project, "project-program", "the program is a file of the project")
        } else {
            (self.policy.unlisted, "unlisted", "the rules do not name the program")
        };
        if downloaded {
            let reason = "the program is downloaded, and the rules do not name it";
            return self.unknown("downloaded-program", reason, Some(number), range.clone());
        }
        if decision == ShellDecision::Allow {
            return;
        }
        self.judge(Judgement {
            decision,
            rule: rule.into(),
            severity: Severity::Info,
            reason: reason.into(),
            depends_on_unknown: false,
            command: Some(number),
            range: range.clone(),
        });
    }

    /// Returns whether a program is a file of the project.
    fn is_of_project(&self, program: &Word) -> bool {
        let places = &self.policy.places;
        program.value.contains('/')
            && matches!(places.place(&places.path(&program.value, &self.directory)), Where::Inside | Where::Build)
    }

    /// Returns the names of the programs that write what a command reads.
    fn feeding(&self, reads: &Reads) -> Vec<String> {
        let Reads::Commands(numbers) = reads else { return Vec::new() };
        let names = numbers.iter().filter_map(|number| self.verdict.commands.get(*number)?.program());
        names.map(str::to_owned).collect()
    }

    pub(super) fn rules(
        &mut self,
        number: usize,
        words: &[Word],
        name: &str,
        program: Option<&ProgramConfig>,
        feeding: &[String],
        input_text: Option<&str>,
    ) {
        let policy = self.policy;
        let named = policy.named(name);
        let special = |name| policy.exactly(name).map_or(&[][..], |named| &named.rules);
        let own = named.map_or(&[][..], |named| &named.rules);
        let unlisted = !named.is_some_and(|named| named.known)
            && !self.functions.contains(name)
            && words.first().is_none_or(|program| !self.is_of_project(program));
        let (all, unlisted) = (special("*"), if unlisted { special("?") } else { &[] });
        if own.is_empty() && all.is_empty() && unlisted.is_empty() {
            return;
        }
        let directory = self.directory.clone();
        let view =
            View::new(words, program, feeding, &policy.places, &directory, policy.strict).with_input_text(input_text);
        let range = match words {
            [first, .., last] if self.verdict.commands[number].words.first() != Some(first) => {
                first.range.start.min(last.range.start)..last.range.end
            }
            _ => self.verdict.commands[number].range.clone(),
        };
        for rule in own.iter().chain(all).chain(unlisted) {
            let Some(rule) = policy.rule(*rule) else { continue };
            let holds = rule.matches(&view);
            if holds == Holds::No {
                continue;
            }
            let certain = holds == Holds::Yes;
            self.judge(Judgement {
                decision: if certain { rule.config.decision } else { policy.unknown },
                rule: Arc::clone(&rule.name),
                severity: rule.config.severity,
                reason: Arc::clone(&rule.reason),
                depends_on_unknown: !certain,
                command: Some(number),
                range: range.clone(),
            });
        }
    }

    /// Judges a command that another command runs.
    pub(super) fn nested(&mut self, inside: usize, mut words: Vec<Word>, around: &Around) {
        if around.depth > MAX_DEPTH || self.verdict.commands.len() >= MAX_COMMANDS {
            let range = self.verdict.commands[inside].range.clone();
            return self.exhaust(&Origin::Within(range), around);
        }
        let assignments = words.iter().take_while(|word| is_assignment(&word.value)).count();
        let assignments: Vec<Word> = words.drain(..assignments).collect();
        let range = match (words.first(), words.last()) {
            (Some(first), Some(last)) => first.range.start.min(last.range.start)..first.range.end.max(last.range.end),
            _ => self.verdict.commands[inside].range.clone(),
        };
        let number = self.verdict.commands.len();
        self.verdict.commands.push(ShellCommand {
            words,
            assignments,
            redirections: Vec::new(),
            range,
            inside: Some(inside),
        });
        self.assignments(number, false, "");
        self.command(number, &Around { inside: Some(number), depth: around.depth + 1, reads: around.reads.clone() });
    }

    /// What builtins of the shell do to the commands behind them.
    fn builtin(&mut self, number: usize, name: &str, words: &[Word]) {
        let operands = || words.iter().skip(1).filter(|word| !word.value.starts_with('-'));
        match name {
            "cd" | "pushd" => {
                let mut operands = operands();
                self.directory = match (operands.next(), operands.next()) {
                    (None, _) if words.len() == 1 => Directory::At("~".to_owned()),
                    (Some(path), None) => Self::enter(&self.policy.places, &path.value, &self.directory),
                    _ => Directory::Unknown,
                };
            }
            "popd" => self.directory = Directory::Unknown,
            "eval" | "source" | "." => {
                for variable in self.variables.values_mut() {
                    *variable = Variable::Unknown;
                }
            }
            "alias" if operands().next().is_some() => self.renamed = true,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in operands().cloned().collect::<Vec<_>>() {
                    if is_assignment(&word.value) {
                        self.assignment(number, &word, false, "");
                    } else {
                        self.forget(&word);
                        self.unknown_name(number, &word);
                    }
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "printf" | "let" | "unset" => {
                let sets = name != "printf" || words.get(1).is_some_and(|word| word.value.starts_with("-v"));
                for word in operands().cloned().collect::<Vec<_>>() {
                    self.forget(&word);
                    if sets && !matches!(name, "let" | "unset") {
                        self.unknown_name(number, &word);
                        self.sets(number, &word.value, &mark::UNKNOWN.to_string(), word.range());
                    }
                }
            }
            _ => {}
        }
        let unknown_name = match name {
            "let" | "unset" => words.iter().skip(1).any(|word| mark::is_open(&word.value)),
            "test" | "[" | "[[" => words
                .windows(2)
                .any(|pair| matches!(pair[0].value.as_str(), "-v" | "-R") && mark::is_open(&pair[1].value)),
            _ => false,
        };
        if unknown_name {
            let range = self.verdict.commands[number].range.clone();
            self.unknown("evaluated-text", "bash evaluates a text that is not known", Some(number), range);
        }
        if matches!(name, "let" | "declare" | "typeset" | "local" | "read" | "printf" | "unset" | "test" | "[" | "[[")
            && words.iter().any(|word| word.value.contains("$(") || word.value.contains("[`"))
        {
            let range = self.verdict.commands[number].range.clone();
            self.unknown("evaluated-text", "bash evaluates a text that has a substitution", Some(number), range);
        }
    }
}
