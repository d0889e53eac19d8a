//! Reads configurations.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{ConfigError, Sections, open_regular};

/// The largest file, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

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

/// Reads the text of a configuration file of at most 4 MiB. All configurations and the files that they name are read with this
/// function.
///
/// The function does not wait for pipes: it refuses what is not a regular file, such as a pipe, a device or a directory.
///
/// ```
/// use std::path::Path;
///
/// let error = exo_rails_policy::read(Path::new("/")).unwrap_err();
/// assert_eq!(error.to_string(), "/: cannot be read: it is a directory, not a regular file");
/// ```
///
/// # Errors
/// Returns an error with the path if the file cannot be read, if it is not a regular file, or if it is too long.
pub fn read(file: &Path) -> Result<String, ConfigError> {
    text(file).map_err(|error| ConfigError::new(format!("cannot be read: {error}")).in_file(file))
}

fn text(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    open_regular(file, OpenOptions::new().read(true))?.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it has more than {} MiB", LARGEST / 1024 / 1024)));
    }
    Ok(text)
}
