//! Finds out whether the file at a path is still the one that was opened.

use std::fs;
use std::path::{Path, PathBuf};

use super::problem::Problem;

/// The path of an open file, and what identifies the file.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    path: PathBuf,
    file: Option<Identity>,
    /// The path of the file with the latest changes. It is next to the file itself, not next to a link.
    latest_path: PathBuf,
    /// `None` before the first operation, which makes this file.
    latest: Option<Identity>,
}

impl Opened {
    pub(super) fn new(path: PathBuf) -> Self {
        let mut latest_path = fs::canonicalize(&path).unwrap_or_else(|_| path.clone()).into_os_string();
        latest_path.push("-wal");
        Self { file: identity(&path), path, latest_path: latest_path.into(), latest: None }
    }

    /// Checks the files. Call it in a transaction, so that the file with the latest changes exists.
    pub(super) fn check(&mut self) -> Result<(), Problem> {
        if self.file != identity(&self.path) {
            return Err(Problem::Replaced);
        }
        let latest = identity(&self.latest_path);
        if self.latest.is_some() && self.latest != latest {
            return Err(Problem::Replaced);
        }
        self.latest = latest;
        Ok(())
    }
}

#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    fs::metadata(path).map(|found| (found.dev(), found.ino())).ok()
}

/// Other systems do not let a program remove a file that is in use.
#[cfg(not(unix))]
type Identity = ();

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).map(drop).ok()
}
