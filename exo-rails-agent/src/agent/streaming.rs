//! What a streamed run tells, as it happens.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use exo_rails::message::ToolCall;
use exo_rails::{InvokeOutput, StreamPiece, ToolCallInputs, ToolOutput};
use futures_core::Stream;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::failed::FailedRun;

/// How many events wait for whoever polls the stream; then the run waits.
const WAITING: usize = 16;

/// What happens in a streamed run: see [`Agent::stream`](crate::Agent::stream).
///
/// Each event has what the rails have let pass, as they have left it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunEvent {
    /// More of what the model says.
    Text(String),
    /// The text since the last [`ToolCalls`](Self::ToolCalls), or since the run began, is not part of what the model
    /// says: its answer begins anew.
    Restart,
    /// The model has asked for calls of these tools. The rails of [`PreToolCall`](exo_rails::events::PreToolCall) have not seen
    /// them yet, so there is nothing of their arguments here.
    ToolCalls(Vec<AskedCall>),
    /// A tool is about to run: the call as the rails of [`PreToolCall`](exo_rails::events::PreToolCall) have left it. A call that a rail
    /// refuses has no such event; a call that is attempted again has one for each attempt.
    ToolRuns(ToolCallInputs),
    /// A tool has returned, or stands in for one.
    ToolReturned {
        /// The id of its call.
        call_id: String,
        /// What it returned, as the rails have left it.
        output: ToolOutput,
    },
    /// A rail has the whole run done again: what has come so far is not part of it.
    RunAgain,
    /// The run has ended. What rails have changed after the text had left is in here.
    Finished(Box<InvokeOutput>),
}

/// A call of a tool that the model has asked for: a part of [`RunEvent::ToolCalls`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskedCall {
    /// The id of the call.
    pub call_id: String,
    /// The tool, as the model calls it.
    pub tool_name: String,
}

impl From<ToolCall> for AskedCall {
    fn from(call: ToolCall) -> Self {
        Self { call_id: call.id, tool_name: call.function.name }
    }
}

impl From<StreamPiece> for RunEvent {
    fn from(piece: StreamPiece) -> Self {
        match piece {
            StreamPiece::Text(text) => Self::Text(text),
            StreamPiece::Restart => Self::Restart,
        }
    }
}

/// Hands an event to whoever polls the stream.
pub(super) async fn tell(events: &Sender<RunEvent>, event: RunEvent) {
    // The stream owns the run and the receiver together: while the one is polled, the other is there.
    drop(events.send(event).await);
}

/// A run that is going on, when it is polled: see [`Agent::run`](crate::Agent::run).
// A type without that of the input: of an `impl Future`, rustc reports a wrong input again at the call and at its `.await`.
pub type RunFuture<'a> = Pin<Box<dyn Future<Output = Result<InvokeOutput, FailedRun>> + Send + 'a>>;

/// A run that tells what happens in it: see [`Agent::stream`](crate::Agent::stream).
///
/// The run is up to 16 events ahead of its reader, and then waits for it. A stream that is dropped when the run has ended, with
/// some of these events unread, is that of a run that has ended: its rails of
/// [`Finished`](exo_rails::events::Finished) have run, and a session has its answer.
#[must_use = "a stream does nothing unless it is polled"]
pub struct RunStream<'a> {
    run: Option<RunFuture<'a>>,
    events: Receiver<RunEvent>,
    result: Option<Result<InvokeOutput, FailedRun>>,
}

impl<'a> RunStream<'a> {
    /// The run that `run` starts, which tells its events to the sender.
    pub(crate) fn new<Fut>(run: impl FnOnce(Sender<RunEvent>) -> Fut) -> Self
    where
        Fut: Future<Output = Result<InvokeOutput, FailedRun>> + Send + 'a,
    {
        let (sender, events) = mpsc::channel(WAITING);
        Self { run: Some(Box::pin(run(sender))), events, result: None }
    }

    /// What happens next; `None` after the end of the run.
    ///
    /// # Errors
    /// That of the run, as the last that there is.
    pub async fn next(&mut self) -> Option<Result<RunEvent, FailedRun>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl Stream for RunStream<'_> {
    type Item = Result<RunEvent, FailedRun>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.events.poll_recv(cx) {
                Poll::Ready(Some(event)) => return Poll::Ready(Some(Ok(event))),
                // There is one, and Tokio wants the task to yield first: it wakes the task.
                Poll::Pending if !self.events.is_empty() => return Poll::Pending,
                _ => {}
            }
            let Some(run) = &mut self.run else {
                let result = self.result.take();
                return Poll::Ready(result.map(|result| result.map(|output| RunEvent::Finished(Box::new(output)))));
            };
            match run.as_mut().poll(cx) {
                Poll::Ready(result) => (self.run, self.result) = (None, Some(result)),
                Poll::Pending if self.events.is_empty() => return Poll::Pending,
                Poll::Pending => {}
            }
        }
    }
}

impl fmt::Debug for RunStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream").field("is_running", &self.run.is_some()).finish_non_exhaustive()
    }
}
