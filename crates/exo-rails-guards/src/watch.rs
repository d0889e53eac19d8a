//! Reads a configuration file again when it changes.

mod changes;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{self, Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use exo_rails::Reloadable;
use exo_rails_policy::{ConfigError, read};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use thiserror::Error;
use tokio::sync::watch;

use self::changes::Changes;
use crate::finding::Finding;
use crate::kit::{Kit, KitBuilder};
use crate::store::GuardStore;

/// The time for which a file must not change before it is read. Programs write a file in several steps.
const QUIET: Duration = Duration::from_millis(250);

/// The same time for a file whose last line has no end, because the line may be a part of a longer one.
const QUIET_IN_LINE: Duration = Duration::from_secs(1);

/// The number of times that a file which changes again and again is looked at.
const MOST_LOOKS: usize = 20;

/// The longest time between two readings. The system does not report all changes. For example, it does not report changes of
/// files on a network, changes of links to directories, or that a directory was removed and made again.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// Watches a configuration file, and replaces a guard when the file changes.
///
/// ```no_run
/// use exo_rails::GuardSet;
/// use exo_rails_guards::{ConfigWatch, Kit};
///
/// # fn run_agent(rails: impl GuardSet) {}
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (kit, watch) = ConfigWatch::start("policy.toml", &Kit::builder())?;
/// run_agent(kit);
/// # drop(watch);
/// # Ok(()) }
/// ```
///
/// - An event that has begun keeps its guard: see [`Reloadable`].
/// - **The counts go on.** All guards that the watch makes have the store of the builder, or the store that you give to
///   [`start_with`](Self::start_with).
/// - **A bad file changes nothing.** If the file is missing, is empty, cannot be read or has a mistake, the guard stays as it
///   is. The error goes to `tracing` with the target `exo_rails_guards::watch`, and to [`last`](Self::last). A file that is
///   empty or has only comments counts as bad, because many programs empty a file before they write it.
/// - **A file that lacks something changes nothing.** If a table, a key or an item of a list is missing that the guards have now,
///   somebody may still be writing the file. The guards stay as they are, and [`Reload::error`] names what is missing. To accept
///   the file, call [`confirm`](Self::confirm), or start the program again. To switch a guard off, write `mode = "off"` into its
///   table. Afterwards, you can remove the table.
/// - The watch reads the file when it has not changed for a quarter of a second, or for a second if its last line has no end, and
///   if two readings are equal. The file is then the same one, with the same size, time and text. To change the file safely, write
///   a new file and rename it, so that nobody can read a part of the file.
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
    /// Whether the file is not bad, but lacks something that the guard has. It waits for [`ConfigWatch::confirm`].
    pub is_pending: bool,
    /// What the file changes. The finding also goes to `tracing`, like those of guards. `None` if the file was bad, and at the
    /// start.
    pub finding: Option<Finding>,
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
    /// The reading with this number is confirmed.
    Confirmed(u64),
    Stop,
}

impl ConfigWatch {
    /// Reads the file, makes a kit, and begins to watch the file. Returns the kit, which changes with the file, and the watch. The
    /// kits have the [store](KitBuilder::store) of the builder, so they continue the counts of each other.
    ///
    /// If the file has just changed, the method waits until it stops changing.
    ///
    /// # Errors
    /// Returns the errors of [`KitBuilder::from_toml`], or an error if the file cannot be read or watched.
    pub fn start(file: impl AsRef<Path>, builder: &KitBuilder) -> Result<(Reloadable<Kit>, Self), WatchError> {
        let builder = builder.clone();
        Self::watch(file.as_ref(), move |text| builder.from_toml(text))
    }

