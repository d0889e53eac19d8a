//! What programs do with their words: the table that is made from the files in `programs/`.
//!
//! The table is a block of numbers and a text in the program, so it is ready without any work. A lookup finds the name of the program
//! by halving, and then reads the lines of this program only.

#[cfg(test)]
pub(crate) mod build;

use std::cmp::Ordering;

/// The numbers of the table, of four bytes each. `build.rs` describes the order.
static NUMBERS: &[u8] = include_bytes!("table.bin");

/// The texts of the table.
static TEXTS: &str = include_str!("table.txt");

/// A program, a subcommand, or a mode of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(usize);

/// How a program reads its options: see `programs/README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Gnu,
    Posix,
    Long,
    Go,
    Single,
    Old,
    Plain,
}

impl Style {
    const ALL: [(&'static str, Self); 7] = [
        ("gnu", Self::Gnu),
        ("posix", Self::Posix),
        ("long", Self::Long),
        ("go", Self::Go),
        ("single", Self::Single),
        ("old", Self::Old),
        ("plain", Self::Plain),
    ];
}

/// A line of `options`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionLine {
    pub(crate) name: &'static str,
    /// The kinds of the values, or nothing.
    pub(crate) value: &'static str,
    pub(crate) effects: &'static str,
    /// The first of the names that mean the same: `-f` for `--force`.
    pub(crate) first: &'static str,
}

impl OptionLine {
    fn read(line: &'static str) -> Self {
        let mut parts = line.split('\t');
        let mut next = || parts.next().unwrap_or_default();
        let (name, value, effects, first) = (next(), next(), next(), next());
        Self { name, value, effects, first: if first.is_empty() { name } else { first } }
    }
}

/// The texts of a node, by their place.
#[derive(Clone, Copy)]
enum Field {
    Options = 1,
    Operands = 3,
    Effects = 5,
    Input = 7,
    Prints = 9,
    Default = 11,
    Environment = 13,
}

/// The lists of a node, by their place.
#[derive(Clone, Copy)]
enum List {
    Subs = 15,
    Modes = 17,
}

fn number(place: usize) -> usize {
    let bytes = NUMBERS.get(place * 4..place * 4 + 4).and_then(|bytes| bytes.try_into().ok());
    u32::from_le_bytes(bytes.unwrap_or_default()) as usize
}

fn text(start: usize, length: usize) -> &'static str {
    TEXTS.get(start..start + length).unwrap_or_default()
}

/// Finds a name among `count` entries of three numbers: the place of the name, its length, and what it is.
fn find(first: usize, count: usize, name: &str) -> Option<usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        let entry = first + middle * 3;
        match text(number(entry), number(entry + 1)).cmp(name) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(number(entry + 2)),
        }
    }
    None
}

impl Node {
    /// Returns what is known about a program, by its name without a directory.
    pub(crate) fn program(name: &str) -> Option<Self> {
        find(2, number(0), name).map(Self)
    }

