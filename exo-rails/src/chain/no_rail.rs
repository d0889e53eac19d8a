//! The rail of unused steps.

use std::pin::Pin;
use std::task::{Context, Poll};

use crate::context::RailContext;
use crate::event::Event;
use crate::point::{RailInfo, SourceLocation};
use crate::rail::{Rail, RailOn, Row, Stateless};

/// A rail that does nothing. The steps after the last rail of an event call it. It is also the rail at place `I` if a
/// `#[cfg]` removes the rail there.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoRail<const I: usize = 0>;

impl<const I: usize> Rail for NoRail<I> {
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: Row =
        Row::new(RailInfo { name: "", priority: i32::MAX, declared: SourceLocation::here(&module_path!()) }, &[], &[]);

    type Events = ();
}

#[diagnostic::do_not_recommend]
impl<const I: usize> Stateless for NoRail<I> {
    const RAIL: &'static Self = &Self;
}

impl<E: Event, const I: usize> RailOn<E> for NoRail<I> {
    type Out = ();

    #[inline(always)]
    fn call<'a>(&'a self, _: E::Payload<'a>, _: &'a mut RailContext) -> impl Future<Output = ()> + Send {
        Nothing
    }

    fn call_concurrent<'a>(&'a self, _: E::Shared<'a>, _: &'a RailContext) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// The future of [`NoRail`]. It has no size and no state, unlike [`std::future::Ready`]. A chain of 50 rails has 14 of
/// these futures.
struct Nothing;

impl Future for Nothing {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}
