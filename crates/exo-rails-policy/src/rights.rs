//! What a tool may do with the files of a root.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of rights. A root grants rights, and a tool needs rights.
///
/// In a configuration, it is a list of names: `["read", "write", "create", "delete"]`.
///
/// ```
/// use exo_rails_policy::paths::Rights;
///
/// let rights = Rights::READ | Rights::CREATE;
/// assert!(rights.contains(Rights::READ) && !rights.contains(Rights::READ | Rights::WRITE));
/// assert_eq!(rights.to_string(), "read, create");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Right>", into = "Vec<Right>")]
pub struct Rights(u8);

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Right {
    Read,
    Write,
    Create,
    Delete,
}

const NAMES: [(Right, &str); 4] =
    [(Right::Read, "read"), (Right::Write, "write"), (Right::Create, "create"), (Right::Delete, "delete")];

impl Rights {
    /// No right.
    pub const NONE: Self = Self(0);
    /// Reads files and lists directories.
    pub const READ: Self = Self(1 << Right::Read as u8);
    /// Changes the content of existing files.
    pub const WRITE: Self = Self(1 << Right::Write as u8);
    /// Creates files and directories.
    pub const CREATE: Self = Self(1 << Right::Create as u8);
    /// Deletes and renames files and directories.
    pub const DELETE: Self = Self(1 << Right::Delete as u8);
    /// All rights.
    pub const ALL: Self = Self(0b1111);

    /// Tells whether all of these rights are in the set.
    #[must_use]
    pub const fn contains(self, rights: Self) -> bool {
        self.0 & rights.0 == rights.0
    }

    /// Returns the rights that are in both sets.
    #[must_use]
    pub const fn common(self, rights: Self) -> Self {
        Self(self.0 & rights.0)
    }

    /// Returns the rights of this set that are not in the other.
    #[must_use]
    pub const fn without(self, rights: Self) -> Self {
        Self(self.0 & !rights.0)
    }
}

impl std::ops::BitOr for Rights {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl From<Vec<Right>> for Rights {
    fn from(rights: Vec<Right>) -> Self {
        Self(rights.into_iter().fold(0, |bits, right| bits | 1 << right as u8))
    }
}

impl From<Rights> for Vec<Right> {
    fn from(rights: Rights) -> Self {
        NAMES.iter().map(|(right, _)| *right).filter(|right| rights.0 & 1 << *right as u8 != 0).collect()
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (_, name) in NAMES.iter().filter(|(right, _)| self.0 & 1 << *right as u8 != 0) {
            write!(f, "{separator}{name}")?;
            separator = ", ";
        }
        if separator.is_empty() { f.write_str("nothing") } else { Ok(()) }
    }
}
