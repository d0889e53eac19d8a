//! Judging: every simple command of a program, and the programs that commands run, by the rules of a policy.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::code;
use super::config::{ProgramConfig, Runs};
use super::decision::ShellDecision;
use super::expansion;
use super::lexer::{self, Inner, Kind, Redirect, RedirectKind, Refusal, Text, Tokens};
use super::matching::{View, takes_value};
use super::pattern::Holds;
use super::place::{Directory, Path, Places, Where};
use super::policy::{Compiled, Named};
use super::structure::{Event, Input, Step, structure};
use super::verdict::{Access, Judgement, Redirection, ShellCommand, ShellVerdict};
use super::word::{Word, mark};
use crate::Severity;

/// Commands that are judged in one text, with those that commands run.
const MAX_COMMANDS: usize = 512;
/// How often the bodies of loops in each other are judged, each time with other values of their variables.
const MAX_ROUNDS: usize = 32;
/// Programs in each other: substitutions, and programs that commands run.
const MAX_DEPTH: usize = 16;

/// Returns the name of a program without its directory.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// How the ranges of a text are places of the command.
#[derive(Clone, Debug)]
enum Origin {
    /// A part of the command, from a byte on.
    At(usize),
    /// Something that the command becomes: all of it has one place.
    Within(Range<usize>),
}

impl Origin {
    fn range(&self, range: &Range<usize>) -> Range<usize> {
        match self {
            Self::At(offset) => range.start + offset..range.end + offset,
            Self::Within(place) => place.clone(),
        }
    }
}

/// What a command reads.
#[derive(Clone, Debug, Default)]
enum Reads {
    /// What the shell reads, or a file.
    #[default]
    Plain,
    /// A text in the command.
    Text { value: String, origin: Origin },
    /// The output of commands: their numbers.
    Commands(Vec<usize>),
}

/// Where a command stands.
#[derive(Clone, Debug, Default)]
struct Around {
    inside: Option<usize>,
    depth: usize,
    reads: Reads,
}

#[derive(Clone, Debug)]
enum Variable {
    Known(String),
    Unknown,
}

pub(super) struct Judge<'p> {
    policy: &'p Compiled,
    text: &'p str,
    verdict: ShellVerdict,
    directory: Directory,
    variables: HashMap<String, Variable>,
    functions: HashSet<String>,
    /// Something that makes names of programs mean other programs.
    renamed: bool,
    /// Files that this text writes and may run.
    written: Vec<(Path, bool)>,
    /// What was not judged because it is too much.
    exhausted: bool,
    /// How often the body of the loop around is judged.
    rounds: usize,
}

impl<'p> Judge<'p> {
    pub(super) fn new(policy: &'p Compiled, text: &'p str, directory: Directory) -> Self {
        Self {
            policy,
            text,
            verdict: ShellVerdict::default(),
            directory,
            variables: HashMap::new(),
            functions: HashSet::new(),
            renamed: false,
            written: Vec::new(),
            exhausted: false,
            rounds: 1,
        }
    }

    pub(super) fn verdict(mut self) -> ShellVerdict {
        match check_characters(self.text, self.policy.max_bytes) {
            Ok(()) => self.program(self.text, &Origin::At(0), &Around::default()),
            Err(refusal) => self.refuse(&refusal, &Origin::At(0), None),
        }
        self.verdict
    }

    /// Returns the directory that a path names, for a command in a directory.
    pub(super) fn enter(places: &Places, path: &str, from: &Directory) -> Directory {
        match places.path(path, from) {
            Path::Project(path) => Directory::Project(path),
            Path::Absolute(path) => Directory::At(path),
            Path::Temp(path) => match places.temp.first() {
                Some(temp) => Directory::At(format!("{temp}/{path}")),
                None => Directory::Unknown,
            },
            Path::Outside | Path::Unknown => Directory::Unknown,
        }
    }

    fn judge(&mut self, judgement: Judgement) {
        self.verdict.decision = self.verdict.decision.max(judgement.decision);
        if !self.verdict.judgements.contains(&judgement) {
            self.verdict.judgements.push(judgement);
        }
    }

    fn refuse(&mut self, refusal: &Refusal, origin: &Origin, command: Option<usize>) {
        self.judge(Judgement {
            decision: self.policy.unreadable,
            rule: refusal.rule.into(),
            severity: Severity::High,
            reason: refusal.reason.into(),
            depends_on_unknown: false,
            command,
            range: origin.range(&(refusal.at..refusal.at)),
        });
    }

    fn unknown(&mut self, rule: &'static str, reason: &'static str, command: Option<usize>, range: Range<usize>) {
        let decision = self.policy.unknown;
        let (rule, reason) = (rule.into(), reason.into());
        self.judge(Judgement {
            decision,
            rule,
            severity: Severity::Medium,
            reason,
            depends_on_unknown: true,
            command,
            range,
        });
    }

    /// Judges a text as a program.
    fn program(&mut self, text: &str, origin: &Origin, around: &Around) {
        if around.depth > MAX_DEPTH {
            return self.exhaust(origin, around);
        }
        match lexer::lex(text, self.policy.limits) {
            Ok(tokens) => self.tokens(text, &tokens, origin, around),
            Err(refusal) => self.refuse(&refusal, origin, around.inside),
        }
    }

    fn exhaust(&mut self, origin: &Origin, around: &Around) {
        if !std::mem::replace(&mut self.exhausted, true) {
            let refusal =
                Refusal { rule: "too-deep", reason: "the command runs too many programs in each other", at: 0 };
            self.refuse(&refusal, origin, around.inside);
        }
    }

