//! The error of a configuration, with its place.

use std::fmt;
use std::path::{Path, PathBuf};

/// A mistake in a configuration.
///
/// The message begins with the file, the line and the column, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// What is wrong, and what to write.
    pub message: String,
    /// The line and the column of the mistake, both from 1. A column counts characters.
    pub position: Option<(usize, usize)>,
    /// The file that has the mistake.
    pub file: Option<PathBuf>,
}

impl ConfigError {
    /// Makes an error without a place. Guards use it for values that are readable and make no sense together.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), position: None, file: None }
    }

    /// Adds the file.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        self.file = Some(file.as_ref().to_owned());
        self
    }

    /// Adds the guard or the key that the error is about, in front of the message.
    #[must_use]
    pub fn in_key(mut self, key: impl fmt::Display) -> Self {
        self.message = format!("`{key}`: {}", self.message);
        self
    }

    pub(super) fn of_toml(error: &toml::de::Error, text: &str) -> Self {
        let position = error.span().map(|span| position(text, span.start));
        Self { message: with_nearest(error.message()), position, file: None }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some((line, column)) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

/// Returns the line and the column of a byte in a text.
pub(super) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Rewrites the message of serde about an unknown name: it names the most similar known name, or lists the names.
fn with_nearest(message: &str) -> String {
    let kinds = [("unknown field `", "key"), ("unknown variant `", "value")];
    let found = kinds.iter().find_map(|(start, kind)| Some((message.strip_prefix(start)?, kind)));
    let Some((rest, kind)) = found else { return message.trim_end().to_owned() };
    let Some((name, rest)) = rest.split_once("`, expected ") else { return message.trim_end().to_owned() };
    // The text between backticks is a name, and the text between names is a comma or a word.
    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    match nearest(name, &known) {
        Some(nearest) => format!("unknown {kind} `{name}`: did you mean `{nearest}`?"),
        None => format!("unknown {kind} `{name}`: write one of {}", quoted(&known)),
    }
}

/// Returns the name that is most similar to `name`, if one is similar enough to be meant.
pub(crate) fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let name = name.to_lowercase();
    let scored = known.iter().map(|known| (strsim::jaro_winkler(&name, &known.to_lowercase()), *known));
    scored.filter(|(score, _)| *score > 0.8).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, known)| known)
}

/// Returns the names in backticks, with commas.
pub(crate) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
