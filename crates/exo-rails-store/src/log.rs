//! Logs: lists of entries under keys.

use std::time::Duration;

/// An entry of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The number of the entry. The first entry of a log has the number 0, and numbers have no gaps.
    pub number: u64,
    /// The time since the entry was appended, by the clock of the store. 0 if the clock was set back.
    pub age: Duration,
    /// The content.
    pub value: Vec<u8>,
}
