//! Layers of `tower`: a filter for each rail, around a service that does nothing.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use exo_rails::{HookPoint, RunContext, ToolCallInputs};
use tower::filter::AsyncFilter;
use tower::util::ServiceExt;
use tower::{BoxError, Service, service_fn};

use super::{Answer, Check, List};
use crate::dispatch::hand_written::{Decision, Fault};
use crate::dispatch::variants::Variant;

/// What passes a stack without boxes: nothing in it asks a request to live on its own, so it borrows, which is cheapest.
pub(crate) struct Borrowed<'a> {
    call: &'a mut ToolCallInputs,
    ctx: &'a mut RunContext,
}

/// A stack without boxes: its type names each layer.
pub(crate) trait Stack: List {
    /// The stack. It is of size zero, as every predicate in it is, so nothing is gained by keeping it.
    fn stack<'a>()
    -> impl Service<Borrowed<'a>, Response = (), Error = BoxError, Future: Send> + Clone + Send + use<'a, Self>;
}

impl Stack for () {
    fn stack<'a>() -> impl Service<Borrowed<'a>, Response = (), Error = BoxError, Future: Send> + Clone + Send + use<'a>
    {
        service_fn(|_: Borrowed<'a>| std::future::ready(Ok::<_, BoxError>(())))
    }
}

impl<C: Check, L: Stack> Stack for (C, L) {
    fn stack<'a>()
    -> impl Service<Borrowed<'a>, Response = (), Error = BoxError, Future: Send> + Clone + Send + use<'a, C, L> {
        AsyncFilter::new(L::stack(), borrowed::<C>)
    }
}

/// The predicate of a rail.
async fn borrowed<C: Check>(event: Borrowed<'_>) -> Result<Borrowed<'_>, BoxError> {
    match C::check(event.call, event.ctx).await {
        Ok(Decision::Continue) => Ok(event),
        answer => Err(Stopped::boxed(answer, None)),
    }
}

/// Layers that the compiler sees through.
pub(crate) struct Static<L>(PhantomData<L>);

impl<L: Stack> Static<L> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<L: Stack> Variant for Static<L> {
    type Answer = Answer;

    fn dispatch<'a>(
        &'a self,
        call: &'a mut ToolCallInputs,
        ctx: &'a mut RunContext,
    ) -> impl Future<Output = Answer> + Send {
        ctx.enter(HookPoint::PreToolCall);
        L::stack().map_result(answer).oneshot(Borrowed { call, ctx })
    }
}

fn answer(passed: Result<(), BoxError>) -> Answer {
    match passed {
        Ok(()) => Ok(Decision::Continue),
        Err(error) => stopped(error).0,
    }
}

/// For layers that are not ready, of which there are none here.
impl From<BoxError> for Fault {
    fn from(error: BoxError) -> Self {
        Self::new("tower", error)
    }
}

/// What passes a stack of boxes: a box has no room for the lifetime of a request, so the request owns what it carries.
/// A box, because it is moved from layer to layer.
type Owned = Box<Carried>;

struct Carried {
    call: ToolCallInputs,
    ctx: RunContext,
}

/// What a layer in a box answers.
type Answering = Pin<Box<dyn Future<Output = Result<Owned, BoxError>> + Send>>;

/// A layer in a box, and everything inside it. It is shared, not copied as a `BoxCloneService` is: a layer that waits
/// before it calls the next one has to keep it meanwhile, and each of twenty copies would be one of all that is inside.
#[derive(Clone)]
struct Layer(Arc<dyn Fn(Owned) -> Answering + Send + Sync>);

impl Service<Owned> for Layer {
    type Response = Owned;
    type Error = BoxError;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, event: Owned) -> Answering {
        (self.0)(event)
    }
}

impl Layer {
    fn new<S>(service: S) -> Self
    where
        S: Service<Owned, Response = Owned, Error = BoxError, Future: Send + 'static> + Clone + Send + Sync + 'static,
    {
        Self(Arc::new(move |event| Box::pin(service.clone().call(event))))
    }
}

/// The predicate of a rail.
async fn owned<C: Check>(mut event: Owned) -> Result<Owned, BoxError> {
    match C::check(&event.call, &mut event.ctx).await {
        Ok(Decision::Continue) => Ok(event),
        answer => Err(Stopped::boxed(answer, Some(event))),
    }
}

/// A stack that is put together at run time: a box around each layer.
pub(crate) trait BoxedStack: List {
    fn boxed() -> Boxed;
}

impl BoxedStack for () {
    fn boxed() -> Boxed {
        Boxed::new(service_fn(|event| std::future::ready(Ok(event))))
    }
}

impl<C: Check, L: BoxedStack> BoxedStack for (C, L) {
    fn boxed() -> Boxed {
        Boxed::new(AsyncFilter::new(L::boxed().0, owned::<C>))
    }
}

/// Layers in boxes.
pub(crate) struct Boxed(Layer);

impl Boxed {
    fn new<S>(service: S) -> Self
    where
        S: Service<Owned, Response = Owned, Error = BoxError, Future: Send + 'static> + Clone + Send + Sync + 'static,
    {
        Self(Layer::new(service))
    }
}

impl Variant for Boxed {
    type Answer = Answer;

    async fn dispatch<'a>(&'a self, call: &'a mut ToolCallInputs, ctx: &'a mut RunContext) -> Answer {
        // Neither what stands in for the call nor what stands in for the context allocates.
        let child = ctx.child();
        let mut event =
            Box::new(Carried { call: mem::replace(call, ToolCallInputs::new("")), ctx: mem::replace(ctx, child) });
        event.ctx.enter(HookPoint::PreToolCall);
        let (answer, event) = match self.0.clone().oneshot(event).await {
            Ok(event) => (Ok(Decision::Continue), Some(event)),
            Err(error) => stopped(error),
        };
        if let Some(event) = event {
            (*call, *ctx) = (event.call, event.ctx);
        }
        answer
    }
}

/// How a rail stopped the event, as the error that a layer returns.
struct Stopped {
    answer: Answer,
    event: Option<Owned>,
}

impl Stopped {
    #[cold]
    fn boxed(answer: Answer, event: Option<Owned>) -> BoxError {
        Box::new(Self { answer, event })
    }
}

impl fmt::Debug for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rail stopped the event")
    }
}

impl Error for Stopped {}

/// What the rail said, and the event that it kept.
#[cold]
fn stopped(error: BoxError) -> (Answer, Option<Owned>) {
    match error.downcast::<Stopped>() {
        Ok(stopped) => (stopped.answer, stopped.event),
        Err(error) => (Err(Fault::new("tower", error)), None),
    }
}
