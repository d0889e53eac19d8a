//! A rule: what a match looks like, and which part of it is the secret.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use exo_rails_policy::ConfigError;
use exo_rails_policy::secrets::{AllowlistConfig, RuleConfig};
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::{Hir, HirKind};

use super::built_in::{Begins, BuiltIn, Except};
use super::entropy::entropy;
use super::literals::{Beginnings, begins_at_word, shortened};
use super::starts::{FindStart, Start, Starts, Texts};
use super::syntax::of_re2;
use crate::automaton::{Automaton, Problem, Run, Runner};

/// The bytes of an unfinished match that a stream holds back at most. A match that is complete and still grows is held back
/// until it ends.
pub const LONGEST_UNFINISHED: usize = 4096;

/// What a recogniser knows about a secret beyond its regex, such as a checksum.
pub(crate) type Check = fn(&str) -> bool;

/// A match, and the text around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'t> {
    /// The text before the match, at most [`BEFORE`] bytes of it.
    pub(crate) before: &'t str,
    pub(crate) whole: &'t str,
    /// The group that is the secret.
    pub(crate) value: &'t str,
}

/// The bytes of matches that a rule may still find to be no secrets, in one search.
///
/// In a text that nobody wrote against the guard, matches hardly overlap. In `pw=pw=pw=…`, one begins at each third byte, and each is as
/// long as a match may be. When its patience is over, a rule hides what has the form of a secret, and goes on behind it. So the work
/// grows with the text, and not with the text and the length of a match.
#[derive(Debug)]
pub(super) struct Patience(usize);

impl Patience {
    pub(super) fn new(text: &str) -> Self {
        Self((1 << 16) + 2 * text.len())
    }
}

