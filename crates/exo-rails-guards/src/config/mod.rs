//! Configuration: reads TOML into typed values, and reports the place of each mistake.

mod builder;
mod error;
mod one_or_many;
mod sections;
mod with_mode;

pub(crate) use builder::builder;
pub use error::*;
pub(crate) use one_or_many::{one_or_many, one_or_many_tables};
pub(crate) use sections::Sections;
pub use with_mode::WithMode;

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

/// Reads a configuration from TOML text.
///
/// ```
/// use exo_rails_guards::config;
/// use serde::Deserialize;
///
/// #[derive(Debug, Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Limits { calls: u32, tokens: u64 }
///
/// let limits: Limits = config::from_toml("calls = 3\ntokens = 8_000\n")?;
/// assert_eq!((limits.calls, limits.tokens), (3, 8_000));
///
/// let error = config::from_toml::<Limits>("calls = 3\ntokes = 8_000\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 1: unknown key `tokes`: did you mean `tokens`?");
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
///
/// # Errors
/// Returns an error with the line and the column in these cases:
///
/// - The text is not TOML.
/// - A value does not fit its key.
/// - A required key is missing.
/// - A key is unknown, and the type refuses unknown keys. The error names the most similar known key.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| ConfigError::of_toml(&error, text))
}

/// Reads the text of a configuration file.
pub(crate) fn read(file: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(file).map_err(|error| ConfigError::new(format!("cannot be read: {error}")).in_file(file))
}
