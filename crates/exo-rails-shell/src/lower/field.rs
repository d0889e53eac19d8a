//! Words of commands after their expansion.

use std::ops::Range;

use super::scope::Taint;
use crate::command::Role;
use crate::read::is_name;
use crate::word::mark;

/// A word of a command after its expansion. Marks stand for what is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) value: String,
    pub(super) span: Range<usize>,
    /// The byte of the text where the value stands as it is.
    pub(super) at: Option<usize>,
    pub(super) taint: Taint,
}

impl Field {
    pub(super) fn new(value: impl Into<String>, span: Range<usize>) -> Self {
        Self { value: value.into(), span, ..Self::default() }
    }

    /// Returns the value if the text decides it alone.
    pub(super) fn literal(&self) -> Option<&str> {
        (!mark::in_text(&self.value)).then_some(self.value.as_str())
    }

    /// Returns what the word is for a program that nothing describes.
    pub(super) fn role(&self) -> Role {
        if self.value.starts_with('-') { Role::Unknown } else { Role::Operand }
    }

    /// Returns a part of the field, which begins at a byte of the value.
    pub(super) fn from(&self, begin: usize) -> Self {
        Self {
            value: self.value.get(begin..).unwrap_or_default().to_owned(),
            at: self.at.map(|at| at + begin),
            ..self.clone()
        }
    }
}

/// Returns the name and the value of `NAME=value`.
pub(super) fn assignment(field: &Field) -> Option<(String, Field)> {
    let (name, _) = field.value.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then(|| (name.to_owned(), field.from(field.value.find('=').unwrap_or(0) + 1)))
}
