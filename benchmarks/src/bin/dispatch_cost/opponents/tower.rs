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

/// The request of a stack without boxes. No layer requires an owned request, so the request borrows its data, which is
/// cheapest.
pub(crate) struct Borrowed<'a> {
    call: &'a mut ToolCallInputs,
    ctx: &'a mut RunContext,
}

/// A stack without boxes: its type names each layer.
pub(crate) trait Stack: List {
    /// Makes the stack. All its predicates have size zero, so the stack has size zero too, and keeping it would save
    /// nothing.
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

/// A stack of layers whose types the compiler knows.
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

/// For layers that are not ready. No layer here returns this error.
impl From<BoxError> for Fault {
    fn from(error: BoxError) -> Self {
        Self::new("tower", error)
    }
}

/// The request of a stack of boxes. A box has no room for the lifetime of a request, so the request owns its data. It is
/// in a box, because layers move it.
type Owned = Box<Carried>;

struct Carried {
    call: ToolCallInputs,
    ctx: RunContext,
}

/// The answer of a layer in a box.
type Answering = Pin<Box<dyn Future<Output = Result<Owned, BoxError>> + Send>>;

/// A layer in a box, with everything inside it. It is shared and not copied like a `BoxCloneService`: a layer that waits
/// before it calls the next layer must keep that layer. A copy would copy everything inside, at each of twenty layers.
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

/// A stack that is made at run time, with a box around each layer.
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

/// A stack of layers in boxes.
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
        // The placeholders for the call and the context allocate nothing.
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

/// The answer of a rail that stopped the event, as the error of a layer.
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

/// Returns the answer of the rail, and the event if the error has it.
#[cold]
fn stopped(error: BoxError) -> (Answer, Option<Owned>) {
    match error.downcast::<Stopped>() {
        Ok(stopped) => (stopped.answer, stopped.event),
        Err(error) => (Err(Fault::new("tower", error)), None),
    }
}
