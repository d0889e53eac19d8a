//! The two ways to perform an operation: to call it, or to stream it.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;

use futures_util::future::Either;
use futures_util::{FutureExt, StreamExt};

use super::attempt_over::AttemptOver;
use super::failure::IntoFailure;
use super::guarded::{Guarded, GuardedOnce, GuardedResult, GuardedStream, IntoOutput, converted};
use super::kinds::{Kind, interrupted};
use super::permit::issue;
use super::windows;
use crate::context::{OperationEnd, RailContext, RunScope, Slot, UnderWay};
use crate::error::OperationError;
use crate::event::{LlmCall, OperationResult};
use crate::guard_set::GuardSet;
use crate::message::{ModelCallInputs, ModelDelta, ModelResponse, StreamPiece, StreamSink, Usage};

/// A way to perform an operation.
pub(crate) trait Perform<O: Kind>: Send {
    /// How the rails end the operation.
    type Over: Into<AttemptOver> + Send;

    /// Performs the operation once, with a permit for the slot. Marks the operation in `UnderWay` while it runs, if the
    /// guard must not drop it.
    ///
    /// If the rails end the operation, `perform` writes this to `over`, and returns the error [`interrupted`].
    fn perform<R: GuardSet>(
        &mut self,
        rails: &R,
        slot: &Arc<Slot<O::Inputs>>,
        ctx: (&mut RailContext, &UnderWay),
        over: &mut Option<Self::Over>,
    ) -> impl Future<Output = OperationResult<O>> + Send;

    /// Delivers a result that has not been delivered yet.
    fn deliver<R: GuardSet>(
        &mut self,
        rails: &R,
        inputs: &O::Inputs,
        output: &mut O::Output,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<(), AttemptOver>> + Send {
        O::deliver(rails, inputs, output, ctx)
    }

    /// Starts over. Text that was delivered before is not part of the result.
    fn restart(&mut self) -> impl Future<Output = ()> + Send {
        ready(())
    }
}

/// Converts the result of an operation for its guard, and counts its cost.
#[inline(always)]
fn counted<O: Kind>(
    result: impl GuardedResult<Value: IntoOutput<O::Output>, Error: IntoFailure<O::Error>>,
    ctx: &RailContext,
) -> OperationResult<O> {
    match result.into_result() {
        Ok(value) => {
            let output = value.into_output();
            O::count(&output, ctx);
            Ok(output)
        }
        Err(error) => Err(error.into_failure()),
    }
}

/// Returns how an operation with this result has ended.
#[inline(always)]
fn end<O: Kind>(result: &OperationResult<O>) -> OperationEnd {
    match result {
        Ok(output) => O::output_end(output),
        Err(error) => O::error_end(error),
    }
}

/// Calls the function of an operation.
// As a function, it would cost 34 instructions more with a rail around the operation.
macro_rules! performed {
    ($operation:expr, $slot:ident, $ctx:ident, $under_way:ident) => {{
        let operating = $under_way.begin(!O::IS_INTERRUPTED);
        // If a rail around the operation drops this future, nobody knows the end.
        $ctx.set_operation_end(OperationEnd::Unknown);
        $operation(issue($slot)).map(move |result| {
            drop(operating);
            let result = counted::<O>(result, $ctx);
            $ctx.set_operation_end(end::<O>(&result));
            result
        })
    }};
}

/// An operation that is called and returns its result as a whole.
pub(crate) struct Whole<F>(pub F);

impl<O, F> Perform<O> for Whole<F>
where
    O: Kind,
    F: Guarded<O::Inputs, O::Output, O::Error>,
{
    type Over = Infallible;

    #[inline(always)]
    fn perform<R: GuardSet>(
        &mut self,
        _: &R,
        slot: &Arc<Slot<O::Inputs>>,
        (ctx, under_way): (&mut RailContext, &UnderWay),
        _: &mut Option<Infallible>,
    ) -> impl Future<Output = OperationResult<O>> + Send {
        performed!((self.0), slot, ctx, under_way)
    }
}

/// An operation that can be called only once.
pub(crate) struct Once<F>(pub Option<F>);

impl<O, F> Perform<O> for Once<F>
where
    O: Kind<Error: From<OperationError>>,
    F: GuardedOnce<O::Inputs, O::Output, O::Error>,
{
    type Over = Infallible;

    fn perform<R: GuardSet>(
        &mut self,
        _: &R,
        slot: &Arc<Slot<O::Inputs>>,
        (ctx, under_way): (&mut RailContext, &UnderWay),
        _: &mut Option<Infallible>,
    ) -> impl Future<Output = OperationResult<O>> + Send {
        ctx.spend();
        match self.0.take() {
            Some(operation) => Either::Left(performed!(operation, slot, ctx, under_way)),
            // No retry is granted to an operation that is spent.
            None => Either::Right(ready(Err(interrupted().into()))),
        }
    }
}

/// A model call with an answer in pieces. Each piece is delivered after the rails have seen it.
pub(crate) struct Streamed<F, T> {
    model: F,
    sink: T,
    /// Whether the answer was delivered while it arrived.
    is_delivered: bool,
    /// Whether text was delivered and not taken back.
    has_left: bool,
}

impl<F, T> Streamed<F, T> {
    pub(super) const fn new(model: F, sink: T) -> Self {
        Self { model, sink, is_delivered: false, has_left: false }
    }
}

impl<F: GuardedStream, T: StreamSink> Perform<LlmCall> for Streamed<F, T> {
    type Over = AttemptOver;

    async fn perform<R: GuardSet>(
        &mut self,
        rails: &R,
        slot: &Arc<Slot<ModelCallInputs>>,
        (ctx, _): (&mut RailContext, &UnderWay),
        over: &mut Option<AttemptOver>,
    ) -> Result<ModelResponse, OperationError> {
        let mut meter = Meter { usage: None, scope: ctx.scope_handle() };
        let deltas = (self.model)(issue(slot)).map(converted).inspect(move |delta| meter.read(delta));
        let mut sink = Counting { sink: &mut self.sink, has_left: &mut self.has_left };
        ctx.set_operation_end(OperationEnd::Unknown);
        match windows::stream(rails, slot.inputs(), deltas, ctx, &mut sink).await {
            Ok(answer) => {
                self.is_delivered = answer.is_ok();
                ctx.set_operation_end(end::<LlmCall>(&answer));
                answer
            }
            Err(ended) => {
                *over = Some(ended);
                Err(interrupted())
            }
        }
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
        // The stream failed on its way. The substitute replaces the whole answer.
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

/// Counts the cost of a streamed call. If the call fails or is dropped, this is the cost that the model had reported
/// until then.
struct Meter {
    usage: Option<Usage>,
    scope: Arc<RunScope>,
}

impl Meter {
    fn read(&mut self, delta: &Result<ModelDelta, OperationError>) {
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

/// A sink that records whether text was delivered through it.
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
