//! Opens a state file, and makes it if it does not exist.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::problem::Problem;

/// `exor` in ASCII. `SQLite` keeps it in the file.
const APPLICATION_ID: i32 = 0x6578_6F72;

/// The version of the tables. Increase it with each change of `schema.sql`.
const SCHEMA_VERSION: i32 = 2;

const SCHEMA: &str = include_str!("schema.sql");

/// The number of attempts to get the lock of the file, one in each millisecond. The waits of `SQLite` itself grow to 100 ms, so
/// under load some operations would wait too long.
const LOCK_ATTEMPTS: i32 = 5_000;

/// The number of statements that stay prepared.
const STATEMENTS: usize = 64;

pub(super) fn open(path: &Path) -> Result<Connection, Problem> {
    make_private(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.busy_handler(Some(wait_for_lock))?;
    if connection.is_readonly("main")? {
        return Err(Problem::ReadOnly);
    }
    // One transaction asks all questions. Otherwise another process could make the tables between two of them.
    let content = content(&*connection.transaction()?)?;
    if content == Content::Nothing {
        use_write_ahead_log(&connection)?;
        make_tables(&mut connection)?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Waits for the lock. `attempts` is the number of earlier attempts.
fn wait_for_lock(attempts: i32) -> bool {
    thread::sleep(Duration::from_millis(1));
    attempts < LOCK_ATTEMPTS
}

/// Makes the file if it does not exist, for this user only. Otherwise checks that it is for this user only.
fn make_private(path: &Path) -> Result<(), Problem> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_mode(path),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
fn check_mode(path: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::PermissionsExt;

    // The last six bits are those of the group and of others.
    let mode = path.metadata()?.permissions().mode() & 0o777;
    if mode.trailing_zeros() >= 6 { Ok(()) } else { Err(Problem::Mode(mode)) }
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<(), Problem> {
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Content {
    Nothing,
    /// The tables of this version.
    Tables,
}

fn content(connection: &Connection) -> Result<Content, Problem> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION_ID, SCHEMA_VERSION) => Ok(Content::Tables),
        (APPLICATION_ID, found) => Err(Problem::Version { found, own: SCHEMA_VERSION }),
        _ => {
            let empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
            if connection.query_row(empty, [], |row| row.get(0))? {
                Ok(Content::Nothing)
            } else {
                Err(Problem::Foreign)
            }
        }
    }
}

/// Sets the mode of the file, which the file keeps. `SQLite` does not wait for other processes that set it at the same time, so
/// the function tries again.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut attempts = 0;
    loop {
        let busy = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if busy(&error) && wait_for_lock(attempts) => attempts += 1,
            result => return result,
        }
    }
}

/// Makes the tables, unless another process has made them in the meantime.
fn make_tables(connection: &mut Connection) -> Result<(), Problem> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if content(&transaction)? == Content::Nothing {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}
