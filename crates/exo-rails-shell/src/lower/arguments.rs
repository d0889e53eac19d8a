//! The words of a command, read as its program reads them: options with their values, subcommands, operands.

use super::field::Field;
use crate::command::Role;
use crate::knowledge::{Node, OptionLine, Style, each_effect};
use crate::read::is_name;
use crate::word::mark;

/// A word, and what it is for the program.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// One kind, as `programs/README.md` lists them.
    pub(super) kind: &'static str,
    pub(super) field: Field,
    /// The word is not the value of an option.
    pub(super) is_operand: bool,
}

/// A command as its program reads it.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each says something else about the command")]
pub(super) struct Call {
    pub(super) arguments: Vec<Argument>,
    /// The effects of options and subcommands, as the table writes them, with the word that has them.
    pub(super) effects: Vec<(&'static str, Field)>,
    /// What the description does not have: subcommands, options, operands.
    pub(super) unknown: Vec<Field>,
    /// Commands that the program runs, with the kind of the words: `COMMAND...`, `INSIDE...`, `THERE...`.
    pub(super) commands: Vec<(&'static str, Vec<Field>)>,
    /// The name of the program with its subcommands.
    pub(super) name: String,
    pub(super) input: &'static str,
    pub(super) prints: &'static str,
    pub(super) passes: bool,
    pub(super) appends: bool,
    /// The option that says that nothing happens.
    pub(super) dry: Option<Field>,
    /// An option says that only some of the files in the places are meant.
    pub(super) is_narrow: bool,
    /// An option says that directories are meant with all that is in them.
    pub(super) is_recursive: bool,
    /// The program has operands.
    pub(super) has_operands: bool,
    /// What each word is.
    pub(super) roles: Vec<Role>,
}

impl Call {
    /// Returns whether the table names one of these effects.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.effects.iter().any(|(effect, _)| names.contains(&effect.split(' ').next().unwrap_or_default()))
    }

    /// Returns the words that are addresses of hosts.
    pub(super) fn addresses(&self) -> Vec<&Field> {
        let addresses = self.arguments.iter().filter(|argument| matches!(argument.kind, "URL" | "HOST" | "PUSH"));
        addresses.map(|argument| &argument.field).collect()
    }
}

/// Reads the words behind the name of the program.
pub(super) fn call(program: Node, words: &[Field]) -> Call {
    let name = words.first().and_then(Field::literal).map(crate::word::base_name).unwrap_or_default();
    let mut modes = Vec::new();
    // An option that chooses a mode may stand behind a word that the mode reads in another way.
    for _ in 0..3 {
        let mut reader = Reader {
            words,
            at: 1,
            levels: vec![program],
            modes: modes.clone(),
            chosen: Vec::new(),
            operands: Vec::new(),
            spec: None,
            ended: false,
            option: 1,
            call: Call { name: name.to_owned(), roles: vec![Role::Operand; words.len()], ..Call::default() },
        };
        reader.words();
        if reader.chosen == modes {
            return reader.finish();
        }
        modes = reader.chosen;
    }
    let roles = vec![Role::Unknown; words.len()];
    Call { name: name.to_owned(), unknown: words.iter().skip(1).cloned().collect(), roles, ..Call::default() }
}

struct Reader<'w> {
    words: &'w [Field],
    at: usize,
    /// The program and its subcommands.
    levels: Vec<Node>,
    /// The modes that hold.
    modes: Vec<&'static str>,
    /// The modes that options have chosen.
    chosen: Vec<&'static str>,
    operands: Vec<Field>,
    /// The operands that an option asks for.
    spec: Option<&'static str>,
    /// No more word is an option.
    ended: bool,
    /// The place of the option that is being read.
    option: usize,
    call: Call,
}

impl<'w> Reader<'w> {
    fn level(&self) -> Node {
        self.levels[self.levels.len() - 1]
    }

    /// The tables that describe the words here: the modes first, and then the level.
    fn tables(&self) -> impl DoubleEndedIterator<Item = Node> {
        let level = self.level();
        std::iter::once(level).chain(self.modes.iter().filter_map(move |mode| level.mode(mode)))
    }

    /// Finds an option in the tables here, and in those of the levels above if they allow it.
    fn find(&self, lookup: impl Fn(Node) -> Option<OptionLine>) -> Option<OptionLine> {
        let here = self.tables().rev().find_map(&lookup);
        here.or_else(|| {
            let above = self.levels[..self.levels.len() - 1].iter().rev();
            let found = above.filter(|level| level.inherits()).find_map(|level| lookup(*level));
            // `-v` of a program may show its version, and be something else for a subcommand.
            found.filter(|option| {
                option.effects != "dry" || !matches!(option.name.trim_start_matches('-'), "v" | "V" | "version")
            })
        })
    }

