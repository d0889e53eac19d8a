//! Rails: the traits that `#[rail]` implements for a function or an `impl` block.

pub(crate) mod block;
pub(crate) mod declaration;
pub(crate) mod event_list;
pub(crate) mod fact;
pub(crate) mod handled;
pub(crate) mod mode;
pub(crate) mod plan;
pub(crate) mod provide;
pub(crate) mod reloadable;
pub(crate) mod tool_names;
pub(crate) mod value_use;
pub(crate) mod window;
pub(crate) mod wrapped;

pub use block::*;
pub(crate) use declaration::Presence;
pub use declaration::*;
pub use event_list::*;
pub use fact::*;
pub use handled::*;
pub use mode::*;
pub use plan::*;
pub use provide::*;
pub use reloadable::*;
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

/// A guard on one or more events. `#[rail]` makes it.
///
/// The trait has the facts that a chain must know at compile time. Do not implement it by hand: the macro also
/// implements [`RailOn`] for each event.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rail",
    label = "not a rail",
    note = "a rail is an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a type with an `impl` block under `#[rail]` whose bounds it meets",
    note = "to use the rail of a function as a value, add braces: `manager.add(block_dangerous {{}})`",
    note = "a chain made by `rail_chain!`, and an `Arc`, an `Option` and a `Vec` of a rail are rails too; list another guard set as a plain `DynGuardSet`, made with `DynGuardSet::new`"
)]
pub trait Rail: Sized // for rails that are chosen at run time, use a `RailManager`
{
    /// The name of the rail in decisions, plans and logs.
    const NAME: &'static str = Self::INFO.name;

    /// The priority. Lower numbers run first. The default is 50.
    const PRIORITY: i32 = Self::INFO.priority;

    /// The events that the rail guards.
    const EVENTS: &'static [HookPoint] = Self::DECLARATION.events;

    /// The events whose payload the rail may change.
    const REWRITES: &'static [HookPoint] = Self::DECLARATION.rewrites;

    /// The place of the declaration.
    const LOCATION: SourceLocation = Self::INFO.declared;

    /// The rails inside, if the rail is a chain.
    const INNER: Option<&'static Plan> = Self::DECLARATION.inner;

    /// The name, the priority and the place together.
    const INFO: RailInfo = Self::DECLARATION.info;

    /// All constants above in one. It takes less time of the compiler than one declaration for each.
    #[doc(hidden)]
    const DECLARATION: Row = Self::WRITE_RAIL_ABOVE_AN_IMPL_BLOCK;

    /// The declaration, as the macros write it. rustc shows this name, and no other text of the library, to someone who
    /// implements the trait by hand. So the name is the message.
    #[doc(hidden)]
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row;

    /// The rails that this rail runs after, in the innermost chain that has both.
    #[doc(hidden)]
    const AFTER: &'static [RailInfo] = &[];

    /// The rails that this rail runs before, in the innermost chain that has both.
    #[doc(hidden)]
    const BEFORE: &'static [RailInfo] = &[];

    /// The values that the rail provides to later rails, and the values that it needs from earlier ones.
    #[doc(hidden)]
    const VALUES: &'static [ValueUse] = &[];

    /// The facts about the rail that a chain knows at compile time. The order is in separate constants, because two
    /// rails may name each other.
    #[doc(hidden)]
    const ROW: Row = Self::DECLARATION.in_order(Self::AFTER, Self::BEFORE, Self::VALUES);

    /// The events of the rail, as types.
    // Without a bound, so that rustc does not report a mistake in an event a second time here.
    #[doc(hidden)]
    type Events;
}

/// The behaviour of a rail at the event `E`.
#[diagnostic::on_unimplemented(
    message = "the rail `{Self}` is not on the event `{E}`",
    label = "not on `{E}`",
    note = "its events are in `#[rail(on = […])]`, or in the `#[on(…)]` of its methods",
    note = "an `InMode` copies the payload: at a custom event, write `#[derive(Clone)]` above the payload"
)]
pub trait RailOn<E: Event>: Rail {
    /// The return type of the rail.
    type Out: ReturnedAt<E, E::Returns>;

    /// Whether a fault of the rail loses more than the decision in its return type. This is true if the rail takes a
    /// part of the event by `&mut`, provides a value, or decides behind another type.
    #[doc(hidden)]
    const CHANGES: bool = false;

    /// Whether the rail also runs after another rail has stopped the event.
    #[doc(hidden)]
    const ALWAYS: bool = false;