    fn tokens(&mut self, text: &str, tokens: &Tokens, origin: &Origin, around: &Around) {
        if around.depth > MAX_DEPTH || self.verdict.commands.len() > MAX_COMMANDS {
            return self.exhaust(origin, around);
        }
        if tokens.iter().all(|token| matches!(token.kind, Kind::Op(lexer::Op::Newline))) {
            return;
        }
        let Some(events) = structure(tokens) else {
            let refusal = Refusal { rule: "unreadable", reason: "the command is not a bash program", at: 0 };
            return self.refuse(&refusal, origin, around.inside);
        };
        Run { judge: self, text, tokens, origin, around, commands: Vec::new(), visited: vec![false; tokens.len()] }
            .whole(&events);
    }
}

/// Refuses texts with characters that people and shells read differently.
fn check_characters(text: &str, max_bytes: usize) -> Result<(), Refusal> {
    if text.len() > max_bytes {
        return Err(Refusal { rule: "too-long", reason: "the command is longer than the policy reads", at: 0 });
    }
    let plain = |b: u8| matches!(b, b'\t' | b'\n' | 0x20..=0x7E);
    let hidden = |at| {
        Err(Refusal { rule: "hidden-character", reason: "the command has a character that people cannot see", at })
    };
    if let Some(at) = text.bytes().position(|b| b < 0x80 && !plain(b)) {
        return hidden(at);
    }
    if text.is_ascii() {
        return Ok(());
    }
    let bad = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || mark::is(c)
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.char_indices().find(|(_, c)| bad(*c)).map_or(Ok(()), |(at, _)| hidden(at))
}

/// One program on its way.
struct Run<'r, 'p> {
    judge: &'r mut Judge<'p>,
    text: &'r str,
    tokens: &'r Tokens,
    origin: &'r Origin,
    around: &'r Around,
    /// The numbers of the commands of this program.
    commands: Vec<usize>,
    visited: Vec<bool>,
}

/// A list of pipelines with `&&` and `||`.
struct List {
    /// The directory in front of it.
    before: Directory,
    /// The directory in front of the first `||`.
    after: Option<Directory>,
    alternatives: usize,
    /// The number of the command behind the last `||`.
    last: usize,
}

impl List {
    /// Returns the directory of a command that runs whether or not a change of the directory succeeded.
    fn either(&self, changed: &Directory) -> Directory {
        match (&self.before, changed) {
            (before, changed) if before == changed => changed.clone(),
            (Directory::Project(before), Directory::Project(_)) => Directory::Project(before.clone()),
            _ => Directory::Unknown,
        }
    }
}

/// Returns the events of the loop that begins.
fn loop_body(events: &[Event]) -> &[Event] {
    let mut open = 1_usize;
    let end = events.iter().position(|event| {
        match event {
            Event::Loop { .. } => open += 1,
            Event::EndLoop => open -= 1,
            _ => {}
        }
        open == 0
    });
    &events[..end.unwrap_or(events.len())]
}

impl Run<'_, '_> {
    fn whole(mut self, events: &[Event]) {
        self.events(events, &mut Vec::new());
        for token in 0..self.tokens.len() {
            self.inner_programs(token, None);
        }
    }

    fn events(&mut self, events: &[Event], functions: &mut Vec<String>) {
        let mut directories = Vec::new();
        let mut lists: Vec<List> = Vec::new();
        let mut at = 0;
        while let Some(event) = events.get(at) {
            at += 1;
            match event {
                Event::Enter => directories.push(self.judge.directory.clone()),
                Event::Leave => {
                    if let Some(directory) = directories.pop() {
                        self.judge.directory = directory;
                    }
                }
                Event::Function(token) => functions.push(self.function(*token)),
                Event::EndFunction => drop(functions.pop()),
                Event::Loop { name, values } => {
                    self.set_by_loop(*name, values);
                    let body = loop_body(&events[at..]);
                    self.each_value(*name, values, body, functions);
                    at += body.len();
                }
                Event::EndLoop => {}
                Event::List => lists.push(List {
                    before: self.judge.directory.clone(),
                    after: None,
                    alternatives: 0,
                    last: self.commands.len(),
                }),
                Event::Or => {
                    if let Some(list) = lists.last_mut() {
                        list.alternatives += 1;
                        list.last = self.commands.len();
                        self.judge.directory = list.either(&self.judge.directory);
                    }
                }
                Event::EndList => {
                    if let Some(list) = lists.pop() {
                        self.end_list(&list);
                    }
                }
                Event::Command(step) => {
                    self.step(step, functions);
                    if let Some(list) = lists.last_mut().filter(|list| list.alternatives == 0) {
                        list.after = Some(self.judge.directory.clone());
                    }
                }
            }
        }
    }

    /// Judges what a loop sets its variable to: it may be `PATH`.
    fn set_by_loop(&mut self, name: usize, values: &[usize]) {
        let Some(name) = self.word_text(name).map(|text| text.value.clone()) else { return };
        let words: Vec<Word> = values.iter().filter_map(|token| self.word(*token)).collect();
        let Some(first) = words.first() else { return };
        let range = first.range();
        // The loop is a command of its own, so that judgements have one.
        let number = self.judge.verdict.commands.len().saturating_sub(1);
        if self.judge.verdict.commands.is_empty() {
            self.judge.verdict.commands.push(ShellCommand {
                range: range.clone(),
                inside: self.around.inside,
                ..ShellCommand::default()
            });
            self.commands.push(0);
        }
        self.judge.sets(number, &name, &first.value, range);
    }

    /// Judges the body of a loop for each value of its variable, as far as the text decides the values.
    fn each_value(&mut self, name: usize, values: &[usize], body: &[Event], functions: &mut Vec<String>) {
        let Some(name) = self.word_text(name).map(|text| text.value.clone()) else { return };
        let (before, commands, visited) = (self.judge.rounds, self.commands.len(), self.visited.clone());
        let bound = self.bound(&name, values);
        self.judge.rounds *= bound.len().max(1);
        for variable in bound {
            self.commands.truncate(commands);
            self.visited.clone_from(&visited);
            self.judge.variables.insert(name.clone(), variable);
            self.events(body, functions);
        }
        self.judge.rounds = before;
        self.judge.variables.insert(name, Variable::Unknown);
    }

