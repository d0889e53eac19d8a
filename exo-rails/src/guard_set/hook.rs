//! Plain hooks.

use std::pin::Pin;

use crate::context::RailContext;
use crate::decision::{InTheNameOf, Outcome, PlacedRail, RailOutput, Returned, Unnamed, outcome};
use crate::event::{AnyEvent, Decoy, Inputs};

/// The boxed future of a hook's call.
pub type HookFuture<'a> = Pin<Box<dyn Future<Output = Outcome<AnyEvent>> + Send + 'a>>;

/// The boxed future of [`Hook::run_always_rails`].
pub type ObserverFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// An entry of a [`HookManager`](crate::HookManager): a plain hook, or a guard set at one event.
///
/// The library implements the trait for async functions of [`Inputs`] and [`RailContext`], and for the hooks that
/// [`RailManager::hook_for`](crate::RailManager::hook_for) returns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook",
    label = "not a hook",
    note = "a plain hook is an `async fn my_hook(inputs: Inputs<'_>, ctx: &mut RailContext)` with the return type of a rail",
    note = "its future is `Send` and does not borrow from the hook: for state, list a rail with state in a chain",
    note = "to add a chain, write `chain.register(&mut hooks)`"
)]
pub trait Hook: Send + Sync + 'static {
    /// Calls the hook at its place in the manager.
    #[doc(hidden)]
    fn call<'a>(&'a self, at: &'a PlacedRail, inputs: Inputs<'a>, ctx: &'a mut RailContext) -> HookFuture<'a>;

    /// Calls the rails of the hook that are [always called](macro@crate::rail#rails-that-are-always-called), after an
    /// earlier hook has stopped the event. A plain hook does nothing. A hook that wraps other hooks calls this method on
    /// each of them.
    #[doc(hidden)]
    fn run_always_rails<'a>(
        &'a self,
        at: &'a PlacedRail,
        inputs: Inputs<'a>,
        ctx: &'a mut RailContext,
    ) -> ObserverFuture<'a>;

    /// Returns how many characters of a streamed answer the hook needs to see together: see
    /// [`WindowSize`](crate::facts::WindowSize). The default is the whole answer. For a plain hook it is 0:
    /// the hook sees each piece as it arrives, and the library holds no text back for it. To see more text together, write
    /// a rail with a `window`.
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

/// See [`Decoy`]: without this implementation, the error message for a function with another signature would name a hidden
/// trait.
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
