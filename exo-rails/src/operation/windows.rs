//! The way of an answer through the rails of [`LlmChunk`], as a whole or in pieces.

use std::mem;
use std::pin::pin;

use futures_core::Stream;
use futures_util::StreamExt;
use serde_json::Map;
use tokio::task::coop::consume_budget;

use super::attempt_over::{AttemptOver, act_on};
use crate::chain::{Serves, enter};
use crate::context::RailContext;
use crate::error::OperationError;
use crate::event::LlmChunk;
use crate::guard_set::GuardSet;
use crate::message::{
    Content, ContentPart, Message, ModelCallInputs, ModelDelta, ModelResponse, ResponseBuilder, StreamPiece,
    StreamSink, StreamWindow,
};
use crate::rail::facts;

/// Runs the rails on an answer that arrived as a whole.
pub(super) async fn whole<R: GuardSet>(
    rails: &R,
    inputs: &ModelCallInputs,
    response: &mut ModelResponse,
    ctx: &mut RailContext,
) -> Result<(), AttemptOver> {
    let mut window = StreamWindow::new(take_text(&mut response.message), true);
    let asked = ask(rails, inputs, &mut window, ctx).await;
    if window.ends() {
        ends_here(response);
    }
    put_text(&mut response.message, window.text);
    // A suspension does not keep the answer, because no rail has seen the reasoning and the tool calls in it.
    asked.map(drop)
}

/// Delivers an answer while it arrives. Each piece is delivered after the rails have seen it.
pub(super) async fn stream<R, S, T>(
    rails: &R,
    inputs: &ModelCallInputs,
    deltas: S,
    ctx: &mut RailContext,
    sink: &mut T,
) -> Result<Result<ModelResponse, OperationError>, AttemptOver>
where
    R: GuardSet,
    S: Stream<Item = Result<ModelDelta, OperationError>> + Send,
    T: StreamSink,
{
    let mut deltas = pin!(deltas);
    let mut answer = ResponseBuilder::new();
    let mut passage = Passage::new(Serves::<LlmChunk>::fact::<facts::WindowSize>(rails));
    loop {
        // A stream that is always ready must not block the thread.
        consume_budget().await;
        ctx.ensure_running()?;
        let delta = match deltas.next().await {
            None => break,
            Some(Err(error)) => return Ok(Err(error)),
            Some(Ok(delta)) => delta,
        };
        let has_text = passage.take(&delta, sink).await;
        answer.add(delta);
        if !has_text {
            continue;
        }
        passage.pass(rails, inputs, ctx, sink).await?;
        if passage.window.ends() {
            break;
        }
    }
    passage.window.is_last = true;
    passage.pass(rails, inputs, ctx, sink).await?;
    Ok(Ok(passage.ended(answer)))
}

/// An answer on its way through the rails.
struct Passage {
    window: StreamWindow,
    /// The number of characters that the guard set holds back by default. The rails can declare a different number for
    /// a window.
    held_back: usize,
    /// The text that was delivered.
    released: String,
}

impl Passage {
    fn new(held_back: usize) -> Self {
        Self { window: StreamWindow::holding_back(held_back), held_back, released: String::new() }
    }

    /// Adds the text of a delta to the window. Returns whether the window has new text.
    async fn take(&mut self, delta: &ModelDelta, sink: &mut impl StreamSink) -> bool {
        match delta {
            ModelDelta::Text(text) => self.window.push(text),
            // A whole response replaces all deltas before it.
            ModelDelta::Response(response) => {
                if !self.released.is_empty() {
                    sink.send(StreamPiece::Restart).await;
                }
                *self = Self::new(self.held_back);
                self.window.push(&response.message.text());
            }
            _ => return false,
        }
        !self.window.fresh().is_empty()
    }

    /// Runs the rails on the window, and delivers the text that the window does not hold back.
    async fn pass<R: GuardSet>(
        &mut self,
        rails: &R,
        inputs: &ModelCallInputs,
        ctx: &mut RailContext,
        sink: &mut impl StreamSink,
    ) -> Result<(), AttemptOver> {
        if !self.window.is_due() {
            return Ok(());
        }
        let all_passed = ask(rails, inputs, &mut self.window, ctx).await?;
        let released = self.window.release(all_passed);
        if !released.is_empty() {
            self.released.push_str(&released);
            sink.send(StreamPiece::Text(released)).await;
        }
        Ok(())
    }

    /// The answer as it was delivered.
    fn ended(self, answer: ResponseBuilder) -> ModelResponse {
        let mut response = answer.finish();
        if self.window.ends() {
            ends_here(&mut response);
        }
        take_text(&mut response.message);
        put_text(&mut response.message, self.released);
        response
    }
}

/// Runs the rails on a window. Returns `true` if all rails ran, and `false` if a rail skipped the others.
async fn ask<R: GuardSet>(
    rails: &R,
    inputs: &ModelCallInputs,
    window: &mut StreamWindow,
    ctx: &mut RailContext,
) -> Result<bool, AttemptOver> {
    let decision = enter::<LlmChunk, R>(rails, (inputs, window), ctx).await?;
    // A skip accepts the window unchanged.
    act_on(decision).map(|skip| skip.is_none())
}

/// Ends an answer after the window of a rail that ended it. Later parts of the answer are not in the response.
fn ends_here(response: &mut ModelResponse) {
    response.message.tool_calls.clear();
    response.finish_reason = Some("stop".to_owned());
}

/// Takes the text out of a message, for [`put_text`]. If the content has several parts, the text of all parts together.
fn take_text(message: &mut Message) -> String {
    match &mut message.content {
        None => String::new(),
        Some(Content::Text(text)) => mem::take(text),
        Some(parts @ Content::Parts(_)) => parts.text().into_owned(),
    }
}

/// Puts text back where [`take_text`] found it. Parts that are not text stay. If rails have changed the text of several
/// parts, the message has one text part instead.
fn put_text(message: &mut Message, text: String) {
    match &mut message.content {
        None if text.is_empty() => {}
        None => message.content = Some(Content::Text(text)),
        Some(Content::Text(place)) => *place = text,
        Some(parts) if parts.text() == text => {}
        Some(Content::Parts(parts)) => {
            let place = parts.iter().position(|part| part.text.is_some()).unwrap_or(parts.len());
            parts.retain(|part| part.text.is_none());
            parts.insert(place, ContentPart { kind: "text".to_owned(), text: Some(text), extra: Map::new() });
        }
    }
}
