//! The parameters of rails: which types a rail on an event may take.

use crate::context::RailContext;
use crate::event::Event;
use crate::event::types::Inputs;

/// Types that a rail on event `E` may take as a parameter.
///
/// The type alone determines which value the rail receives. Parameters can be in any order, and a rail can take each value
/// once.
#[diagnostic::on_unimplemented(
    message = "`{E}` does not carry `{Self}`",
    label = "a rail on `{E}` cannot take this",
    note = "a rail takes parts of the payload, `&mut RailContext`, or `Inputs<'_>`, the union of all payloads"
)]
pub trait Param<'a, E: Event>: Sized {
    /// The parts of the payload that this type takes, as bits. The check for two parameters that take the same part uses
    /// them.
    #[doc(hidden)]
    const TAKES: u8;

    #[doc(hidden)]
    fn take(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Option<Self>;
}

/// Types that a rail on event `E` may take as a parameter if it [runs
/// concurrently](macro@crate::rail_chain#concurrent-rails) with others: references by `&`.
#[doc(hidden)]
pub trait SharedParam<'a, E: Event>: Sized {
    fn look(payload: E::Shared<'a>, ctx: &'a RailContext) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event> SharedParam<'a, E> for &'a RailContext {
    #[inline]
    fn look(_: E::Shared<'a>, ctx: &'a RailContext) -> Self {
        ctx
    }
}

pub(crate) const FIRST: u8 = 0b01;
pub(crate) const SECOND: u8 = 0b10;
const CONTEXT: u8 = 1 << MOST_PARTS;
const ALL_PARTS: u8 = CONTEXT - 1;

/// The largest number of parts in a payload.
const MOST_PARTS: u32 = 7;

#[diagnostic::do_not_recommend]
impl<'a, E: Event> Param<'a, E> for &'a mut RailContext {
    const TAKES: u8 = CONTEXT;

    #[inline]
    fn take(_: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Option<Self> {
        ctx.take()
    }
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event> Param<'a, E> for &'a RailContext {
    const TAKES: u8 = CONTEXT;

    #[inline]
    fn take(_: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Option<Self> {
        ctx.take().map(|ctx| &*ctx)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event> Param<'a, E> for Inputs<'a> {
    const TAKES: u8 = ALL_PARTS;

    #[inline]
    fn take(parts: &mut E::Parts<'a>, _: &mut Option<&'a mut RailContext>) -> Option<Self> {
        E::whole(parts)
    }
}

/// [`Param`] with the payload of the event as a parameter, so that the error message lists the parts of the payload.
#[diagnostic::on_unimplemented(
    message = "`{E}` does not carry `{Self}`",
    label = "a rail on `{E}` cannot take this",
    note = "`{E}` carries `{Payload}`; a rail can also take a `&mut` part by `&`",
    note = "every event has `&mut RailContext`, and `Inputs<'_>`, the union of all payloads, for a rail on several events"
)]
pub trait CarriedBy<'a, E: Event, Payload>: Sized {
    /// See [`Param`].
    #[doc(hidden)]
    const TAKES: u8;

    #[doc(hidden)]
    fn pick(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event, P: Param<'a, E>> CarriedBy<'a, E, E::Payload<'a>> for P {
    const TAKES: u8 = P::TAKES;

    #[inline]
    fn pick(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Self {
        match P::take(parts, ctx) {
            Some(param) => param,
            // Unreachable: `once` has checked the parameters of the rail at compile time.
            None => unreachable!("two parameters of a rail take the same part"),
        }
    }
}

/// [`CarriedBy`] for a type that the library does not have. The error message explains how a rail gets state, provided
/// values and the arguments of a tool.
#[diagnostic::on_unimplemented(
    message = "`{E}` does not carry `{Self}`",
    label = "a rail on `{E}` cannot take this",
    note = "`{E}` carries `{Payload}`; a rail can also take a `&mut` part by `&`, and every event has `&mut RailContext`",
    note = "for state, write a type with a field: `#[rail] impl MyRail {{ #[on(PreToolCall)] async fn check(&self, call: &ToolCallInputs) {{ … }} }}`",
    note = "for a value of another rail, write `needs = [RateLimitLeft]` and take `&RateLimitLeft`; for the arguments of a tool, take `&Args<DeleteFile>`",
    note = "to run the next rail and then the operation, return `RailAction::Continue`; to surround the operation, add `around` and take `next: impl Next<ToolCall>`"
)]
pub trait CarriesForeign<'a, E: Event, Payload>: Sized {
    /// See [`Param`].
    #[doc(hidden)]
    const TAKES: u8;

    #[doc(hidden)]
    fn pick(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event, P: Param<'a, E>> CarriesForeign<'a, E, E::Payload<'a>> for P {
    const TAKES: u8 = P::TAKES;

    #[inline]
    fn pick(parts: &mut E::Parts<'a>, ctx: &mut Option<&'a mut RailContext>) -> Self {
        CarriedBy::<E, _>::pick(parts, ctx)
    }
}

/// Types that a rail may take if it runs concurrently with others: the parts of the payload, by `&`.
#[diagnostic::on_unimplemented(
    message = "a rail that runs concurrently with others cannot take `{Self}` at `{E}`",
    label = "a rail with `concurrent` cannot take this",
    note = "a concurrent rail on `{E}` takes `{Shared}` and `&RailContext`; to change something, write a rail without `concurrent`"
)]
pub trait SharedBy<'a, E: Event, Shared>: Sized {
    #[doc(hidden)]
    fn look(payload: E::Shared<'a>, ctx: &'a RailContext) -> Self;
}

#[diagnostic::do_not_recommend]
impl<'a, E: Event, P: SharedParam<'a, E>> SharedBy<'a, E, E::Shared<'a>> for P {
    #[inline]
    fn look(payload: E::Shared<'a>, ctx: &'a RailContext) -> Self {
        SharedParam::look(payload, ctx)
    }
}

/// Asserts that the last of these parameters does not take a part that an earlier one takes. The macro calls it for each
/// parameter, so the error is at the second of the two.
///
/// # Panics
/// Panics, at compile time, if the last parameter takes a part that an earlier one takes.
#[doc(hidden)]
#[track_caller]
pub const fn once(takes: &[u8]) {
    let (mut before, mut i) = (0, 0);
    while i + 1 < takes.len() {
        before |= takes[i];
        i += 1;
    }
    assert!(before & takes[i] == 0, "the rail takes the same part of the event twice: leave one out");
}
