//! A directory that tools may use.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::Rights;

/// A directory that tools may use.
#[derive(Debug)]
pub struct Root {
    pub(super) name: String,
    /// The directory without links.
    pub(super) path: PathBuf,
    pub(super) rights: Rights,
    pub(super) dir: Dir,
}

impl Root {
    /// Returns the name in the configuration.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the directory, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what tools may do in the directory.
    #[must_use]
    pub const fn rights(&self) -> Rights {
        self.rights
    }

    /// Returns the directory as a capability. It checks neither rights nor denied names. [`SandboxRoots::open`] does.
    ///
    /// [`SandboxRoots::open`]: super::SandboxRoots::open
    #[must_use]
    pub const fn dir(&self) -> &Dir {
        &self.dir
    }
}
