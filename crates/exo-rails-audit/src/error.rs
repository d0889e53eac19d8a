//! Errors of writing a log.

/// The log does not have a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The log cannot be written. The text is the error of the operating system.
    #[error("the audit log cannot be written: {0}")]
    Write(String),
    /// The log is closed.
    #[error("the audit log is closed")]
    Closed,
}