    /// The effect of a fault. If a fault would lose a guard, the rail fails closed.
    #[doc(hidden)]
    const ON_FAULT: OnFault = if Self::Out::DECIDES || Self::CHANGES { OnFault::Abort } else { OnFault::Continue };

    /// Calls the rail.
    fn call<'a>(&'a self, payload: E::Payload<'a>, ctx: &'a mut RailContext) -> impl Future<Output = Self::Out> + Send;

    /// Calls the rail at its place in a guard set. A chain passes the place on to its rails.
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

    /// Calls the rail concurrently with others that read the same payload. Only rails with `concurrent` support this,
    /// and the chain has checked that they do.
    #[doc(hidden)]
    fn call_concurrent<'a>(&'a self, _: E::Shared<'a>, _: &'a RailContext) -> impl Future<Output = Self::Out> + Send {
        std::future::pending()
    }

    /// Calls the rail concurrently, at its place in a guard set.
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

    /// Runs an operation with the rail around it. Most rails add nothing.
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

    /// Returns a fact about the rail, in its configuration. Rails that contain others forward the question.
    #[doc(hidden)]
    #[inline]
    fn fact<F: EventFact>(&self) -> F::Value
    where
        Self: Sized,
    {
        F::of_rail(self)
    }

    /// Returns the `window` of the rail: the number of characters of a streamed answer that it must see together. Ask for
    /// [`WindowSize`](facts::WindowSize) instead, which rails that contain others know too.
    #[doc(hidden)]
    #[inline]
    fn stream_window(&self) -> usize {
        0
    }

    /// Returns the time limit of a call. Only a rail whose `timeout` is an expression implements it.
    #[doc(hidden)]
    #[inline]
    fn time_limit(&self) -> Duration {
        Duration::MAX
    }

    /// Returns the decision of the rail at its place in a guard set. Guard sets call this and not
    /// [`RailOutput`](crate::RailOutput) itself. So rustc reports a wrong return type at the declaration of the rail
    /// only, and not again in each chain.
    #[doc(hidden)]
    #[inline(always)]
    fn decide(output: Self::Out, at: &PlacedRail, ctx: &RailContext) -> ControlFlow<Outcome<E>> {
        if output.continues() {
            // Not dropped: the output is empty, but the compiler would write code that looks for contents.
            mem::forget(output);
            return ControlFlow::Continue(());
        }
        output.read(InTheNameOf { rail: at, event: E::POINT, ctx })
    }

    /// Calls the rail after another rail has stopped the event, if it is a rail that is always called.
    #[doc(hidden)]
    fn call_if_always<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
        at: &'a PlacedRail,
    ) -> impl Future<Output = ()> + Send {
        let is_shadow = ctx.is_shadow();
        // The conditions are constants, so the compiler makes no code for the other rails.
        let call = if Self::ALWAYS { Some(self.call(payload, ctx)) } else { None };
        async move {
            // The rail only observes, so its output can only be a fault.
            if Self::ALWAYS
                && let Some(call) = call
                && let Returned::Fault(cause) = call.await.returned()
            {
                drop_quietly(report_fault(cause, at, E::POINT, is_shadow));
            }
        }
    }
}

/// Whether rail `R` can surround the operation that event `E` begins, as a type.
pub(crate) type LayerOf<E, R> = <<R as RailOn<E>>::Out as ReturnedAt<E, <E as Event>::Returns>>::Layer;

/// Rails that a chain lists by their name alone. They have no state, so one value serves all chains.
///
/// `#[rail]` implements the trait for functions, and `rail_chain!` for chains without fields.
pub trait Stateless: Rail + Sized + 'static {
    /// The value.
    const RAIL: &'static Self;
}

/// The bound of a chain on a rail that it lists by its name alone. It is separate from [`Stateless`], so that rustc
/// reports a type that is not a rail once.
#[diagnostic::on_unimplemented(
    message = "a chain cannot list `{Self}` by its name alone",
    label = "not the rail of a function",
    note = "list a rail that is a type as a field of a named chain: `content_filter: ContentFilter`",
    note = "by its name alone, a chain lists an `async fn` or `fn` under `#[rail(on = [PreToolCall])]`, or a chain without fields"
)]
pub trait ListedByName {
    /// The facts about the rail that a chain knows at compile time.
    #[doc(hidden)]
    const ROW: Row;
}

#[diagnostic::do_not_recommend]
impl<R: Stateless> ListedByName for R {
    const ROW: Row = R::ROW;
}
