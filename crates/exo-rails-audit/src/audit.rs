//! Writing a log.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use exo_rails::{EventBus, HookPoint};
use exo_rails_policy::audit::{AuditConfig, OnError};
use exo_rails_policy::{ConfigError, MakeGuard};
use tokio::sync::mpsc::channel;
use tokio::sync::oneshot;

use crate::error::AuditError;
use crate::feed::{Feed, MOST_BYTES};
use crate::head::Head;
#[cfg(feature = "sign")]
use crate::key::AuditKey;
use crate::seal::Signer;
use crate::sink::{Existing, Files, Sink};
use crate::writer::{Answer, Message, Shared, Writer};

/// The records that the bus keeps until a guard set passes them on. A guard set does this after each dispatch.
const BUS: usize = 16 * 1024;

/// The largest number of records in the queue.
const MOST: usize = 1 << 20;

/// Writes a log of everything that agents do, in which every later change is found.
///
/// Put the audit [around](Self::wrap) all rails of an agent. The log then has a record of each event: the start of a run, model
/// calls, tool calls, their results, errors, the end, and runs that were dropped. A record has the decision of the rails with
/// its reason. Findings, approvals and the decisions of rails in shadow have records too.
///
/// The records are those of an [`EventBus`] around the rails. So the log never has data that a rail has hidden or refused: see
/// [`EventBus`]. The [level](crate::Level) says how much of the payload it has.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_audit::{Audit, Verify};
/// use serde_json::json;
///
/// #[rail(on = [PreToolCall])]
/// fn no_refunds(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "refund", "a colleague does this")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("audit.jsonl");
/// let audit = Audit::builder().path(&path).build()?;
/// let rails = audit.wrap(rail_chain![no_refunds]);
///
/// let mut ctx = RunContext::new("desk");
/// let call = ToolCallInputs::new("refund").with_arguments(json!({ "cents": 900 }));
/// let refused = rails.guard_tool_call(call, &mut ctx, |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) }).await;
/// assert!(refused.is_err());
/// let head = audit.close().await?;
///
/// let log = std::fs::read_to_string(&path)?;
/// let line = log.lines().find(|line| line.contains("pre_tool_call")).unwrap();
/// assert!(line.contains(r#""stopped":{"how":"abort","rail":"no_refunds","reason":"a colleague does this"}"#));
/// assert!(Verify::new().expect(head).log(&path).is_ok());
/// # Ok(()) }
/// ```
///
/// # The log
///
/// The log is a file with one JSON object per line. Each line has its number, the hash of the line before, and its own hash:
///
/// ```text
/// {"seq":3,"prev":"…","at":1763000000000,"event":{…},"hash":"…"}
/// ```
///
/// `hash` is the SHA-256 hash of the bytes of the line before `,"hash"`. So other programs need no JSON library to check a line.
/// [`Verify`](crate::Verify) says what a check finds. With a key, some lines are signed (Ed25519).
///
/// | key | what the line is |
/// |---|---|
/// | `open` | a program has opened the log. `torn` is the size and the hash of the line before, if it was not written to its end |
/// | `event` | the record of an event, or a record that a rail has published |
/// | `lost` | the number of records that are not in the log |
/// | `seal` | a signature of everything before |
/// | `next_file`, `file` | the end of a file, and the beginning of the next one |
/// | `close` | the end of the log. The log may be opened again |
///
/// # Writing
///
/// A thread writes the log. The dispatch of an event puts the record into a queue. The queue has a limited
/// [number of records](field@AuditConfig::capacity) and of [bytes](field@AuditConfig::capacity_bytes). The writer needs memory
/// for one more record, its JSON and its line. [`WhenFull`](crate::WhenFull) says what happens if the disk is too slow, and
/// [`OnError`] what happens if it fails. The end of a run (`Finished`, `Error`, `Suspended`) and of a session waits until all
/// records are written. So does dropping the last handle. It blocks the thread for this time: [`close`](Self::close) does not.
///
/// One process writes to a log. It locks the path, with the file `audit.jsonl.lock`, and on Unix the files of the log. So a second
/// writer is refused through a link or another spelling of the path, too. Give each process its own path. The guard sets of a
/// process share one audit.
///
/// Do not rotate, move or cut the files of a log with another program: use
/// [`max_file_bytes`](field@AuditConfig::max_file_bytes). The writer compares the file at the path with its own file at each
/// write and at each `flush`. If somebody has removed, renamed, replaced, cut or extended it, writing fails, as with a full disk.
/// The records wait until the file is back. A file that has ended may be moved away.
///
/// The log must be a regular file. A directory, a pipe, a socket or a device, such as `/dev/stdout` of a program whose output goes to a
/// pipe, is an error at once. [`to_sink`](Self::to_sink) writes to them.
///
/// If the program is killed, the last line may be unfinished. The audit that opens the log again keeps the piece, and continues
/// after it. Records that were in the queue are lost. With [`write_ahead`](field@AuditConfig::write_ahead), there are none.
///
/// # What the log does not have
///
/// - **Text that rails write** is in the log as it is: reasons, findings, and at the level `full` all records that rails
///   publish. A rail must not quote what it refuses: see the page about redaction in the book.
/// - **Events of rails inside a guard set around the audit.** If an outer rail stops an event, the log has no record of it. So
///   the audit must be the outermost guard set. An [`EventBus`] around the audit takes the records that rails publish: subscribe
///   to [`bus`](Self::bus) instead.
/// - **Events of an agent in a tool**, unless the audit is around its guard set too. If the agent runs in the context of the call, its
///   records have the run and the agent name of the run around it.
/// - **Pieces of a streamed answer**, unless [`chunks`](field@AuditConfig::chunks) is set.
#[derive(Clone)]
pub struct Audit {
    inner: Arc<Inner>,
}

