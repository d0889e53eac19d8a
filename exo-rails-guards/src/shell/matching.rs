//! Whether a rule matches a command.

use std::cell::OnceCell;

use super::config::{IfUnknown, ProgramConfig, ShellRule};
use super::pattern::{Holds, Wanted, glob};
use super::place::{Directory, Path, Places, Where};
use super::word::{Word, mark};

/// A rule whose patterns are read.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) config: ShellRule,
    pub(super) name: std::sync::Arc<str>,
    pub(super) reason: std::sync::Arc<str>,
    subcommands: Vec<Vec<String>>,
    operands: Vec<Operand>,
    except_operands: Vec<Operand>,
}

#[derive(Clone, Debug)]
enum Operand {
    Place(Where),
    Text(String),
}

impl Rule {
    pub(super) fn new(config: ShellRule) -> Result<Self, String> {
        let operands =
            |patterns: &[String]| patterns.iter().map(|pattern| operand(pattern)).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            name: config.name.as_str().into(),
            reason: config.reason.as_str().into(),
            subcommands: config
                .subcommand
                .iter()
                .map(|text| text.split_whitespace().map(str::to_owned).collect())
                .collect(),
            operands: operands(&config.operands)?,
            except_operands: operands(&config.except_operands)?,
            config: ShellRule {
                arguments: config.arguments.iter().map(|pattern| pattern.to_lowercase()).collect(),
                without_arguments: config.without_arguments.iter().map(|pattern| pattern.to_lowercase()).collect(),
                ..config
            },
        })
    }

    /// Returns whether the rule matches, after [`IfUnknown`].
    pub(super) fn matches(&self, command: &View<'_>) -> Holds {
        let wanted = match self.config.if_unknown {
            _ if self.config.decision.passes() => Wanted::OnlyYes,
            IfUnknown::Ignore => Wanted::OnlyYes,
            IfUnknown::Unquoted => Wanted::NoMaybe,
            IfUnknown::Decide => Wanted::All,
        };
        match (self.holds(command, wanted), wanted) {
            (Holds::Maybe | Holds::MaybeWords, Wanted::OnlyYes) | (Holds::Maybe, Wanted::NoMaybe) => Holds::No,
            (holds, _) => holds,
        }
    }

    fn holds(&self, command: &View<'_>, wanted: Wanted) -> Holds {
        let rule = &self.config;
        let mut holds = Holds::Yes;
        macro_rules! require {
            ($condition:expr) => {
                holds = holds.and($condition);
                if holds == Holds::No {
                    return Holds::No;
                }
            };
        }
        if !self.subcommands.is_empty() {
            require!(Holds::any(self.subcommands.iter().map(|words| command.has_subcommand(words, wanted))));
        }
        if !rule.flags.is_empty() {
            require!(Holds::any(rule.flags.iter().map(|flag| command.has_flag(flag, wanted))));
        }
        if !rule.and_flags.is_empty() {
            require!(Holds::any(rule.and_flags.iter().map(|flag| command.has_flag(flag, wanted))));
        }
        if rule.without_flags.iter().any(|flag| command.has_flag(flag, wanted) == Holds::Yes) {
            return Holds::No;
        }
        if !rule.input_from.is_empty()
            && !command.input.iter().any(|from| rule.input_from.iter().any(|name| name == from))
        {
            return Holds::No;
        }
        require!(command.count_operands(rule.min_operands, rule.max_operands));
        if !rule.arguments.is_empty() {
            require!(Holds::any(rule.arguments.iter().map(|pattern| command.has_argument(pattern, wanted))));
        }
        if rule.without_arguments.iter().any(|pattern| command.has_argument(pattern, wanted) == Holds::Yes) {
            return Holds::No;
        }
        if !self.operands.is_empty() || !self.except_operands.is_empty() {
            require!(command.has_operand(&self.operands, &self.except_operands, wanted));
        }
        holds
    }
}

