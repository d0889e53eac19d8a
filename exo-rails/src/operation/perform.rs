//! How an operation is done: called, or streamed.

use std::future::{Ready, ready};

use super::windows;
use futures_util::FutureExt;

use crate::context::RailContext;
use crate::error::{OperationError, RunError};
use crate::guard_set::GuardSet;
use crate::message::{ModelCallInputs, ModelResponse, StreamPiece, StreamSink};
use crate::operation::Again;
use crate::operation::guarded::{Guarded, GuardedStream};
use crate::operation::kinds::{LlmCall, Operation};
use crate::operation::permit::Permit;
use crate::operation::windows::Screened;

/// What an operation has come to, when it has not failed.
pub(crate) enum Made<T> {
    /// A result, of which nothing has left yet.
    Whole(T),
    /// A result that has left, piece by piece.
    Delivered(T),
    /// A rail has stopped it on the way, and has it done again.
    Again(Again),
}

/// Does an operation.
pub(crate) trait Perform<O: Operation>: Send {
    /// Does it once. `inputs` are those of the permit.
    ///
    /// Two results: that of the operation, inside, and that of the rails and the run.
    fn perform<R: GuardSet + ?Sized>(
        &mut self,
        rails: &R,
        permit: Permit<O::Inputs>,
        inputs: &O::Inputs,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Result<Made<O::Output>, O::Error>, RunError>> + Send;

    /// Lets a result leave as a whole; the retry, when a rail asks for one.
    fn deliver<R: GuardSet + ?Sized>(
        &mut self,
        rails: &R,
        inputs: &O::Inputs,
        output: &mut O::Output,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Option<Again>, RunError>> + Send;

    /// It begins anew: what has left is not part of the result.
    fn again(&mut self) -> impl Future<Output = ()> + Send;
}

/// An operation that is called, and returns its result as a whole.
pub(crate) struct Call<F, A> {
    pub call: F,
    /// Who is told before it is done again.
    pub again: A,
}

impl<F> Call<F, fn() -> Ready<()>> {
    /// One of which nobody is told that it is done again.
    pub(crate) fn new(call: F) -> Self {
        Self { call, again: || ready(()) }
    }
}

impl<O, F, A, Fut> Perform<O> for Call<F, A>
where
    O: Operation,
    F: Guarded<O::Inputs, O::Output, O::Error>,
    A: FnMut() -> Fut + Send,
    Fut: Future<Output = ()> + Send,
{
    fn perform<R: GuardSet + ?Sized>(
        &mut self,
        _: &R,
        permit: Permit<O::Inputs>,
        _: &O::Inputs,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Result<Made<O::Output>, O::Error>, RunError>> + Send {
        O::unless_cancelled((self.call)(permit), ctx).map(|result| match result {
            Some(result) => Ok(result.map(Made::Whole).map_err(Into::into)),
            None => Err(RunError::Cancelled),
        })
    }

    fn deliver<R: GuardSet + ?Sized>(
        &mut self,
        rails: &R,
        inputs: &O::Inputs,
        output: &mut O::Output,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Option<Again>, RunError>> + Send {
        O::delivered(rails, inputs, output, ctx)
    }

    fn again(&mut self) -> impl Future<Output = ()> + Send {
        (self.again)()
    }
}

/// A call of the model whose answer comes in pieces, and leaves in pieces when the rails have seen them.
pub(crate) struct Streamed<F, T> {
    pub model: F,
    pub outlet: T,
    /// Whether something has left that is not taken back.
    pub has_left: bool,
}

impl<F: GuardedStream, T: StreamSink> Perform<LlmCall> for Streamed<F, T> {
    async fn perform<R: GuardSet + ?Sized>(
        &mut self,
        rails: &R,
        permit: Permit<ModelCallInputs>,
        inputs: &ModelCallInputs,
        ctx: &mut RailContext,
    ) -> Result<Result<Made<ModelResponse>, OperationError>, RunError> {
        let deltas = (self.model)(permit);
        let mut outlet = Counting { outlet: &mut self.outlet, has_left: &mut self.has_left };
        Ok(match windows::stream(rails, inputs, deltas, ctx, &mut outlet).await? {
            Ok(Screened::Passed(response)) => Ok(Made::Delivered(response)),
            Ok(Screened::Again(again)) => Ok(Made::Again(again)),
            Err(error) => Err(error),
        })
    }

    async fn deliver<R: GuardSet + ?Sized>(
        &mut self,
        rails: &R,
        inputs: &ModelCallInputs,
        output: &mut ModelResponse,
        ctx: &mut RailContext,
    ) -> Result<Option<Again>, RunError> {
        // After a failure in mid-stream: the substitute stands in for all of the answer.
        Perform::<LlmCall>::again(self).await;
        let again = windows::whole(rails, inputs, output, ctx).await?;
        let text = output.message.text();
        if again.is_none() && !text.is_empty() {
            self.has_left = true;
            self.outlet.send(StreamPiece::Text(text.into_owned())).await;
        }
        Ok(again)
    }

    async fn again(&mut self) {
        if std::mem::take(&mut self.has_left) {
            self.outlet.send(StreamPiece::Restart).await;
        }
    }
}

/// An outlet that knows whether something has left through it.
struct Counting<'o, T> {
    outlet: &'o mut T,
    has_left: &'o mut bool,
}

impl<T: StreamSink> StreamSink for Counting<'_, T> {
    fn send(&mut self, piece: StreamPiece) -> impl Future<Output = ()> + Send {
        *self.has_left = matches!(piece, StreamPiece::Text(_));
        self.outlet.send(piece)
    }
}