/// Decides about a match with the text before it.
pub(crate) type Judge = fn(&Candidate<'_>) -> bool;

/// The bytes before a match that a rule looks at. A search in a stream has at least so many.
const BEFORE: usize = 48;

/// A rule.
///
/// What a guard needs to be made is there from the start: the name, and the texts with which matches begin. The regex of a rule of
/// this crate is read and compiled at the first text that has one of these texts. The regex of a configuration is read and compiled
/// at once, so that a mistake in it is an error.
pub(crate) struct Rule {
    pub(crate) id: Cow<'static, str>,
    /// What the rule finds.
    pub(crate) description: Cow<'static, str>,
    pub(super) starts: Starts,
    pub(super) keywords: Vec<String>,
    source: Source,
    compiled: OnceLock<Option<Box<Compiled>>>,
    group: Option<usize>,
    entropy: Option<f64>,
    check: Option<Check>,
    pub(crate) judge: Option<Judge>,
    /// Whether a value may be something else, so that the arguments of a tool keep it.
    pub(crate) doubt: Option<Judge>,
}

/// What a rule is compiled from.
#[derive(Clone, Copy)]
enum Source {
    BuiltIn(&'static BuiltIn),
    Recogniser(RecogniserRegex),
    /// It was compiled when the rule was made.
    Config,
}

/// The regex of a recogniser.
#[derive(Clone, Copy)]
pub(crate) enum RecogniserRegex {
    Text(&'static str),
    /// The function writes it.
    Made(fn() -> String),
    AfterWord(AfterWord),
}

/// A number, and the words before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AfterWord {
    /// The beginnings of the words, in lower case.
    pub(crate) begins: &'static [&'static str],
    /// The regex of the words.
    pub(crate) words: &'static str,
    /// The regex of the number.
    pub(crate) number: &'static str,
}

impl AfterWord {
    fn regex(&self) -> String {
        let Self { words, number, .. } = self;
        // What may stand between the word and the number: `SSN no. 536…`, `"phone": "555…`, `<tel>020…`.
        let between = r"(?:[ _.-]{0,2}(?:numbers?|num|no|nr|code|card|id|is|was|at|me|to|on|ist|es|est)(?-u:\b))*[^0-9A-Za-z+(\n]{0,6}";
        format!("(?i)(?:{words}){between}({number})")
    }
}

/// The regexes of a rule.
struct Compiled {
    regex: LazyRegex,
    automaton: Automaton,
    /// The texts with which matches begin, none of them shortened.
    begun: Option<Beginnings>,
    /// Whether the first group is always the whole match.
    is_one_group: bool,
    allowlists: OnceLock<Vec<Allowlist>>,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Rule {
    /// Makes a rule of a configuration, and compiles it. Returns `None` for a rule that finds nothing in a text.
    pub(crate) fn new(config: RuleConfig) -> Result<Option<Self>, ConfigError> {
        if config.id.is_empty() {
            return Err(ConfigError::new("a rule has no `id`: write a name such as `id = \"desk-token\"`"));
        }
        let id = config.id.clone();
        let in_rule = |error: ConfigError| error.in_key(&id);
        let rule = Self::read(config).map_err(in_rule)?;
        if let Some(rule) = &rule {
            rule.check().map_err(in_rule)?;
        }
        Ok(rule)
    }

    fn read(config: RuleConfig) -> Result<Option<Self>, ConfigError> {
        let RuleConfig { id, description, regex, secret_group, entropy, keywords, .. } = config;
        let Some(regex) = regex.filter(|_| !config.skip_report) else { return Ok(None) };
        let lists = config.allowlists.iter().chain(&config.allowlist);
        let allowlists = lists.map(Allowlist::new).collect::<Result<Vec<_>, _>>()?;
        let compiled = Compiled::new(without_lead(parsed(&regex, "regex")?));
        if let Some(group) = secret_group
            && group > compiled.groups()
        {
            let message = format!("the regex has no group {group}: write the number of a group in it, from 1");
            return Err(ConfigError::new(message).in_key("secretGroup"));
        }
        Ok(Some(Self {
            id: id.into(),
            description: description.into(),
            starts: compiled.starts(),
            keywords: keywords.iter().filter(|word| !word.is_empty()).map(|word| word.to_ascii_lowercase()).collect(),
            source: Source::Config,
            compiled: Some(Box::new(Compiled { allowlists: allowlists.into(), ..compiled })).into(),
            group: secret_group.filter(|group| *group > 0),
            entropy,
            check: None,
            judge: None,
            doubt: None,
        }))
    }

    /// Makes a rule of this crate. Nothing is compiled.
    pub(crate) fn built_in(rule: &'static BuiltIn, begins: Begins) -> Self {
        Self {
            id: Cow::Borrowed(rule.id),
            description: Cow::Borrowed(rule.description),
            starts: rule.starts.map_or_else(|| begins.starts(), Starts::Found),
            keywords: rule.keywords.iter().map(|&word| word.to_owned()).collect(),
            source: Source::BuiltIn(rule),
            compiled: OnceLock::new(),
            group: None,
            entropy: rule.entropy,
            check: None,
            judge: rule.judge,
            doubt: None,
        }
    }

    /// Makes a recogniser: a rule with a function that finds starts, and with a check. Nothing is compiled.
    pub(crate) fn recogniser(
        id: &'static str,
        description: &'static str,
        regex: RecogniserRegex,
        starts: FindStart,
        check: Option<Check>,
        judge: Option<Judge>,
    ) -> Self {
        Self {
            id: Cow::Borrowed(id),
            description: Cow::Borrowed(description),
            starts: Starts::Found(starts),
            keywords: Vec::new(),
            source: Source::Recogniser(regex),
            compiled: OnceLock::new(),
            group: None,
            entropy: None,
            check,
            judge,
            doubt: None,
        }
    }

    /// Makes a recogniser of numbers behind words. Nothing is compiled.
    pub(crate) fn after_word(
        id: &'static str,
        description: &'static str,
        number: AfterWord,
        check: Check,
        judge: Judge,
    ) -> Self {
        let starts = Starts::Texts { texts: Texts::BuiltIn(number.begins), after_word: false };
        Self {
            id: Cow::Borrowed(id),
            description: Cow::Borrowed(description),
            starts,
            keywords: Vec::new(),
            source: Source::Recogniser(RecogniserRegex::AfterWord(number)),
            compiled: OnceLock::new(),
            group: None,
            entropy: None,
            check: Some(check),
            judge: Some(judge),
            doubt: None,
        }
    }

    /// Returns the mark of the rule, without brackets: its name in capitals.
    pub(crate) fn mark(&self) -> String {
        mark_letters(&self.id).collect()
    }

    /// Returns whether this is the mark of the rule, without brackets.
    pub(crate) fn has_mark(&self, mark: &str) -> bool {
        mark_letters(&self.id).eq(mark.chars())
    }

    /// Compiles the rule.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let made;
        let compiled = if let Some(Some(compiled)) = self.compiled.get() {
            compiled
        } else {
            made = Box::new(self.compile()?);
            &made
        };
        compiled.regex.check("regex")?;
        compiled.automaton.check().map_err(|problem| {
            let message = match problem {
                Problem::TooLarge => TOO_LARGE,
                Problem::LooksAtUnicode => "the regex looks at letters that are not ASCII: write it without",
            };
            ConfigError::new(message).in_key("regex")
        })?;
        if let Source::BuiltIn(rule) = self.source {
            rule.except.iter().try_for_each(|except| Allowlist::built_in(except).map(|_| ()))?;
        }
        compiled
            .allowlists(self.source)
            .iter()
            .flat_map(|list| &list.regexes)
            .try_for_each(|regex| regex.check("regexes"))
            .map_err(|error| error.in_key("allowlists"))
    }

    /// Reads the regex of a rule of this crate.
    fn compile(&self) -> Result<Compiled, ConfigError> {
        let hir = match self.source {
            Source::BuiltIn(rule) => without_lead(parsed(rule.regex, "regex")?),
            Source::Recogniser(RecogniserRegex::Text(regex)) => parsed(regex, &self.id)?,
            Source::Recogniser(RecogniserRegex::Made(write)) => parsed(&write(), &self.id)?,
            Source::Recogniser(RecogniserRegex::AfterWord(number)) => parsed(&number.regex(), &self.id)?,
            Source::Config => return Err(ConfigError::new("the rule was not compiled").in_key(&self.id)),
        };
        Ok(Compiled::new(hir))
    }

    /// Checks rules of this crate, and returns the table of where their matches begin, as Rust code. The regexes say it.
    ///
    /// # Errors
    /// Returns an error if a regex cannot be compiled.
    #[cfg(test)]
    pub(crate) fn table(rules: &'static [BuiltIn]) -> Result<String, ConfigError> {
        use std::fmt::Write;

        let mut table = String::new();
        for built_in in rules {
            let rule = Self::built_in(built_in, Begins::Anywhere);
            rule.check().map_err(|error| error.in_key(built_in.id))?;
            let begins = match rule.compile()?.starts() {
                Starts::Texts { texts, after_word } => {
                    let mut list = Vec::new();
                    texts.for_each(|text| list.push(format!("{text:?}")));
                    format!("{}With(&[{}])", if after_word { "Word" } else { "" }, list.join(", "))
                }
                Starts::Anywhere { at_word } => if at_word { "AtBorder" } else { "Anywhere" }.to_owned(),
                Starts::Found(_) => String::new(),
            };
            let _ = writeln!(table, "    // {}\n    {begins},", built_in.id);
        }
        Ok(table)
    }

    /// Returns the regexes. A rule of this crate always has them: a test compiles each.
    fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| self.compile().ok().map(Box::new)).as_deref()
    }

    /// Returns the first match that begins at `from` or later.
    pub(super) fn next_match(&self, text: &str, from: usize) -> Option<Range<usize>> {
        if let Starts::Found(starts) = self.starts {
            return self.next_found(text, from, starts);
        }
        self.compiled()?.regex.get()?.search(&Input::new(text).range(from..)).map(|found| found.range())
    }

    /// Returns the fewest bytes of a match.
    pub(super) fn shortest(&self) -> usize {
        self.hir().and_then(|hir| hir.properties().minimum_len()).unwrap_or_default()
    }

    pub(super) fn hir(&self) -> Option<&Hir> {
        self.compiled().map(|compiled| &compiled.regex.hir)
    }

    fn next_found(&self, text: &str, mut from: usize, starts: FindStart) -> Option<Range<usize>> {
        let (mut runner, mut budget) = (self.runner()?, usize::MAX);
        while let Start::At(start) = starts(text, from) {
            if let Run::Match(end) = runner.run(text, start, true, usize::MAX, &mut budget) {
                return Some(start..end);
            }
            from = after(text, start);
        }
        None
    }

    /// Begins to look for matches that begin at one place. An automaton that cannot be made decides nothing.
    pub(super) fn runner(&self) -> Option<Runner<'_>> {
        self.compiled()?.automaton.runner()
    }

    /// Returns the part of a match that may be a secret, from the form alone.
    fn part(&self, compiled: &Compiled, text: &str, found: &Range<usize>) -> Option<Range<usize>> {
        let part = self.group_of(compiled, text, found)?;
        let (whole, value) = (&text[found.clone()], &text[part.clone()]);
        let may_be =
            !value.is_empty() && !is_mark(value) && (self.keywords.is_empty() || contains_any(whole, &self.keywords));
        may_be.then_some(part)
    }

    /// Returns the secret in a match, if it is one. Without patience, the form decides.
    pub(super) fn secret(&self, text: &str, found: Range<usize>, patience: &mut Patience) -> Option<Range<usize>> {
        let compiled = self.compiled()?;
        let secret = self.part(compiled, text, &found)?;
        if patience.0 < found.len() {
            return Some(secret);
        }
        let before = before(text, found.start);
        let (whole, value) = (&text[found], &text[secret.clone()]);
        let is_secret = self.entropy.is_none_or(|least| entropy(value) >= least)
            && self.check.is_none_or(|check| check(value))
            && !compiled.allowlists(self.source).iter().any(|list| list.allows(value, whole))
            && self.judge.is_none_or(|judge| judge(&Candidate { before, whole, value }));
        if !is_secret {
            patience.0 -= whole.len();
        }
        is_secret.then_some(secret)
    }

    /// Returns whether a value in a match is nothing else.
    pub(super) fn is_certain(&self, text: &str, found: Range<usize>, secret: &Range<usize>) -> bool {
        self.doubt.is_none_or(|doubt| {
            let before = before(text, found.start);
            !doubt(&Candidate { before, whole: &text[found], value: &text[secret.clone()] })
        })
    }

    /// Returns the group of the match that is the secret.
    fn group_of(&self, compiled: &Compiled, text: &str, found: &Range<usize>) -> Option<Range<usize>> {
        if compiled.groups() == 0 || (compiled.is_one_group && self.group.is_none()) {
            return Some(found.clone());
        }
        let regex = compiled.regex.get()?;
        let mut captures = Captures::all(regex.group_info().clone());
        regex.search_captures(&Input::new(text).range(found.clone()).anchored(Anchored::Yes), &mut captures);
        let group = match self.group {
            Some(group) => captures.get_group(group),
            None => captures.iter().skip(1).flatten().find(|group| group.start < group.end),
        };
        match group {
            Some(group) => Some(group.range()),
            None if self.group.is_none() => Some(found.clone()),
            None => None,
        }
    }

    /// Returns whether a match may begin at this place.
    pub(super) fn may_begin(&self, text: &str, start: usize) -> bool {
        let begun = self.compiled().and_then(|compiled| compiled.begun.as_ref());
        let Some(Beginnings { texts, .. }) = begun.filter(|_| matches!(self.starts, Starts::Texts { .. })) else {
            return true;
        };
        let rest = &text.as_bytes()[start..];
        texts
            .iter()
            .any(|begun| rest.get(..begun.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(begun.as_bytes())))
    }
}

