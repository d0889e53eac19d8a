//! The thread that writes a log.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use exo_rails::EventRecord;
use exo_rails_policy::audit::{AuditConfig, Level};
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::entry::{self, millis};
use crate::hash::Hash;
use crate::head::Head;
use crate::line::{FORMAT, write_line};
use crate::seal::{Signed, Signer};
use crate::sink::{Existing, Sink};

/// The bytes of lines that the writer collects before it writes them.
const BATCH: usize = 64 * 1024;

/// The messages that the writer takes before it answers those that wait.
const BEFORE_ANSWERS: usize = 256;

/// What the writer gets.
pub(crate) enum Message {
    /// A record, with its bytes in the queue.
    Record(Arc<EventRecord>, OwnedSemaphorePermit),
    /// The bus had no room for this number of records.
    Lost(u64),
    /// Answer when everything before is on the disk.
    Flush(oneshot::Sender<Answer>),
    /// End the log.
    Close(oneshot::Sender<Answer>),
}

pub(crate) type Answer = Result<Head, String>;

/// What the writer and the guard sets share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Whether the last attempt to write has failed.
    pub(crate) has_failed: AtomicBool,
    /// The records that had no room in the queue, and are not in the log yet.
    pub(crate) dropped: AtomicU64,
    /// The last line that has been written.
    head: Mutex<Option<Head>>,
    /// Records that were left when the last handle was dropped.
    pub(crate) rest: Mutex<Vec<Arc<EventRecord>>>,
}