    fn text(self, field: Field) -> &'static str {
        let place = self.0 + field as usize;
        text(number(place), number(place + 1))
    }

    fn child(self, list: List, name: &str) -> Option<Self> {
        let place = self.0 + list as usize;
        find(number(place), number(place + 1), name).map(Self)
    }

    pub(crate) fn style(self) -> Style {
        Style::ALL.get(number(self.0) & 0xF).map_or(Style::Gnu, |(_, style)| *style)
    }

    const fn flag(bit: u32) -> usize {
        1 << bit
    }

    /// Options may also stand behind a subcommand.
    pub(crate) fn inherits(self) -> bool {
        number(self.0) & Self::flag(4) != 0
    }

    /// The program prints lines that it reads, as they are.
    pub(crate) fn passes(self) -> bool {
        number(self.0) & Self::flag(5) != 0
    }

    /// The program adds what it reads to its command.
    pub(crate) fn appends(self) -> bool {
        number(self.0) & Self::flag(6) != 0
    }

    /// The table has `operands`, be they none.
    pub(crate) fn has_operands(self) -> bool {
        number(self.0) & Self::flag(7) != 0
    }

    pub(crate) fn has_effects(self) -> bool {
        number(self.0) & Self::flag(8) != 0
    }

    pub(crate) fn has_subs(self) -> bool {
        number(self.0 + List::Subs as usize + 1) > 0
    }

    pub(crate) fn sub(self, name: &str) -> Option<Self> {
        self.child(List::Subs, name)
    }

    pub(crate) fn mode(self, name: &str) -> Option<Self> {
        self.child(List::Modes, name)
    }

    pub(crate) fn operands(self) -> &'static str {
        self.text(Field::Operands)
    }

    pub(crate) fn effects(self) -> &'static str {
        self.text(Field::Effects)
    }

    pub(crate) fn input(self) -> &'static str {
        self.text(Field::Input)
    }

    pub(crate) fn prints(self) -> &'static str {
        self.text(Field::Prints)
    }

    /// The subcommand that runs without a name.
    pub(crate) fn default_sub(self) -> Option<Self> {
        Some(self.text(Field::Default)).filter(|name| !name.is_empty()).and_then(|name| self.sub(name))
    }

    /// The kind of the value of a variable of the environment.
    pub(crate) fn variable(self, name: &str) -> Option<&'static str> {
        let lines = self.text(Field::Environment).lines();
        lines.filter_map(|line| line.split_once('\t')).find(|(variable, _)| *variable == name).map(|(_, kind)| kind)
    }

    /// The options, one for each name, in the order of the names.
    pub(crate) fn options(self) -> impl Iterator<Item = OptionLine> {
        self.text(Field::Options).lines().map(OptionLine::read)
    }

    pub(crate) fn option(self, name: &str) -> Option<OptionLine> {
        self.options_from(name).next().filter(|option| option.name == name)
    }

    /// Returns the names that mean the same as an option of the program, or of one of its subcommands among `words`.
    pub(crate) fn names_of(self, first: &str, words: &[&str]) -> Vec<String> {
        let mut names = vec![first.to_owned()];
        let mut level = Some(self);
        let mut words = words.iter().skip(1).filter(|word| !word.starts_with('-'));
        while let Some(node) = level {
            let same = node.options().filter(|option| option.first == first && option.name != first);
            names.extend(same.map(|option| option.name.to_owned()));
            level = words.next().and_then(|word| node.sub(word));
        }
        names
    }

    /// The options from the first one whose name is not before `begin`.
    fn options_from(self, begin: &str) -> impl Iterator<Item = OptionLine> {
        let text = self.text(Field::Options);
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = low.midpoint(high);
            let start =
                text.as_bytes()[low..middle].iter().rposition(|byte| *byte == b'\n').map_or(low, |at| low + at + 1);
            let end =
                text.as_bytes()[middle..high].iter().position(|byte| *byte == b'\n').map_or(high, |at| middle + at + 1);
            let line = text.get(start..end).unwrap_or_default();
            let name = line.split('\t').next().unwrap_or_default();
            if name < begin { low = end } else { high = start }
        }
        text.get(low..).unwrap_or_default().lines().map(OptionLine::read)
    }

    /// Finds a long option by the begin of its name, if only one begins so. Names of one meaning count once.
    pub(crate) fn abbreviated(self, begin: &str) -> Option<OptionLine> {
        let mut found: Option<OptionLine> = None;
        for option in self.options_from(begin).take_while(|option| option.name.starts_with(begin)) {
            match found {
                Some(other) if (other.value, other.effects) != (option.value, option.effects) => return None,
                _ => found = Some(option),
            }
        }
        found
    }
}

/// Divides a list of effects at commas outside of quotes and parentheses.
pub(crate) fn each_effect(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (mut quoted, mut depth) = (false, 0_i32);
        let end = rest.char_indices().find(|(_, c)| {
            match c {
                '"' => quoted = !quoted,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            *c == ',' && !quoted && depth == 0
        });
        let end = end.map_or(rest.len(), |(at, _)| at);
        let effect = rest[..end].trim();
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(effect)
    })
}