    fn option(&self, name: &str) -> Option<OptionLine> {
        self.find(|node| node.option(name))
    }

    fn operand_spec(&self) -> &'static str {
        self.spec.unwrap_or_else(|| {
            let table = self.tables().rev().find(|node| node.has_operands());
            table.map(Node::operands).unwrap_or_default()
        })
    }

    fn words(&mut self) {
        if self.level().style() == Style::Old {
            self.old_cluster();
        }
        let words: &'w [Field] = self.words;
        while let Some(word) = words.get(self.at) {
            let begins_command = |kind: &str| matches!(kind, "COMMAND..." | "INSIDE..." | "THERE...");
            if self.ended || !self.is_option(word) {
                if self.level().has_subs() && self.operands.is_empty() && self.descends(word) {
                    continue;
                }
                // A command takes all words from its place on.
                let spec = self.operand_spec();
                let spec: Vec<_> = if ["COMMAND...", "INSIDE...", "THERE..."].iter().any(|kind| spec.contains(kind)) {
                    kinds(spec).collect()
                } else {
                    Vec::new()
                };
                let place = self.place_in(&spec, word);
                if let Some(kind) = spec.get(place).copied().filter(|kind| begins_command(kind)) {
                    let rest = self.words[self.at..].to_vec();
                    self.call.commands.push((kind, rest));
                    self.at = self.words.len();
                    return;
                }
                let posix = matches!(self.level().style(), Style::Posix | Style::Go);
                self.ended |= posix && !self.level().has_subs();
                self.operands.push(word.clone());
                self.at += 1;
                continue;
            }
            if word.value == "--" {
                self.ended = true;
                self.at += 1;
                if let Some(option) = self.option("--") {
                    self.effects(option.effects, word);
                }
                // `mise exec TOOL -- COMMAND`: behind `--`, there is only the command.
                if let Some(kind) = kinds(self.operand_spec()).find(|kind| begins_command(kind)) {
                    self.call.commands.push((kind, self.words[self.at..].to_vec()));
                    self.at = self.words.len();
                    return;
                }
                continue;
            }
            self.at += 1;
            // An option of the subcommand that runs without a name.
            let unknown = self.call.unknown.len();
            let state = (self.call.effects.len(), self.call.arguments.len());
            self.option = self.at - 1;
            self.call.roles[self.option] = Role::Unknown;
            self.option_word(word);
            if self.call.unknown.len() > unknown
                && state == (self.call.effects.len(), self.call.arguments.len())
                && self.operands.is_empty()
                && let Some(sub) = self.level().default_sub()
            {
                self.call.unknown.truncate(unknown);
                self.effects_of_level(word);
                self.levels.push(sub);
                self.option_word(word);
            }
        }
    }

    /// Returns the place of the next operand in a list of kinds.
    fn place_in(&self, spec: &[&'static str], word: &Field) -> usize {
        let mut place = 0;
        for operand in self.operands.iter().chain([word]) {
            while spec.get(place).is_some_and(|kind| kind.starts_with("ASSIGN") && !is_assignment(operand)) {
                place += 1;
            }
            if std::ptr::eq(operand, word) {
                break;
            }
            if spec.get(place).is_some_and(|kind| !kind.ends_with("...")) {
                place += 1;
            }
        }
        place
    }

    /// Goes to the subcommand that a word names.
    fn descends(&mut self, word: &Field) -> bool {
        let named = word.literal().and_then(|name| self.level().sub(name));
        let Some(sub) = named.or_else(|| self.level().default_sub()) else {
            if self.level().has_operands() || self.spec.is_some() {
                return false;
            }
            // An unknown subcommand: nothing is known about the rest either.
            self.call.unknown.extend(self.words[self.at..].iter().cloned());
            self.call.roles[self.at..].fill(Role::Unknown);
            self.at = self.words.len();
            return true;
        };
        if named.is_some() {
            self.call.name.push(' ');
            self.call.name.push_str(&word.value);
            self.at += 1;
        }
        self.effects_of_level(word);
        self.levels.push(sub);
        named.is_some() || !sub.has_operands()
    }

    /// Takes the effects that a level has for itself.
    fn effects_of_level(&mut self, word: &Field) {
        // The effects of a mode stand in place of those of its level.
        let last = self.tables().rev().find(|node| node.has_effects());
        if let Some(node) = last {
            self.effects(node.effects(), word);
        }
    }

    fn is_option(&self, word: &Field) -> bool {
        let value = word.value.as_str();
        let style = self.level().style();
        let assigns = || value.split_once('=').is_some_and(|(name, _)| self.option(&format!("{name}=")).is_some());
        match value.as_bytes() {
            [b'-', _, ..] => style != Style::Plain || self.option(value).is_some(),
            [b'+', _, ..] => self
                .find(|node| {
                    node.options().find(|option| value.starts_with(option.name) && option.name.starts_with('+'))
                })
                .is_some(),
            [b'!' | b'(' | b')'] => style == Style::Single && self.option(value).is_some(),
            _ => assigns(),
        }
    }

    /// Reads `xzf` of `tar xzf`.
    fn old_cluster(&mut self) {
        let Some(word) = self.words.get(1) else { return };
        let Some(value) = word.literal().filter(|value| !value.starts_with('-') && !value.is_empty()) else { return };
        if value.chars().all(|c| self.option(&format!("-{c}")).is_some()) {
            self.at = 2;
            self.option = 1;
            let word = word.clone();
            // The values follow in the order of the letters.
            for c in value.to_owned().chars() {
                if let Some(option) = self.option(&format!("-{c}")) {
                    self.take(option, None, &word);
                }
            }
        }
    }

    fn option_word(&mut self, word: &Field) {
        let value = word.value.as_str();
        let style = self.level().style();
        if let Some(option) = self.option(value) {
            return self.take(option, None, word);
        }
        // `name=value` of a long option, or of an operand such as `if=FILE`.
        if let Some((name, _)) = value.split_once('=') {
            let attached = Some(word.from(name.len() + 1));
            let is_gnu = matches!(style, Style::Gnu | Style::Posix | Style::Old) && name.starts_with("--");
            let option = self
                .option(&format!("{name}="))
                .or_else(|| self.option(name))
                .or_else(|| self.go_option(name))
                .or_else(|| self.find(|node| node.abbreviated(name)).filter(|_| is_gnu));
            if let Some(option) = option {
                return self.take(option, attached, word);
            }
        }
        let digits = value.strip_prefix('-').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        if digits && let Some(option) = self.option("-NUMBER") {
            return self.take(option, None, word);
        }
        if let Some(option) = self.go_option(value) {
            return self.take(option, None, word);
        }
        // `--no-dry-run` takes `--dry-run` back.
        if let Some(name) = value.strip_prefix("--no-")
            && let Some(option) = self.option(&format!("--{name}"))
        {
            if option.effects.split(',').any(|effect| effect.trim() == "dry") {
                self.call.dry = None;
            }
            return;
        }
        if value.starts_with("--") && !matches!(style, Style::Single) {
            let is_gnu = matches!(style, Style::Gnu | Style::Posix | Style::Old);
            match self.find(|node| node.abbreviated(value)).filter(|_| is_gnu) {
                Some(option) => self.take(option, None, word),
                None => self.call.unknown.push(word.clone()),
            }
            return;
        }
        if matches!(style, Style::Single | Style::Go) || value.starts_with('+') {
            // `-I/usr/include`: the longest name that begins the word and takes a value.
            let begins = |option: &OptionLine| {
                !option.value.is_empty()
                    && (option.name.len() > 1 || option.name == "+")
                    && value.starts_with(option.name)
            };
            let found = self.find(|node| node.options().filter(begins).max_by_key(|option| option.name.len()));
            match found {
                Some(option) => self.take(option, Some(word.from(option.name.len())), word),
                None => self.call.unknown.push(word.clone()),
            }
            return;
        }
        self.cluster(word);
    }

    /// A name with one dash for one with two, or the other way round.
    fn go_option(&self, name: &str) -> Option<OptionLine> {
        if !matches!(self.level().style(), Style::Go | Style::Single) {
            return None;
        }
        let bare = name.trim_start_matches('-');
        self.option(&format!("-{bare}")).or_else(|| self.option(&format!("--{bare}")))
    }

    /// Reads `-abcVALUE`.
    fn cluster(&mut self, word: &Field) {
        let value = word.value.as_str();
        for (at, c) in value.char_indices().skip(1) {
            let Some(option) = self.option(&format!("-{c}")) else {
                // `-i5` may be digits behind an option.
                let digits = value[at..].bytes().all(|b| b.is_ascii_digit()) && self.option("-NUMBER").is_some();
                if !digits {
                    self.call.unknown.push(word.clone());
                }
                return;
            };
            let rest = at + c.len_utf8();
            if option.value.is_empty() {
                self.take(option, None, word);
            } else {
                let attached = (rest < value.len()).then(|| word.from(rest));
                return self.take(option, attached, word);
            }
        }
    }

    /// Takes an option with its values.
    fn take(&mut self, option: OptionLine, attached: Option<Field>, word: &Field) {
        let behind = self.at;
        self.take_values(option, attached, word);
        match &mut self.call.roles[self.option] {
            Role::Options(names) => names.push(option.first),
            role => *role = Role::Options(vec![option.first]),
        }
        self.call.roles[behind..self.at].fill(Role::Value(option.first));
    }

    fn take_values(&mut self, option: OptionLine, attached: Option<Field>, word: &Field) {
        // `--dry-run=none` switches the dry run off.
        let is_off = attached
            .as_ref()
            .is_some_and(|field| matches!(field.value.as_str(), "none" | "false" | "no" | "0" | "off" | "never"));
        // `-name '*'` means all files.
        let value = attached.as_ref().or_else(|| self.words.get(self.at));
        let is_all = option.effects == "narrows" && value.is_some_and(|value| value.value == "*");
        let is_dry = |effect: &str| matches!(effect.trim(), "dry" | "mode dry");
        let is_void = is_all || is_off && option.effects.split(',').any(is_dry);
        if !is_void {
            self.effects(option.effects, word);
        }
        let optional = option.value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        if let Some(kind) = optional {
            if let Some(field) = attached {
                self.argument(kind, field, false);
            }
            return;
        }
        if option.value.is_empty() {
            // A value for an option that takes none: the program refuses it, or it is another option.
            if let Some(field) = attached.filter(|field| !is_off && field.value != "true") {
                self.call.unknown.push(field);
            }
            return;
        }
        let mut attached = attached;
        for kind in kinds(option.value) {
            match kind {
                "COMMAND;" => {
                    let rest = &self.words[self.at..];
                    let end =
                        rest.iter().position(|word| matches!(word.value.as_str(), ";" | "+")).unwrap_or(rest.len());
                    self.call.commands.push(("COMMAND...", rest[..end].to_vec()));
                    self.at = (self.at + end + 1).min(self.words.len());
                }
                "COMMAND..." | "INSIDE..." | "THERE..." => {
                    let rest = attached.take().into_iter().chain(self.words[self.at..].iter().cloned()).collect();
                    self.call.commands.push((kind, rest));
                    self.at = self.words.len();
                }
                kind => {
                    let field = attached.take().or_else(|| {
                        let field = self.words.get(self.at).cloned();
                        self.at += usize::from(field.is_some());
                        field
                    });
                    let Some(field) = field else { return };
                    let variadic = kind.strip_suffix("...");
                    self.argument(variadic.unwrap_or(kind), field, false);
                    if let Some(kind) = variadic {
                        while let Some(field) = self.words.get(self.at).filter(|field| !self.is_option(field)).cloned()
                        {
                            self.at += 1;
                            self.argument(kind, field, false);
                        }
                    }
                }
            }
        }
    }

    fn argument(&mut self, kinds: &'static str, field: Field, is_operand: bool) {
        match chosen(kinds, &field) {
            Some(kind) => self.call.arguments.push(Argument { kind, field, is_operand }),
            None => self.call.unknown.push(field),
        }
    }

    /// Takes the effects of an option or of a level.
    fn effects(&mut self, effects: &'static str, word: &Field) {
        for effect in each_effect(effects) {
            let (name, rest) = effect.split_once(' ').unwrap_or((effect, ""));
            match name {
                "dry" => self.call.dry = Some(word.clone()),
                "ends" => self.ended = true,
                "narrows" => self.call.is_narrow = true,
                "recursive" => self.call.is_recursive = true,
                "operands" => self.spec = Some(rest.trim()),
                "mode" => {
                    let mode = rest.trim();
                    if !self.chosen.contains(&mode) {
                        self.chosen.push(mode);
                    }
                }
                "" => {}
                _ => self.call.effects.push((effect, word.clone())),
            }
        }
    }

    fn finish(mut self) -> Call {
        let program = self.words.first().cloned().unwrap_or_default();
        // A program without a subcommand runs its default.
        if self.level().has_subs() && self.operands.is_empty() {
            match self.level().default_sub() {
                Some(sub) => {
                    self.effects_of_level(&program);
                    self.levels.push(sub);
                }
                None if self.call.unknown.is_empty() && !self.level().has_operands() => {
                    // It prints a help.
                    self.effects_of_level(&program);
                    return self.call;
                }
                None => {}
            }
        }
        let last = self.words.get(self.at.saturating_sub(1)).cloned().unwrap_or_default();
        let word = if self.levels.len() > 1 { last } else { program };
        self.effects_of_level(&word);
        let spec = self.operand_spec();
        self.call.has_operands = !self.operands.is_empty();
        self.assign(spec);
        let tables: Vec<Node> = self.tables().collect();
        let level = self.level();
        self.call.input =
            tables.iter().rev().map(|node| node.input()).find(|input| !input.is_empty()).unwrap_or_default();
        // A mode prints what it says itself.
        let printing = tables.last().copied().unwrap_or(level);
        self.call.prints = printing.prints();
        self.call.passes = printing.passes();
        self.call.appends = level.appends();
        self.call
    }

    /// Gives each operand its kind.
    fn assign(&mut self, spec: &'static str) {
        let spec: Vec<&'static str> =
            kinds(spec).filter(|kind| !matches!(*kind, "COMMAND..." | "INSIDE..." | "THERE...")).collect();
        let operands = std::mem::take(&mut self.operands);
        let variadic = spec.iter().rposition(|kind| kind.ends_with("..."));
        let behind = variadic.map_or(0, |place| spec.len() - place - 1);
        let mut place = 0;
        let count = operands.len();
        for (number, operand) in operands.into_iter().enumerate() {
            // The kinds behind the last repeated one belong to the last operands.
            if let Some(repeated) = variadic
                && place == repeated
                && count - number <= behind
                && number > 0
            {
                place = spec.len() - (count - number);
            }
            while spec.get(place).is_some_and(|kind| kind.starts_with("ASSIGN...") && !is_assignment(&operand)) {
                place += 1;
            }
            // What may be absent leaves the words that are needed behind it.
            let needed = |from: usize| spec[from..].iter().filter(|kind| !kind.ends_with(['?', '.'])).count();
            while spec.get(place).is_some_and(|kind| kind.ends_with('?')) && count - number <= needed(place + 1) {
                place += 1;
            }
            let Some(kind) = spec.get(place) else {
                self.call.unknown.push(operand);
                continue;
            };
            let repeats = kind.ends_with("...");
            let kind = kind.trim_end_matches("...").trim_end_matches('?');
            self.argument(kind, operand, true);
            if !repeats {
                place += 1;
            }
        }
    }
}

