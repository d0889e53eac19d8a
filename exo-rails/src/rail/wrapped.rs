//! Rails behind an `Arc`, rails that may be absent, and lists of rails.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::{Either, OptionFuture};
use futures_util::stream::FuturesOrdered;
use futures_util::{FutureExt, StreamExt};

use crate::context::{RailContext, RunScope};
use crate::decision::{OnFault, Outcome, PlacedRail, RailOutput, Reader, ReturnedAt, record_stop};
use crate::event::{Begins, BoxedNext, Event, Layer, Next, Operation, OperationResult};
use crate::point::RailInfo;
use crate::rail::{EventFact, LayerOf, Presence, Rail, RailOn, Row, ValueUse, facts};

/// An `Arc` of a rail is a rail. Use `audit: Arc<Audit>` in a chain if other code holds the [`Arc`] too.
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
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = R::DECLARATION;
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
    fn call_concurrent_at<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
        at: &PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        (**self).call_concurrent_at(payload, ctx, at)
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
    fn fact<F: EventFact>(&self) -> F::Value {
        (**self).fact::<F>()
    }
}

/// An `Option` of a rail is a rail that may be absent. Use `approval: Option<Approval>` in a chain if a configuration
/// switches the rail on. `None` continues.
///
/// Only the running program knows whether the rail exists. So the rail does not meet a requirement of the chain
/// (`require`, `first`, `last`), and no other rail may need a value that it provides. `None` costs one branch: it holds
/// back no part of a stream, and the guard keeps no copy of the inputs for it.
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
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = R::DECLARATION.present(Presence::Optional);
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
        OptionFuture::from(call).map(OptionalOutput)
    }

    #[inline]
    fn call_at<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        let call = self.as_ref().map(|rail| rail.call_at(payload, ctx, at));
        OptionFuture::from(call).map(OptionalOutput)
    }

    #[inline]
    fn call_concurrent<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
    ) -> impl Future<Output = Self::Out> + Send {
        let call = self.as_ref().map(|rail| rail.call_concurrent(payload, ctx));
        OptionFuture::from(call).map(OptionalOutput)
    }

    #[inline]
    fn call_concurrent_at<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
        at: &PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        let call = self.as_ref().map(|rail| rail.call_concurrent_at(payload, ctx, at));
        OptionFuture::from(call).map(OptionalOutput)
    }

    #[inline]
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        let call = self.as_ref().map(|rail| rail.call_if_always(payload, ctx, at));
        OptionFuture::from(call).map(Option::unwrap_or_default)
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
    fn fact<F: EventFact>(&self) -> F::Value {
        self.as_ref().map_or(F::NONE, R::fact::<F>)
    }
}

/// The output of a rail that may be absent.
#[doc(hidden)]
#[derive(Debug)]
pub struct OptionalOutput<Out>(Option<Out>);

impl<Out> OptionalOutput<Out> {
    /// The rail was not called.
    pub(super) const ABSENT: Self = Self(None);

