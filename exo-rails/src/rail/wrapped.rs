//! Rails behind an `Arc`, and rails that may be absent.

use std::sync::Arc;

use futures_util::future::Either;

use crate::context::RailContext;
use crate::decision::{OnFault, PlacedRail, RailOutput, Reader, ReturnedAt};
use crate::event::{Begins, Event, Next, Operation, OperationResult};
use crate::point::RailInfo;
use crate::rail::{Presence, Rail, RailOn, Row, ValueUse};

/// An `Arc` of a rail is a rail. Use `audit: Arc<Audit>` in a chain when other code holds the [`Arc`] as well.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use exo_rails::prelude::*;
///
/// #[derive(Default)]
/// struct Calls(AtomicU32);
///
/// #[rail]
/// impl Calls {
///     #[on(PreToolCall)]
///     fn count(&self) { self.0.fetch_add(1, Ordering::Relaxed); }
/// }
///
/// rail_chain! { struct Guards { calls: Arc<Calls> } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let calls = Arc::new(Calls::default());
/// let rails = Guards { calls: Arc::clone(&calls) };
/// rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut RunContext::new("demo")).await?;
/// assert_eq!(calls.0.load(Ordering::Relaxed), 1);
/// # Ok(()) }
/// ```
#[diagnostic::do_not_recommend]
impl<R: Rail> Rail for Arc<R> {
    const INFO: RailInfo = R::INFO;
    const DECLARATION: Row = R::DECLARATION;
    const AFTER: &'static [RailInfo] = R::AFTER;
    const BEFORE: &'static [RailInfo] = R::BEFORE;
    const VALUES: &'static [ValueUse] = R::VALUES;
    type Events = R::Events;
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: RailOn<E>> RailOn<E> for Arc<R> {
    type Out = R::Out;
    const ALWAYS: bool = R::ALWAYS;
    const ON_FAULT: OnFault = R::ON_FAULT;

    #[inline]
    fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> impl Future<Output = Self::Out> + Send {
        (**self).call(payload, ctx)
    }

    #[inline]
    fn call_at<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        (**self).call_at(payload, ctx, at)
    }

    #[inline]
    fn call_concurrent<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        (**self).call_concurrent(payload, ctx)
    }

    #[inline]
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        (**self).call_if_always(payload, ctx, at)
    }

    #[inline]
    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        (**self).surround(inputs, next)
    }

    #[inline]
    fn may_rewrite(&self) -> bool {
        (**self).may_rewrite()
    }

    #[inline]
    fn stream_window(&self) -> usize {
        (**self).stream_window()
    }
}

/// A rail that may be absent: `approval: Option<Approval>` in a chain, switched on by configuration. `None` continues.
///
/// Whether it is there is known when the program runs, so it does not meet a requirement of the chain (`require`, `first`,
/// `last`), and no other rail may need a value that it provides. `None` costs a branch: it holds back no stream, and the
/// operation keeps no copy of its inputs for it.
///
/// ```
/// use exo_rails::prelude::*;
///
/// struct Blocked(&'static str);
///
/// #[rail]
/// impl Blocked {
///     #[on(PreToolCall)]
///     fn tool(&self, call: &ToolCallInputs) -> Verdict {
///         Verdict::abort_if(call.tool_name == self.0, "it is blocked")
///     }
/// }
///
/// rail_chain! { struct Guards { blocked: Option<Blocked> } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut ctx = RunContext::new("demo");
/// for (blocked, by) in [(None, None), (Some(Blocked("shell")), Some("Blocked"))] {
///     let decision = Guards { blocked }.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut ctx).await?;
///     assert_eq!(decision.rail_name(), by);
/// }
/// # Ok(()) }
/// ```
#[diagnostic::do_not_recommend]
impl<R: Rail> Rail for Option<R> {
    const INFO: RailInfo = R::INFO;
    const DECLARATION: Row = R::DECLARATION.present(Presence::Optional);
    const AFTER: &'static [RailInfo] = R::AFTER;
    const BEFORE: &'static [RailInfo] = R::BEFORE;
    const VALUES: &'static [ValueUse] = R::VALUES;
    type Events = R::Events;
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: RailOn<E>> RailOn<E> for Option<R> {
    type Out = OptionalOutput<R::Out>;
    const ALWAYS: bool = R::ALWAYS;
    const ON_FAULT: OnFault = R::ON_FAULT;

    #[inline]
    fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> impl Future<Output = Self::Out> + Send {
        let call = self.as_ref().map(|rail| rail.call(payload, ctx));
        async move { OptionalOutput(within(call).await) }
    }

    #[inline]
    fn call_at<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        let call = self.as_ref().map(|rail| rail.call_at(payload, ctx, at));
        async move { OptionalOutput(within(call).await) }
    }

    #[inline]
    fn call_concurrent<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        let call = self.as_ref().map(|rail| rail.call_concurrent(payload, ctx));
        async move { OptionalOutput(within(call).await) }
    }

    #[inline]
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        let call = self.as_ref().map(|rail| rail.call_if_always(payload, ctx, at));
        async move { within(call).await.unwrap_or_default() }
    }

    #[inline]
    fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        match self {
            Some(rail) => Either::Left(rail.surround(inputs, next)),
            None => Either::Right(next.run()),
        }
    }

    #[inline]
    fn may_rewrite(&self) -> bool {
        self.as_ref().is_some_and(R::may_rewrite)
    }

    #[inline]
    fn stream_window(&self) -> usize {
        self.as_ref().map_or(0, R::stream_window)
    }
}

/// Waits for the call of a rail, when there is one. The caller starts it: a future with `&self` would be `Send` only
/// for rails that are `Sync`.
async fn within<Call: Future>(call: Option<Call>) -> Option<Call::Output> {
    match call {
        Some(call) => Some(call.await),
        None => None,
    }
}

/// What a rail returns that may be absent.
#[doc(hidden)]
#[derive(Debug)]
pub struct OptionalOutput<Out>(Option<Out>);

#[diagnostic::do_not_recommend]
impl<E: Event, Out: ReturnedAt<E, E::Returns>> RailOutput<E> for OptionalOutput<Out> {
    const DECIDES: bool = Out::DECIDES;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.0.as_ref().is_none_or(Out::continues)
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        match self.0 {
            None => reader.goes_on(),
            Some(output) => output.read(reader),
        }
    }
}