    /// Does the same for any rail or guard set, for example for one guard of a chain. The function receives the text of the file and
    /// the store. It makes the rail with this store, or returns an error. So a new rail continues the counts of the old one.
    ///
    /// ```no_run
    /// use exo_rails_guards::store::GuardStore;
    /// use exo_rails_guards::{Budgets, ConfigWatch, config};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (budgets, watch) = ConfigWatch::start_with("budgets.toml", GuardStore::default(), |text, store| {
    ///     Ok(Budgets::new(config::from_toml(text)?)?.with_store(store.clone()))
    /// })?;
    /// # drop((budgets, watch));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the function, or an error if the file cannot be read or watched.
    pub fn start_with<R, F>(
        file: impl AsRef<Path>,
        store: impl Into<GuardStore>,
        make: F,
    ) -> Result<(Reloadable<R>, Self), WatchError>
    where
        R: Send + Sync + 'static,
        F: Fn(&str, &GuardStore) -> Result<R, ConfigError> + Send + 'static,
    {
        let store = store.into();
        Self::watch(file.as_ref(), move |text| make(text, &store))
    }

    fn watch<R, F>(file: &Path, make: F) -> Result<(Reloadable<R>, Self), WatchError>
    where
        R: Send + Sync + 'static,
        F: Fn(&str) -> Result<R, ConfigError> + Send + 'static,
    {
        // The program may change its working directory later.
        let file = path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let (messages, changes) = channel();
        let mut inbox = Inbox { changes, confirmed: None };
        // Watched before it is read, so that no change is lost.
        let mut directories = Directories::new(&file, messages.clone())?;
        directories.follow(&file)?;
        let text = if is_old(&file) { read(&file)? } else { inbox.settled(&file).unwrap_or_else(|| read(&file))? };
        let rail = Reloadable::new(made(&make, &text).map_err(|error| error.in_file(&file))?);
        let (sender, last) = watch::channel(Reload { number: 0, error: None, is_pending: false, finding: None });
        let mut reading = Reading { file: file.clone(), in_use: text.clone(), text: Ok(text), last: sender };
        let replaced = rail.clone();
        let watching = move || {
            while inbox.wait_for_change() {
                let followed = directories.follow(&reading.file);
                let Some(text) = inbox.settled(&reading.file) else { return };
                let confirmed = inbox.confirmed.take();
                reading.read_again(
                    text,
                    confirmed,
                    followed,
                    |text| made(&make, text),
                    |rail| drop(replaced.replace(rail)),
                );
            }
        };
        let spawned = thread::Builder::new().name("exo-rails-config-watch".into()).spawn(watching);
        spawned.map_err(|cause| WatchError::Watch { file: file.display().to_string(), cause: cause.into() })?;
        Ok((rail, Self { file, last, messages }))
    }