    /// The rail was called.
    pub(super) const fn present(output: Out) -> Self {
        Self(Some(output))
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event, Out: ReturnedAt<E, E::Returns>> RailOutput<E> for OptionalOutput<Out> {
    const DECIDES: bool = Out::DECIDES;
    type Layer = Out::Layer;

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

/// A `Vec` of a rail is a rail. Use `limits: Vec<ToolCallLimit>` in a chain if a configuration determines the number of
/// rails. An empty list continues.
///
/// - The rails run in the order of the list, at the priority of their type. If an onion reverses its rails, it reverses
///   the list too. Around an operation, the first rail is the outermost.
/// - Each rail has its own state, its own retries and its own name. The name is the field with an index, such as
///   `limits[0]`. In a [`RailManager`](crate::RailManager), it is the name of the rail, or the name from
///   [`add_named`](crate::RailManager::add_named), with an index.
/// - The list may be empty. So it does not meet a requirement of the chain, and no other rail may need a value that it
///   provides.
/// - The list holds back as much of a stream as its rail with the largest window needs.
/// - A dispatch whose rails continue allocates nothing, unless they run concurrently.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use exo_rails::prelude::*;
///
/// struct ToolCallLimit { tool: String, most: u32, calls: AtomicU32 }
///
/// #[rail]
/// impl ToolCallLimit {
///     #[on(PreToolCall)]
///     fn count(&self, call: &ToolCallInputs) -> Verdict {
///         let counts = call.tool_name == self.tool;
///         Verdict::abort_if(counts && self.calls.fetch_add(1, Ordering::Relaxed) >= self.most, "too many calls")
///     }
/// }
///
/// rail_chain! { struct Guards { limits: Vec<ToolCallLimit> } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let configuration = [("search", 9), ("send_mail", 0)];
/// let limits = configuration.map(|(tool, most)| ToolCallLimit { tool: tool.into(), most, calls: AtomicU32::new(0) });
/// let rails = Guards { limits: limits.into() };
/// let mut call = ToolCallInputs::new("send_mail");
/// let decision = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("demo")).await?;
/// assert_eq!(decision.rail_name(), Some("limits[1]"));
/// # Ok(()) }
/// ```
#[diagnostic::do_not_recommend]
impl<R: Rail> Rail for Vec<R> {
    const INFO: RailInfo = R::INFO;
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = R::DECLARATION.list();
    const AFTER: &'static [RailInfo] = R::AFTER;
    const BEFORE: &'static [RailInfo] = R::BEFORE;
    const VALUES: &'static [ValueUse] = R::VALUES;
    type Events = R::Events;
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: RailOn<E> + Sync> RailOn<E> for Vec<R> {
    type Out = ListOutput<E, LayerOf<E, R>>;
    const ALWAYS: bool = R::ALWAYS;
    const ON_FAULT: OnFault = R::ON_FAULT;

    async fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        let at = Self::DECLARATION.placed::<Self>(0, false, R::ON_FAULT);
        ListOutput::new(call_each(self, payload, ctx, &at).await)
    }

    async fn call_at<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext, at: &'a PlacedRail) -> Self::Out {
        ListOutput::new(call_each(self, payload, ctx, at).await)
    }

    async fn call_concurrent<'a>(&'a self, payload: E::Shared<'a>, ctx: &'a RailContext) -> Self::Out {
        let at = Self::DECLARATION.placed::<Self>(0, false, R::ON_FAULT);
        ListOutput::new(call_each_concurrent(self, payload, ctx, &at).await)
    }

    async fn call_concurrent_at<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
        at: &PlacedRail,
    ) -> Self::Out {
        ListOutput::new(call_each_concurrent(self, payload, ctx, at).await)
    }

    async fn call_if_always<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext, at: &'a PlacedRail) {
        if const { R::DECLARATION.is_always_on(E::POINT) } {
            call_always(self, 0, payload, ctx, at).await;
        }
    }

    async fn surround<'a, N>(
        &'a self,
        inputs: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> OperationResult<E::Operation>
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        if !RailOn::<E>::fact::<facts::Surrounds>(self) {
            return next.run().await;
        }
        // The last rail is the innermost.
        let around = |next, rail| BoxedNext::new(Around::<E, R> { rail, inputs, next });
        self.iter().rev().fold(BoxedNext::new(next), around).run().await
    }

    #[inline]
    fn fact<F: EventFact>(&self) -> F::Value {
        self.iter().fold(F::NONE, |facts, rail| F::join(facts, rail.fact::<F>()))
    }
}

/// An operation with a rail of a list around it.
struct Around<'a, E: Begins, R> {
    rail: &'a R,
    inputs: &'a <E::Operation as Operation>::Inputs,
    next: BoxedNext<'a, E::Operation>,
}

