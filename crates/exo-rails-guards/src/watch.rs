//! Reads a configuration file again when it changes.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{self, Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use exo_rails::Reloadable;
use exo_rails_policy::ConfigError;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use thiserror::Error;
use tokio::sync::watch;

/// The time without further changes after which a file is read. Programs write a file in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// The longest time from a change to reading, if changes never stop.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The longest time between two readings. The system does not report all changes. For example, it does not report changes of
/// files on a network, changes of links to directories, or that a directory was removed and made again.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// The largest file, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Watches a configuration file, and replaces a guard when the file changes.
///
/// ```no_run
/// use exo_rails::GuardSet;
/// use exo_rails_guards::{ConfigWatch, Kit};
///
/// # fn run_agent(rails: impl GuardSet) {}
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let builder = Kit::builder();
/// let (kit, watch) = ConfigWatch::start("policy.toml", move |text| builder.from_toml(text))?;
/// run_agent(kit);
/// # drop(watch);
/// # Ok(()) }
/// ```
///
/// The function receives the text of the file, and makes the new guard or returns an error. It can make any rail or guard set,
/// such as a [`Kit`](crate::Kit), or one guard for a field of a chain.
///
/// - An event that has begun keeps its guard: see [`Reloadable`].
/// - **A bad file changes nothing.** If the file is missing, is empty, cannot be read or has a mistake, the guard stays as it
///   is. The error goes to `tracing` with the target `exo_rails_guards::watch`, and to [`last`](Self::last). A file that is
///   empty or has only comments counts as bad, because many programs empty a file before they write it. To switch a kit off,
///   write `mode = "off"`.
/// - The watch reads the file when it has not changed for 100 milliseconds. To change the file safely, write a new file and
///   rename it, so that nobody can read a part of the file.
/// - The watch follows symbolic links, and notices when a link changes. So a mounted `ConfigMap` of Kubernetes works.
/// - The operating system does not report all changes, for example on network file systems. So the watch also reads the file
///   every five seconds.
/// - The file must be a regular file of at most 4 MiB. A pipe or a device counts as bad, because reading it might never end.
///
/// The watch ends when you drop it. The guard then stays as it is.
pub struct ConfigWatch {
    file: PathBuf,
    last: watch::Receiver<Reload>,
    messages: Sender<Message>,
}

/// The last time that a [`ConfigWatch`] read its file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reload {
    /// The number of this reading. The reading at the start has the number 0. A reading that finds the same text does not
    /// count.
    pub number: u64,
    /// The error, if the file was bad. The guard then stays as it was. `None` if the new guard is in use.
    pub error: Option<ConfigError>,
}

/// A [`ConfigWatch`] cannot start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The file cannot be read, or has a mistake.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The operating system cannot watch the directory of the file.
    #[error("the file `{file}` cannot be watched: {cause}")]
    Watch {
        /// The file.
        file: String,
        /// The error of the operating system.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

enum Message {
    Changed,
    Stop,
}

impl ConfigWatch {
    /// Reads the file, makes the guard, and begins to watch the file. Returns the guard, which changes with the file, and the
    /// watch.
    ///
    /// # Errors
    /// Returns the error of the function, or an error if the file cannot be read or watched.
    pub fn start<R, F>(file: impl AsRef<Path>, make: F) -> Result<(Reloadable<R>, Self), WatchError>
    where
        R: Send + Sync + 'static,
        F: Fn(&str) -> Result<R, ConfigError> + Send + 'static,
    {
        // The program may change its working directory later.
        let file = path::absolute(&file).unwrap_or_else(|_| file.as_ref().to_owned());
        let (messages, changes) = channel();
        // Watched before it is read, so that no change is lost.
        let mut directories = Directories::new(&file, messages.clone())?;
        directories.follow(&file)?;
        let text = read(&file)?;
        let rail = Reloadable::new(made(&make, &text).map_err(|error| error.in_file(&file))?);
        let (sender, last) = watch::channel(Reload { number: 0, error: None });
        let mut reading = Reading { file: file.clone(), text: Ok(text), last: sender };
        let replaced = rail.clone();
        let watching = move || {
            while wait_for_quiet(&changes) {
                reading.read_again(&mut directories, |text| made(&make, text), |rail| drop(replaced.replace(rail)));
            }
        };
        let spawned = thread::Builder::new().name("exo-rails-config-watch".into()).spawn(watching);
        spawned.map_err(|cause| WatchError::Watch { file: file.display().to_string(), cause: cause.into() })?;
        Ok((rail, Self { file, last, messages }))
    }

    /// Returns the last reading of the file.
    #[must_use]
    pub fn last(&self) -> Reload {
        self.last.borrow().clone()
    }

    /// Waits for the next reading that finds a changed file, and returns it.
    pub async fn changed(&mut self) -> Reload {
        // The sender lives as long as the thread, and the thread as long as this value.
        if self.last.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.last.borrow_and_update().clone()
    }
}

impl Drop for ConfigWatch {
    fn drop(&mut self) {
        // The thread may have ended.
        let _ = self.messages.send(Message::Stop);
    }
}

impl fmt::Debug for ConfigWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigWatch").field("file", &self.file).field("last", &self.last()).finish_non_exhaustive()
    }
}

