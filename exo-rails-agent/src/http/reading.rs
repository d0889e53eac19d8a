//! An answer that is being streamed.

use std::collections::VecDeque;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, OperationErrorKind, Permit};
use futures_core::Stream;
use futures_util::stream;
use tokio::task::coop::consume_budget;

use super::body::Body;
use super::events::{Event, Events};
use super::limits::{Limits, memory_of_json, memory_of_piece};

/// Makes the pieces of an answer from events.
pub(crate) trait Decoder: Default + Send {
    /// Takes an event; whether it was the last one.
    fn take(&mut self, event: &Event, pieces: &mut VecDeque<ModelDelta>) -> Result<bool, OperationError>;

    /// Whether the answer is complete, although no event has said that it is the last one.
    fn is_complete(&self) -> bool;

    /// How much memory is held for pieces that have not come to their end.
    fn held(&self) -> usize {
        0
    }

    /// The last pieces of an answer that is complete.
    fn complete(&mut self, pieces: &mut VecDeque<ModelDelta>) -> Result<(), OperationError>;
}

pub(super) struct Reading<D> {
    /// `None` when everything is read.
    body: Option<Body>,
    events: Events,
    decoder: D,
    pieces: VecDeque<ModelDelta>,
    limits: Limits,
    /// How much memory the pieces take that have come.
    memory: usize,
    /// As long as the server is at work, so is the operation.
    _permit: Permit<ModelCallInputs>,
}

impl<D: Decoder> Reading<D> {
    pub(super) fn new(body: Body, permit: Permit<ModelCallInputs>) -> Self {
        let limits = *body.limits();
        Self { body: Some(body), ..Self::with(VecDeque::new(), permit, limits) }
    }

    /// An answer that came as a whole.
    pub(super) fn of(response: ModelResponse, permit: Permit<ModelCallInputs>) -> Self {
        Self::with(VecDeque::from([ModelDelta::Response(Box::new(response))]), permit, Limits::default())
    }

    fn with(pieces: VecDeque<ModelDelta>, permit: Permit<ModelCallInputs>, limits: Limits) -> Self {
        let (events, decoder) = (Events::new(limits.event), D::default());
        Self { body: None, events, decoder, pieces, limits, memory: 0, _permit: permit }
    }

    pub(super) fn stream(self) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        stream::try_unfold(self, |mut reading| async move {
            let delta = reading.next().await?;
            Ok(delta.map(|delta| (delta, reading)))
        })
    }

    async fn next(&mut self) -> Result<Option<ModelDelta>, OperationError> {
        loop {
            // A piece of a body may have many events, which are there at once.
            consume_budget().await;
            if let Some(delta) = self.pieces.pop_front() {
                return Ok(Some(delta));
            }
            let Some(body) = &mut self.body else { return Ok(None) };
            if let Some(event) = self.events.next() {
                self.take(&event)?;
            } else if let Some(piece) = body.piece().await? {
                self.events.feed(piece.as_ref()).map_err(|_| self.limits.event_too_long())?;
            } else {
                self.end()?;
            }
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), OperationError> {
        self.limits.check_memory(memory_of_json(&event.data))?;
        let is_last = self.decoder.take(event, &mut self.pieces)?;
        self.memory += self.pieces.iter().map(memory_of_piece).sum::<usize>();
        self.limits.check_memory(self.memory + self.decoder.held())?;
        if is_last {
            self.body = None;
            self.decoder.complete(&mut self.pieces)?;
        }
        Ok(())
    }

    /// The body has ended.
    fn end(&mut self) -> Result<(), OperationError> {
        // The last event may be whole without the empty line behind it. The half of one has broken off.
        if let Some(event) = self.events.rest() {
            self.take(&event)?;
        }
        if self.body.take().is_none() {
            return Ok(());
        }
        if !self.decoder.is_complete() {
            let message = "the answer breaks off: the stream has ended without an end of the answer";
            return Err(OperationError::new(OperationErrorKind::Unavailable, message));
        }
        self.decoder.complete(&mut self.pieces)
    }
}