impl<E: Begins, R: RailOn<E> + Sync> Next<E::Operation> for Around<'_, E, R> {
    fn run(self) -> impl Future<Output = OperationResult<E::Operation>> + Send {
        self.rail.surround(self.inputs, self.next)
    }

    fn scope(&self) -> &RunScope {
        self.next.scope()
    }

    fn attempt(&self) -> u32 {
        self.next.attempt()
    }
}

/// Calls the rails of a list in turn until one stops the event. Then calls the later rails that are always called.
async fn call_each<E: Event, R: RailOn<E> + Sync>(
    rails: &[R],
    mut payload: E::Payload<'_>,
    ctx: &mut RailContext,
    list: &PlacedRail,
) -> Option<Outcome<E>> {
    for (step, (index, rail)) in in_order(rails, list).enumerate() {
        // Rails inside a list of lists need the name now. All other rails get a name only when they decide.
        let at = if const { R::DECLARATION.is_list() } { list.element(index) } else { list.unnamed_element(index) };
        let output = rail.call_at(E::reborrow(&mut payload), &mut *ctx, &at).await;
        if output.continues() {
            continue;
        }
        if let ControlFlow::Break(outcome) = R::decide(output, &list.element(index), ctx) {
            if const { R::DECLARATION.is_always_on(E::POINT) } && record_stop(&outcome, ctx) {
                call_always(rails, step + 1, payload, ctx, list).await;
            }
            return Some(outcome);
        }
    }
    None
}

/// Calls the rails of a list concurrently. The first rail in the order of the list that stops the event decides, as
/// soon as the rails before it have continued.
async fn call_each_concurrent<'a, E: Event, R: RailOn<E> + Sync>(
    rails: &'a [R],
    payload: E::Shared<'a>,
    ctx: &'a RailContext,
    list: &PlacedRail,
) -> Option<Outcome<E>> {
    let places: Vec<_> = in_order(rails, list).map(|(index, rail)| (rail, list.element(index))).collect();
    let calls = places.iter().map(|(rail, at)| rail.call_concurrent_at(payload, ctx, at));
    let mut outputs = calls.collect::<FuturesOrdered<_>>().zip(futures_util::stream::iter(&places));
    while let Some((output, (_, at))) = outputs.next().await {
        if let ControlFlow::Break(outcome) = R::decide(output, at, ctx) {
            return Some(outcome);
        }
    }
    None
}

/// Returns the rails of a list with their indices, in the order in which they run.
fn in_order<'a, R>(rails: &'a [R], list: &PlacedRail) -> impl Iterator<Item = (usize, &'a R)> + use<'a, R> {
    let (reversed, len) = (list.reversed, rails.len());
    (0..len).map(move |step| {
        let index = if reversed { len - 1 - step } else { step };
        (index, &rails[index])
    })
}

/// Calls the rails of a list that are always called, from this step on.
async fn call_always<E: Event, R: RailOn<E> + Sync>(
    rails: &[R],
    from: usize,
    mut payload: E::Payload<'_>,
    ctx: &mut RailContext,
    list: &PlacedRail,
) {
    for (index, rail) in in_order(rails, list).skip(from) {
        rail.call_if_always(E::reborrow(&mut payload), &mut *ctx, &list.element(index)).await;
    }
}

/// The decision of a list, in the name of one of its rails. `None` if all rails continue.
#[doc(hidden)]
pub struct ListOutput<E: Event, L>(Option<Outcome<E>>, PhantomData<fn() -> L>);

impl<E: Event, L> ListOutput<E, L> {
    const fn new(outcome: Option<Outcome<E>>) -> Self {
        Self(outcome, PhantomData)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event, L: Layer> RailOutput<E> for ListOutput<E, L> {
    const DECIDES: bool = true;
    type Layer = L;

    #[inline(always)]
    fn continues(&self) -> bool {
        self.0.is_none()
    }

    #[inline(always)]
    fn read<R: Reader<E>>(self, reader: R) -> R::Read {
        match self.0 {
            None => reader.goes_on(),
            Some(outcome) => reader.has_decided(outcome),
        }
    }
}