impl Shared {
    pub(crate) fn head(&self) -> Option<Head> {
        *self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Writer {
    sink: Box<dyn Sink>,
    messages: Receiver<Message>,
    shared: Arc<Shared>,
    signer: Signer,
    level: Level,
    data_of: Vec<String>,
    seal_every: u64,
    max_file_bytes: u64,
    log: String,
    /// The next line.
    seq: u64,
    prev: Hash,
    /// The number of the next signature.
    seals: u64,
    file: u64,
    file_bytes: u64,
    /// Whether the line `next_file` has been made, and the next file has not begun.
    file_ended: bool,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    /// The bytes of `lines` that are written.
    written: usize,
    /// Records that were lost because writing failed.
    lost: u64,
    unsealed: u64,
    is_closed: bool,
    answers: Vec<oneshot::Sender<Answer>>,
}

impl Writer {
    /// Continues a log. Writes the first line, and finds out whether the log can be written.
    pub(crate) fn begin(
        config: &AuditConfig,
        signer: Signer,
        sink: Box<dyn Sink>,
        existing: &Existing,
        messages: Receiver<Message>,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        let is_new = existing.chain.head.is_none();
        let mut writer = Self {
            sink,
            messages,
            shared,
            signer,
            level: config.level,
            data_of: config.data_of.clone(),
            seal_every: config.seal_every,
            max_file_bytes: if config.max_file_bytes == 0 { u64::MAX } else { config.max_file_bytes },
            log: if is_new { entry::random_name() } else { existing.chain.log.clone() },
            seq: existing.chain.next_seq(),
            prev: existing.chain.prev(),
            seals: existing.chain.seals,
            file: existing.chain.file,
            file_bytes: existing.len,
            file_ended: existing.needs_next_file(),
            lines: Vec::new(),
            written: 0,
            lost: 0,
            unsealed: 0,
            is_closed: false,
            answers: Vec::new(),
        };
        if existing.lacks_newline {
            writer.lines.push(b'\n');
        }
        // The line `open` comes first, also in a file that is full already.
        writer.write_lines()?;
        writer.begin_file()?;
        let mut open = json!({ "format": FORMAT, "log": writer.log, "level": writer.level, "pid": std::process::id() });
        if let Some(torn) = existing.torn {
            open["torn"] = torn.to_json();
        }
        if let Some(key) = writer.signer.public() {
            open["key"] = key.into();
        }
        writer.append("open", now(), &open);
        writer.write()?;
        writer.sink.sync()?;
        Ok(writer)
    }

    /// Writes until the last handle is dropped, or until the log is closed.
    pub(crate) fn run(mut self) {
        while !self.is_closed {
            let Some(message) = self.messages.blocking_recv() else { break };
            self.take(message);
            for _ in 1..BEFORE_ANSWERS {
                let Ok(message) = self.messages.try_recv() else { break };
                self.take(message);
            }
            self.try_write();
            self.answer();
        }
        self.close();
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Record(record, _bytes) => self.record(&record),
            Message::Lost(records) => self.lost += records,
            Message::Flush(answer) => self.answers.push(answer),
            Message::Close(answer) => {
                self.answers.push(answer);
                self.is_closed = true;
                self.messages.close();
            }
        }
        if self.lines.len() >= BATCH {
            self.try_write();
        }
    }

    fn record(&mut self, record: &EventRecord) {
        // While writing fails, the lines that wait keep their bytes, and further records are counted only.
        if self.has_failed() && !self.try_write() {
            self.lost += 1;
            return;
        }
        self.report_lost();
        let entry = entry::of(record, self.level, &self.data_of);
        self.append("event", millis(record.at), &entry);
        self.unsealed += 1;
        if self.unsealed >= self.seal_every.max(1) && self.signer.public().is_some() {
            self.append_signed("seal");
        }
        if self.file_len() >= self.max_file_bytes {
            self.try_write();
        }
    }

    fn report_lost(&mut self) {
        let lost = self.lost + self.shared.dropped.swap(0, Ordering::AcqRel);
        self.lost = 0;
        if lost > 0 {
            self.append("lost", now(), &json!({ "records": lost }));
        }
    }

    fn append(&mut self, kind: &str, at: u64, value: &Value) {
        self.prev = write_line(&mut self.lines, self.seq, self.prev, at, kind, value);
        self.seq += 1;
    }

    /// Appends a line with a signature, if there is a key.
    fn append_signed(&mut self, kind: &str) {
        let (at, number) = (now(), self.seals);
        let signed = Signed { kind, log: &self.log, seq: self.seq, prev: self.prev, at, number };
        let value = match self.signer.sign(&signed) {
            Some(signature) => {
                self.seals += 1;
                json!({ "number": number, "sig": signature })
            }
            None => json!({}),
        };
        self.append(kind, at, &value);
        self.unsealed = 0;
    }

    fn has_failed(&self) -> bool {
        self.shared.has_failed.load(Ordering::Acquire)
    }

    fn file_len(&self) -> u64 {
        self.file_bytes + (self.lines.len() - self.written) as u64
    }

    /// Writes all lines, and begins the next file if this one is full. Returns whether it has worked.
    fn try_write(&mut self) -> bool {
        self.note(Self::write)
    }

    fn note(&mut self, act: impl FnOnce(&mut Self) -> io::Result<()>) -> bool {
        let result = act(self);
        let had_failed = self.shared.has_failed.swap(result.is_err(), Ordering::AcqRel);
        match result {
            Err(error) => {
                if !had_failed {
                    tracing::error!(target: "exo_rails_audit", %error, "the audit log cannot be written");
                }
                self.answer_all(&Err(error.to_string()));
                false
            }
            Ok(()) => true,
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.write_lines()?;
        if !self.file_ended && self.file_bytes >= self.max_file_bytes {
            self.append_signed("next_file");
            self.file_ended = true;
            self.write_lines()?;
        }
        self.begin_file()?;
        self.note_head();
        Ok(())
    }

    /// Begins the next file, if this one has ended.
    fn begin_file(&mut self) -> io::Result<()> {
        if !self.file_ended {
            return Ok(());
        }
        self.sink.next_file(self.file + 1)?;
        self.file += 1;
        (self.file_bytes, self.file_ended) = (0, false);
        let file = json!({ "file": self.file, "log": self.log, "seals": self.seals });
        self.append("file", now(), &file);
        self.write_lines()
    }

    /// Publishes the last line, which is written now.
    fn note_head(&self) {
        let head = self.seq.checked_sub(1).map(|seq| Head { seq, hash: self.prev });
        *self.shared.head.lock().unwrap_or_else(PoisonError::into_inner) = head;
    }

    /// Writes the lines. After an error, the next call continues at the same byte.
    fn write_lines(&mut self) -> io::Result<()> {
        while let Some(rest) = self.lines.get(self.written..).filter(|rest| !rest.is_empty()) {
            match self.sink.write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    self.written += written;
                    self.file_bytes += written as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.written = 0;
        // A very long line must not keep its memory.
        self.lines.clear();
        self.lines.shrink_to(2 * BATCH);
        Ok(())
    }

    /// Answers those that wait for the disk.
    fn answer(&mut self) {
        if self.answers.is_empty() || self.is_closed {
            return;
        }
        if self.unsealed > 0 && self.signer.public().is_some() {
            self.append_signed("seal");
        }
        if self.note(|writer| writer.write().and_then(|()| writer.sink.sync())) {
            self.answer_all(&self.shared.head().ok_or_else(String::new));
        }
    }

    fn answer_all(&mut self, answer: &Answer) {
        for waiting in self.answers.drain(..) {
            // The program may have stopped waiting.
            let _ = waiting.send(answer.clone());
        }
    }

    /// Writes the last lines.
    fn close(mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
        let rest = std::mem::take(&mut *self.shared.rest.lock().unwrap_or_else(PoisonError::into_inner));
        for record in rest {
            self.record(&record);
        }
        if self.has_failed() && !self.try_write() {
            return;
        }
        self.report_lost();
        self.append_signed("close");
        if self.note(|writer| writer.write_lines().and_then(|()| writer.sink.sync())) {
            self.note_head();
            self.answer_all(&self.shared.head().ok_or_else(String::new));
        }
    }
}

fn now() -> u64 {
    millis(SystemTime::now())
}
