//! Patterns of names, and whether one hides another.

use std::fmt;

use regex::Regex;
use regex_syntax::hir::{Hir, HirKind, Look};

use super::RegistryError;

/// A pattern for tool names. Patterns are case-sensitive.
#[derive(Clone, Debug)]
pub struct NamePattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Prefix(String),
    /// The expression, and the text with which all its names begin.
    Regex(Regex, String),
}

/// Two patterns are equal if they are of the same kind and have the same text.
impl PartialEq for NamePattern {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Prefix(this), Kind::Prefix(other)) => this == other,
            (Kind::Regex(this, _), Kind::Regex(other, _)) => this.as_str() == other.as_str(),
            _ => false,
        }
    }
}

impl Eq for NamePattern {}

impl NamePattern {
    /// Matches names that begin with a text and are longer than it.
    #[must_use]
    pub fn prefix(text: impl Into<String>) -> Self {
        Self(Kind::Prefix(text.into()))
    }

    /// Matches names that fit a regular expression.
    ///
    /// # Errors
    ///
    /// If the text is not a regular expression.
    pub fn regex(text: &str) -> Result<Self, RegistryError> {
        let failed = |problem: String| RegistryError::Regex { pattern: text.to_owned(), problem };
        let regex = Regex::new(text).map_err(|error| failed(error.to_string()))?;
        let hir = regex_syntax::ParserBuilder::new().build().parse(text).map_err(|error| failed(error.to_string()))?;
        Ok(Self(Kind::Regex(regex, beginning(&hir))))
    }

    /// Returns whether the pattern matches a name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Prefix(text) => name.len() > text.len() && name.starts_with(text.as_str()),
            Kind::Regex(regex, _) => regex.is_match(name),
        }
    }

    /// Returns whether this pattern surely matches every name that the other one matches.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Prefix(this), Kind::Prefix(other)) => other.starts_with(this.as_str()),
            // The name may be the text alone, which the prefix does not match.
            (Kind::Prefix(this), Kind::Regex(regex, other)) => {
                other.starts_with(this.as_str()) && !regex.is_match(this)
            }
            (Kind::Regex(this, _), Kind::Regex(other, _)) => this.as_str() == other.as_str(),
            (Kind::Regex(this, _), Kind::Prefix(_)) => this.as_str().is_empty(),
        }
    }
}

/// Returns the text with which all matches of an expression begin, at the beginning of the name.
fn beginning(hir: &Hir) -> String {
    let HirKind::Concat(parts) = hir.kind() else { return String::new() };
    let mut parts = parts.iter();
    if parts.next().is_none_or(|first| *first.kind() != HirKind::Look(Look::Start)) {
        return String::new();
    }
    match parts.next().map(Hir::kind) {
        Some(HirKind::Literal(text)) => String::from_utf8_lossy(&text.0).into_owned(),
        _ => String::new(),
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Prefix(text) => write!(f, "{text}*"),
            Kind::Regex(regex, _) => write!(f, "/{regex}/"),
        }
    }
}
