//! Judging: every simple command of a program, and the programs that commands run, by the rules of a rule set.

mod command;
mod files;
mod inside;
mod program;
mod variables;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::program::Program;
use self::variables::Variable;
use super::compiled::Compiled;
use super::lexer::{self, Kind, Refusal, Tokens};
use super::place::{Directory, Path, Places};
use super::structure::structure;
use super::verdict::{Judgement, ShellVerdict};
use super::word::mark;
use crate::severity::Severity;

/// Commands that are judged in one text, with those that commands run.
const MAX_COMMANDS: usize = 512;
/// How often the bodies of loops in each other are judged, each time with other values of their variables.
const MAX_ROUNDS: usize = 32;
/// Programs in each other: substitutions, and programs that commands run.
const MAX_DEPTH: usize = 16;

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
        Program { judge: self, text, tokens, origin, around, commands: Vec::new(), visited: vec![false; tokens.len()] }
            .whole(&events);
    }
}

/// Refuses texts with characters that people and shells read differently.
fn check_characters(text: &str, max_bytes: usize) -> Result<(), Refusal> {
    if text.len() > max_bytes {
        return Err(Refusal { rule: "too-long", reason: "the command is longer than the rules read", at: 0 });
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
