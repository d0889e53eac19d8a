//! What is wrong with a log.

use std::io;
use std::path::PathBuf;

use crate::head::Head;

/// A log is not as the writer left it, or cannot be read.
///
/// ```
/// use exo_rails_audit::{Problem, VerifyError, Verify};
///
/// let error = Verify::new().reader(&b"not a log\n"[..]).unwrap_err();
/// assert_eq!(error.to_string(), "line 1: the line does not have the form of a line of a log");
/// assert!(matches!(error, VerifyError::Log { line: 1, problem: Problem::NotALine, .. }));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file cannot be read.
    #[error("`{}` cannot be read: {cause}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A line is wrong.
    #[error("{}line {line}: {problem}", file.as_ref().map(|file| format!("{}: ", file.display())).unwrap_or_default())]
    Log {
        /// The file. `None` if the log comes from a reader.
        file: Option<PathBuf>,
        /// The number of the line in the file, from 1. For a cut, the last line that is left.
        line: u64,
        /// What is wrong.
        problem: Problem,
    },
}

/// What is wrong with a line of a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The line does not have the form of a line.
    #[error("the line does not have the form of a line of a log")]
    NotALine,
    /// The bytes of the line do not have the hash of the line.
    #[error("the line has been changed: its hash is another one")]
    Edited,
    /// Lines are missing before this line.
    #[error("lines are missing: this is line {found} of the log, and line {expected} comes next")]
    Missing {
        /// The number that comes next.
        expected: u64,
        /// The number of the line.
        found: u64,
    },
    /// The line has a number that was there before: it was repeated or moved.
    #[error("the line is in the wrong place: it is line {found} of the log, and line {expected} comes next")]
    Repeated {
        /// The number that comes next.
        expected: u64,
        /// The number of the line.
        found: u64,
    },
    /// The line follows another line than the one before it. It comes from another log, or the line before was replaced.
    #[error("the line does not continue the line before: one of them was replaced")]
    NotChained,
    /// The lines before the first line are missing.
    #[error("the beginning of the log is missing")]
    NoBeginning,
    /// The line cannot come at this place, for example a record after the end.
    #[error("a line `{kind}` cannot come here")]
    OutOfPlace {
        /// The kind of the line.
        kind: String,
    },
    /// A line was not written to its end, and the log does not continue after it.
    #[error("the line was not written to its end")]
    Torn,
    /// The log has a different unfinished line than the writer found, or none.
    #[error("the unfinished line before this line was changed or removed")]
    TornChanged,
    /// The log ends without a line `close`. It was cut, the writer was killed, or it is still at work.
    #[error("the log does not end here: it was cut, its writer was killed, or its writer is still at work")]
    NotClosed,
    /// A file of the log is missing. Everything before it is whole.
    #[error(
        "the log continues in file {number}, which is missing: it was removed, or the writer was killed before it made it"
    )]
    FileMissing {
        /// The number of the file.
        number: u64,
    },
    /// The last file of the log has no whole line. Everything before it is whole.
    #[error("file {number} of the log has no whole line: it was cut, or the writer was killed while it began the file")]
    FileNotBegun {
        /// The number of the file.
        number: u64,
    },
    /// A line that ends a part of the log has no signature.
    #[error("the line is not signed")]
    NotSigned,
    /// A signature is not by one of the keys, or not for this place of the log.
    #[error("the signature is wrong")]
    BadSignature,
    /// The number of a signature is not the next one.
    #[error("the signature has the number {found}, and number {expected} comes next")]
    SealNumber {
        /// The number that comes next.
        expected: u64,
        /// The number of the signature.
        found: u64,
    },
    /// The log has another line in the place of the expected head.
    #[error("the log is not the one with the expected head `{expected}`")]
    OtherHead {
        /// The expected head.
        expected: Head,
    },
    /// The log ends before the expected head.
    #[error("the log was cut: it ends before the expected head `{expected}`")]
    Cut {
        /// The expected head.
        expected: Head,
    },
    /// The log has no line.
    #[error("the log is empty")]
    Empty,
}
