//! The events of a streamed run.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use exo_rails::message::ToolCall;
use exo_rails::{InvokeOutput, StreamPiece, ToolCallInputs, ToolOutput};
use futures_core::Stream;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::failed::FailedRun;

/// The number of events that may wait for the reader of the stream. If this number of events waits, the run waits too.
const WAITING: usize = 16;

/// An event of a streamed run: see [`Agent::stream`](crate::Agent::stream).
///
/// An event contains only data that the rails have let pass, in the form in which they left it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RunEvent {
    /// The next piece of the model's text.
    Text(String),
    /// The model begins its answer again. Discard the text since the last [`ToolCalls`](Self::ToolCalls), or since the
    /// beginning of the run.
    Restart,
    /// The model has asked for calls of these tools. The event has no arguments, because the rails of
    /// [`PreToolCall`](exo_rails::events::PreToolCall) have not seen the calls yet.
    ToolCalls(Vec<AskedCall>),
    /// A tool is about to run. The event has the call as the rails of [`PreToolCall`](exo_rails::events::PreToolCall)
    /// left it. A call that a rail refuses has no such event, and neither has a call of a tool that
    /// does not exist. If a call has several attempts, each attempt has one event.
    ToolRuns(ToolCallInputs),
    /// A tool call has its output. The tool returned the output, or the library put another one in its place: for a call
    /// that a rail skipped, or that failed.
    ToolReturned {
        /// The id of the call.
        call_id: String,
        /// The output, as the rails left it.
        output: ToolOutput,
    },
    /// A rail repeats the whole run. Discard all earlier events.
    RunAgain,
    /// The run has ended. The output includes changes that rails made after the text had been streamed.
    Finished(Box<InvokeOutput>),
}

/// A tool call that the model has asked for: a part of [`RunEvent::ToolCalls`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskedCall {
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool, as the model wrote it.
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

/// Sends an event to the reader of the stream.
pub(super) async fn tell(events: &Sender<RunEvent>, event: RunEvent) {
    // The stream owns both the run and the receiver. So the receiver exists whenever the run is polled.
    drop(events.send(event).await);
}

/// A run of an agent, as a future: see [`Agent::run`](crate::Agent::run).
// This type does not name the type of the input. For an `impl Future`, rustc would report a wrong input again at the call
// and at its `.await`.
pub type RunFuture<'a> = Pin<Box<dyn Future<Output = Result<InvokeOutput, FailedRun>> + Send + 'a>>;

/// A run of an agent, as a stream of events: see [`Agent::stream`](crate::Agent::stream).
///
/// The run can be up to 16 events ahead of its reader. Then the run waits. So the run may end before you have read its
/// last events. If you drop the stream then, the run has still ended: the rails of
/// [`Finished`](exo_rails::events::Finished) have run, and the session has the answer.
#[must_use = "a stream does nothing unless it is polled"]
pub struct RunStream<'a> {
    run: Option<RunFuture<'a>>,
    events: Receiver<RunEvent>,
    result: Option<Result<InvokeOutput, FailedRun>>,
}

impl<'a> RunStream<'a> {
    /// Makes the stream of a run. `run` starts the run, which sends its events to the sender.
    pub(crate) fn new<Fut>(run: impl FnOnce(Sender<RunEvent>) -> Fut) -> Self
    where
        Fut: Future<Output = Result<InvokeOutput, FailedRun>> + Send + 'a,
    {
        let (sender, events) = mpsc::channel(WAITING);
        Self { run: Some(Box::pin(run(sender))), events, result: None }
    }

    /// Returns the next event. Returns `None` after the end of the run.
    ///
    /// # Errors
    /// If the run fails, the last item is the error of the run.
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
                // An event waits, but Tokio wants the task to yield first. Tokio has already arranged to wake the task.
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
