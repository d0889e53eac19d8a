//! Problems with a state file, and their messages.

use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::ErrorCode;

use super::clock;
use crate::StoreError;

#[derive(Debug)]
pub(super) enum Problem {
    Sqlite(rusqlite::Error),
    /// The file cannot be made or examined.
    Io(io::Error),
    /// Other users can read or change the file, which has this mode.
    Mode(u32),
    /// The file cannot be written.
    ReadOnly,
    /// The file belongs to another program.
    Foreign,
    /// Another version of this crate made the file, with another version of the tables.
    Version {
        found: i32,
        own: i32,
    },
    /// The clock of this process is ahead of the clock of another one by so many milliseconds, or behind it.
    Clock {
        ahead: i64,
    },
    /// The file was removed or replaced after it was opened.
    Replaced,
    /// The reservation is one of another file.
    OtherFile,
    /// The row with this key has a value that no version of this crate writes.
    Damaged {
        table: &'static str,
        key: String,
    },
    /// The thread cannot be started.
    Thread(io::Error),
    /// The thread has ended.
    Ended,
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Problem {
    /// The problem with a row of this table. If the row has a value that cannot be read, the key names it.
    pub(super) fn of_row(error: rusqlite::Error, table: &'static str, key: &str) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};

        match error {
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) => {
                Self::Damaged { table, key: key.to_owned() }
            }
            error => Self::Sqlite(error),
        }
    }

    /// The error about the file at this path.
    pub(super) fn at(self, path: &Path) -> StoreError {
        let path = path.display();
        let is_lost = matches!(self, Self::Replaced | Self::OtherFile);
        let what = match self {
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => return StoreError::Full(format!("the disk of `{path}` has no room")),
                Some(code) => format!("{}: {error}", advice(code)),
                None => format!("SQLite failed: {error}"),
            },
            Self::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                "its folder does not exist: make the folder first".to_owned()
            }
            Self::Io(error) => format!("it cannot be opened: {error}"),
            Self::Mode(mode) => format!(
                "it has the mode {mode:04o}, so other users can read or change the state of your guards: run `chmod 600` on it"
            ),
            Self::ReadOnly => "it cannot be written: change the permissions of the file and its folder".to_owned(),
            Self::Foreign => "it exists and is not a state file of exo-rails: use another path".to_owned(),
            Self::Version { found, own } => format!(
                "it has format {found}, and this version of exo-rails-store uses format {own}: use another path, or the \
                 version that made the file"
            ),
            Self::Clock { ahead } => {
                let by = Duration::from_millis(ahead.unsigned_abs());
                let (how, tolerance) = (if ahead > 0 { "ahead of" } else { "behind" }, clock::TOLERANCE / 1_000);
                format!(
                    "the clock of this process is {by:?} {how} the clock of the process that used the file before, and {tolerance} s \
                     are allowed: correct the clock of the machine. If the clock is right, call `FileStore::trust_clock` once"
                )
            }
            Self::Replaced => {
                "it was removed or replaced while it was in use, so its budgets and approvals are in doubt: put it \
                               back, or end all programs that use it"
                    .to_owned()
            }
            Self::OtherFile => {
                "the reservation is one of another file: the file was removed or replaced in the meantime".to_owned()
            }
            Self::Damaged { table, key } => {
                format!(
                    "`{key}` is damaged in the table `{table}`, and cannot be read: remove its row. Other keys are not affected"
                )
            }
            Self::Thread(error) => format!("its thread could not be started: {error}"),
            Self::Ended => "its thread has ended: open it again".to_owned(),
        };
        let text = format!("state file `{path}`: {what}");
        if is_lost { StoreError::Lost(text) } else { StoreError::failed(text) }
    }
}

fn advice(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => "another process has locked it for too long",
        ErrorCode::DatabaseCorrupt => {
            "it is damaged: restore it from a backup, or remove it, and then all budgets and approvals are forgotten"
        }
        ErrorCode::NotADatabase => {
            "it is not a state file of exo-rails, or it is damaged: use another path, or remove it"
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            "it cannot be opened or written: check the permissions of the file and its folder"
        }
        ErrorCode::SystemIoFailure => "the disk failed",
        _ => "SQLite failed",
    }
}