struct Inner {
    config: AuditConfig,
    bus: EventBus,
    feed: Feed,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Audit {
    /// Opens the log, or begins a new one.
    ///
    /// # Errors
    /// Returns an error that names the key if a value makes no sense. Returns an error if the log cannot be written, if it has
    /// another writer, or if its last file is damaged.
    pub fn new(config: AuditConfig) -> Result<Self, ConfigError> {
        let signer = signer(&config)?;
        Self::open(config, signer)
    }

    /// Opens the log, or begins a new one, and signs it with a key.
    ///
    /// ```
    /// use exo_rails_audit::{Audit, AuditKey, Verify};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("audit.jsonl");
    /// # let seed = [7; 32];
    /// let key = AuditKey::from_seed(&seed);
    /// let public = key.public();
    /// Audit::with_key(Audit::builder().path(&path), key)?.close().await?;
    /// assert!(Verify::new().key(public).log(&path)?.signed_up_to.is_some());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[cfg(feature = "sign")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sign")))]
    pub fn with_key(config: AuditConfig, key: AuditKey) -> Result<Self, ConfigError> {
        Self::open(config, Signer { key: Some(key) })
    }

    fn open(config: AuditConfig, signer: Signer) -> Result<Self, ConfigError> {
        if config.path.file_name().is_none() {
            return Err(ConfigError::new("write the path of the log, such as `audit.jsonl`").in_key("path"));
        }
        let (files, existing) = Files::open(&config.path, config.sync)?;
        Self::start(config, signer, Box::new(files), &existing)
    }

    /// Begins a new log in a place that is not a file, such as a pipe. The path of the configuration has no effect.
    ///
    /// ```
    /// use exo_rails_audit::Audit;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let audit = Audit::to_sink(Audit::builder(), Vec::new())?;
    /// assert_eq!(audit.close().await?.seq(), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new). A sink has one file, so `max_file_bytes` is an error.
    pub fn to_sink(config: AuditConfig, sink: impl Sink + 'static) -> Result<Self, ConfigError> {
        if config.max_file_bytes > 0 {
            return Err(ConfigError::new("a sink has one file: leave the key out").in_key("max_file_bytes"));
        }
        let signer = signer(&config)?;
        Self::start(config, signer, Box::new(sink), &Existing::default())
    }

    fn start(
        config: AuditConfig,
        signer: Signer,
        sink: Box<dyn Sink>,
        existing: &Existing,
    ) -> Result<Self, ConfigError> {
        if !(1..=MOST).contains(&config.capacity) {
            let message = format!("{} is not a length of a queue: write a number from 1 to {MOST}", config.capacity);
            return Err(ConfigError::new(message).in_key("capacity"));
        }
        if !(1..=MOST_BYTES).contains(&config.capacity_bytes) {
            let message = format!("{} bytes: write a number from 1 to {MOST_BYTES}", config.capacity_bytes);
            return Err(ConfigError::new(message).in_key("capacity_bytes"));
        }
        let (messages, queue) = channel(config.capacity);
        let shared = Arc::new(Shared::default());
        let failed = |error| ConfigError::new(format!("the log cannot be written: {error}"));
        let writer = Writer::begin(&config, signer, sink, existing, queue, Arc::clone(&shared)).map_err(failed)?;
        let thread =
            thread::Builder::new().name("exo-rails-audit".to_owned()).spawn(|| writer.run()).map_err(failed)?;
        let bus = EventBus::new(BUS);
        let feed = Feed::new(&config, bus.subscribe(), messages, Arc::clone(&shared));
        let inner = Inner { config, bus, feed, shared, thread: Some(thread) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the event bus of the audit. Subscribe to it to receive the same records.
    ///
    /// The bus keeps up to 16 384 records for a slow subscription, whatever their size is. The bounds of the queue do not count
    /// them.
    #[must_use]
    pub fn bus(&self) -> &EventBus {
        &self.inner.bus
    }

    /// Returns a configuration with the default values. Its methods set other values, and `build` opens the log.
    #[must_use]
    pub fn builder() -> AuditConfig {
        AuditConfig::default()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &AuditConfig {
        &self.inner.config
    }

    /// Returns the last line that has been written: see [`Head`]. It may not be on the disk yet.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.inner.shared.head()
    }

    /// Waits until all records are written. Returns the last line. A signed log has a signature then.
    ///
    /// # Errors
    /// Returns an error if the log cannot be written, or is closed.
    pub async fn flush(&self) -> Result<Head, AuditError> {
        self.ask(Message::Flush).await
    }

    /// Ends the log. Later events are faults of the rail `audit`, or are not recorded: see [`OnError`].
    ///
    /// # Errors
    /// Returns an error if the log cannot be written, or is closed.
    pub async fn close(&self) -> Result<Head, AuditError> {
        self.ask(Message::Close).await
    }

    async fn ask(&self, message: impl FnOnce(oneshot::Sender<Answer>) -> Message) -> Result<Head, AuditError> {
        let (answer, answered) = oneshot::channel();
        self.inner.feed.send(message(answer)).await?;
        answered.await.map_err(|_| AuditError::Closed)?.map_err(AuditError::Write)
    }

    /// Returns an error if the log cannot be written and the configuration wants a fault then.
    pub(crate) async fn ready(&self) -> Result<(), AuditError> {
        if self.inner.shared.has_failed.load(Ordering::Acquire) && self.faults() {
            // The writer tries again.
            self.flush().await?;
        }
        Ok(())
    }

    /// Records what the rails of an event have published.
    pub(crate) async fn record(&self, point: HookPoint) -> Result<(), AuditError> {
        match point {
            // Its rails run while a run is dropped, so they cannot wait.
            HookPoint::Dropped => self.inner.feed.feed_now(),
            HookPoint::Finished | HookPoint::Error | HookPoint::Suspended | HookPoint::SessionEnd => {
                self.flush().await?;
            }
            _ if self.inner.config.write_ahead => {
                self.flush().await?;
            }
            _ => self.inner.feed.feed().await?,
        }
        Ok(())
    }

    pub(crate) fn faults(&self) -> bool {
        self.inner.config.on_error == OnError::Fault
    }
}

impl MakeGuard<Audit> for AuditConfig {
    fn make(self) -> Result<Audit, ConfigError> {
        Audit::new(self)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.feed.end();
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!(target: "exo_rails_audit", "the thread of the audit log panicked");
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("config", &self.inner.config).field("head", &self.head()).finish_non_exhaustive()
    }
}

/// Returns the signer with the key of the configuration.
#[cfg(feature = "sign")]
fn signer(config: &AuditConfig) -> Result<Signer, ConfigError> {
    let key = config.key_file.as_ref().map(AuditKey::from_file).transpose();
    Ok(Signer { key: key.map_err(|error| error.in_key("key_file"))? })
}

#[cfg(not(feature = "sign"))]
fn signer(config: &AuditConfig) -> Result<Signer, ConfigError> {
    if config.key_file.is_some() {
        let message = "signing needs the feature `sign` of `exo-rails-audit`, or `audit-sign` of `exo-rails-guards`";
        return Err(ConfigError::new(message).in_key("key_file"));
    }
    Ok(Signer::default())
}