fn operand(pattern: &str) -> Result<Operand, String> {
    if !pattern.starts_with('@') {
        return Ok(Operand::Text(pattern.to_owned()));
    }
    let found = Where::NAMES.iter().find(|(name, _)| *name == pattern);
    found.map(|(_, place)| Operand::Place(*place)).ok_or_else(|| {
        let names = Where::NAMES.map(|(name, _)| name);
        match crate::config::nearest(pattern, &names) {
            Some(near) => format!("unknown place `{pattern}`: did you mean `{near}`?"),
            None => format!("unknown place `{pattern}`: write one of {}", crate::config::quoted(&names)),
        }
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Option,
    /// The value of the option before it.
    Value,
    Operand,
    /// An option, an operand or several of them.
    Unclear,
}

/// A command as rules see it.
pub(super) struct View<'c> {
    pub(super) words: &'c [Word],
    pub(super) arguments: Vec<Argument>,
    /// The programs that write its input.
    pub(super) input: &'c [String],
    /// Its input, if it is a text of the command.
    input_text: Option<&'c str>,
    values: &'c [String],
    places: &'c Places,
    directory: &'c Directory,
    paths: OnceCell<Vec<(Path, Where)>>,
    lower: OnceCell<Vec<String>>,
}

impl<'c> View<'c> {
    pub(super) fn new(
        words: &'c [Word],
        program: Option<&'c ProgramConfig>,
        input: &'c [String],
        places: &'c Places,
        directory: &'c Directory,
    ) -> Self {
        let values = program.map_or(&[][..], |program| &program.values);
        let mut arguments = classify(words.get(1..).unwrap_or_default(), values);
        if let Some(program) = program.filter(|program| program.code_operand) {
            let has_code = |word: &Word| super::judge::has_option(&word.value, &program.code_options).0;
            let first = arguments.iter().position(|argument| *argument == Argument::Operand);
            if let Some(first) = first.filter(|_| !words.iter().skip(1).any(has_code)) {
                arguments[first] = Argument::Value;
            }
        }
        Self {
            words,
            arguments,
            input,
            input_text: None,
            values,
            places,
            directory,
            paths: OnceCell::new(),
            lower: OnceCell::new(),
        }
    }

    pub(super) fn with_input_text(self, input_text: Option<&'c str>) -> Self {
        Self { input_text, ..self }
    }

    fn all(&self) -> impl Iterator<Item = (usize, &Word, Argument)> {
        self.words
            .iter()
            .skip(1)
            .zip(&self.arguments)
            .enumerate()
            .map(|(number, (word, argument))| (number, word, *argument))
    }

    pub(super) fn operands(&self) -> impl Iterator<Item = &Word> {
        self.all()
            .filter(|(_, _, argument)| matches!(argument, Argument::Operand | Argument::Unclear))
            .map(|(_, word, _)| word)
    }

    fn has_subcommand(&self, words: &[String], wanted: Wanted) -> Holds {
        let found = self.subcommand_at(words, 0, wanted);
        // An option that is not listed may have a value, which then is not the subcommand.
        let option_first = matches!(self.arguments.first(), Some(Argument::Option));
        if option_first && found != Holds::Yes { found.max(self.subcommand_at(words, 1, wanted)) } else { found }
    }

    fn subcommand_at(&self, words: &[String], skip: usize, wanted: Wanted) -> Holds {
        let mut operands = self.operands().skip(skip);
        let mut holds = Holds::Yes;
        for word in words {
            let Some(operand) = operands.next() else { return Holds::No };
            holds = holds.and(glob(word, &operand.value, wanted));
            if operand.splits() {
                return holds.and(Holds::MaybeWords);
            }
            if holds == Holds::No {
                return Holds::No;
            }
        }
        holds
    }

    fn has_flag(&self, flag: &str, wanted: Wanted) -> Holds {
        Holds::any(self.all().map(|(_, word, argument)| match argument {
            Argument::Option => flag_in(&word.value, flag, self.values, wanted),
            Argument::Unclear if word.splits() => Holds::MaybeWords,
            Argument::Unclear => Holds::Maybe,
            // `+main`, and options without `-` such as those of tar and dd.
            Argument::Operand if !flag.starts_with('-') => {
                if word.value == flag {
                    Holds::Yes
                } else {
                    Holds::No
                }
            }
            Argument::Operand | Argument::Value => Holds::No,
        }))
    }

    fn count_operands(&self, min: usize, max: Option<usize>) -> Holds {
        if min == 0 && max.is_none() {
            return Holds::Yes;
        }
        let count = self.operands().count();
        let unclear = self.operands().any(Word::splits);
        match (count >= min, max.is_none_or(|max| count <= max)) {
            (true, true) if !unclear => Holds::Yes,
            _ if unclear => Holds::MaybeWords,
            _ => Holds::No,
        }
    }

    fn has_argument(&self, pattern: &str, wanted: Wanted) -> Holds {
        let lower = self.lower.get_or_init(|| {
            let values = self.words.iter().skip(1).map(|word| word.value.as_str()).chain(self.input_text);
            values.map(str::to_lowercase).collect()
        });
        Holds::any(lower.iter().map(|value| glob(pattern, value, wanted)))
    }

    fn paths(&self) -> &[(Path, Where)] {
        self.paths.get_or_init(|| {
            let path = |word: &Word| {
                let path = self.places.path(&word.value, self.directory);
                let place = self.places.place(&path);
                (path, place)
            };
            self.operands().map(path).collect()
        })
    }

    /// Returns whether an operand matches one of some patterns and none of others.
    fn has_operand(&self, patterns: &[Operand], except: &[Operand], wanted: Wanted) -> Holds {
        Holds::any(self.operands().zip(self.paths()).map(|(word, path)| {
            let matches = |operand: &Operand| matches_operand(word, path, operand, wanted);
            if except.iter().any(|operand| matches(operand) == Holds::Yes) {
                return Holds::No;
            }
            if patterns.is_empty() { Holds::Yes } else { Holds::any(patterns.iter().map(matches)) }
        }))
    }
}

fn matches_operand(word: &Word, (path, place): &(Path, Where), operand: &Operand, wanted: Wanted) -> Holds {
    match operand {
        Operand::Place(_) if *place == Where::Unknown => {
            if word.splits() {
                Holds::MaybeWords
            } else {
                Holds::Maybe
            }
        }
        Operand::Place(expected) => {
            if place == expected {
                Holds::Yes
            } else {
                Holds::No
            }
        }
        Operand::Text(pattern) => {
            let holds = glob(pattern, &word.value, wanted);
            match path.shown() {
                Some(shown) if holds != Holds::Yes => holds.max(glob(pattern, shown, wanted)),
                _ => holds,
            }
        }
    }
}

/// Tells options, their values and operands apart.
fn classify(words: &[Word], values: &[String]) -> Vec<Argument> {
    let mut arguments = Vec::with_capacity(words.len());
    let mut only_operands = false;
    let mut value_next = false;
    for word in words {
        let argument = if std::mem::take(&mut value_next) {
            if word.splits() { Argument::Unclear } else { Argument::Value }
        } else if only_operands {
            if word.splits() { Argument::Unclear } else { Argument::Operand }
        } else if word.value == "--" {
            only_operands = true;
            Argument::Option
        } else if word.value.starts_with('-') && word.value.len() > 1 {
            value_next = takes_value(&word.value, values);
            Argument::Option
        } else if word.may_begin_with_dash() {
            Argument::Unclear
        } else {
            Argument::Operand
        };
        arguments.push(argument);
    }
    arguments
}

/// Returns whether the value of an option is the next argument.
pub(super) fn takes_value(option: &str, values: &[String]) -> bool {
    if values.is_empty() {
        return false;
    }
    if values.iter().any(|value| value == option) {
        return true;
    }
    if option.starts_with("--") {
        return false;
    }
    // In a group such as `-xn`, the last option may have its value in the next argument.
    let mut letters = option[1..].char_indices();
    letters
        .find_map(|(at, letter)| has_value(letter, values).then(|| at + letter.len_utf8() == option.len() - 1))
        .unwrap_or(false)
}

fn has_value(letter: char, values: &[String]) -> bool {
    values.iter().any(|value| value.strip_prefix('-').is_some_and(|rest| rest.chars().eq([letter])))
}

/// Returns whether an argument has an option.
fn flag_in(argument: &str, flag: &str, values: &[String], wanted: Wanted) -> Holds {
    if argument == flag {
        return Holds::Yes;
    }
    if mark::in_text(argument) {
        return glob(flag, argument, wanted);
    }
    if let Some(long) = flag.strip_prefix("--") {
        let Some(name) = argument.strip_prefix("--") else { return Holds::No };
        let name = name.split_once('=').map_or(name, |(name, _)| name);
        // Programs accept the beginning of a long option.
        return if !name.is_empty() && long.starts_with(name) { Holds::Yes } else { Holds::No };
    }
    let mut letters = flag.chars().skip(1);
    let (Some(letter), None) = (letters.next(), letters.next()) else { return Holds::No };
    if argument.starts_with("--") || !flag.starts_with('-') {
        return Holds::No;
    }
    for found in argument.chars().skip(1) {
        if found == letter {
            return Holds::Yes;
        }
        if has_value(found, values) {
            break;
        }
    }
    Holds::No
}
