//! The store for several processes on one machine.

mod clock;
mod identity;
mod open;
mod problem;
mod tables;
mod worker;

use std::fmt;
use std::path::{self, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::Transaction;

use crate::time::millis;
use crate::{
    Claim, Conflict, Counter, Expected, LogEntry, OverLimit, Record, Reservation, StateStore, StoreError, StoreFuture,
    Version, Write,
};
use clock::Clocks;
use identity::Opened;
use problem::Problem;
use tables::Tables;
use worker::{Access, Worker};

/// A [`StateStore`] in a file that several processes can use at the same time. Feature `file`.
///
/// The file is an `SQLite` database. It survives the end of a process at any point, also by `kill -9`:
///
/// - A write of a record is on the disk when the operation returns, so an approval survives a power failure.
/// - Counters and logs are in the cache of the operating system when the operation returns. They survive the end of the
///   process. After a power failure, the changes of the last seconds may be missing, but the file is not damaged. Waiting for
///   the disk would make each tool call several milliseconds slower.
///
/// The processes must run on one machine, because `SQLite` needs shared memory. The file must not be on a network file system.
/// While the file is in use, two more files with the endings `-wal` and `-shm` are next to it. Do not remove them.
///
/// The store uses the system clock. A process whose clock differs by more than a minute from the clock of the process that used
/// the file before would end the windows of all others. So its operations fail, and change nothing. On Linux, the store compares
/// the system clock with the time since the machine has started. So a long time without an operation, a sleep of the machine and a
/// slow correction of the clock are not errors. After a start of the machine, and on other systems, the store notices only a clock
/// that is behind the last write. [`trust_clock`](Self::trust_clock) accepts a clock that somebody has corrected.
///
/// If somebody removes or replaces the file while it is in use, all further operations fail, on Unix. A reservation is valid for
/// one file: settling it in another one fails.
///
/// ```
/// use exo_rails_store::{FileStore, StateStoreExt, StoreError};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
/// # let path = std::env::temp_dir().join(format!("exo-rails-doc-{}", std::process::id()));
/// let store = FileStore::open(&path)?;
/// store.write("approval/42", "granted", None).await?;
///
/// // Another process:
/// let store = FileStore::open(&path)?;
/// assert_eq!(store.read::<String>("approval/42").await?.as_deref(), Some("granted"));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok(())
/// # }
/// ```
pub struct FileStore {
    path: Arc<Path>,
    opened: Arc<Mutex<Opened>>,
    clock_ahead: Duration,
    worker: Worker,
}

impl FileStore {
    /// Opens the file, or creates it if it does not exist. Its folder must exist.
    ///
    /// A new file has the mode 0600, so no other user can read or change it. The method waits up to five seconds for other
    /// processes that use the file. It starts a thread that performs the operations.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created, read or written, if other users can read or change it, if it is damaged,
    /// if it is not a state file, or if its format is that of another version of this crate.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path: Arc<Path> = path.as_ref().into();
        // The process may change its directory.
        let absolute = path::absolute(&path).map_err(|error| Problem::Io(error).at(&path))?;
        let connection = open::open(&absolute).map_err(|problem| problem.at(&path))?;
        let opened = Arc::new(Mutex::new(Opened::new(absolute)));
        let worker = Worker::start(connection).map_err(|error| Problem::Thread(error).at(&path))?;
        Ok(Self { path, opened, clock_ahead: Duration::ZERO, worker })
    }

    /// Takes the clock of this process as the right one. Call it once if the operations fail because somebody has corrected the
    /// clock of the machine by more than a minute. Open windows and reservations keep their ends.
    ///
    /// ```
    /// use exo_rails_store::{FileStore, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), StoreError> {
    /// # let path = std::env::temp_dir().join(format!("exo-rails-doc-clock-{}", std::process::id()));
    /// let store = FileStore::open(&path)?;
    /// store.trust_clock().await?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub async fn trust_clock(&self) -> Result<(), StoreError> {
        let forget = |sql: &Transaction<'_>| Ok(sql.execute("DELETE FROM clock", []).map(drop)?);
        self.worker.perform(Access::WriteToDisk, forget).await.map_err(|problem| problem.at(&self.path))?;
        // Writes the clocks of this process.
        self.perform(Access::WriteToDisk, |_| Ok(())).await
    }

    /// Sets the clock of this handle ahead. Use it in tests of windows and expiry.
    #[must_use]
    pub fn clock_ahead(mut self, by: Duration) -> Self {
        self.clock_ahead = by;
        self
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.path.to_path_buf()
    }

    /// Performs an operation in a transaction.
    fn perform<T: Send + 'static>(
        &self,
        access: Access,
        operation: impl FnOnce(&Tables<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let (clock_ahead, opened) = (self.clock_ahead, Arc::clone(&self.opened));
        let operation = move |transaction: &Transaction<'_>| {
            let clocks = Clocks::now(now(Duration::ZERO));
            let saved = clocks.check(transaction)?;
            opened.lock().unwrap_or_else(PoisonError::into_inner).check()?;
            let tables = Tables { sql: transaction, now: now(clock_ahead) };
            if access != Access::Read {
                clocks.save(transaction, &saved)?;
                tables.remove_expired()?;
            }
            operation(&tables)
        };
        Box::pin(async move { self.worker.perform(access, operation).await.map_err(|problem| problem.at(&self.path)) })
    }
}