/// Returns the text before a place that a rule looks at.
fn before(text: &str, at: usize) -> &str {
    &text[text.floor_char_boundary(at.saturating_sub(BEFORE))..at]
}

/// Returns the place after the character at this place.
pub(super) fn after(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(at + 1, |letter| at + letter.len_utf8())
}

impl Compiled {
    fn new(hir: Hir) -> Self {
        let (begun, automaton) = (Beginnings::of(&hir), Automaton::new(hir.clone()));
        let is_one_group = is_one_group(&hir);
        Self { regex: LazyRegex::new(hir), automaton, begun, is_one_group, allowlists: OnceLock::new() }
    }

    /// Returns where matches may begin.
    fn starts(&self) -> Starts {
        match &self.begun {
            Some(begun) => Starts::Texts { texts: Texts::Own(shortened(&begun.texts)), after_word: begun.after_word },
            None => Starts::Anywhere { at_word: begins_at_word(&self.regex.hir) },
        }
    }

    /// Returns the number of groups in the regex.
    fn groups(&self) -> usize {
        self.regex.hir.properties().explicit_captures_len()
    }

    fn allowlists(&self, source: Source) -> &[Allowlist] {
        self.allowlists.get_or_init(|| match source {
            // A test makes all of them. A list that cannot be made allows nothing.
            Source::BuiltIn(rule) => rule.except.iter().flat_map(Allowlist::built_in).collect(),
            Source::Recogniser(_) | Source::Config => Vec::new(),
        })
    }
}

