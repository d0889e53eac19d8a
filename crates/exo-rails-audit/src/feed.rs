//! The way of records from the event bus to the writer.

use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use exo_rails::{EventRecord, HookPoint, Lagged, Subscription};
use exo_rails_policy::audit::{AuditConfig, WhenFull};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Permit, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::unconstrained;

use crate::error::AuditError;
use crate::writer::{Message, Shared};

/// The most bytes of a queue.
#[expect(clippy::cast_possible_truncation, reason = "the smaller one fits")]
pub(crate) const MOST_BYTES: usize = {
    let (most, permits) = (u32::MAX as u64, Semaphore::MAX_PERMITS as u64);
    (if most < permits { most } else { permits }) as usize
};

/// Passes the records of a bus on to the queue of the writer.
pub(crate) struct Feed {
    incoming: Mutex<Incoming>,
    /// `None` only while the audit is dropped.
    messages: Option<Sender<Message>>,
    /// The bytes for which the queue has room.
    room: Arc<Semaphore>,
    /// All bytes of the queue.
    capacity_bytes: u32,
    when_full: WhenFull,
    shared: Arc<Shared>,
}

/// The records that are not in the queue.
struct Incoming {
    records: Subscription,
    chunks: bool,
    /// The first one. It is here until there is room for it, so that a dropped future loses no record.
    first: Option<Waiting>,
}

/// A record that waits for room, or a number of records that the bus has lost.
struct Waiting {
    record: Result<Arc<EventRecord>, Lagged>,
    bytes: u32,
}

/// Room for a record in the queue.
struct Room<'q> {
    bytes: OwnedSemaphorePermit,
    place: Permit<'q, Message>,
}

impl Feed {
    pub(crate) fn new(
        config: &AuditConfig,
        records: Subscription,
        messages: Sender<Message>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            incoming: Mutex::new(Incoming { records, chunks: config.chunks, first: None }),
            messages: Some(messages),
            room: Arc::new(Semaphore::new(config.capacity_bytes)),
            capacity_bytes: u32::try_from(config.capacity_bytes).unwrap_or(u32::MAX),
            when_full: config.when_full,
            shared,
        }
    }

    /// Passes all records of the bus on, and then a message.
    pub(crate) async fn send(&self, message: Message) -> Result<(), AuditError> {
        self.feed().await?;
        self.queue()?.send(message).await.map_err(|_| AuditError::Closed)
    }

    /// Passes all records of the bus on.
    pub(crate) async fn feed(&self) -> Result<(), AuditError> {
        let mut room = None;
        while let Some(bytes) = self.pass_on(room.take())? {
            room = Some(self.wait(bytes).await?);
        }
        Ok(())
    }

    /// Passes records on while the queue has room. The others wait for the next call.
    pub(crate) fn feed_now(&self) {
        // The next event reports that the log is closed.
        let _ = self.pass_on(None);
    }

    fn queue(&self) -> Result<&Sender<Message>, AuditError> {
        self.messages.as_ref().ok_or(AuditError::Closed)
    }

    /// Passes records on while there is room for them. Returns the bytes of the first one that has to wait.
    fn pass_on<'q>(&'q self, mut found: Option<Room<'q>>) -> Result<Option<u32>, AuditError> {
        if self.queue()?.is_closed() {
            return Err(AuditError::Closed);
        }
        // Locked until the record is in the queue, so that the log has the order of the bus.
        let mut incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(Waiting { record, bytes }) = incoming.next() {
            let bytes = bytes.min(self.capacity_bytes);
            // Another task may have passed on the record for which the room is.
            let room = match found.take().and_then(|room| room.of(bytes)) {
                Some(room) => Some(room),
                None => self.room_now(bytes)?,
            };
            match room {
                Some(Room { bytes, place }) => place.send(match record {
                    Ok(record) => Message::Record(record, bytes),
                    Err(Lagged(missed)) => Message::Lost(missed),
                }),
                None if self.when_full == WhenFull::Drop => {
                    let count = record.map_or_else(|Lagged(missed)| missed, |_| 1);
                    self.shared.dropped.fetch_add(count, Ordering::AcqRel);
                }
                None => {
                    incoming.first = Some(Waiting { record, bytes });
                    return Ok(Some(bytes));
                }
            }
        }
        Ok(None)
    }

    /// Returns room, if there is some.
    fn room_now(&self, bytes: u32) -> Result<Option<Room<'_>>, AuditError> {
        let Ok(bytes) = Arc::clone(&self.room).try_acquire_many_owned(bytes) else { return Ok(None) };
        match self.queue()?.try_reserve() {
            Ok(place) => Ok(Some(Room { bytes, place })),
            Err(TrySendError::Full(())) => Ok(None),
            Err(TrySendError::Closed(())) => Err(AuditError::Closed),
        }
    }

    /// Waits for room. Tasks get it in the order in which they have asked.
    async fn wait(&self, bytes: u32) -> Result<Room<'_>, AuditError> {
        let bytes = Arc::clone(&self.room).acquire_many_owned(bytes).await.map_err(|_| AuditError::Closed)?;
        let place = self.queue()?.reserve().await.map_err(|_| AuditError::Closed)?;
        Ok(Room { bytes, place })
    }

    /// Leaves all records that are not in the queue to the writer, and tells it that there are no more.
    pub(crate) fn end(&mut self) {
        let incoming = self.incoming.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut rest = Vec::new();
        while let Some(Waiting { record, .. }) = incoming.next() {
            match record {
                Ok(record) => rest.push(record),
                Err(Lagged(missed)) => {
                    self.shared.dropped.fetch_add(missed, Ordering::AcqRel);
                }
            }
        }
        *self.shared.rest.lock().unwrap_or_else(PoisonError::into_inner) = rest;
        self.messages = None;
    }
}

impl Room<'_> {
    /// Gives back what a record of this size does not need. Returns `None` if it needs more.
    fn of(mut self, bytes: u32) -> Option<Self> {
        let rest = self.bytes.num_permits().checked_sub(bytes as usize)?;
        drop(self.bytes.split(rest));
        Some(self)
    }
}

impl Incoming {
    /// Takes the next record that the log wants, if there is one.
    fn next(&mut self) -> Option<Waiting> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            let record = self.receive()?;
            if record.as_ref().is_ok_and(|record| !self.wants(record)) {
                continue;
            }
            let bytes = record.as_ref().map_or(0, |record| size(record));
            return Some(Waiting { record, bytes: u32::try_from(bytes).unwrap_or(u32::MAX) });
        }
    }

    /// Takes the next record of the bus, if there is one.
    fn receive(&mut self) -> Option<Result<Arc<EventRecord>, Lagged>> {
        // Without the budget of the task: the log must get every record.
        let next = pin!(unconstrained(self.records.recv()));
        match next.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(received) => received,
            Poll::Pending => None,
        }
    }

    fn wants(&self, record: &EventRecord) -> bool {
        let is_piece = record.event == HookPoint::LlmChunk && record.stopped.is_none() && record.emitted.is_none();
        self.chunks || !is_piece
    }
}

/// Returns about the memory of a record, in bytes.
fn size(record: &EventRecord) -> usize {
    let reason = record.stopped.as_ref().map_or(0, |stopped| stopped.reason.as_str().len());
    record.payload.bytes().saturating_add(reason).saturating_add(size_of::<EventRecord>())
}
