//! Rails: what `#[rail]` makes of a function or an `impl` block.

pub(crate) mod block;
pub(crate) mod declaration;
pub(crate) mod event_list;
pub(crate) mod handled;
pub(crate) mod plan;
pub(crate) mod provide;
pub(crate) mod tool_names;
pub(crate) mod value_use;
pub(crate) mod window;
pub(crate) mod wrapped;

pub use block::*;
pub(crate) use declaration::Presence;
pub use declaration::*;
pub use event_list::*;
pub use handled::*;
pub use plan::*;
pub use provide::*;
pub use tool_names::*;
pub use value_use::*;
pub use window::*;

use std::mem;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::context::RailContext;
use crate::decision::{InTheNameOf, OnFault, Outcome, PlacedRail, Returned, ReturnedAt, report_fault};
use crate::error::drop_quietly;
use crate::event::{Begins, Event, Next, Operation, OperationResult};
use crate::point::{HookPoint, RailInfo, SourceLocation};

/// A guard on one or more events, made by `#[rail]`.
///
/// It carries what a chain must know before it runs. Do not implement it by hand: the macro also sees to the
/// events, one [`RailOn`] for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rail",
    label = "not a rail",
    note = "a rail is an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a type with an `impl` block under `#[rail]`",
    note = "the rail of a function is written with braces where a value is asked for: `manager.add(block_dangerous {{}})`",
    note = "a chain made by `rail_chain!` is a rail too, and so are an `Arc`, an `Option` and a `Vec` of a rail; another guard set is one as a `DynGuardSet`"
)]
pub trait Rail {
    /// What it is called in decisions, plans and logs.
    const NAME: &'static str = Self::INFO.name;

    /// Lower numbers run first; 50 where none is given.
    const PRIORITY: i32 = Self::INFO.priority;

    /// The events that it guards.
    const EVENTS: &'static [HookPoint] = Self::DECLARATION.events;

    /// Those of its events whose payload it may change.
    const REWRITES: &'static [HookPoint] = Self::DECLARATION.rewrites;

    /// Where it was declared.
    const LOCATION: SourceLocation = Self::INFO.declared;

    /// The rails inside, when the rail is a chain.
    const INNER: Option<&'static Plan> = Self::DECLARATION.inner;

    /// Name, priority and place together.
    const INFO: RailInfo = Self::DECLARATION.info;

    /// All of the above in one constant, which takes less of the compiler's time than each for itself.
    #[doc(hidden)]
    const DECLARATION: Row;

    /// The rails that it runs after, in the innermost chain that has both.
    #[doc(hidden)]
    const AFTER: &'static [RailInfo] = &[];

    /// The rails that it runs before, in the innermost chain that has both.
    #[doc(hidden)]
    const BEFORE: &'static [RailInfo] = &[];

    /// The values that it provides to later rails, and those that it needs from earlier ones.
    #[doc(hidden)]
    const VALUES: &'static [ValueUse] = &[];

    /// What a chain knows of it before it runs. The order stands apart: two rails may name each other.
    #[doc(hidden)]
    const ROW: Row = Self::DECLARATION.in_order(Self::AFTER, Self::BEFORE, Self::VALUES);

    /// Its events, as types.
    // Without a bound, so that what is wrong with one of them is not told a second time here.
    #[doc(hidden)]
    type Events;
}

/// What a rail does at event `E`.
#[diagnostic::on_unimplemented(
    message = "the rail `{Self}` is not on the event `{E}`",
    label = "not on `{E}`",
    note = "its events are those in `#[rail(on = […])]`, or those of its `#[on(…)]` methods"
)]
pub trait RailOn<E: Event>: Rail {
    /// What the rail returns.
    type Out: ReturnedAt<E, E::Returns>;

    /// Whether something is lost when it faults, beside the decision that its type tells: it takes what the event
    /// carries by `&mut`, provides a value, or decides behind another type.
    #[doc(hidden)]
    const CHANGES: bool = false;

    /// Whether it is also called when a rail before it has stopped the event.
    #[doc(hidden)]
    const ALWAYS: bool = false;

    /// What a fault of it does: where a guard would be lost, it fails closed.
    #[doc(hidden)]
    const ON_FAULT: OnFault = if Self::Out::DECIDES || Self::CHANGES { OnFault::Abort } else { OnFault::Continue };