    /// Accepts the file of a [pending](Reload::is_pending) reading, although it lacks something. `number` is the
    /// [number](Reload::number) of this reading. If the file has changed since then, this does nothing.
    pub fn confirm(&self, number: u64) {
        // The thread may have ended.
        let _ = self.messages.send(Message::Confirmed(number));
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

/// Returns whether the last change of the file is long ago, so that nobody is writing it.
fn is_old(file: &Path) -> bool {
    let age = |file| fs::metadata(file).and_then(|data| data.modified()).ok()?.elapsed().ok();
    age(file).is_some_and(|age| age > QUIET_IN_LINE * 10)
}

/// The identity, the size and the time of a file.
type Stamp = (Option<Identity>, u64, Option<SystemTime>);

/// What the watch sees of a file at one time. Two equal looks are at the same file, which has not changed in between.
#[derive(PartialEq)]
struct Look {
    /// The stamps before and after the reading.
    stamps: [Option<Stamp>; 2],
    text: Result<String, ConfigError>,
}

impl Look {
    fn at(file: &Path) -> Self {
        let stamp = || {
            let data = fs::metadata(file).ok()?;
            Some((identity(file), data.len(), data.modified().ok()))
        };
        let before = stamp();
        let text = read(file);
        Self { stamps: [before, stamp()], text }
    }

    /// Returns how long the file must stay as it is.
    fn quiet(&self) -> Duration {
        let ends_in_line = self.text.as_ref().is_ok_and(|text| !text.ends_with('\n'));
        if ends_in_line { QUIET_IN_LINE } else { QUIET }
    }
}

/// The messages for the thread that watches.
struct Inbox {
    changes: Receiver<Message>,
    confirmed: Option<u64>,
}

impl Inbox {
    /// Waits for a change or for a while. Returns `false` if the watch has ended.
    fn wait_for_change(&mut self) -> bool {
        match self.changes.recv_timeout(LONGEST_SILENCE) {
            Ok(Message::Confirmed(number)) => self.confirmed = Some(number),
            Ok(Message::Changed) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    /// Waits. Returns `false` if the watch has ended.
    fn wait(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            match self.changes.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Message::Confirmed(number)) => self.confirmed = Some(number),
                // The next look sees the change.
                Ok(Message::Changed) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Reads the file when it has stopped changing. Returns `None` if the watch has ended.
    fn settled(&mut self, file: &Path) -> Option<Result<String, ConfigError>> {
        let mut before = Look::at(file);
        for _ in 0..MOST_LOOKS {
            if !self.wait(before.quiet()) {
                return None;
            }
            let now = Look::at(file);
            if now == before {
                return Some(now.text);
            }
            before = now;
        }
        Some(Err(ConfigError::new("the file does not stop changing").in_file(file)))
    }
}

/// The last reading.
struct Reading {
    file: PathBuf,
    text: Result<String, ConfigError>,
    /// The text of the guards that are in use.
    in_use: String,
    last: watch::Sender<Reload>,
}

impl Reading {
    /// Looks at the text of the file. If it has changed or is confirmed, replaces the rail or reports the error.
    fn read_again<R>(
        &mut self,
        text: Result<String, ConfigError>,
        confirmed: Option<u64>,
        followed: Result<(), WatchError>,
        make: impl FnOnce(&str) -> Result<R, ConfigError>,
        replace: impl FnOnce(R),
    ) {
        let is_same = text == self.text;
        let is_confirmed = is_same && {
            let last = self.last.borrow();
            last.is_pending && confirmed == Some(last.number)
        };
        if is_same && !is_confirmed {
            return;
        }
        self.text = text;
        let new = self.text.as_ref().map_err(Clone::clone).and_then(|text| Ok((text, make(text)?)));
        // The watch may have been dropped in the meantime.
        if self.last.is_closed() {
            return;
        }
        let (mut is_pending, mut finding) = (false, None);
        let used = new.and_then(|(text, rail)| {
            let changes = Changes::between(&self.in_use, text);
            is_pending = !changes.removed.is_empty() && !is_confirmed;
            finding = Some(changes.finding(is_pending));
            if is_pending {
                return Err(ConfigError::new(changes.pending()));
            }
            replace(rail);
            self.in_use.clone_from(text);
            Ok(())
        });
        let error = used.err().map(|error| error.in_file(&self.file));
        let file = self.file.display();
        match (&error, followed) {
            (Some(error), _) => {
                tracing::error!(target: "exo_rails_guards::watch", %file, "the guards stay as they are: {error}");
            }
            (None, Err(error)) => tracing::warn!(target: "exo_rails_guards::watch", %file, "{error}"),
            (None, Ok(())) => tracing::info!(target: "exo_rails_guards::watch", %file, "the guards are replaced"),
        }
        if let Some(finding) = &finding {
            finding.log();
        }
        self.last.send_modify(|last| *last = Reload { number: last.number + 1, error, is_pending, finding });
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

/// What distinguishes a file or directory from another one that had the same path before.
#[cfg(unix)]
type Identity = (u64, u64);

/// What distinguishes a file or directory from another one that had the same path before.
#[cfg(not(unix))]
type Identity = std::time::SystemTime;

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;

    fs::metadata(path).map(|data| (data.dev(), data.ino())).ok()
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).and_then(|data| data.created()).ok()
}

fn failed(file: &Path, cause: notify::Error) -> WatchError {
    WatchError::Watch { file: file.display().to_string(), cause: cause.into() }
}