/// Calls the function. Turns a panic into an error, because a panic would end the thread that watches.
fn made<R>(make: impl Fn(&str) -> Result<R, ConfigError>, text: &str) -> Result<R, ConfigError> {
    let is_blank = |line: &str| line.trim_start().is_empty() || line.trim_start().starts_with('#');
    if text.trim_start_matches('\u{feff}').lines().all(is_blank) {
        return Err(ConfigError::new("the file is empty"));
    }
    catch_unwind(AssertUnwindSafe(|| make(text))).unwrap_or_else(|panic| {
        Err(ConfigError::new(format!("the function that makes the guard panicked: {}", panic_text(&*panic))))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a text")
}

/// Reads the file. Refuses pipes and devices, because they may have no end.
fn read(file: &Path) -> Result<String, ConfigError> {
    let regular = || {
        if !fs::metadata(file)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let mut text = String::new();
        File::open(file)?.take(LARGEST + 1).read_to_string(&mut text)?;
        if text.len() as u64 > LARGEST {
            return Err(io::Error::other(format!("it has more than {} MiB", LARGEST / 1024 / 1024)));
        }
        Ok(text)
    };
    regular().map_err(|error| ConfigError::new(format!("cannot be read: {error}")).in_file(file))
}

/// Waits for a change or for a while, and then until the changes stop. Returns `false` if the watch has ended.
fn wait_for_quiet(changes: &Receiver<Message>) -> bool {
    if matches!(changes.recv_timeout(LONGEST_SILENCE), Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected)) {
        return false;
    }
    let until = Instant::now() + LONGEST_WAIT;
    while Instant::now() < until {
        match changes.recv_timeout(QUIET) {
            Ok(Message::Changed) => {}
            Err(RecvTimeoutError::Timeout) => break,
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}

/// The last reading.
struct Reading {
    file: PathBuf,
    text: Result<String, ConfigError>,
    last: watch::Sender<Reload>,
}

impl Reading {
    /// Reads the file. If it has changed, replaces the rail or reports the error.
    fn read_again<R>(
        &mut self,
        directories: &mut Directories,
        make: impl FnOnce(&str) -> Result<R, ConfigError>,
        replace: impl FnOnce(R),
    ) {
        let followed = directories.follow(&self.file);
        let text = read(&self.file);
        if text == self.text {
            return;
        }
        self.text = text;
        let rail = self.text.as_ref().map_err(Clone::clone).and_then(|text| make(text));
        // The watch may have been dropped in the meantime.
        if self.last.is_closed() {
            return;
        }
        let error = rail.map(replace).err().map(|error| error.in_file(&self.file));
        let file = self.file.display();
        match (&error, followed) {
            (Some(error), _) => {
                tracing::error!(target: "exo_rails_guards::watch", %file, "the guards stay as they are: {error}");
            }
            (None, Err(error)) => tracing::warn!(target: "exo_rails_guards::watch", %file, "{error}"),
            (None, Ok(())) => tracing::info!(target: "exo_rails_guards::watch", %file, "the guards are replaced"),
        }
        self.last.send_modify(|last| *last = Reload { number: last.number + 1, error });
    }
}

/// The directories that the system watches. The file itself is not watched, because a rename would end the watch.
struct Directories {
    watcher: RecommendedWatcher,
    watched: BTreeMap<PathBuf, Option<Identity>>,
}

impl Directories {
    fn new(file: &Path, messages: Sender<Message>) -> Result<Self, WatchError> {
        let changed = move |event: notify::Result<notify::Event>| {
            // Reading the file is an access too. An error may hide a change, so the file is read.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // If the watch has ended, no one receives the message.
            let _ = messages.send(Message::Changed);
        };
        let watcher = notify::recommended_watcher(changed).map_err(|cause| failed(file, cause))?;
        Ok(Self { watcher, watched: BTreeMap::new() })
    }

    /// Watches the directory of the file, and the directory of the file that a symbolic link refers to.
    fn follow(&mut self, file: &Path) -> Result<(), WatchError> {
        let target = file.canonicalize().ok();
        let files = [Some(file), target.as_deref()].into_iter().flatten();
        for directory in files.filter_map(Path::parent) {
            let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
            let now = identity(directory);
            match self.watched.get(directory) {
                Some(before) if *before == now => continue,
                // The system watches the directory that was removed, and not the one that has its name now.
                Some(_) => drop(self.watcher.unwatch(directory)),
                None => {}
            }
            self.watched.remove(directory);
            self.watcher.watch(directory, RecursiveMode::NonRecursive).map_err(|cause| failed(file, cause))?;
            self.watched.insert(directory.to_owned(), now);
        }
        Ok(())
    }
}

/// What distinguishes a directory from another one that had the same path before.
#[cfg(unix)]
type Identity = (u64, u64);

/// What distinguishes a directory from another one that had the same path before.
#[cfg(not(unix))]
type Identity = std::time::SystemTime;

#[cfg(unix)]
fn identity(directory: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;

    fs::metadata(directory).map(|data| (data.dev(), data.ino())).ok()
}

#[cfg(not(unix))]
fn identity(directory: &Path) -> Option<Identity> {
    fs::metadata(directory).and_then(|data| data.created()).ok()
}

fn failed(file: &Path, cause: notify::Error) -> WatchError {
    WatchError::Watch { file: file.display().to_string(), cause: cause.into() }
}
