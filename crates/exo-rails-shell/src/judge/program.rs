//! One program: its commands in their order.

use std::ops::Range;

use super::variables::{Variable, is_only_set_once};
use super::{Around, Judge, MAX_COMMANDS, MAX_ROUNDS, Origin, Reads};
use crate::lexer::{Inner, Kind, Redirect, RedirectKind, Text, Tokens};
use crate::place::Directory;
use crate::structure::{Event, Input, Step};
use crate::verdict::{Access, Redirection, ShellCommand};
use crate::word::{Word, mark};

/// One program on its way.
pub(super) struct Program<'r, 'p> {
    pub(super) judge: &'r mut Judge<'p>,
    pub(super) text: &'r str,
    pub(super) tokens: &'r Tokens,
    pub(super) origin: &'r Origin,
    pub(super) around: &'r Around,
    /// The numbers of the commands of this program.
    pub(super) commands: Vec<usize>,
    pub(super) visited: Vec<bool>,
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

impl Program<'_, '_> {
    pub(super) fn whole(mut self, events: &[Event]) {
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
        for token in all().copied() {
            self.inner_programs(token, Some(number));
        }
        self.judge.assignments(number, step.certain && step.words.is_empty(), self.text);
        for token in all().copied() {
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
