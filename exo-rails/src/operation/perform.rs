//! How an operation is done: called, or streamed.

use std::future::ready;
use std::sync::Arc;

use futures_util::{FutureExt, StreamExt};

use super::attempt::AttemptOver;
use super::failure::IntoFailure;
use super::guarded::{Guarded, GuardedStream};
use super::kinds::Kind;
use super::permit::Permit;
use super::windows;
use crate::context::{RailContext, RunScope};
use crate::error::{OperationError, RunError};
use crate::event::LlmCall;
use crate::guard_set::GuardSet;
use crate::message::{ModelCallInputs, ModelDelta, ModelResponse, StreamPiece, StreamSink, Usage};

/// Does an operation.
pub(crate) trait Perform<O: Kind>: Send {
    /// Does it once. `inputs` are those of the permit.
    ///
    /// Two results: that of the operation, inside, and that of the rails and the run.
    fn perform<R: GuardSet>(
        &mut self,
        rails: &R,
        permit: Permit<O::Inputs>,
        inputs: &O::Inputs,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Result<O::Output, O::Error>, AttemptOver>> + Send;

    /// The same inside a rail: how a guard ends it is said in `over`.
    fn perform_inside<R: GuardSet>(
        &mut self,
        rails: &R,
        permit: Permit<O::Inputs>,
        inputs: &O::Inputs,
        ctx: &mut RailContext,
        over: &mut Option<AttemptOver>,
    ) -> impl Future<Output = Result<O::Output, O::Error>> + Send {
        async move {
            match self.perform(rails, permit, inputs, ctx).await {
                Ok(result) => result,
                Err(ended) => {
                    *over = Some(ended);
                    Err(O::interrupted())
                }
            }
        }
    }

    /// Lets a result leave that has not left yet.
    fn deliver<R: GuardSet>(
        &mut self,
        rails: &R,
        inputs: &O::Inputs,
        output: &mut O::Output,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<(), AttemptOver>> + Send;

    /// Begins anew: what has left is not part of the result.
    fn restart(&mut self) -> impl Future<Output = ()> + Send;
}

/// The result of an operation, as its guard has it, and counted.
#[inline(always)]
fn counted<O: Kind, T: Into<O::Output>, E: IntoFailure<O::Error>>(
    result: Result<T, E>,
    ctx: &RailContext,
) -> Result<O::Output, O::Error> {
    match result {
        Ok(value) => {
            let output = value.into();
            O::count(&output, ctx);
            Ok(output)
        }
        Err(error) => Err(error.into_failure()),
    }
}

/// An operation that is called, and returns its result as a whole.
pub(crate) struct Whole<F>(pub F);

impl<O, F> Perform<O> for Whole<F>
where
    O: Kind,
    F: Guarded<O::Inputs, O::Output, O::Error, Future: Send, Value: Send, Error: Send> + Send,
{
    fn perform<R: GuardSet>(
        &mut self,
        _: &R,
        permit: Permit<O::Inputs>,
        _: &O::Inputs,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<Result<O::Output, O::Error>, AttemptOver>> + Send {
        let call = O::unless_cancelled((self.0)(permit), ctx);
        call.map(|result| match result {
            Some(result) => Ok(counted::<O, _, _>(result, ctx)),
            None => Err(RunError::Cancelled.into()),
        })
    }

    // Without the result of the guard around that of the operation: a result less to move.
    fn perform_inside<R: GuardSet>(
        &mut self,
        _: &R,
        permit: Permit<O::Inputs>,
        _: &O::Inputs,
        ctx: &mut RailContext,
        over: &mut Option<AttemptOver>,
    ) -> impl Future<Output = Result<O::Output, O::Error>> + Send {
        let call = O::unless_cancelled((self.0)(permit), ctx);
        call.map(|result| {
            let Some(result) = result else {
                *over = Some(RunError::Cancelled.into());
                return Err(O::interrupted());
            };
            counted::<O, _, _>(result, ctx)
        })
    }

    fn deliver<R: GuardSet>(
        &mut self,
        rails: &R,
        inputs: &O::Inputs,
        output: &mut O::Output,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<(), AttemptOver>> + Send {
        O::deliver(rails, inputs, output, ctx)
    }

    fn restart(&mut self) -> impl Future<Output = ()> + Send {
        ready(())
    }
}

/// A call of the model whose answer comes in pieces, and leaves in pieces when the rails have seen them.
pub(crate) struct Streamed<F, T> {
    model: F,
    sink: T,
    /// Whether the answer has left as it came.
    is_delivered: bool,
    /// Whether something has left that is not taken back.
    has_left: bool,
}

impl<F, T> Streamed<F, T> {
    pub(super) const fn new(model: F, sink: T) -> Self {
        Self { model, sink, is_delivered: false, has_left: false }
    }
}

impl<F: GuardedStream, T: StreamSink> Perform<LlmCall> for Streamed<F, T> {
    async fn perform<R: GuardSet>(
        &mut self,
        rails: &R,
        permit: Permit<ModelCallInputs>,
        inputs: &ModelCallInputs,
        ctx: &mut RailContext,
    ) -> Result<Result<ModelResponse, OperationError>, AttemptOver> {
        let mut meter = Meter { usage: None, scope: ctx.scope_handle() };
        let deltas = (self.model)(permit).inspect(move |delta| meter.read(delta));
        let mut sink = Counting { sink: &mut self.sink, has_left: &mut self.has_left };
        let answer = windows::stream(rails, inputs, deltas, ctx, &mut sink).await?;
        self.is_delivered = answer.is_ok();
        Ok(answer)
    }

    async fn deliver<R: GuardSet>(
        &mut self,
        rails: &R,
        inputs: &ModelCallInputs,
        output: &mut ModelResponse,
        ctx: &mut RailContext,
    ) -> Result<(), AttemptOver> {
        if self.is_delivered {
            return Ok(());
        }
        // After a failure in mid-stream: the substitute stands in for all of the answer.
        Perform::<LlmCall>::restart(self).await;
        windows::whole(rails, inputs, output, ctx).await?;
        let text = output.message.text();
        if !text.is_empty() {
            self.has_left = true;
            self.sink.send(StreamPiece::Text(text.into_owned())).await;
        }
        Ok(())
    }

    async fn restart(&mut self) {
        self.is_delivered = false;
        if std::mem::take(&mut self.has_left) {
            self.sink.send(StreamPiece::Restart).await;
        }
    }
}

/// Counts what a streamed call costs. A call that fails or is dropped on the way costs what the model has told until then.
struct Meter {
    usage: Option<Usage>,
    scope: Arc<RunScope>,
}

impl Meter {
    fn read<E>(&mut self, delta: &Result<ModelDelta, E>) {
        match delta {
            Ok(ModelDelta::Usage(usage)) => self.usage = Some(usage.clone()),
            Ok(ModelDelta::Response(response)) => self.usage.clone_from(&response.usage),
            _ => {}
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(usage) = &self.usage {
            self.scope.count_usage(usage);
        }
    }
}

/// A sink that knows whether something has left through it.
struct Counting<'o, T> {
    sink: &'o mut T,
    has_left: &'o mut bool,
}

impl<T: StreamSink> StreamSink for Counting<'_, T> {
    fn send(&mut self, piece: StreamPiece) -> impl Future<Output = ()> + Send {
        *self.has_left = matches!(piece, StreamPiece::Text(_));
        self.sink.send(piece)
    }
}