/// Returns the letters of the mark of a rule.
fn mark_letters(id: &str) -> impl Iterator<Item = char> {
    id.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' })
}

/// Returns whether a text is only marks of redactions. A mark is never a secret, so a second redaction changes nothing.
pub(crate) fn is_mark(text: &str) -> bool {
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    inside.is_some_and(|inside| inside.split("][").all(is_name))
}

fn contains_any(text: &str, words: &[String]) -> bool {
    let text = text.as_bytes();
    words.iter().any(|word| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())))
}

fn parsed(source: &str, key: &str) -> Result<Hir, ConfigError> {
    regex_syntax::parse(&of_re2(source)).map_err(|error| {
        let message = error.to_string();
        let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
        ConfigError::new(format!("`{source}` is not a regex: {reason}")).in_key(key)
    })
}

const TOO_LARGE: &str = "the regex is too large: write smaller repetitions";

/// A regex that is compiled when a search needs it.
struct LazyRegex {
    hir: Hir,
    made: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    const fn new(hir: Hir) -> Self {
        Self { hir, made: OnceLock::new() }
    }

    /// Returns the regex. Returns `None` if it is too large, which [`check`](Self::check) reports.
    fn get(&self) -> Option<&Regex> {
        let make = || {
            let config = Regex::config().nfa_size_limit(Some(10 << 20)).utf8_empty(true);
            Regex::builder().configure(config).build_from_hir(&self.hir).ok()
        };
        self.made.get_or_init(make).as_ref()
    }

