//! Records: values under keys.

use std::time::Duration;

/// The version of a record. Each write has a new version, also after the record was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(pub u64);

/// A record with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The content.
    pub value: Vec<u8>,
    /// The version, for [`StateStore::compare_and_set`](crate::StateStore::compare_and_set).
    pub version: Version,
    /// The time since the record was written, by the clock of the store. 0 if the clock was set back.
    ///
    /// With the age, several processes can measure time with one clock, for example to refill a bucket of tokens.
    pub age: Duration,
}

/// The condition of a write: the record that the write may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// There is no record.
    Absent,
    /// The record has this version.
    Version(Version),
    /// There is no condition: the write replaces any record.
    Any,
}

impl Expected {
    /// Returns whether the record with this version, or no record, is the expected one.
    pub(crate) fn matches(self, found: Option<Version>) -> bool {
        match self {
            Self::Any => true,
            Self::Absent => found.is_none(),
            Self::Version(version) => found == Some(version),
        }
    }
}

/// A change of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write<'a> {
    /// Writes these bytes. The record expires after this time. With `None`, it never expires.
    Put(&'a [u8], Option<Duration>),
    /// Removes the record.
    Remove,
}

/// The record was not the expected one, and nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The current record, or `None` if there is no record.
    pub found: Option<Record>,
}
