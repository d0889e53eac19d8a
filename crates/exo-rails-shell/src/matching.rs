//! Whether a rule matches a command.

use std::cell::OnceCell;

use exo_rails_text::names::advice;

use super::config::{IfUnknown, ProgramConfig, ShellRule};
use super::pattern::{Holds, Letters, Pattern, Wanted, glob};
use super::place::{Directory, Path, Places, Where};
use super::word::{Word, mark};

/// A rule whose patterns are read.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) config: ShellRule,
    pub(super) name: std::sync::Arc<str>,
    pub(super) reason: std::sync::Arc<str>,
    subcommands: Vec<Vec<String>>,
    /// Options, and what their values are like.
    values: Vec<(String, Operand)>,
    except_values: Vec<(String, Operand)>,
    operands: Vec<Operand>,
    except_operands: Vec<Operand>,
    arguments: Vec<Pattern>,
    without_arguments: Vec<Pattern>,
}

#[derive(Clone, Debug)]
enum Operand {
    Place(Where),
    Text(Pattern),
}

impl Rule {
    pub(super) fn new(config: ShellRule) -> Result<Self, String> {
        let operands =
            |patterns: &[String]| patterns.iter().map(|pattern| operand(pattern)).collect::<Result<Vec<_>, _>>();
        let values = |texts: &[String]| texts.iter().map(|text| option_value(text)).collect::<Result<Vec<_>, _>>();
        let patterns =
            |patterns: &[String]| patterns.iter().map(|pattern| Pattern::new(pattern.to_lowercase())).collect();
        Ok(Self {
            name: config.name.as_str().into(),
            reason: config.reason.as_str().into(),
            subcommands: config
                .subcommand
                .iter()
                .map(|text| text.split_whitespace().map(str::to_owned).collect())
                .collect(),
            values: values(&config.values)?,
            except_values: values(&config.except_values)?,
            operands: operands(&config.operands)?,
            except_operands: operands(&config.except_operands)?,
            arguments: patterns(&config.arguments),
            without_arguments: patterns(&config.without_arguments),
            config,
        })
    }

    /// Makes a rule that matches all commands of its programs.
    pub(super) fn without_conditions(config: ShellRule) -> Self {
        Self {
            name: config.name.as_str().into(),
            reason: config.reason.as_str().into(),
            subcommands: Vec::new(),
            values: Vec::new(),
            except_values: Vec::new(),
            operands: Vec::new(),
            except_operands: Vec::new(),
            arguments: Vec::new(),
            without_arguments: Vec::new(),
            config,
        }
    }

    /// Returns whether the rule matches, after [`IfUnknown`].
    pub(super) fn matches(&self, command: &View<'_>) -> Holds {
        let wanted = match self.config.if_unknown {
            _ if self.config.decision.passes() => Wanted::OnlyYes,
            IfUnknown::Ignore if !command.strict => Wanted::OnlyYes,
            IfUnknown::Ignore | IfUnknown::Decide => Wanted::All,
        };
        match (self.holds(command, wanted), wanted) {
            (Holds::Maybe, Wanted::OnlyYes) => Holds::No,
            (holds, _) => holds,
        }
    }