    /// Returns what the variable of a loop may be.
    fn bound(&self, name: &str, values: &[usize]) -> Vec<Variable> {
        let known = |token: &usize| Some(self.word(*token)?.value).filter(|value| !mark::is_open(value));
        let mut bound: Vec<Option<String>> = values.iter().map(known).collect();
        bound.sort_unstable();
        bound.dedup();
        if values.is_empty() || !is_only_set_once(self.text, name, "for") {
            return vec![Variable::Unknown];
        }
        if bound.len() * self.judge.rounds > MAX_ROUNDS {
            let number = |value: &Option<String>| {
                value.as_deref().is_some_and(|value| value.len() > 1 && value.bytes().all(|b| b.is_ascii_digit()))
            };
            if bound.iter().all(number) {
                return vec![Variable::Known(mark::NUMBER.to_string())];
            }
            return vec![Variable::Unknown];
        }
        bound.into_iter().map(|value| value.map_or(Variable::Unknown, Variable::Known)).collect()
    }

    /// After a list, a change of the directory may have failed, unless the program then ends.
    fn end_list(&mut self, list: &List) {
        let final_command = self.commands.get(list.last).and_then(|number| self.judge.verdict.commands.get(*number));
        let ends = final_command.and_then(ShellCommand::program).is_some_and(|name| matches!(name, "exit" | "return"));
        self.judge.directory = match (&list.after, list.alternatives) {
            (Some(after), 1) if ends && self.commands.len() == list.last + 1 => after.clone(),
            _ => list.either(&self.judge.directory),
        };
    }

    fn word_text(&self, token: usize) -> Option<&Text> {
        match &self.tokens.get(token)?.kind {
            Kind::Word(text) => Some(text),
            Kind::Redirect(redirect) => Some(&redirect.target),
            Kind::Op(_) => None,
        }
    }

    fn place(&self, token: usize) -> Range<usize> {
        self.tokens.get(token).map_or(0..0, |token| self.origin.range(&token.range))
    }

    fn function(&mut self, token: usize) -> String {
        let name = self.word_text(token).map(|text| text.value.clone()).unwrap_or_default();
        let known = self.judge.policy.named(&name).is_some() || mark::in_text(&name);
        if known {
            self.judge.renamed = true;
            let place = self.place(token);
            self.judge.unknown("renamed", "a function has the name of a program", self.around.inside, place);
        }
        self.judge.functions.insert(name.clone());
        name
    }

    /// Judges the programs inside a word.
    fn inner_programs(&mut self, token: usize, command: Option<usize>) {
        if self.visited.get(token).is_none_or(|visited| *visited) {
            return;
        }
        self.visited[token] = true;
        let tokens = self.tokens;
        let Some(text) = (match &tokens[token].kind {
            Kind::Word(text) => Some(text),
            Kind::Redirect(redirect) => Some(&redirect.target),
            Kind::Op(_) => None,
        }) else {
            return;
        };
        let around =
            Around { inside: command.or(self.around.inside), depth: self.around.depth + 1, reads: Reads::Plain };
        for inner in &text.programs {
            let directory = self.judge.directory.clone();
            match inner {
                Inner::Tokens(inner) => self.judge.tokens(self.text, inner, self.origin, &around),
                Inner::Fed(inner) => {
                    // It reads the output of a command that has no number yet.
                    let around = Around { reads: Reads::Commands(Vec::new()), ..around.clone() };
                    self.judge.tokens(self.text, inner, self.origin, &around);
                }
                Inner::Text(inner, range) => {
                    let origin = Origin::Within(self.origin.range(range));
                    self.judge.program(inner, &origin, &around);
                }
            }
            self.judge.directory = directory;
        }
        if text.evaluates && text.value.contains("$(") {
            let place = self.place(token);
            self.judge.unknown("evaluated-text", "bash evaluates a text that has a substitution", command, place);
        }
    }

    fn step(&mut self, step: &Step, functions: &[String]) {
        if self.judge.verdict.commands.len() >= MAX_COMMANDS {
            return self.judge.exhaust(self.origin, self.around);
        }
        let words: Vec<Word> = step.words.iter().filter_map(|token| self.word(*token)).collect();
        let assignments: Vec<Word> = step.assignments.iter().filter_map(|token| self.word(*token)).collect();
        let mut redirections = Vec::new();
        for token in &step.redirects {
            if let Some(Kind::Redirect(redirect)) = self.tokens.get(*token).map(|token| &token.kind) {
                redirections.extend(self.redirection(redirect));
            }
        }
        let all = || step.words.iter().chain(&step.assignments).chain(&step.redirects);
        let places = all().map(|token| self.place(*token));
        let range = places.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
        let reads = self.reads(step);
        let number = self.judge.verdict.commands.len();
        self.commands.push(number);
        let command = ShellCommand { words, assignments, redirections, range, inside: self.around.inside };
        self.judge.verdict.commands.push(command);
        for token in all().copied().collect::<Vec<_>>() {
            self.inner_programs(token, Some(number));
        }
        self.judge.assignments(number, step.certain && step.words.is_empty(), self.text);
        for token in all().copied().collect::<Vec<_>>() {
            let place = self.place(token);
            for (name, value) in self.word_text(token).map(|text| text.sets.clone()).unwrap_or_default() {
                self.judge.variables.insert(name.clone(), Variable::Unknown);
                self.judge.sets(number, &name, &value, place.clone());
            }
        }
        self.judge.redirections(number);
        let name = self.judge.verdict.commands[number].words.first().and_then(Word::value).map(str::to_owned);
        if let Some(name) = name.filter(|name| functions.contains(name)) {
            let range = self.judge.verdict.commands[number].range.clone();
            self.judge.unknown("recursion", "a function calls itself", Some(number), range);
            drop(name);
        }
        self.judge.command(number, &Around { inside: Some(number), depth: self.around.depth + 1, reads });
    }