    fn check(&self, key: &str) -> Result<(), ConfigError> {
        self.get().map(|_| ()).ok_or_else(|| ConfigError::new(TOO_LARGE).in_key(key))
    }
}

/// Removes repetitions at the beginning of a regex that may be empty. Each match then begins later, with the same secret.
fn without_lead(hir: Hir) -> Hir {
    let HirKind::Concat(parts) = hir.kind() else { return hir };
    let may_be_empty = |part: &&Hir| match part.kind() {
        HirKind::Repetition(repetition) => repetition.min == 0 && matches!(repetition.sub.kind(), HirKind::Class(_)),
        _ => false,
    };
    match parts.iter().take_while(may_be_empty).count() {
        0 => hir,
        lead if lead == parts.len() => hir,
        lead => Hir::concat(parts[lead..].to_vec()),
    }
}

/// Returns whether a regex is one group, with nothing beside it that has a width.
fn is_one_group(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Capture(_) => true,
        HirKind::Concat(parts) => {
            let mut wide = parts.iter().filter(|part| !matches!(part.kind(), HirKind::Look(_)));
            wide.next().is_some_and(|part| matches!(part.kind(), HirKind::Capture(_))) && wide.next().is_none()
        }
        _ => false,
    }
}

/// An allowlist.
struct Allowlist {
    needs_all: bool,
    is_about_match: bool,
    regexes: Vec<LazyRegex>,
    stopwords: Option<AhoCorasick>,
}

