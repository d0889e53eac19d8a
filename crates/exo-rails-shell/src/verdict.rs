//! What a rule set says about a command, and why.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use exo_rails_text::invisible::is_deceptive;

use super::decision::ShellDecision;
use super::word::Word;
use crate::severity::Severity;

/// What a [`ShellRules`](super::ShellRules) says about a text.
///
/// ```
/// use exo_rails_shell::{ShellDecision, ShellRules};
///
/// let command = "cd src && git push --force origin main 2> log";
/// let verdict = ShellRules::default().judge(command);
/// assert_eq!(verdict.decision, ShellDecision::Deny);
///
/// let push = &verdict.commands[1];
/// assert_eq!(&command[push.range.clone()], "git push --force origin main 2> log");
/// assert_eq!(push.redirections[0].path.value(), Some("log"));
///
/// let judgement = verdict.deciding().unwrap();
/// assert_eq!(judgement.rule.as_ref(), "git-force-push");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellVerdict {
    /// The strictest decision of all judgements.
    pub decision: ShellDecision,
    /// All simple commands in the text, also those that other commands run.
    pub commands: Vec<ShellCommand>,
    /// All rules that matched, or may match, with what the rule set decides for them.
    pub judgements: Vec<Judgement>,
}

impl ShellVerdict {
    /// Returns the judgement that decided: the first of the strictest, and of these the most serious.
    #[must_use]
    pub fn deciding(&self) -> Option<&Judgement> {
        let strictness = |judgement: &&Judgement| (judgement.decision, judgement.severity);
        self.judgements.iter().rev().max_by_key(strictness)
    }

    /// Returns a text that says for each judgement which rule decided, about which part of the command, and why.
    ///
    /// The text quotes the command. It is for the people who may read the command.
    ///
    /// ```
    /// use exo_rails_shell::ShellRules;
    ///
    /// let command = "git status; git clean -fd";
    /// let verdict = ShellRules::default().judge(command);
    /// assert_eq!(verdict.explain(command).to_string(), "\
    /// ask
    ///   ask: git-clean (high) at bytes 12 to 25, `git clean -fd`: the command deletes files that git does not know
    /// ");
    /// ```
    #[must_use]
    pub fn explain<'v>(&'v self, command: &'v str) -> impl fmt::Display + 'v {
        Explanation { verdict: self, command }
    }
}

struct Explanation<'v> {
    verdict: &'v ShellVerdict,
    command: &'v str,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.verdict.decision)?;
        for judgement in &self.verdict.judgements {
            let Range { start, end } = judgement.range;
            write!(
                f,
                "  {}: {} ({}) at bytes {start} to {end}",
                judgement.decision, judgement.rule, judgement.severity
            )?;
            if let Some(text) = self.command.get(start..end).filter(|text| !text.is_empty()) {
                write!(f, ", `{}`", Shown(text))?;
            }
            write!(f, ": {}", judgement.reason)?;
            if judgement.depends_on_unknown {
                write!(f, " (it depends on a part that is not known before the command runs)")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A text on one line, not too long, without characters that change how a terminal shows the rest.
struct Shown<'t>(&'t str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, c) in self.0.chars().enumerate() {
            if count == 200 {
                return f.write_str("…");
            }
            if matches!(c, '\n' | '\t') || is_deceptive(c) {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                fmt::Write::write_char(f, c)?;
            }
        }
        Ok(())
    }
}

/// A simple command: a program and its arguments, assignments, redirections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellCommand {
    /// The program and its arguments, after quotes are removed and braces are expanded. It is empty if the command only
    /// assigns or redirects.
    pub words: Vec<Word>,
    /// The assignments in front of the program, each as `NAME=value`.
    pub assignments: Vec<Word>,
    /// The files that the shell opens for the command.
    pub redirections: Vec<Redirection>,
    /// The bytes of the command in the text. See [`Word::range`] about commands inside words.
    pub range: Range<usize>,
    /// The number of the command that runs this one, such as `sudo` or `sh -c`.
    pub inside: Option<usize>,
}

impl ShellCommand {
    /// Returns the name of the program without its directory, if it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first()?.value().map(super::word::base_name)
    }
}

/// A file that the shell opens for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirection {
    /// How the file is opened.
    pub access: Access,
    /// The path.
    pub path: Word,
}

/// How a redirection opens its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// `<`
    Read,
    /// `>`, `>>`, `<>` and the like.
    Write,
}

/// One rule about one command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// The decision.
    pub decision: ShellDecision,
    /// The name of the rule, or of a rule that the crate itself has: `unlisted`, `unknown-command`, `unreadable` and the like.
    pub rule: Arc<str>,
    /// How serious the rule is.
    pub severity: Severity,
    /// Why. The text does not quote the command.
    pub reason: Arc<str>,
    /// Whether the rule matches only if a part is what it may be: a variable, a substitution, a pattern.
    pub depends_on_unknown: bool,
    /// The number of the command in [`ShellVerdict::commands`]. A text that cannot be read has no commands.
    pub command: Option<usize>,
    /// The bytes of the text that the judgement is about.
    pub range: Range<usize>,
}