    /// Returns a word with its variables replaced by what is known about them.
    fn word(&self, token: usize) -> Option<Word> {
        let text = self.word_text(token)?;
        let mut word = text.word(self.place(token));
        if text.value.contains([mark::VARIABLE, mark::SPLITTING_VARIABLE]) {
            word.value = self.judge.resolve(&text.value);
        }
        Some(word)
    }

    fn redirection(&self, redirect: &Redirect) -> Option<Redirection> {
        let value = &redirect.target.value;
        let access = match redirect.kind {
            RedirectKind::Read => Access::Read,
            // `2>&1` and `>&-` have no file, `>&file` has one.
            RedirectKind::Duplicate if value.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit()) => return None,
            RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite | RedirectKind::Duplicate => {
                Access::Write
            }
            RedirectKind::Document | RedirectKind::HereString => return None,
        };
        let mut path = redirect.target.word(self.origin.range(&redirect.target_range));
        path.value = self.judge.resolve(&path.value);
        Some(Redirection { access, path })
    }

    fn reads(&self, step: &Step) -> Reads {
        let input = step.redirects.iter().rev().find_map(|token| match &self.tokens.get(*token)?.kind {
            Kind::Redirect(redirect)
                if matches!(redirect.kind, RedirectKind::Document | RedirectKind::HereString | RedirectKind::Read) =>
            {
                Some(self.read(redirect))
            }
            _ => None,
        });
        input.unwrap_or_else(|| match &step.input {
            Input::Inherited => self.around.reads.clone(),
            Input::Pipe(steps) => Reads::Commands(self.commands.get(steps.clone()).unwrap_or_default().to_vec()),
            Input::Redirect(token) => match self.tokens.get(*token).map(|token| &token.kind) {
                Some(Kind::Redirect(redirect)) => self.read(redirect),
                _ => Reads::Plain,
            },
        })
    }

    fn read(&self, redirect: &Redirect) -> Reads {
        if redirect.kind == RedirectKind::Read {
            return Reads::Plain;
        }
        let value = self.judge.resolve(&redirect.target.value);
        let place = redirect.target_range.clone();
        // The lines of a document without tabs, and what is between single quotes, stand in the text as they are.
        let raw = self.text.get(place.clone()).unwrap_or_default();
        let quoted = raw.strip_prefix('\'').and_then(|raw| raw.strip_suffix('\''));
        let origin = match (&self.origin, quoted) {
            (Origin::At(offset), _) if raw.starts_with(value.as_str()) => Origin::At(offset + place.start),
            (Origin::At(offset), Some(quoted)) if quoted == value => Origin::At(offset + place.start + 1),
            _ => Origin::Within(self.origin.range(&place)),
        };
        Reads::Text { value, origin }
    }
}

