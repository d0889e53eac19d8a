//! The way of an answer through the rails of [`LlmChunk`], as a whole or in pieces.

use std::collections::HashMap;
use std::mem;
use std::pin::pin;

use futures_core::Stream;
use futures_util::StreamExt;
use serde_json::{Map, Value};
use tokio::task::coop::consume_budget;

use super::attempt_over::{AttemptOver, act_on};
use crate::chain::{Serves, enter};
use crate::context::{AnswerLimit, RailContext};
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
    let mut measure = ctx.answer_limits().map(Measure::new);
    loop {
        // A stream that is always ready must not block the thread.
        consume_budget().await;
        ctx.ensure_running()?;
        let delta = match deltas.next().await {
            None => break,
            Some(Err(error)) => return Ok(Err(error)),
            Some(Ok(delta)) => delta,
        };
        let (delta, passed) = match &mut measure {
            Some(measure) => measure.take(delta),
            None => (delta, None),
        };
        let has_text = passage.take(&delta, sink).await;
        answer.add(delta);
        if let Some(passed) = passed {
            ctx.set_passed_limit(passed);
            answer.add(ModelDelta::Finish("length".to_owned()));
            break;
        }
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

/// Measures an answer against the limits of the rails.
struct Measure {
    /// The most bytes of the text, of the arguments of a call, and of all together.
    limits: [u64; 3],
    text: u64,
    all: u64,
    /// The bytes of the arguments of each call, under its index. Pieces without an index belong to the last call.
    arguments: HashMap<usize, u64>,
    last_call: usize,
}

impl Measure {
    fn new(limits: [u64; 3]) -> Self {
        Self { limits, text: 0, all: 0, arguments: HashMap::new(), last_call: 0 }
    }

    /// Measures a piece. Returns it without the text behind the limit, and the limit that it has passed.
    fn take(&mut self, mut delta: ModelDelta) -> (ModelDelta, Option<AnswerLimit>) {
        let [most_text, most_arguments, most] = self.limits;
        let mut arguments = 0;
        match &mut delta {
            ModelDelta::Text(text) => {
                let room = most_text.saturating_sub(self.text).min(most.saturating_sub(self.all));
                self.text += text.len() as u64;
                self.all += text.len() as u64;
                truncate(text, room);
            }
            ModelDelta::ToolCall(call) => {
                self.all += (call.name.as_ref().map_or(0, String::len) + call.arguments.len()) as u64;
                // A call without an index begins with a name.
                let next = self.last_call + usize::from(call.name.is_some());
                self.last_call = call.index.unwrap_or(next);
                let of_call = self.arguments.entry(self.last_call).or_default();
                *of_call += call.arguments.len() as u64;
                arguments = *of_call;
            }
            ModelDelta::Fields(fields) => self.all += fields.values().map(text_bytes).sum::<u64>(),
            // It has arrived as a whole, and replaces everything before it.
            ModelDelta::Response(_) => *self = Self::new(self.limits),
            _ => {}
        }
        let passed = if self.text > most_text {
            Some(AnswerLimit::Text(most_text))
        } else if arguments > most_arguments {
            Some(AnswerLimit::Arguments(most_arguments))
        } else if self.all > most {
            Some(AnswerLimit::All(most))
        } else {
            None
        };
        (delta, passed)
    }
}

/// Shortens a text to at most this number of bytes.
fn truncate(text: &mut String, bytes: u64) {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    text.truncate(text.floor_char_boundary(bytes));
}

/// Returns the bytes of the texts in a value.
fn text_bytes(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        Value::Array(values) => values.iter().map(text_bytes).sum(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
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
