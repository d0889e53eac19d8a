//! Where a log is written.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::mem;
use std::path::{self, Path, PathBuf};
use std::time::Duration;

use exo_rails_policy::{ConfigError, open_regular};

use crate::chain::{Chain, State, Unfinished};
use crate::files::{existing, file_path, log_path};
use crate::line::RawLine;

/// A place for a log that is not a file, such as a pipe. Give it to [`Audit::to_sink`](crate::Audit::to_sink).
///
/// A thread of the log calls the methods, so they may block.
pub trait Sink: Write + Send {
    /// Writes everything to the disk, or as far as possible. By default, calls [`flush`](Write::flush).
    ///
    /// # Errors
    /// Returns the error of the operating system. The log reports it like an error of writing.
    fn sync(&mut self) -> io::Result<()> {
        self.flush()
    }

    /// Begins the next file.
    #[doc(hidden)]
    fn next_file(&mut self, _number: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Sink for Vec<u8> {}

/// No log: for a program that has an audit only if its configuration asks for it.
impl Sink for io::Sink {}

/// The files of a log, with locks that keep other writers away.
pub(crate) struct Files {
    /// The path of the log. It is absolute, and its last part is not a link.
    log: PathBuf,
    current: Current,
    /// The lock of the path, and the lock of file 0 if the current file is a later one.
    locks: Vec<File>,
    sync: bool,
}

/// The file that is written.
struct Current {
    path: PathBuf,
    file: File,
    /// The length that the file must have.
    len: u64,
}

/// The state of an existing log.
#[derive(Default)]
pub(crate) struct Existing {
    pub(crate) chain: Chain,
    /// The last line, if it was not written to its end.
    pub(crate) torn: Option<Unfinished>,
    /// Whether the last line has no newline.
    pub(crate) lacks_newline: bool,
    /// The bytes in the last file.
    pub(crate) len: u64,
}

impl Files {
    /// Opens a log, or begins a new one.
    pub(crate) fn open(path: &Path, sync: bool) -> Result<(Self, Existing), ConfigError> {
        let failed =
            |error: io::Error| ConfigError::new(format!("the log `{}` cannot be opened: {error}", path.display()));
        let given = path::absolute(path).map_err(failed)?;
        // Before the lock is made, because a folder such as `/dev` must not get one.
        check_regular(&given).map_err(failed)?;
        let log = log_path(&given).map_err(failed)?;
        let mut locks = vec![lock_path(&log)?];
        let taken = || other_writer(path);
        let first = file_path(&log, 0);
        loop {
            let number = existing(&log).map_err(failed)?.last().copied().unwrap_or(0);
            if cfg!(unix) && number > 0 && locks.len() == 1 && first.exists() {
                // Somebody may use the log through another link to its first file.
                let first = open_regular(&first, OpenOptions::new().read(true)).map_err(failed)?;
                locks.push(lock(first).map_err(failed)?.ok_or_else(taken)?);
            }
            // If the path is a link, it must lead to the same file as long as the log is in use.
            let current = if number == 0 { given.clone() } else { file_path(&log, number) };
            let mut current = Current::open(current, true).map_err(failed)?.ok_or_else(taken)?;
            // Another writer may have begun a file before it released the lock.
            if existing(&log).map_err(failed)?.last() != Some(&number) {
                return Err(taken());
            }
            let existing = read_file(&current)?;
            if number == 0 || existing.chain.head.is_some() {
                // Nobody else writes, because this handle has the locks.
                current.len = existing.len;
                return Ok((Self { log, current, locks, sync }, existing));
            }
            // The writer was killed just after it had created the file. It contains the beginning of a line without a record.
            let removed = fs::remove_file(&current.path);
            let path = current.path.display();
            removed.map_err(|error| ConfigError::new(format!("`{path}` cannot be replaced: {error}")))?;
            // The current file may be the first one now.
            locks.truncate(1);
        }
    }

    /// Checks that the file on the disk is the one that this handle has written, with the same bytes.
    fn check(&self) -> io::Result<()> {
        let Current { path, file, len } = &self.current;
        let shown = path.display();
        let advice = "put it back, or open the log again. Let `max_file_bytes` begin new files";
        let found = file.metadata()?;
        let is_same = match fs::metadata(path) {
            Ok(at_path) => is_same_file(&at_path, &found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !is_same {
            let message = format!("`{shown}` was removed, renamed or replaced while it was in use: {advice}");
            return Err(io::Error::other(message));
        }
        if found.len() != *len {
            let how = if found.len() < *len { "was cut" } else { "has bytes of another writer" };
            let message = format!(
                "`{shown}` {how} while it was in use, and has {} bytes instead of {len}: {advice}",
                found.len()
            );
            return Err(io::Error::other(message));
        }
        Ok(())
    }
}

impl Current {
    /// Opens and locks a file. Returns `None` if it has another writer.
    fn open(path: PathBuf, may_exist: bool) -> io::Result<Option<Self>> {
        let file = open_regular(&path, OpenOptions::new().create(true).read(true).append(true))?;
        let len = file.metadata()?.len();
        if len > 0 && !may_exist {
            let message = format!("`{}` exists already: move it away", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        // On other systems, nobody could read a locked file. There, only the path has a lock.
        let file = if cfg!(unix) { lock(file)? } else { Some(file) };
        Ok(file.map(|file| Self { path, file, len }))
    }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

fn check_regular(path: &Path) -> io::Result<()> {
    match open_regular(path, OpenOptions::new().read(true)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map(drop),
    }
}

/// How often, and after what time, a lock is tried again. A new process briefly holds the locks of its parent, even
/// those that the parent has released.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock of a file. It ends with the process at the latest. Returns `None` if another handle has the lock.
fn lock(file: File) -> io::Result<Option<File>> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Takes the lock of a path, so that only one writer at a time opens the files.
fn lock_path(log: &Path) -> Result<File, ConfigError> {
    let mut name = log.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let path = log.with_file_name(name);
    let failed = |error: io::Error| ConfigError::new(format!("the lock `{}` cannot be taken: {error}", path.display()));
    let file = open_regular(&path, OpenOptions::new().create(true).truncate(false).write(true)).map_err(failed)?;
    lock(file).map_err(failed)?.ok_or_else(|| other_writer(log))
}

fn other_writer(log: &Path) -> ConfigError {
    ConfigError::new(format!("the log `{}` has another writer: use one path for each process", log.display()))
}

fn read_file(current: &Current) -> Result<Existing, ConfigError> {
    let path = &current.path;
    let failed = |error: io::Error| ConfigError::new(format!("`{}` cannot be read: {error}", path.display()));
    let mut reader = BufReader::with_capacity(64 * 1024, &current.file);
    let mut existing = Existing::default();
    existing.chain.may_begin_later = true;
    let mut number = 0;
    let damaged = |number: u64, problem| {
        let path = path.display();
        ConfigError::new(format!(
            "`{path}` is damaged at line {number} ({problem}): move the log away to begin a new one"
        ))
    };
    while let Some(line) = RawLine::read(&mut reader).map_err(failed)? {
        number += 1;
        existing.len += line.len + u64::from(line.has_newline);
        if line.has_newline {
            existing.chain.follow(&line).map_err(|(back, problem)| damaged(number - back, problem))?;
        } else {
            existing.lacks_newline = true;
            if existing.chain.accept(&line).is_err() {
                existing.torn = Some(Unfinished::of(&line));
            }
        }
    }
    existing.chain.end_file().map_err(|problem| damaged(number, problem))?;
    Ok(existing)
}

impl Write for Files {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check()?;
        let written = self.current.file.write(bytes)?;
        self.current.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.current.file.flush()
    }
}

impl Sink for Files {
    fn sync(&mut self) -> io::Result<()> {
        if self.sync {
            self.current.file.sync_data()?;
        }
        self.check()
    }

    fn next_file(&mut self, number: u64) -> io::Result<()> {
        self.sync()?;
        // The new file has its lock before the lock of the old file ends.
        let next = Current::open(file_path(&self.log, number), false)?;
        let next = next.ok_or_else(|| io::Error::other("the next file of the log has another writer"))?;
        let old = mem::replace(&mut self.current, next);
        if number == 1 {
            self.locks.push(old.file);
        }
        Ok(())
    }
}

impl Existing {
    /// Returns whether the last file is complete, and the next one does not exist.
    pub(crate) fn needs_next_file(&self) -> bool {
        self.chain.state == State::FileEnded
    }
}
