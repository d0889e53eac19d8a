//! Variables: what the text of a command decides about them.

use std::ops::Range;

use super::Judge;
use crate::expansion;
use crate::word::{Word, mark};

/// What the text decides about a variable.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Known(String),
    Unknown,
}

impl Judge<'_> {
    /// Replaces variables by their values, as far as the text decides them.
    pub(super) fn resolve(&self, value: &str) -> String {
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

    pub(super) fn assignments(&mut self, number: usize, keeps: bool, text: &str) {
        for word in self.verdict.commands[number].assignments.clone() {
            self.assignment(number, &word, keeps, text);
        }
    }

    /// Judges `NAME=value`, and keeps the value if nothing else in the text can change it.
    pub(super) fn assignment(&mut self, number: usize, word: &Word, keeps: bool, text: &str) {
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
    pub(super) fn sets(&mut self, number: usize, name: &str, value: &str, range: Range<usize>) {
        let words = [Word::new("=", range.clone()), Word::new(format!("{name}={value}"), range)];
        self.rules(number, &words, "=", None, &[], None);
    }

    /// Asks about a variable whose name is not known: it may be `PATH`.
    pub(super) fn unknown_name(&mut self, number: usize, word: &Word) {
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

    pub(super) fn forget(&mut self, name: &Word) {
        let name: String = name.value.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        self.variables.insert(name, Variable::Unknown);
    }
}

/// Returns whether a word is `NAME=value`.
pub(super) fn is_assignment(value: &str) -> bool {
    let Some((name, _)) = value.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns whether a text sets a variable only in one place: with `=`, or in loops with `for`.
pub(super) fn is_only_set_once(text: &str, name: &str, how: &str) -> bool {
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