    fn holds(&self, command: &View<'_>, wanted: Wanted) -> Holds {
        let rule = &self.config;
        let any = |all: &mut dyn Iterator<Item = Holds>, empty: bool| if empty { Holds::Yes } else { Holds::any(all) };
        if !rule.input_from.is_empty()
            && !command.input.iter().any(|from| rule.input_from.iter().any(|name| name == from))
        {
            return Holds::No;
        }
        let subcommand = any(
            &mut self.subcommands.iter().map(|words| command.has_subcommand(words, wanted)),
            self.subcommands.is_empty(),
        );
        if subcommand == Holds::No {
            return Holds::No;
        }
        let leading = rule.leading;
        let flag = |flag: &String| command.has_flag(flag, leading, wanted);
        let flags = any(&mut rule.flags.iter().map(flag), rule.flags.is_empty())
            .and(any(&mut rule.and_flags.iter().map(flag), rule.and_flags.is_empty()))
            .and(any(
                &mut self.values.iter().map(|value| command.has_value(value, &self.except_values, leading, wanted)),
                self.values.is_empty(),
            ));
        if flags == Holds::No || rule.without_flags.iter().any(|without| flag(without) == Holds::Yes) {
            return Holds::No;
        }
        let mut operands = command.count_operands(rule.min_operands, rule.max_operands);
        if operands == Holds::No {
            return Holds::No;
        }
        let arguments = any(
            &mut self.arguments.iter().map(|pattern| command.has_argument(pattern, rule.deciding, wanted)),
            self.arguments.is_empty(),
        );
        if arguments == Holds::No || self.without_arguments.iter().any(|pattern| command.has_known(pattern)) {
            return Holds::No;
        }
        if !self.operands.is_empty() || !self.except_operands.is_empty() {
            operands = operands.and(command.has_operand(&self.operands, &self.except_operands, wanted));
        }
        // One word is an option or an operand, and not both.
        if flags == Holds::Maybe && subcommand.and(operands) == Holds::Maybe && command.has_one_unknown_word() {
            return Holds::No;
        }
        subcommand.and(flags).and(operands).and(arguments)
    }
}

/// Reads a pattern such as `-c=alias.*`. The value is compared without case.
fn option_value(text: &str) -> Result<(String, Operand), String> {
    let Some((option, pattern)) = text.split_once('=').filter(|(option, _)| option.starts_with('-')) else {
        return Err(format!("`{text}` is not an option with a value: write it as `-c=alias.*`"));
    };
    let value = match operand(pattern)? {
        Operand::Text(pattern) => Operand::Text(Pattern::new(pattern.text.to_lowercase())),
        place @ Operand::Place(_) => place,
    };
    Ok((option.to_owned(), value))
}

fn operand(pattern: &str) -> Result<Operand, String> {
    // `@` and a letter: `@*` is a pattern of names.
    if !pattern.strip_prefix('@').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic())) {
        return Ok(Operand::Text(Pattern::new(pattern.to_owned())));
    }
    let found = Where::NAMES.iter().find(|(name, _)| *name == pattern);
    found.map(|(_, place)| Operand::Place(*place)).ok_or_else(|| {
        let names = Where::NAMES.map(|(name, _)| name);
        format!("unknown place `{pattern}`: {}", advice(pattern, &names))
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

/// An option with its value.
struct Pair<'c> {
    option: &'c str,
    value: Word,
    /// The option stands in front of the first operand.
    leading: bool,
}

impl Pair<'_> {
    fn is(&self, option: &str) -> bool {
        // Programs accept the beginning of a long option.
        self.option == option || option.starts_with("--") && self.option.len() > 2 && option.starts_with(self.option)
    }
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
    /// An unknown word may also be an option with its value.
    strict: bool,
    places: &'c Places,
    directory: &'c Directory,
    pairs: OnceCell<Vec<Pair<'c>>>,
    /// How many operands stand in front of each argument.
    operands_before: OnceCell<Vec<usize>>,
    targets: OnceCell<Vec<Target<'c>>>,
    lower: OnceCell<Vec<(String, Letters)>>,
}

