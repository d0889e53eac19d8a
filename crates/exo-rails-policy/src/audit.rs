//! The table `audit`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::builder::setters;

/// The configuration of `Audit`, which is in the crate `exo-rails-audit`.
///
/// ```
/// use exo_rails_policy::audit::{AuditConfig, Level};
///
/// let config: AuditConfig = exo_rails_policy::from_toml("path = 'audit.jsonl'\nlevel = 'full'")?;
/// assert_eq!((config.level, config.capacity), (Level::Full, 1_024));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// The path of the log. The folder must exist. Each process needs its own path: a second writer gets an error.
    pub path: PathBuf,
    /// What the log contains.
    pub level: Level,
    /// The number of records that may wait for the writer, from 1 to 1 048 576. The default is 1024. Each record keeps its
    /// payload until it is written. The messages of a conversation are shared with the run.
    pub capacity: usize,
    /// The bytes of the records that may wait for the writer, from 1 to 4 294 967 295. The default is 16 MiB (16 777 216). A
    /// record counts with the texts of its payload, and 32 bytes for each value: see `RecordPayload::bytes`. The queue is full if
    /// it has no room for the records or for their bytes. A record that is larger than this waits until the queue is empty, and
    /// then waits there alone.
    pub capacity_bytes: usize,
    /// What happens if the queue is full.
    pub when_full: WhenFull,
    /// What happens if the log cannot be written.
    pub on_error: OnError,
    /// Whether the records of a dispatch must be on the disk before the dispatch returns. A tool call then begins only when
    /// the log has it, even if the machine loses power. This takes the time of a write for each event. The default is `false`.
    pub write_ahead: bool,
    /// Whether the writer waits for the disk (`fsync`) at the end of each run and at each flush. The default is `true`. Without
    /// it, a crash of the machine may lose records. A crash of the program does not.
    pub sync: bool,
    /// The size of a file in bytes, from which the log continues in another file. The files after `audit.jsonl` are
    /// `audit.1.jsonl`, `audit.2.jsonl` and so on. The default is 0: one file of any size.
    pub max_file_bytes: u64,
    /// Whether the log has a record of each piece of a streamed answer. The default is `false`: the whole answer is in the
    /// record of `post_llm_call`, and the log has only the pieces at which a rail did not continue.
    pub chunks: bool,
    /// The names of other records that rails publish with `ctx.emit`, whose data is in the log at the level `metadata` too. The
    /// data of `finding`, `approval` and `shadow` always is.
    pub data_of: Vec<String>,
    /// The file with the key that signs the log: 64 hexadecimal digits. It needs the feature `audit-sign`. Without it, the log
    /// is not signed.
    pub key_file: Option<PathBuf>,
    /// The number of records after which a signed log has a signature. The default is 64. The end of a run has one too.
    pub seal_every: u64,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self {
            path: PathBuf::new(),
            level: Level::default(),
            capacity: 1024,
            capacity_bytes: 16 << 20,
            when_full: WhenFull::default(),
            on_error: OnError::default(),
            write_ahead: false,
            sync: true,
            max_file_bytes: 0,
            chunks: false,
            data_of: Vec::new(),
            key_file: None,
            seal_every: 64,
        }
    }
}

setters!(AuditConfig {
    level: Level,
    capacity: usize,
    capacity_bytes: usize,
    when_full: WhenFull,
    on_error: OnError,
    write_ahead: bool,
    sync: bool,
    max_file_bytes: u64,
    chunks: bool,
    data_of: [String],
    seal_every: u64,
});

/// What an audit log contains.
///
/// Both levels have only what the rails left: a record has the payload after all rails have changed it, and no payload if a
/// rail stopped the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Names, sizes and hashes, and no text of a payload: the names of tools and models, the ids of calls, numbers of tokens,
    /// the decisions of the rails with their reasons, findings, approvals and shadow decisions. The text of a fault or of an
    /// error is not part of it, because the text may quote a payload. The reason of a call that waits for a person has the
    /// arguments that the person sees.
    ///
    /// A hash shows whether a text is a certain text. So somebody can find a short or common text by trying all of them.
    #[default]
    Metadata,
    /// Everything above, and the payloads. An event after an operation does not repeat its inputs, because the event before the
    /// operation has them.
    Full,
}

/// What happens if the queue of an audit log is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenFull {
    /// The run waits until the writer has written a record.
    #[default]
    Wait,
    /// The run goes on. The log has the number of the records that it lost, in a line `lost`.
    Drop,
}

/// What happens if an audit log cannot be written, for example because the disk is full.
///
/// In both cases, `tracing` has an error with the target `exo_rails_audit`, the lines that wait are written when
/// writing works again, and a line `lost` has the number of the other records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnError {
    /// Every event is a fault of the rail `audit` until writing works again. So nothing happens without a record.
    #[default]
    Fault,
    /// Runs go on.
    Report,
}

impl AuditConfig {
    /// Sets [`path`](field@Self::path).
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets [`key_file`](field@Self::key_file).
    #[must_use]
    pub fn key_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.key_file = Some(file.into());
        self
    }
}