/// Divides a list of kinds.
pub(super) fn kinds(list: &'static str) -> impl Iterator<Item = &'static str> {
    // The words of a `KEYWORD(…)` may have blanks.
    let mut depth = 0_usize;
    let parts = list.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    });
    parts.filter(|kind| !kind.is_empty())
}

/// Returns the first of several kinds whose form a word has, or `None` if the word is none of the known words.
pub(super) fn chosen(kinds: &'static str, field: &Field) -> Option<&'static str> {
    let mut rest = kinds;
    while !rest.is_empty() {
        let mut depth = 0_usize;
        let end = rest.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == '|' && depth == 0
        });
        let end = end.unwrap_or(rest.len());
        let kind = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let is_last = rest.is_empty();
        let fits = match kind.split('(').next().unwrap_or_default() {
            "KEYWORD" => {
                let words = kind.trim_start_matches("KEYWORD(").trim_end_matches(')');
                let literal = field.literal()?;
                let fits = words.split('|').any(|word| word.trim_end_matches('\\') == literal);
                if fits {
                    return Some("TEXT");
                }
                false
            }
            _ if is_last => true,
            "ASSIGN" => is_assignment(field),
            "URL" => field.value.contains("://"),
            "FROM" | "TO" | "HOST" | "PUSH" => field.value.contains("://") || is_remote(&field.value),
            "DATA" => field.value.starts_with('@'),
            "READ" | "WRITE" | "CHANGE" | "DELETE" | "MOVE" | "RIGHTS" | "UPLOAD" | "DIR" => {
                field.value.contains(['/', '.', mark::HOME, mark::PWD, mark::TEMP, mark::STAR])
            }
            kind if kind.starts_with("SCRIPT") => field.value.contains(['/', '.', mark::HOME, mark::TEMP]),
            _ => true,
        };
        if fits {
            return Some(kind);
        }
    }
    None
}

/// Returns whether a value is `host:path`.
pub(super) fn is_remote(value: &str) -> bool {
    value.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

pub(super) fn is_assignment(field: &Field) -> bool {
    field.value.split_once('=').is_some_and(|(name, _)| is_name(name))
}
