//! Reads a streamed answer.

use std::collections::VecDeque;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, OperationErrorKind, Permit};
use futures_core::Stream;
use futures_util::stream;
use tokio::task::coop::consume_budget;

use super::body::Body;
use super::events::{Event, Events};
use super::limits::{Limits, memory_of_json, memory_of_piece};

/// Turns events into the pieces of an answer.
pub(crate) trait Decoder: Default + Send {
    /// Takes an event. Returns `true` if the event was the last one.
    fn take(&mut self, event: &Event, pieces: &mut VecDeque<ModelDelta>) -> Result<bool, OperationError>;

    /// Returns `true` if the answer is complete without a last event.
    fn is_complete(&self) -> bool;

    /// Returns the memory of pieces that have not ended yet, in bytes.
    fn held(&self) -> usize {
        0
    }

    /// Adds the last pieces of a complete answer.
    fn complete(&mut self, pieces: &mut VecDeque<ModelDelta>) -> Result<(), OperationError>;
}

/// Turns bytes into the pieces of an answer.
#[derive(Debug)]
pub(crate) struct Pieces<D> {
    events: Events,
    decoder: D,
    ready: VecDeque<ModelDelta>,
    limits: Limits,
    /// The memory of the pieces so far, in bytes.
    memory: usize,
    is_complete: bool,
}

impl<D: Decoder> Pieces<D> {
    pub(crate) fn new(limits: Limits) -> Self {
        let (events, decoder) = (Events::new(limits.event), D::default());
        Self { events, decoder, ready: VecDeque::new(), limits, memory: 0, is_complete: false }
    }

    /// Takes more bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.events.feed(bytes);
    }

    /// Returns the next piece, if one is ready.
    pub(crate) fn next(&mut self) -> Option<ModelDelta> {
        self.ready.pop_front()
    }

    /// Takes an event, which may have pieces. Returns `false` if there is no complete event.
    pub(crate) fn take_event(&mut self) -> Result<bool, OperationError> {
        if self.is_complete {
            return Ok(false);
        }
        let Some(event) = self.events.next().map_err(|_| self.limits.event_too_long())? else { return Ok(false) };
        self.limits.check_memory(memory_of_json(&event.data))?;
        let is_last = self.decoder.take(&event, &mut self.ready)?;
        self.memory += self.ready.iter().map(memory_of_piece).sum::<usize>();
        self.limits.check_memory(self.memory + self.decoder.held())?;
        if is_last {
            self.complete()?;
        }
        Ok(true)
    }

    /// Ends the input.
    pub(crate) fn end(&mut self) -> Result<(), OperationError> {
        // The last event may lack the empty line at its end. An event that breaks off cannot be read.
        self.events.end();
        while self.take_event()? {}
        if self.is_complete {
            return Ok(());
        }
        if !self.decoder.is_complete() {
            let message = "the answer breaks off: the stream has ended without an end of the answer";
            return Err(OperationError::new(OperationErrorKind::Unavailable, message));
        }
        self.complete()
    }

    fn complete(&mut self) -> Result<(), OperationError> {
        self.is_complete = true;
        self.decoder.complete(&mut self.ready)
    }
}

pub(super) struct Reading<D> {
    /// `None` when the whole body has been read.
    body: Option<Body>,
    pieces: Pieces<D>,
    /// The guarded operation lasts until this permit is dropped, so it lasts while the server works.
    _permit: Permit<ModelCallInputs>,
}

impl<D: Decoder> Reading<D> {
    pub(super) fn new(body: Body, permit: Permit<ModelCallInputs>) -> Self {
        let pieces = Pieces::new(*body.limits());
        Self { body: Some(body), pieces, _permit: permit }
    }

    /// Reads an answer that arrived as a whole.
    pub(super) fn of(response: ModelResponse, permit: Permit<ModelCallInputs>) -> Self {
        let mut pieces = Pieces::new(Limits::default());
        pieces.ready.push_back(ModelDelta::Response(Box::new(response)));
        Self { body: None, pieces, _permit: permit }
    }

    pub(super) fn stream(self) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        stream::try_unfold(self, |mut reading| async move {
            let delta = reading.next().await?;
            Ok(delta.map(|delta| (delta, reading)))
        })
    }

    async fn next(&mut self) -> Result<Option<ModelDelta>, OperationError> {
        loop {
            // One piece of a body may contain many events, and the task must not block the thread.
            consume_budget().await;
            if let Some(delta) = self.pieces.next() {
                return Ok(Some(delta));
            }
            if self.pieces.is_complete {
                // The connection ends with the answer, even if the server would send more.
                self.body = None;
            }
            let Some(body) = &mut self.body else { return Ok(None) };
            if self.pieces.take_event()? {
                continue;
            }
            match body.piece().await? {
                Some(bytes) => self.pieces.feed(bytes.as_ref()),
                None => self.pieces.end()?,
            }
        }
    }
}