impl Allowlist {
    fn new(config: &AllowlistConfig) -> Result<Self, ConfigError> {
        Self::compiled(config).map_err(|error| error.in_key("allowlists"))
    }

    /// Makes an allowlist of this crate.
    fn built_in(except: &Except) -> Result<Self, ConfigError> {
        Self::of(false, except.is_about_match, except.regexes, except.stopwords)
    }

    fn compiled(config: &AllowlistConfig) -> Result<Self, ConfigError> {
        let AllowlistConfig { condition, regex_target, regexes, stopwords, paths, commits, .. } = config;
        let needs_all = match condition.to_ascii_uppercase().as_str() {
            "" | "OR" | "||" => false,
            "AND" | "&&" => true,
            _ => return Err(ConfigError::new(format!("`{condition}`: write `OR` or `AND`")).in_key("condition")),
        };
        let is_about_match = match regex_target.as_str() {
            "" | "secret" => false,
            "match" | "line" => true,
            _ => {
                let message = format!("`{regex_target}`: write `secret`, `match` or `line`");
                return Err(ConfigError::new(message).in_key("regexTarget"));
            }
        };
        if needs_all && !(paths.is_empty() && commits.is_empty()) {
            // A text has no path and no commit, so not all reasons can be there.
            return Ok(Self { needs_all: false, is_about_match, regexes: Vec::new(), stopwords: None });
        }
        Self::of(needs_all, is_about_match, regexes, stopwords)
    }

    fn of(
        needs_all: bool,
        is_about_match: bool,
        regexes: &[impl AsRef<str>],
        stopwords: &[impl AsRef<[u8]>],
    ) -> Result<Self, ConfigError> {
        let regexes = regexes.iter().map(|source| Ok(LazyRegex::new(parsed(source.as_ref(), "regexes")?)));
        let stopwords =
            (!stopwords.is_empty()).then(|| AhoCorasick::builder().ascii_case_insensitive(true).build(stopwords));
        Ok(Self {
            needs_all,
            is_about_match,
            regexes: regexes.collect::<Result<_, ConfigError>>()?,
            stopwords: stopwords
                .transpose()
                .map_err(|error| ConfigError::new(error.to_string()).in_key("stopwords"))?,
        })
    }

    fn allows(&self, secret: &str, whole: &str) -> bool {
        let target = if self.is_about_match { whole } else { secret };
        let is_match = |regex: &LazyRegex| regex.get().is_some_and(|regex| regex.is_match(target));
        let by_regex = (!self.regexes.is_empty()).then(|| self.regexes.iter().any(is_match));
        let by_word = self.stopwords.as_ref().map(|words| words.is_match(secret));
        let mut reasons = [by_regex, by_word].into_iter().flatten().peekable();
        if self.needs_all {
            reasons.peek().is_some() && reasons.all(|is_there| is_there)
        } else {
            reasons.any(|is_there| is_there)
        }
    }
}
