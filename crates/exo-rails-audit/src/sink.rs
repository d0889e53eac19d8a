//! Where a log is written.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use exo_rails_policy::ConfigError;

use crate::chain::{Chain, State, Unfinished};
use crate::files::{existing, file_path};
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

/// The files of a log, with a lock that keeps other writers away.
pub(crate) struct Files {
    log: PathBuf,
    file: File,
    _lock: File,
    sync: bool,
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
    pub(crate) fn open(log: &Path, sync: bool) -> Result<(Self, Existing), ConfigError> {
        let lock = lock(log)?;
        let failed =
            |error: io::Error| ConfigError::new(format!("the log `{}` cannot be opened: {error}", log.display()));
        let number = existing(log).map_err(failed)?.last().copied().unwrap_or(0);
        let (number, existing) = read_end(log, number)?;
        let file = open_file(&file_path(log, number)).map_err(failed)?;
        Ok((Self { log: log.to_owned(), file, _lock: lock, sync }, existing))
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// How often, and after what time, a lock is tried again. A new process briefly holds the locks of its parent, even
/// those that the parent has released.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock of a log. It ends with the process at the latest.
fn lock(log: &Path) -> Result<File, ConfigError> {
    let mut name = log.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let path = log.with_file_name(name);
    let failed = |error: io::Error| ConfigError::new(format!("the lock `{}` cannot be taken: {error}", path.display()));
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    Err(ConfigError::new(format!("the log `{}` has another writer: use one path for each process", log.display())))
}

/// Reads the last file. If it has no line, because the writer was killed just after it had created the file, reads the file
/// before it. Returns the number of the file to continue with.
fn read_end(log: &Path, number: u64) -> Result<(u64, Existing), ConfigError> {
    let path = file_path(log, number);
    let existing = match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((number, Existing::default())),
        _ => read_file(&path)?,
    };
    if number > 0 && existing.chain.head.is_none() {
        // It contains the beginning of a line that has no record.
        let removed = fs::remove_file(&path);
        removed.map_err(|error| ConfigError::new(format!("`{}` cannot be replaced: {error}", path.display())))?;
        return read_end(log, number - 1);
    }
    Ok((number, existing))
}

fn read_file(path: &Path) -> Result<Existing, ConfigError> {
    let failed = |error: io::Error| ConfigError::new(format!("`{}` cannot be read: {error}", path.display()));
    let mut reader = BufReader::with_capacity(64 * 1024, File::open(path).map_err(failed)?);
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
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for Files {
    fn sync(&mut self) -> io::Result<()> {
        if self.sync { self.file.sync_data() } else { Ok(()) }
    }

    fn next_file(&mut self, number: u64) -> io::Result<()> {
        if self.sync {
            self.file.sync_data()?;
        }
        self.file = open_file(&file_path(&self.log, number))?;
        Ok(())
    }
}

impl Existing {
    /// Returns whether the last file is complete, and the next one does not exist.
    pub(crate) fn needs_next_file(&self) -> bool {
        self.chain.state == State::FileEnded
    }
}
