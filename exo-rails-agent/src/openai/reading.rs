//! An answer that is being streamed.

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, OperationErrorKind, Permit};
use futures_core::Stream;
use futures_util::stream;

use super::body::Body;
use super::events::{Event, Events};
use super::wire::Decoder;

pub(super) struct Reading {
    /// `None` when everything is read.
    body: Option<Body>,
    events: Events,
    decoder: Decoder,
    /// As long as the server is at work, so is the operation.
    _permit: Permit<ModelCallInputs>,
}

impl Reading {
    pub(super) fn new(body: Body, permit: Permit<ModelCallInputs>) -> Self {
        Self { body: Some(body), events: Events::default(), decoder: Decoder::default(), _permit: permit }
    }

    /// An answer that came as a whole.
    pub(super) fn of(response: ModelResponse, permit: Permit<ModelCallInputs>) -> Self {
        let decoder = Decoder::of(ModelDelta::Response(Box::new(response)));
        Self { body: None, events: Events::default(), decoder, _permit: permit }
    }

    pub(super) fn stream(self) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        stream::try_unfold(self, |mut reading| async move {
            let delta = reading.next().await?;
            Ok(delta.map(|delta| (delta, reading)))
        })
    }

    async fn next(&mut self) -> Result<Option<ModelDelta>, OperationError> {
        loop {
            if let Some(delta) = self.decoder.next() {
                return Ok(Some(delta));
            }
            let Some(body) = &mut self.body else { return Ok(None) };
            if let Some(event) = self.events.next() {
                self.take(&event)?;
            } else if let Some(piece) = body.piece().await? {
                self.events.feed(piece.as_ref()).map_err(|_| too_long())?;
            } else {
                self.end()?;
            }
        }
    }

    fn take(&mut self, event: &Event) -> Result<(), OperationError> {
        if self.decoder.take(event)? {
            self.body = None;
        }
        Ok(())
    }

    /// The body has ended.
    fn end(&mut self) -> Result<(), OperationError> {
        // The last event may be whole without the empty line behind it. The half of one has broken off.
        if let Some(event) = self.events.rest() {
            self.take(&event)?;
        }
        if self.body.take().is_some() {
            self.decoder.end()?;
        }
        Ok(())
    }
}

fn too_long() -> OperationError {
    OperationError::new(OperationErrorKind::InvalidResponse, "an event of the answer is too long")
}
