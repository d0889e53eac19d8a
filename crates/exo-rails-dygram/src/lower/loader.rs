//! Where imported files come from.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::path::PathBuf;

/// Loads the files that a file imports.
///
/// A `HashMap` from names to texts is a loader.
///
/// ```
/// use std::collections::HashMap;
///
/// use exo_rails_dygram::Reader;
///
/// let files = HashMap::from([("lib/login.dygram", "State login; State session; login -> session;")]);
/// let text = "import { login as enter, session } from \"./lib/login.dygram\"; State home; home -> enter;";
/// let reading = Reader::new().with_loader(&files).read("main.dygram", text);
/// assert!(!reading.report.has_errors(), "{}", reading.report);
/// assert_eq!(reading.machine.edges().len(), 2);
/// ```
pub trait Loader {
    /// Returns the text of a file. `name` is what [`Loader::resolve`] returned.
    ///
    /// # Errors
    ///
    /// If there is no such file, or if the loader does not allow it.
    fn load(&self, name: &str) -> Result<String, LoadError>;

    /// Returns the name of the file that `path` means in the file `from`.
    ///
    /// The default joins the directory of `from` and `path`, and removes `.` and `..`. It does not join a path that begins with
    /// `/`, and it does not change an address such as `https://example.org/a.dygram`.
    fn resolve(&self, from: &str, path: &str) -> String {
        if path.contains("://") {
            return path.to_owned();
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let joined = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
        let is_absolute = path.starts_with('/') || from.starts_with('/');
        let root = if is_absolute { "/" } else { "" };
        let mut parts: Vec<&str> = Vec::new();
        for part in joined.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => {
                    parts.pop();
                }
                _ => parts.push(part),
            }
        }
        format!("{root}{}", parts.join("/"))
    }
}

/// Why a file cannot be loaded. A report shows this text after the path.
///
/// ```
/// use exo_rails_dygram::LoadError;
///
/// assert_eq!(LoadError::new("there is no such file").to_string(), "there is no such file");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(String);

impl LoadError {
    /// Makes an error with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

fn missing() -> LoadError {
    LoadError::new("there is no such file")
}

impl<K, V, S> Loader for HashMap<K, V, S>
where
    K: Borrow<str> + Eq + Hash,
    V: AsRef<str>,
    S: BuildHasher,
{
    fn load(&self, name: &str) -> Result<String, LoadError> {
        self.get(name).map(|text| text.as_ref().to_owned()).ok_or_else(missing)
    }
}

impl<K: Borrow<str> + Ord, V: AsRef<str>> Loader for BTreeMap<K, V> {
    fn load(&self, name: &str) -> Result<String, LoadError> {
        self.get(name).map(|text| text.as_ref().to_owned()).ok_or_else(missing)
    }
}

/// A loader that loads nothing, for texts without imports. Every import is a mistake.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImports;

impl Loader for NoImports {
    fn load(&self, _: &str) -> Result<String, LoadError> {
        Err(LoadError::new("imports are not available here"))
    }
}

/// Loads files only from a directory and the directories in it.
///
/// ```no_run
/// use exo_rails_dygram::{Directory, Reader};
///
/// let directory = Directory::new("machines");
/// let reading = Reader::new().with_loader(&directory).read_file("main.dygram")?;
/// print!("{}", reading.report);
/// # Ok::<(), exo_rails_dygram::LoadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Directory {
    root: PathBuf,
}

impl Directory {
    /// Makes a loader for a directory.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl Loader for Directory {
    fn load(&self, name: &str) -> Result<String, LoadError> {
        let failed = |error: std::io::Error| LoadError::new(error.to_string());
        // Links may lead out of the directory, so the paths without links are compared.
        let root = self.root.canonicalize().map_err(failed)?;
        let path = root.join(name.trim_start_matches('/')).canonicalize().map_err(failed)?;
        if !path.starts_with(&root) {
            return Err(LoadError::new("the file is outside the directory of the machine"));
        }
        std::fs::read_to_string(path).map_err(failed)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_importing_file() {
        let cases = [
            ("main.dygram", "./a.dygram", "a.dygram"),
            ("x/main.dygram", "a.dygram", "x/a.dygram"),
            ("x/y/main.dygram", "../a.dygram", "x/a.dygram"),
            ("main.dygram", "../a.dygram", "../a.dygram"),
            ("x/main.dygram", "/a.dygram", "/a.dygram"),
            ("/x/main.dygram", "./a.dygram", "/x/a.dygram"),
            ("x/main.dygram", "https://example.org/a.dygram", "https://example.org/a.dygram"),
        ];
        for (from, path, expected) in cases {
            assert_eq!(NoImports.resolve(from, path), expected, "{from} {path}");
        }
    }

    #[test]
    fn a_directory_refuses_files_outside_itself() {
        let directory = Directory::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
        assert!(directory.load("lib.rs").is_ok());
        let outside = directory.load("../Cargo.toml").unwrap_err();
        assert_eq!(outside.to_string(), "the file is outside the directory of the machine");
        assert!(directory.load("missing.dygram").is_err());
    }
}