/// The time of the system's clock.
fn now(clock_ahead: Duration) -> u64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    millis(since_1970.saturating_add(clock_ahead))
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl StateStore for FileStore {
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Record>> {
        let key = key.to_owned();
        self.perform(Access::Read, move |tables| tables.record(&key))
    }

    fn compare_and_set<'a>(
        &'a self,
        key: &'a str,
        expected: Expected,
        write: Write<'a>,
    ) -> StoreFuture<'a, Result<Version, Conflict>> {
        let key = key.to_owned();
        let put = match write {
            Write::Put(value, expires_in) => Some((value.to_vec(), expires_in)),
            Write::Remove => None,
        };
        self.perform(Access::WriteToDisk, move |tables| {
            let write = put.as_ref().map_or(Write::Remove, |(value, expires_in)| Write::Put(value, *expires_in));
            tables.compare_and_set(&key, expected, write)
        })
    }

    fn reserve<'a>(
        &'a self,
        claims: &'a [Claim<'a>],
        hold_for: Duration,
    ) -> StoreFuture<'a, Result<Reservation, OverLimit>> {
        let owned: Vec<(String, Claim<'static>)> =
            claims.iter().map(|claim| (claim.key.to_owned(), Claim { key: "", ..*claim })).collect();
        self.perform(Access::Write, move |tables| {
            let claims: Vec<Claim<'_>> = owned.iter().map(|(key, claim)| Claim { key, ..*claim }).collect();
            tables.reserve(&claims, hold_for)
        })
    }

    fn settle<'a>(&'a self, reservation: &'a Reservation, used: &'a [u64]) -> StoreFuture<'a, ()> {
        if let Err(error) = reservation.check(used) {
            return Box::pin(async { Err(error) });
        }
        let (reservation, used) = (reservation.clone(), used.to_vec());
        self.perform(Access::Write, move |tables| tables.settle(&reservation, &used))
    }

    fn counter<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Counter> {
        let key = key.to_owned();
        self.perform(Access::Read, move |tables| Ok(tables.level(&key)?.counter(tables.now)))
    }

    fn forget<'a>(&'a self, counters: &'a [String]) -> StoreFuture<'a, ()> {
        let counters = counters.to_vec();
        self.perform(Access::Write, move |tables| tables.forget(&counters))
    }

    fn append<'a>(
        &'a self,
        key: &'a str,
        entry: &'a [u8],
        keep: usize,
        expires_in: Option<Duration>,
    ) -> StoreFuture<'a, u64> {
        let (key, entry) = (key.to_owned(), entry.to_vec());
        self.perform(Access::Write, move |tables| tables.append(&key, &entry, keep, expires_in))
    }

    fn entries<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        let key = key.to_owned();
        self.perform(Access::Read, move |tables| tables.entries(&key))
    }
}
