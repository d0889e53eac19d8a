//! Mistakes in configurations.

use std::fmt;

/// A mistake in a [`ShellConfig`](crate::ShellConfig): a value that has the right type and that a rule set cannot work with.
///
/// ```
/// use exo_rails_shell::{ShellRules, ShellRule};
///
/// let error = ShellRules::builder().rule(ShellRule::deny("", "it deletes").command(["rm"])).build().unwrap_err();
/// assert_eq!(error.to_string(), "`rule`: a rule has an empty name");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellConfigError {
    message: String,
    keys: Vec<String>,
}

impl ShellConfigError {
    #[cfg(feature = "judge")]
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), keys: Vec::new() }
    }

    /// Puts a key in front of the message. The innermost key is added first.
    #[cfg(feature = "judge")]
    pub(crate) fn in_key(mut self, key: impl fmt::Display) -> Self {
        self.keys.push(key.to_string());
        self
    }

    /// Returns what is wrong, and what to write, without the keys.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the keys around the mistake, the innermost first.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }
}

impl fmt::Display for ShellConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.keys.iter().rev().try_for_each(|key| write!(f, "`{key}`: "))?;
        f.write_str(&self.message)
    }
}

impl std::error::Error for ShellConfigError {}
