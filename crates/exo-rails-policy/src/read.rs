//! Reads configurations.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{ConfigError, Sections};

/// Reads a configuration from TOML text.
///
/// ```
/// use exo_rails_policy::from_toml;
/// use serde::Deserialize;
///
/// #[derive(Debug, Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Limits { calls: u32, tokens: u64 }
///
/// let limits: Limits = from_toml("calls = 3\ntokens = 8_000\n")?;
/// assert_eq!((limits.calls, limits.tokens), (3, 8_000));
///
/// let error = from_toml::<Limits>("calls = 3\ntokes = 8_000\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 1: unknown key `tokes`: did you mean `tokens`?");
/// # Ok::<(), exo_rails_policy::ConfigError>(())
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
    Sections::parse(text)?.read()
}

/// Reads the text of a configuration file.
///
/// # Errors
/// Returns an error with the path if the file cannot be read.
pub fn read(file: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(file).map_err(|error| ConfigError::new(format!("cannot be read: {error}")).in_file(file))
}