impl Judge<'_> {
    /// Replaces variables by their values, as far as the text decides them.
    fn resolve(&self, value: &str) -> String {
        let mut resolved = String::with_capacity(value.len());
        let mut rest = value;
        while let Some(at) = rest.find([mark::VARIABLE, mark::SPLITTING_VARIABLE]) {
            resolved.push_str(&rest[..at]);
            let quoted = rest[at..].starts_with(mark::VARIABLE);
            let behind = &rest[at + mark::VARIABLE.len_utf8()..];
            let Some((inside, behind)) = behind.split_once(mark::END) else { break };
            rest = behind;
            let name_end = inside.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_'));
            let (name, operator) = inside.split_at(name_end.unwrap_or(inside.len()));
            let unknown = if quoted { mark::UNKNOWN } else { mark::SPLITS };
            let value = match self.variables.get(name) {
                Some(Variable::Known(value)) => expansion::expand(value, operator),
                Some(Variable::Unknown) => None,
                None if !operator.is_empty() => None,
                None => match name {
                    "HOME" => Some(mark::HOME.to_string()),
                    "PWD" => Some(mark::PWD.to_string()),
                    "TMPDIR" => Some(mark::TEMP.to_string()),
                    _ => None,
                },
            };
            let one_word = |value: &String| {
                !self.variables.contains_key("IFS")
                    && !value.contains([' ', '\t', '\n', '*', '?', '['])
                    && !value.is_empty()
            };
            match value.filter(|value| quoted || one_word(value)) {
                Some(value) => resolved.push_str(&value),
                None => resolved.push(unknown),
            }
        }
        resolved.push_str(rest);
        resolved
    }

    fn assignments(&mut self, number: usize, keeps: bool, text: &str) {
        for word in self.verdict.commands[number].assignments.clone() {
            self.assignment(number, &word, keeps, text);
        }
    }

    /// Judges `NAME=value`, and keeps the value if nothing else in the text can change it.
    fn assignment(&mut self, number: usize, word: &Word, keeps: bool, text: &str) {
        let Some((name, value)) = word.value.split_once('=') else { return };
        let name = name.trim_end_matches('+').split('[').next().unwrap_or_default().to_owned();
        let known = keeps
            && !mark::is_open(value)
            && !word.value[..=name.len()].contains('+')
            && is_only_set_once(text, &name, "=")
            && name != "IFS";
        let variable = if known { Variable::Known(value.to_owned()) } else { Variable::Unknown };
        self.variables.insert(name, variable);
        if value.contains("$(") || value.contains('`') {
            self.unknown(
                "evaluated-text",
                "a variable has a text with a substitution, which bash may evaluate",
                Some(number),
                word.range(),
            );
        }
        let plain = word.value.split_once('=').map_or(word.value.clone(), |(name, value)| {
            format!("{}={value}", name.split(['+', '[']).next().unwrap_or_default())
        });
        let words = [Word::new("=", word.range()), Word { value: plain, ..word.clone() }];
        self.rules(number, &words, "=", None, &[], None);
    }

    /// Judges that something other than an assignment sets a variable.
    fn sets(&mut self, number: usize, name: &str, value: &str, range: Range<usize>) {
        let words = [Word::new("=", range.clone()), Word::new(format!("{name}={value}"), range)];
        self.rules(number, &words, "=", None, &[], None);
    }

    fn redirections(&mut self, number: usize) {
        for redirection in self.verdict.commands[number].redirections.clone() {
            let name = match redirection.access {
                Access::Write => ">",
                Access::Read => "<",
            };
            if redirection.access == Access::Write {
                self.note_written(&redirection.path, false);
            }
            let words = [Word::new(name, redirection.path.range()), redirection.path];
            self.rules(number, &words, name, None, &[], None);
        }
    }

    fn note_written(&mut self, path: &Word, fetched: bool) {
        let path = self.policy.places.path(&path.value, &self.directory);
        if !matches!(path, Path::Unknown | Path::Outside) {
            self.written.push((path, fetched));
        }
    }

    /// Judges a command by its number.
    fn command(&mut self, number: usize, around: &Around) {
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
        let program = named.and_then(|named| named.program).map(|program| &policy.programs[program]);
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

    /// Judges and notes the files that a program writes.
    fn files_of(&mut self, number: usize, program: &ProgramConfig, words: &[Word]) {
        if !(program.writes || program.writes_last) && program.fetches.is_empty() && program.outputs.is_empty() {
            return;
        }
        let view = View::new(words, Some(program), &[], &self.policy.places, &self.directory, false);
        let operands: Vec<Word> = view.operands().cloned().collect();
        let may_be_option = view.arguments.iter().zip(&words[1..]).any(|(argument, word)| {
            *argument == super::matching::Argument::Unclear && (self.policy.strict || word.splits())
        });
        let fetched: Vec<Word> = program.fetches.iter().flat_map(|option| view.values_of(option)).cloned().collect();
        let mut outputs: Vec<Word> =
            program.outputs.iter().flat_map(|option| view.values_of(option)).cloned().collect();
        drop(view);
        for word in &fetched {
            self.note_written(word, true);
        }
        if fetched.is_empty() && !program.fetches.is_empty() {
            for word in &operands {
                let path = word.value.split(['?', '#']).next().unwrap_or_default();
                self.note_written(&Word::new(base_name(path), word.range()), true);
            }
        }
        if program.writes {
            outputs.extend(operands.iter().cloned());
        } else if program.writes_last && outputs.is_empty() && operands.len() > 1 {
            let sources = &operands[..operands.len() - 1];
            outputs.extend(operands.last().map(|target| self.in_directory(target, sources)));
        } else if program.writes_last {
            outputs = outputs.iter().map(|target| self.in_directory(target, &operands)).collect();
        }
        // `of=x`
        for option in program.outputs.iter().filter(|option| !option.starts_with('-')) {
            let value = |word: &Word| {
                Some(Word::new(word.value.strip_prefix(option.as_str())?.strip_prefix('=')?, word.range()))
            };
            outputs.extend(operands.iter().filter_map(value));
            outputs.extend(operands.iter().filter(|word| word.value.starts_with(mark::UNKNOWN)).cloned());
        }
        if may_be_option && !program.outputs.is_empty() {
            outputs.push(Word::new(mark::SPLITS.to_string(), words[0].range()));
        }
        if program.writes {
            for word in &operands {
                self.note_written(word, false);
            }
        }
        for path in outputs.into_iter().chain(fetched).filter(|path| path.value != "-") {
            let words = [Word::new(">", path.range()), path];
            self.rules(number, &words, ">", None, &[], None);
        }
    }

    /// Returns the file that a program writes to a target, which may be a directory.
    fn in_directory(&self, target: &Word, sources: &[Word]) -> Word {
        let places = &self.policy.places;
        let place = places.place(&places.path(&target.value, &self.directory));
        let directory = target.value.ends_with('/') || matches!(place, Where::Root | Where::Home | Where::Project);
        if !directory {
            return target.clone();
        }
        let name = sources.first().map_or("new", |source| base_name(source.value.trim_end_matches('/')));
        let name = if matches!(name, "" | "." | "..") || mark::in_text(name) { "new" } else { name };
        Word { value: format!("{}/{name}", target.value.trim_end_matches('/')), ..target.clone() }
    }

    fn unlisted(&mut self, number: usize, program: &Word, named: Option<&Named>, range: &Range<usize>) {
        if named.is_some_and(|named| named.known) {
            return;
        }
        let outer = self.verdict.commands[number].inside.and_then(|outer| self.verdict.commands[outer].program());
        let outer = outer.and_then(|name| self.policy.named(name)?.program);
        let downloaded = outer.is_some_and(|outer| self.policy.programs[outer].downloads);
        let (decision, rule, reason) = if self.is_of_project(program) {
            (self.policy.project, "project-program", "the program is a file of the project")
        } else {
            (self.policy.unlisted, "unlisted", "the policy does not name the program")
        };
        if downloaded {
            let reason = "the program is downloaded, and the policy does not name it";
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

    fn rules(
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
        let special = |name| policy.names.get(name).map_or(&[][..], |named| &named.rules);
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
            let rule = &policy.rules[*rule];
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
    fn nested(&mut self, inside: usize, mut words: Vec<Word>, around: &Around) {
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

    /// Asks about a variable whose name is not known: it may be `PATH`.
    fn unknown_name(&mut self, number: usize, word: &Word) {
        if word.value.split('=').next().is_some_and(mark::is_open) {
            let range = word.range();
            self.unknown(
                "unknown-variable",
                "the name of the variable is not known before the command runs",
                Some(number),
                range,
            );
        }
    }

    fn forget(&mut self, name: &Word) {
        let name: String = name.value.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        self.variables.insert(name, Variable::Unknown);
    }

    /// Asks about a program file that the same text has written. Shells run what is in it; other languages only if it was
    /// fetched from elsewhere.
    fn runs_written(&mut self, number: usize, file: &Word, shell: bool) {
        let path = self.policy.places.path(&file.value, &self.directory);
        if self.written.iter().any(|(written, fetched)| *written == path && (shell || *fetched)) {
            let range = self.verdict.commands[number].range.clone();
            self.unknown("written-program", "the command writes a program and runs it", Some(number), range);
        }
    }
}

/// What a command runs.
struct Inside<'i, 'p> {
    judge: &'i mut Judge<'p>,
    number: usize,
    words: &'i [Word],
    program: &'i ProgramConfig,
    around: &'i Around,
}

impl Inside<'_, '_> {
    fn range(&self) -> Range<usize> {
        self.judge.verdict.commands[self.number].range.clone()
    }

    fn unknown(&mut self, reason: &'static str) {
        let (number, range) = (self.number, self.range());
        self.judge.unknown("unknown-program", reason, Some(number), range);
    }

    #[allow(clippy::too_many_lines, reason = "the options of one command line, in their order")]
    fn judge(&mut self) {
        let looks_up = |word: &Word| self.program.looks_up.contains(&word.value);
        let mut at = 1;
        let mut text_next = false;
        let mut code_next = false;
        let mut has_code = false;
        let mut has_text = false;
        // The options in front of the operands.
        while let Some(word) = self.words.get(at) {
            if looks_up(word) {
                return;
            }
            if self.program.modules.contains(&word.value) {
                return self.module(at + 1);
            }
            if self.program.assignments && is_assignment(&word.value) {
                let (judge, number, word) = (&mut *self.judge, self.number, word.clone());
                judge.assignment(number, &word, false, "");
                at += 1;
                continue;
            }
            if word.value == "--" {
                at += 1;
                break;
            }
            let option = word.value.len() > 1
                && (word.value.starts_with('-') || word.value.starts_with('+') && self.program.runs == Runs::Script);
            if !option {
                if word.may_begin_with_dash() && self.program.runs != Runs::Nothing {
                    if self.program.skip == 0 || word.splits() {
                        return self.unknown_operands();
                    }
                    if self.judge.policy.strict {
                        self.unknown_operands();
                    }
                }
                break;
            }
            if mark::in_text(&word.value) && self.program.runs != Runs::Nothing {
                return self.unknown_operands();
            }
            if self.program.exec_options.contains(&word.value) {
                break;
            }
            let (text, attached) = has_option(&word.value, &self.program.text_options);
            let (code, code_attached) = has_option(&word.value, &self.program.code_options);
            if text && self.program.runs == Runs::Script {
                // A shell takes the program from the first operand, behind all options.
                text_next = true;
            } else if let Some(attached) = attached.filter(|_| text) {
                self.text_of(&Word::new(attached, word.range()));
                has_text = true;
            } else if text {
                at += 1;
                if let Some(word) = self.words.get(at) {
                    self.text_of(&word.clone());
                }
                has_text = true;
            } else if let Some(attached) = code_attached.filter(|_| code) {
                self.code(&attached);
                has_code = true;
            } else if code {
                code_next = true;
                at += 1;
                break;
            } else if takes_value(&word.value, &self.program.values) {
                at += 1;
            }
            at += 1;
        }
        let Some(at) = self.behind_subcommand(at) else { return };
        let rest = self.words.get(at..).unwrap_or_default();
        if code_next {
            match rest.first() {
                Some(word) => self.code(&word.value.clone()),
                None => return,
            }
            self.more_code(&rest[1..]);
            return;
        }
        if text_next {
            if let Some(word) = rest.first() {
                self.text_of(&word.clone());
            }
            return;
        }
        if has_text && self.program.runs == Runs::Script || has_code {
            return;
        }
        let mut rest: Vec<Word> = rest.get(self.program.skip..).unwrap_or_default().to_vec();
        if self.program.skip > 0 && rest.first().is_some_and(|word| word.value == "--") {
            rest.remove(0);
        }
        if let [option, text, ..] = rest.as_slice()
            && self.program.skip > 0
            && self.program.text_options.contains(&option.value)
        {
            return self.text_of(&text.clone());
        }
        if self.program.code_operand
            && let Some(word) = rest.first()
        {
            self.code(&word.value);
        }
        match self.program.runs {
            Runs::Nothing => self.executes(),
            Runs::Command => self.command(rest),
            Runs::Text => self.joined(&rest),
            Runs::First => {
                if let Some(word) = rest.first() {
                    self.text_of(word);
                }
            }
            Runs::Each => rest.iter().for_each(|word| self.text_of(word)),
            Runs::Script => self.script(&rest),
        }
    }

    /// Judges a module as the program of its name, if the policy has rules about that.
    fn module(&mut self, at: usize) {
        let words = self.words.get(at..).unwrap_or_default();
        let Some(module) = words.first() else { return };
        if mark::is_open(&module.value) {
            return self.unknown_operands();
        }
        if self.judge.policy.named(&module.value).is_some_and(|named| !named.rules.is_empty()) {
            self.command(words.to_vec());
        }
    }

    /// Returns where the operands begin: for a program with subcommands, behind the subcommand and its options.
    fn behind_subcommand(&mut self, at: usize) -> Option<usize> {
        if self.program.subcommands.is_empty() {
            return Some(at);
        }
        let rest = self.words.get(at..).unwrap_or_default();
        let length = self.program.subcommands.iter().find_map(|subcommand| {
            let words: Vec<&str> = subcommand.split(' ').collect();
            let same = rest.len() >= words.len() && rest.iter().zip(&words).all(|(word, name)| word.value == *name);
            same.then_some(words.len())
        });
        let mut at = if let Some(length) = length {
            at + length
        } else {
            // A subcommand that is not known may be one that runs something.
            if rest.first().is_some_and(|word| !word.is_literal()) {
                self.unknown_operands();
            }
            return None;
        };
        while let Some(word) = self.words.get(at) {
            if word.value == "--" {
                return Some(at + 1);
            }
            if !word.value.starts_with('-') {
                break;
            }
            let (text, attached) = has_option(&word.value, &self.program.text_options);
            if text {
                let text = match attached {
                    Some(attached) => Some(Word::new(attached, word.range())),
                    None => self.words.get(at + 1).cloned(),
                };
                if let Some(text) = text {
                    self.text_of(&text);
                }
                return None;
            }
            at += if takes_value(&word.value, &self.program.values) { 2 } else { 1 };
        }
        Some(at)
    }

    /// Code behind further options, as in `sed -e … -e …`.
    fn more_code(&mut self, rest: &[Word]) {
        let mut next = false;
        for word in rest {
            if std::mem::take(&mut next) {
                self.code(&word.value.clone());
                continue;
            }
            let (code, attached) = has_option(&word.value, &self.program.code_options);
            match attached.filter(|_| code) {
                Some(attached) => self.code(&attached),
                None => next = code,
            }
        }
    }

    fn unknown_operands(&mut self) {
        self.unknown("what the program runs is not known before the command runs");
    }

    fn deeper(&self) -> Around {
        Around { inside: Some(self.number), depth: self.around.depth + 1, reads: self.around.reads.clone() }
    }

    fn command(&mut self, mut words: Vec<Word>) {
        if words.is_empty() {
            return;
        }
        if self.program.appends {
            self.append(&mut words);
        }
        let around = self.deeper();
        self.judge.nested(self.number, words, &around);
    }

    /// Puts unknown arguments where the program puts what it reads.
    fn append(&mut self, words: &mut Vec<Word>) {
        let options = &self.program.placeholders;
        let own = self.words.iter().zip(self.words.iter().skip(1).map(Some).chain([None])).find_map(|(word, next)| {
            let (found, attached) = has_option(&word.value, options);
            found.then(|| attached.or_else(|| next.map(|next| next.value.clone())))?
        });
        let mut replaced = false;
        for word in words.iter_mut() {
            for placeholder in own.as_deref().into_iter().chain(["{}"]).filter(|placeholder| !placeholder.is_empty()) {
                if word.value.contains(placeholder) {
                    word.value = word.value.replace(placeholder, &mark::UNKNOWN.to_string());
                    replaced = true;
                }
            }
        }
        if !replaced {
            let range = self.range();
            words.push(Word::new(mark::SPLITS.to_string(), range));
        }
    }

    fn joined(&mut self, words: &[Word]) {
        if words.is_empty() {
            return;
        }
        let text = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        let range = words[0].range.start..words[words.len() - 1].range.end;
        match words {
            [word] => self.text_of(word),
            _ => self.text(&text, &Origin::Within(range)),
        }
    }

    /// Judges a word as a shell program.
    fn text_of(&mut self, word: &Word) {
        let raw = self.judge.text.get(word.range()).unwrap_or_default();
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let as_written =
            raw.len() >= 2 && raw.starts_with(['\'', '"']) && raw.ends_with(['\'', '"']) && inner == word.value;
        let origin = if as_written { Origin::At(word.range.start + 1) } else { Origin::Within(word.range()) };
        let value = word.value.clone();
        self.text(&value, &origin);
    }

    fn text(&mut self, text: &str, origin: &Origin) {
        let text = &text.replace(mark::NUMBER, "0");
        if mark::in_text(text) {
            self.unknown("a part of the program that a shell runs is not known before the command runs");
        }
        let around = self.deeper();
        let directory = self.judge.directory.clone();
        if matches!(self.program.runs, Runs::Text | Runs::First) {
            return self.judge.program(text, origin, &around);
        }
        // Another process has its own directory, and variables only as far as they are exported.
        let unknown = self.judge.variables.keys().map(|name| (name.clone(), Variable::Unknown)).collect();
        let variables = std::mem::replace(&mut self.judge.variables, unknown);
        self.judge.program(text, origin, &around);
        self.judge.variables = variables;
        self.judge.directory = directory;
    }

    fn script(&mut self, operands: &[Word]) {
        let file = operands.first().filter(|word| word.value != "-" && word.value != "/dev/stdin");
        if let Some(file) = file {
            let shell = self.program.language.is_none();
            let (number, file) = (self.number, file.clone());
            if mark::is_open(&file.value) || file.value.starts_with("/dev/fd/") || file.value.starts_with("/proc/") {
                self.unknown_operands();
            }
            return self.judge.runs_written(number, &file, shell);
        }
        match self.around.reads.clone() {
            Reads::Plain => {}
            Reads::Text { value, .. } if self.program.language.is_some() => self.code(&value),
            Reads::Text { value, origin } => self.text(&value, &origin),
            Reads::Commands(commands) => match self.judge.echoed(&commands) {
                Some((value, _)) if self.program.language.is_some() => self.code(&value),
                Some((value, range)) => self.text(&value, &Origin::Within(range)),
                None => self.unknown("the program that is run comes from another command"),
            },
        }
    }

    /// Judges the commands of `find -exec`: their `{}` is a file below the directories that `find` searches.
    fn executes(&mut self) {
        if self.program.exec_options.is_empty() {
            return;
        }
        let roots: Vec<Word> =
            self.words.iter().skip(1).take_while(|word| !word.value.starts_with(['-', '(', '!'])).cloned().collect();
        let here = [Word::new(".", self.range())];
        let roots = if roots.is_empty() { &here[..] } else { &roots };
        // The names of files, as far as one `-name` decides them.
        let names: Vec<&str> =
            self.words.windows(2).filter(|pair| pair[0].value == "-name").map(|pair| pair[1].value.as_str()).collect();
        let other =
            self.words.iter().any(|word| matches!(word.value.as_str(), "-o" | "-or" | "!" | "-not" | "," | "-iname"));
        let name = match names.as_slice() {
            [name] if !other && !name.contains(['?', '[', '\\', '/']) && !mark::in_text(name) => {
                name.replace('*', &mark::STAR.to_string())
            }
            _ => mark::STAR.to_string(),
        };
        let mut rest = self.words;
        while let Some(at) = rest.iter().position(|word| self.program.exec_options.contains(&word.value)) {
            let command = &rest[at + 1..];
            let end = command.iter().position(|word| matches!(word.value.as_str(), ";" | "+")).unwrap_or(command.len());
            for root in roots {
                let found = format!("{}/{name}", root.value.trim_end_matches('/'));
                let words =
                    command[..end].iter().map(|word| Word { value: word.value.replace("{}", &found), ..word.clone() });
                let mut words: Vec<Word> = words.collect();
                if self.program.appends && !command[..end].iter().any(|word| word.value.contains('{')) {
                    words.push(Word::new(found, self.range()));
                }
                if !words.is_empty() {
                    let around = Around { reads: Reads::Plain, ..self.deeper() };
                    self.judge.nested(self.number, words, &around);
                }
            }
            rest = &command[end..];
        }
    }

    fn code(&mut self, code: &str) {
        let Some(language) = self.program.language.as_ref() else { return };
        let policy = self.judge.policy;
        let code = &code.replace(mark::NUMBER, "0");
        if mark::in_text(code) {
            return self.unknown("a part of the code that the program runs is not known before the command runs");
        }
        let harmless = match policy.languages.get(language) {
            Some(rules) => code::is_harmless(code, language, rules),
            None => false,
        };
        if !harmless {
            let (number, range) = (self.number, self.range());
            self.judge.unknown(
                "code",
                "the code that the program runs may have effects outside of it",
                Some(number),
                range,
            );
        }
    }
}

impl Judge<'_> {
    /// Returns what `echo` writes, if it is the only command of a pipeline and its words are known.
    fn echoed(&self, commands: &[usize]) -> Option<(String, Range<usize>)> {
        let [number] = commands else { return None };
        let command = self.verdict.commands.get(*number)?;
        if command.program() != Some("echo") || !command.redirections.is_empty() {
            return None;
        }
        let words = &command.words[1..];
        let plain = |word: &Word| word.is_literal() && !word.value.contains('\\');
        if words.first().is_some_and(|word| word.value.starts_with('-')) || !words.iter().all(plain) {
            return None;
        }
        let text = words.iter().map(|word| word.value.as_str()).collect::<Vec<_>>().join(" ");
        Some((text, command.range.clone()))
    }
}

/// Returns whether a word is `NAME=value`.
fn is_assignment(value: &str) -> bool {
    let Some((name, _)) = value.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns whether an argument has one of some options, and the value that is attached to it.
pub(super) fn has_option(argument: &str, options: &[String]) -> (bool, Option<String>) {
    for option in options {
        if argument == option {
            return (true, None);
        }
        if let Some(long) = option.strip_prefix("--") {
            let Some((name, value)) = argument.strip_prefix("--").and_then(|rest| rest.split_once('=')) else {
                continue;
            };
            if !name.is_empty() && long.starts_with(name) {
                return (true, Some(value.to_owned()));
            }
        } else if let Some(letter) = option.strip_prefix('-').filter(|rest| rest.len() == 1) {
            if argument.starts_with("--") || !argument.starts_with('-') {
                continue;
            }
            if let Some(at) = argument[1..].find(letter) {
                let value = &argument[1 + at + 1..];
                return (true, (!value.is_empty()).then(|| value.to_owned()));
            }
        }
    }
    (false, None)
}

/// Returns whether a text sets a variable only in one place: with `=`, or in loops with `for`.
fn is_only_set_once(text: &str, name: &str, how: &str) -> bool {
    // What else can set a variable names it without a `$`.
    const SETTERS: [&str; 20] = [
        "read", "-v", "getopts", "map", "let", "declare", "typeset", "local", "unset", "export", "((", "coproc", ":=",
        "-p", "select", "nameref", "[", "trap", "func", "()",
    ];
    let bytes = text.as_bytes();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let wary = || SETTERS.iter().any(|setter| text.contains(setter));
    let (mut assignments, mut loops) = (0, 0);
    for (at, _) in text.match_indices(name) {
        let before = &bytes[..at];
        let after = &bytes[at + name.len()..];
        if before.last().is_some_and(is_part) || after.first().is_some_and(is_part) {
            continue;
        }
        let expanded = before.ends_with(b"$") || before.ends_with(b"${");
        if expanded {
            // `${x=y}` and `${x:=y}`.
            if before.ends_with(b"{") && (after.starts_with(b"=") || after.starts_with(b":=")) {
                return false;
            }
        } else if text[..at].trim_end_matches([' ', '\t']).ends_with("for") {
            loops += 1;
        } else if after.first() == Some(&b'=') || after.starts_with(b"+=") {
            assignments += 1;
        } else if wary() {
            return false;
        }
    }
    match how {
        "for" => assignments == 0 && loops > 0,
        _ => assignments == 1 && loops == 0,
    }
}
