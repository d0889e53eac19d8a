//! Rails that a program replaces while agents run.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::context::RailContext;
use crate::decision::{OnFault, PlacedRail};
use crate::event::{Begins, Event, Next, Operation, OperationResult};
use crate::point::RailInfo;
use crate::rail::{EventFact, FactKind, Rail, RailOn, Row, ValueUse};

/// A rail or guard set that the program replaces while agents run, for example after a change of its configuration.
///
/// List it in a chain as a field, or use it as a guard set. A clone refers to the same rail: give one to the agent and keep
/// another one. The type of the rail stays the same. To attach and detach rails of any type, use
/// [`LiveRails`](crate::LiveRails). To attach and detach one rail, use a `Reloadable<Option<MyRail>>`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::Reloadable;
///
/// struct Blocked(Vec<String>);
///
/// #[rail(priority = 10)]
/// impl Blocked {
///     #[on(PreToolCall)]
///     fn tool(&self, call: &ToolCallInputs) -> Verdict {
///         Verdict::abort_if(self.0.contains(&call.tool_name), "it is blocked")
///     }
/// }
///
/// rail_chain! { struct Guards { blocked: Reloadable<Blocked> } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let blocked = Reloadable::new(Blocked(vec![]));
/// let rails = Guards { blocked: blocked.clone() };
/// let (mut call, mut ctx) = (ToolCallInputs::new("shell"), RunContext::new("demo"));
/// assert!(rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
///
/// blocked.replace(Blocked(vec!["shell".into()]));
/// assert!(!rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?.is_continue());
/// # Ok(()) }
/// ```
///
/// # Events that have begun
///
/// An event that has begun keeps its rail until it ends. So the rail after an operation may differ from the rail before it,
/// and a new rail sees a streamed answer from the next piece on. The library holds back as much of a streamed answer as the
/// rail at its beginning needs. A rail around an operation stays until the operation ends.
///
/// State that must survive a replacement belongs into the context, or into a store that both rails share.
///
/// # Cost
///
/// A dispatch takes a reference of the current rail, without a lock. A guarded operation keeps a copy of its inputs if a rail
/// of this type may change them. A reloadable rail cannot be in a chain with
/// [`concurrent`](macro@crate::rail_chain#concurrent-rails).
pub struct Reloadable<R> {
    current: Arc<ArcSwap<R>>,
}

impl<R> Reloadable<R> {
    /// Begins with this rail or guard set.
    #[must_use]
    pub fn new(rail: R) -> Self {
        Self { current: Arc::new(ArcSwap::from_pointee(rail)) }
    }

    /// Replaces the rail. Events that have begun keep the old one. Returns the old rail.
    pub fn replace(&self, rail: R) -> Arc<R> {
        self.current.swap(Arc::new(rail))
    }

    /// Returns the current rail. A later replacement does not change it.
    #[must_use]
    pub fn current(&self) -> Arc<R> {
        self.current.load_full()
    }

    /// Replaces the rail with a changed one. If another change is faster, calls the function again.
    pub(crate) fn change<T>(&self, mut change: impl FnMut(&R) -> (R, T)) -> T {
        loop {
            let before = self.current();
            let (after, changed) = change(&before);
            if Arc::ptr_eq(&self.current.compare_and_swap(&before, Arc::new(after)), &before) {
                return changed;
            }
        }
    }
}

impl<R> Clone for Reloadable<R> {
    fn clone(&self) -> Self {
        Self { current: Arc::clone(&self.current) }
    }
}

impl<R: Default> Default for Reloadable<R> {
    fn default() -> Self {
        Self::new(R::default())
    }
}

impl<R: fmt::Debug> fmt::Debug for Reloadable<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reloadable").field(&self.current()).finish()
    }
}

#[diagnostic::do_not_recommend]
impl<R: Rail> Rail for Reloadable<R> {
    const INFO: RailInfo = R::INFO;
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row = R::DECLARATION.in_turn();
    const AFTER: &'static [RailInfo] = R::AFTER;
    const BEFORE: &'static [RailInfo] = R::BEFORE;
    const VALUES: &'static [ValueUse] = R::VALUES;
    type Events = R::Events;
}

#[diagnostic::do_not_recommend]
impl<E: Event, R: RailOn<E> + Send + Sync> RailOn<E> for Reloadable<R> {
    type Out = R::Out;
    const ALWAYS: bool = R::ALWAYS;
    const ON_FAULT: OnFault = R::ON_FAULT;

    async fn call<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Self::Out {
        self.current().call(E::reborrow(&mut payload), ctx).await
    }

    async fn call_at<'a>(
        &'a self,
        mut payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> Self::Out {
        self.current().call_at(E::reborrow(&mut payload), ctx, at).await
    }

    async fn call_if_always<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext, at: &'a PlacedRail) {
        self.current().call_if_always(E::reborrow(&mut payload), ctx, at).await;
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
        self.current().surround(inputs, next).await
    }

    fn fact<F: EventFact>(&self) -> F::Value {
        match F::KIND {
            // Of every rail of the type, because a replacement may change the payload.
            FactKind::MayRewrite => F::of_rail(self),
            _ => self.current().fact::<F>(),
        }
    }
}
