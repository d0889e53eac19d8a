//! The rail of the steps after the last rail of an event.

use std::pin::Pin;
use std::task::{Context, Poll};

use crate::context::RailContext;
use crate::event::Event;
use crate::point::{RailInfo, SourceLocation};
use crate::rail::{Rail, RailOn, Row, Stateless};

/// Nothing. At the end of every chain, it is what the steps after the last rail of an event call; and it stands at the
/// place `I` of a list where the name is that of a plain function.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoRail<const I: usize = 0>;

impl<const I: usize> Rail for NoRail<I> {
    const DECLARATION: Row =
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

/// The call of [`NoRail`]. Of no size and without a state, unlike [`std::future::Ready`]: in a chain of 50 rails there are 14.
struct Nothing;

impl Future for Nothing {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}
