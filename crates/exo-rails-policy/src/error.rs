//! The error of a configuration, with its place.

use std::fmt;
use std::path::{Path, PathBuf};

use exo_rails_text::names::advice;

/// A mistake in a configuration.
///
/// `Display` writes the file, the line and the column, if they are known, and then the message.
///
/// ```
/// use exo_rails_policy::ConfigError;
///
/// let error = ConfigError::new("write at least 1").in_key("max_depth").in_key("sizes").in_file("policy.toml");
/// assert_eq!(error.to_string(), "policy.toml: `sizes`: `max_depth`: write at least 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// What is wrong, and what to write.
    pub message: String,
    /// The line and the column of the mistake. Both begin at 1. A column counts characters. `None` for a configuration in code.
    pub position: Option<(usize, usize)>,
    /// The file that has the mistake.
    pub file: Option<PathBuf>,
    /// The keys of the mistake, the innermost first.
    pub(crate) keys: Vec<String>,
}

impl ConfigError {
    /// Makes an error without a place. Use it for a value that has the right type and that a guard cannot work with.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), position: None, file: None, keys: Vec::new() }
    }

    /// Sets the file.
    #[must_use]
    pub fn in_file(mut self, file: impl AsRef<Path>) -> Self {
        self.file = Some(file.as_ref().to_owned());
        self
    }

    /// Puts the name of a guard or a key in front of the message. Add the innermost key first.
    #[must_use]
    pub fn in_key(mut self, key: impl fmt::Display) -> Self {
        self.message = format!("`{key}`: {}", self.message);
        self.keys.push(key.to_string());
        self
    }

    /// Returns the keys, the outermost first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().rev().map(String::as_str)
    }

    pub(crate) fn of_toml(error: &toml::de::Error, text: &str) -> Self {
        let position = error.span().map(|span| position(text, span.start));
        Self { message: with_nearest(error.message()), position, file: None, keys: Vec::new() }
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
pub(crate) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Rewrites the message of serde about an unknown name: it names the most similar known name, or lists the names.
fn with_nearest(message: &str) -> String {
    // `serde` reads a choice of names from a text.
    if message.trim_end() == "wanted string or table" {
        return "expected a name in quotes".to_owned();
    }
    let kinds = [("unknown field `", "key"), ("unknown variant `", "value")];
    let found = kinds.iter().find_map(|(start, kind)| Some((message.strip_prefix(start)?, kind)));
    let Some((rest, kind)) = found else { return message.trim_end().to_owned() };
    let Some((name, rest)) = rest.split_once("`, expected ") else { return message.trim_end().to_owned() };
    // The text between backticks is a name, and the text between names is a comma or a word.
    let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    format!("unknown {kind} `{name}`: {}", advice(name, &known))
}

impl From<exo_rails_shell::ShellConfigError> for ConfigError {
    fn from(error: exo_rails_shell::ShellConfigError) -> Self {
        error.keys().iter().fold(Self::new(error.message()), Self::in_key)
    }
}