impl<'c> View<'c> {
    pub(super) fn new(
        words: &'c [Word],
        program: Option<&'c ProgramConfig>,
        input: &'c [String],
        places: &'c Places,
        directory: &'c Directory,
        strict: bool,
    ) -> Self {
        let values = program.map_or(&[][..], |program| &program.values);
        let mut arguments = classify(words.get(1..).unwrap_or_default(), values);
        if let Some(program) = program.filter(|program| program.code_operand) {
            let has_code = |word: &Word| has_option(&word.value, &program.code_options).0;
            let first = arguments.iter().position(|argument| *argument == Argument::Operand);
            if let Some(first) = first.filter(|_| !words.iter().skip(1).any(has_code)) {
                arguments[first] = Argument::Value;
            }
        }
        if let Some(program) = program.filter(|program| !program.exec_options.is_empty()) {
            // The words of another command.
            let mut inside = false;
            for (word, argument) in words.iter().skip(1).zip(&mut arguments) {
                if program.exec_options.contains(&word.value) {
                    inside = true;
                } else if matches!(word.value.as_str(), ";" | "+") {
                    inside = false;
                } else if inside {
                    *argument = Argument::Value;
                }
            }
        }
        Self {
            words,
            arguments,
            input,
            input_text: None,
            values,
            strict,
            places,
            directory,
            pairs: OnceCell::new(),
            operands_before: OnceCell::new(),
            targets: OnceCell::new(),
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
                return holds.and(Holds::Maybe);
            }
            if holds == Holds::No {
                return Holds::No;
            }
        }
        holds
    }

    /// Returns how many words stand in front of the first operand.
    fn leading_words(&self) -> usize {
        self.arguments.iter().position(|argument| *argument == Argument::Operand).unwrap_or(self.arguments.len())
    }

    fn has_flag(&self, flag: &str, leading: bool, wanted: Wanted) -> Holds {
        let end = if leading { self.leading_words() } else { usize::MAX };
        let has_value = || !self.strict && self.values.iter().any(|value| value == flag);
        Holds::any(self.all().take_while(|(number, _, _)| *number < end).map(|(_, word, argument)| match argument {
            Argument::Option => flag_in(&word.value, flag, self.values),
            Argument::Unclear if wanted == Wanted::OnlyYes => Holds::No,
            Argument::Unclear if !word.splits() && has_value() => Holds::No,
            Argument::Unclear => Holds::Maybe,
            // `+main`, and options without `-` such as those of tar and dd.
            Argument::Operand if !flag.starts_with('-') => glob(flag, &word.value, wanted),
            Argument::Operand | Argument::Value => Holds::No,
        }))
    }

    /// Returns whether an option has a value that a pattern matches, and that none of some exceptions matches.
    fn has_value(
        &self,
        wished: &(String, Operand),
        except: &[(String, Operand)],
        leading: bool,
        wanted: Wanted,
    ) -> Holds {
        let unclear = |(number, word, argument): (usize, &Word, Argument)| {
            argument == Argument::Unclear
                && (self.strict || word.splits())
                && (!leading || number < self.leading_words())
        };
        let found = Holds::any(self.pairs().iter().filter(|pair| !leading || pair.leading).map(|pair| {
            let known = !mark::is_open(&pair.value.value);
            if known && except.iter().any(|except| self.pair_matches(pair, except, wanted) == Holds::Yes) {
                return Holds::No;
            }
            self.pair_matches(pair, wished, wanted)
        }));
        if found == Holds::No && wanted == Wanted::All && self.all().any(unclear) { Holds::Maybe } else { found }
    }

    fn pair_matches(&self, pair: &Pair<'_>, (option, pattern): &(String, Operand), wanted: Wanted) -> Holds {
        if !pair.is(option) {
            return Holds::No;
        }
        let target = Target::new(&pair.value, self.places, self.directory);
        let Operand::Text(pattern) = pattern else { return target.matches(pattern, wanted) };
        let matches = |text: &str| glob(&pattern.text, &text.to_lowercase(), wanted);
        let shown = target.path.shown().map_or(Holds::No, matches);
        matches(&pair.value.value).max(shown)
    }

    /// Finds the options that have values: `-o x`, `-ox`, `--output x`, `--output=x`.
    fn pairs(&self) -> &[Pair<'c>] {
        self.pairs.get_or_init(|| {
            let words = self.words.get(1..).unwrap_or_default();
            let leading = self.leading_words();
            let mut pairs = Vec::new();
            for (number, (word, argument)) in words.iter().zip(&self.arguments).enumerate() {
                if *argument != Argument::Option {
                    continue;
                }
                let text = word.value.as_str();
                let at = |option, value| Pair { option, value, leading: number < leading };
                if let Some((option, value)) = text.split_once('=').filter(|_| text.starts_with("--")) {
                    pairs.push(at(option, Word::new(value, word.range())));
                } else if let Some((option, value)) = attached(text, self.values) {
                    pairs.push(at(option, Word::new(value, word.range())));
                    // Some programs read `-o=x` as `-o x`.
                    if let Some(value) = value.strip_prefix('=') {
                        pairs.push(at(option, Word::new(value, word.range())));
                    }
                } else if let Some(next) = words.get(number + 1).filter(|_| takes_value(text, self.values)) {
                    let letter = text.char_indices().next_back().map_or(0, |(at, _)| at);
                    let group = !text.starts_with("--") && !self.values.iter().any(|value| value == text);
                    pairs.push(at(text, next.clone()));
                    if group && let Some(option) = self.values.iter().find(|value| value.get(1..) == text.get(letter..))
                    {
                        pairs.push(at(option, next.clone()));
                    }
                }
                // Programs accept the beginning of a long option.
                let begins = |value: &String| text.len() > 4 && text.starts_with("--") && value.starts_with(text);
                if let Some(next) = words.get(number + 1)
                    && !self.values.iter().any(|value| value == text)
                    && self.values.iter().any(begins)
                {
                    pairs.push(at(text, next.clone()));
                }
            }
            pairs
        })
    }

    /// Returns the values of an option.
    pub(super) fn values_of<'s>(&'s self, option: &'s str) -> impl Iterator<Item = &'s Word> {
        self.pairs().iter().filter(|pair| pair.is(option)).map(|pair| &pair.value)
    }

    fn has_one_unknown_word(&self) -> bool {
        let mut unknown = self.words.iter().skip(1).filter(|word| mark::is_open(&word.value));
        unknown.next().is_some_and(|word| !word.splits()) && unknown.next().is_none()
    }

    fn count_operands(&self, min: usize, max: Option<usize>) -> Holds {
        if min == 0 && max.is_none() {
            return Holds::Yes;
        }
        let most = if self.operands().any(Word::splits) { usize::MAX } else { self.operands().count() };
        let least = self.arguments.iter().filter(|argument| **argument == Argument::Operand).count();
        let max = max.unwrap_or(usize::MAX);
        if least >= min && most <= max {
            Holds::Yes
        } else if most >= min && least <= max {
            Holds::Maybe
        } else {
            Holds::No
        }
    }

    /// Returns the arguments and the input in lower case.
    fn lower(&self) -> &[(String, Letters)] {
        self.lower.get_or_init(|| {
            let values = self.words.iter().skip(1).map(|word| word.value.as_str()).chain(self.input_text);
            let lower = |value: &str| {
                let value = value.to_lowercase();
                let letters = Letters::of(&value);
                (value, letters)
            };
            values.map(lower).collect()
        })
    }

    fn has_argument(&self, pattern: &Pattern, deciding: Option<usize>, wanted: Wanted) -> Holds {
        Holds::any(self.lower().iter().enumerate().map(|(number, (value, letters))| {
            let only_yes = letters.marked() && !self.may_become(number, value, pattern, deciding);
            pattern.matches(value, *letters, if only_yes { Wanted::OnlyYes } else { wanted })
        }))
    }

    /// Returns whether an unknown word may be what a pattern describes.
    fn may_become(&self, number: usize, value: &str, pattern: &Pattern, deciding: Option<usize>) -> bool {
        (self.strict || !pattern.valued || !value.starts_with(mark::UNKNOWN))
            && deciding.is_none_or(|deciding| self.decides(number, deciding))
    }

    /// Returns whether a word is, or may be, one of the first operands.
    fn decides(&self, number: usize, first: usize) -> bool {
        let operand = |argument: &Argument| matches!(argument, Argument::Operand | Argument::Unclear);
        let before = self.operands_before.get_or_init(|| {
            let count = |count: &mut usize, argument: &Argument| {
                let before = *count;
                *count += usize::from(*argument == Argument::Operand);
                Some(before)
            };
            self.arguments.iter().scan(0, count).collect()
        });
        // Behind the arguments is the input.
        self.arguments.get(number).is_none_or(operand) && before.get(number).is_none_or(|before| *before < first)
    }

    /// Returns whether an argument matches, whatever the unknown parts are.
    fn has_known(&self, pattern: &Pattern) -> bool {
        self.lower().iter().any(|(value, letters)| pattern.matches_plain(value, *letters) && !mark::is_open(value))
    }

    fn targets(&self) -> &[Target<'c>] {
        self.targets.get_or_init(|| {
            let operands = self.words.iter().skip(1).zip(&self.arguments);
            let operands = operands.filter(|(_, argument)| matches!(argument, Argument::Operand | Argument::Unclear));
            operands.map(|(word, _)| Target::new(word, self.places, self.directory)).collect()
        })
    }

    /// Returns whether an operand matches one of some patterns and none of others.
    fn has_operand(&self, patterns: &[Operand], except: &[Operand], wanted: Wanted) -> Holds {
        Holds::any(self.targets().iter().map(|target| {
            let matches = |operand: &Operand| target.matches(operand, wanted);
            if !target.open && except.iter().any(|operand| matches(operand) == Holds::Yes) {
                return Holds::No;
            }
            if patterns.is_empty() { Holds::Yes } else { Holds::any(patterns.iter().map(matches)) }
        }))
    }
}