    /// Calls the rail.
    fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> impl Future<Output = Self::Out> + Send;

    /// Calls the rail at its place in a guard set. A chain tells the rails in it where they are.
    #[doc(hidden)]
    #[inline(always)]
    fn call_at<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        _: &'a PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        self.call(payload, ctx)
    }

    /// Calls the rail beside others, which look at the same: only of rails that say `concurrent`, which a chain has held.
    #[doc(hidden)]
    fn call_concurrent<'a>(&'a self, _: E::Shared<'a>, _: &'a RailContext) -> impl Future<Output = Self::Out> + Send {
        std::future::pending()
    }

    /// The same at its place in a guard set.
    #[doc(hidden)]
    #[inline(always)]
    fn call_concurrent_at<'a>(
        &'a self,
        payload: E::Shared<'a>,
        ctx: &'a RailContext,
        _: &PlacedRail,
    ) -> impl Future<Output = Self::Out> + Send {
        self.call_concurrent(payload, ctx)
    }

    /// Runs an operation, with what the rail does around it. Most rails do nothing there.
    #[doc(hidden)]
    #[inline]
    fn surround<'a, N>(
        &'a self,
        _: &'a <E::Operation as Operation>::Inputs,
        next: N,
    ) -> impl Future<Output = OperationResult<E::Operation>> + Send
    where
        E: Begins,
        N: Next<E::Operation>,
    {
        next.run()
    }

    /// Whether it does anything around the operation that the event begins, as it is configured.
    #[doc(hidden)]
    #[inline]
    fn surrounds(&self) -> bool {
        const { Self::DECLARATION.around.has(E::POINT) }
    }

    /// Whether it may change the payload, as it is configured.
    #[doc(hidden)]
    #[inline]
    fn may_rewrite(&self) -> bool {
        const { contains(Self::REWRITES, E::POINT) }
    }

    /// How many characters of a streamed answer it has to see together, as it is configured.
    #[doc(hidden)]
    #[inline]
    fn stream_window(&self) -> usize {
        0
    }

    /// How long a call may take, as the rail is configured; only of a rail whose attribute says it by an expression.
    #[doc(hidden)]
    #[inline]
    fn time_limit(&self) -> Duration {
        Duration::MAX
    }

    /// What the rail decided, at its place in a guard set. Guard sets ask here and not [`RailOutput`](crate::RailOutput)
    /// itself, so that a rail that returns something else is reported where it is declared, and not again in each chain.
    #[doc(hidden)]
    #[inline(always)]
    fn decide(output: Self::Out, at: &PlacedRail, ctx: &RailContext) -> ControlFlow<Outcome<E>> {
        if output.continues() {
            // Not dropped: there is nothing in it, and the compiler would look.
            mem::forget(output);
            return ControlFlow::Continue(());
        }
        output.read(InTheNameOf { rail: at, event: E::POINT, ctx })
    }

    /// Calls the rail after another has stopped the event, when it is one that is always called.
    #[doc(hidden)]
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        let call = Self::ALWAYS.then(|| self.call(payload, ctx));
        async move {
            // It observes, so there is nothing to decide: at most a fault.
            if let Some(call) = call
                && let Returned::Fault(cause) = call.await.returned()
            {
                drop_quietly(report_fault(cause, at, E::POINT));
            }
        }
    }
}

/// Rails that a chain lists by their name alone: they have no state, so one value serves all chains.
///
/// `#[rail]` implements it for functions, `rail_chain!` for chains without fields.
pub trait Stateless: Rail + Sized + 'static {
    /// The one value.
    const RAIL: &'static Self;
}

/// What a chain asks of a rail that it lists by its name alone: apart from [`Stateless`], so that what is not even a rail is
/// reported once.
#[diagnostic::on_unimplemented(
    message = "a chain cannot list `{Self}` by its name alone",
    label = "not the rail of a function",
    note = "a rail that is a type, with state or without, is a field of a chain that has a name: `content_filter: ContentFilter`",
    note = "by its name alone stands the rail of an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a chain without fields"
)]
pub trait ListedByName {
    /// What a chain knows of the rail before it runs.
    #[doc(hidden)]
    const ROW: Row;
}

#[diagnostic::do_not_recommend]
impl<R: Stateless> ListedByName for R {
    const ROW: Row = R::ROW;
}
