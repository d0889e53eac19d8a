//! Plain hooks.

use std::pin::Pin;

use crate::context::RailContext;
use crate::decision::{InTheNameOf, Outcome, PlacedRail, RailOutput, Returned, Unnamed, outcome};
use crate::event::{AnyEvent, Decoy, Inputs};

/// What a hook's call gives: one boxed future.
pub type HookFuture<'a> = Pin<Box<dyn Future<Output = Outcome<AnyEvent>> + Send + 'a>>;

/// What [`Hook::run_always_rails`] gives: a boxed future.
pub type ObserverFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// What stands in a [`HookManager`](crate::HookManager): a plain hook, or a guard set at one of its events.
///
/// It is implemented for async functions of [`Inputs`] and [`RailContext`], and for what
/// [`RailManager::hook_for`](crate::RailManager::hook_for) returns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook",
    label = "not a hook",
    note = "a plain hook is an `async fn my_hook(inputs: Inputs<'_>, ctx: &mut RailContext)` that returns what a rail may return",
    note = "its future is `Send`, and borrows nothing from the hook: a hook with state is a rail with state, in a chain",
    note = "a chain is added with `chain.register(&mut hooks)`"
)]
pub trait Hook: Send + Sync + 'static {
    /// Calls the hook, which is at this place of its manager.
    #[doc(hidden)]
    fn call<'a>(&'a self, at: &'a PlacedRail, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a>;

    /// Calls those of its rails that are [always called](macro@crate::rail#rails-that-are-always-called), when a hook
    /// before it has stopped the event. A plain hook is not called then; a hook around others passes it on to them.
    #[doc(hidden)]
    fn run_always_rails<'a>(
        &'a self,
        at: &'a PlacedRail,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> ObserverFuture<'a>;

    /// How many characters of a streamed answer it has to see together: see
    /// [`Serves::stream_window`](crate::Serves::stream_window). A plain hook sees each piece as it comes, and has nothing held
    /// back; one that needs it is a rail with a `window`.
    fn stream_window(&self) -> usize {
        usize::MAX
    }
}

/// Async functions that can be hooks.
#[doc(hidden)]
pub trait HookFn<'a, Impl = ()>: Fn(Inputs<'a>, &'a mut RailContext) -> Self::Future {
    type Future: Future<Output = Self::Out> + Send + 'a;
    type Out: RailOutput<AnyEvent>;
}

impl<'a, F, Fut> HookFn<'a> for F
where
    F: Fn(Inputs<'a>, &'a mut RailContext) -> Fut,
    Fut: Future<Output: RailOutput<AnyEvent>> + Send + 'a,
{
    type Future = Fut;
    type Out = Fut::Output;
}

/// See [`Decoy`]: without it, rustc would report a function of another shape in the words of a hidden trait.
impl<'a, F, Fut, Impl: Decoy> HookFn<'a, Impl> for F
where
    F: Fn(Inputs<'a>, &'a mut RailContext) -> Fut,
    Fut: Future<Output: RailOutput<AnyEvent>> + Send + 'a,
{
    type Future = Fut;
    type Out = Fut::Output;
}

#[diagnostic::do_not_recommend]
impl<F: for<'a> HookFn<'a> + Send + Sync + 'static> Hook for F {
    fn call<'a>(&'a self, at: &'a PlacedRail, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a> {
        let point = inputs.point();
        Box::pin(async move {
            let returned: Returned<AnyEvent> = self(inputs, &mut *ctx).await.read(Unnamed);
            outcome(returned.read(InTheNameOf { rail: at, event: point, ctx }))
        })
    }

    fn run_always_rails<'a>(&'a self, _: &'a PlacedRail, _: Inputs<'a>, _: &'a mut RailContext) -> ObserverFuture<'a> {
        Box::pin(std::future::ready(()))
    }

    fn stream_window(&self) -> usize {
        0
    }
}