/// A word as the path that it may be.
struct Target<'c> {
    word: &'c str,
    letters: Letters,
    /// A part of the word is not known.
    open: bool,
    path: Path,
    shown_letters: Letters,
    place: Where,
}

impl<'c> Target<'c> {
    fn new(word: &'c Word, places: &Places, directory: &Directory) -> Self {
        let path = places.path(&word.value, directory);
        Self {
            word: &word.value,
            letters: Letters::of(&word.value),
            open: mark::is_open(&word.value),
            place: places.place(&path),
            shown_letters: Letters::of(path.shown().unwrap_or_default()),
            path,
        }
    }

    fn matches(&self, operand: &Operand, wanted: Wanted) -> Holds {
        match operand {
            Operand::Place(_) if self.place == Where::Unknown => Holds::Maybe,
            Operand::Place(expected) if self.place == *expected => Holds::Yes,
            Operand::Place(_) => Holds::No,
            Operand::Text(pattern) => {
                let holds = pattern.matches(self.word, self.letters, wanted);
                match self.path.shown() {
                    Some(shown) if holds != Holds::Yes => holds.max(pattern.matches(shown, self.shown_letters, wanted)),
                    _ => holds,
                }
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
            Argument::Operand
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

/// Splits `-ox` into the option and the value that is attached to it.
fn attached<'a>(argument: &'a str, values: &'a [String]) -> Option<(&'a str, &'a str)> {
    if argument.starts_with("--") || values.iter().any(|value| value == argument) {
        return None;
    }
    for (at, letter) in argument.char_indices().skip(1) {
        let rest = &argument[at + letter.len_utf8()..];
        if let Some(option) =
            values.iter().find(|value| value.strip_prefix('-').is_some_and(|v| v.chars().eq([letter])))
        {
            return (!rest.is_empty()).then_some((option.as_str(), rest));
        }
        if mark::is(letter) {
            break;
        }
    }
    None
}

/// Returns whether an argument has an option.
fn flag_in(argument: &str, flag: &str, values: &[String]) -> Holds {
    if argument == flag {
        return Holds::Yes;
    }
    if let Some(long) = flag.strip_prefix("--") {
        let Some(name) = argument.strip_prefix("--") else {
            // `-$x` may be any option.
            let unknown = argument.strip_prefix('-').is_some_and(|rest| rest.starts_with(mark::is));
            return if unknown { Holds::Maybe } else { Holds::No };
        };
        let name = name.split_once('=').map_or(name, |(name, _)| name);
        if let Some(unknown) = name.find(mark::is) {
            return if long.starts_with(&name[..unknown]) { Holds::Maybe } else { Holds::No };
        }
        // Programs accept the beginning of a long option.
        return if !name.is_empty() && long.starts_with(name) { Holds::Yes } else { Holds::No };
    }
    let mut letters = flag.chars().skip(1);
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return if mark::in_text(argument) { glob(flag, argument, Wanted::All) } else { Holds::No };
    };
    if argument.starts_with("--") || !flag.starts_with('-') {
        return Holds::No;
    }
    for found in argument.chars().skip(1) {
        if found == letter {
            return Holds::Yes;
        }
        if mark::is(found) {
            return if matches!(found, mark::UNKNOWN | mark::SPLITS) { Holds::Maybe } else { Holds::No };
        }
        if has_value(found, values) {
            break;
        }
    }
    Holds::No
}

/// Returns whether an argument has one of some options, and the value that is attached to it.
pub(crate) fn has_option(argument: &str, options: &[String]) -> (bool, Option<String>) {
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
