//! The order of a chain, as constants.
//!
//! `rail_chain!` sees the paths of its rails, not their priorities: those are constants of the types. It writes
//! which rail is at which place ([`RailAt`](super::RailAt)) and the table of what is known of each
//! ([`Listing`]); sorting the table is left to the constants here, and step *i* of an event is the rail at
//! place `ORDER[i]`. Stable Rust allows that because the chain is a concrete type: a constant in the place of
//! a const generic argument must involve no generic parameter.

use std::marker::PhantomData;

use crate::event::Event;
use crate::hook_point::HookPoint;
use crate::plan::{EventPlan, Order, PlannedRail};
use crate::rail::Rail;

/// What a chain lists: `N` rails, for `K` events.
pub trait Listing<const N: usize, const K: usize> {
    /// The rails in the order in which they are listed.
    const ROWS: [Row; N];

    /// The plans of all events that the chain serves, also of those without rails.
    const EVENTS: [EventPlan; K];
}

/// What a chain knows of one rail before it runs.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub(super) events: &'static [HookPoint],
    rewrites: &'static [HookPoint],
    pub(super) rail: PlannedRail,
    /// Whether it shares name and place with others, made from the same generic type.
    pub(super) generic: bool,
}

impl Row {
    /// The row of rail `R`.
    #[must_use]
    pub const fn of<R: Rail + ?Sized>() -> Self {
        Self { events: R::EVENTS, rewrites: R::REWRITES, rail: PlannedRail::of::<R>(), generic: R::GENERIC }
    }
}

impl PlannedRail {
    const fn of<R: Rail + ?Sized>() -> Self {
        Self { info: R::INFO, inner: R::INNER, order: Order { after: R::AFTER, before: R::BEFORE } }
    }
}

/// The rails of chain `C` at event `E`.
#[derive(Debug)]
pub struct Sorted<C, E, const N: usize, const K: usize>(PhantomData<(C, E)>);

impl<C: Listing<N, K>, E: Event, const N: usize, const K: usize> Sorted<C, E, N, K> {
    /// The places of the rails that are on the event, by priority; the rest is filled with `N`, the place of
    /// [`NoRail`](super::NoRail).
    pub const ORDER: [usize; N] = order(&C::ROWS, E::POINT);

    /// Whether one of them may change the payload.
    pub const REWRITES: bool = {
        let (mut rewrites, mut i) = (false, 0);
        while i < N {
            rewrites |= contains(C::ROWS[i].rewrites, E::POINT);
            i += 1;
        }
        rewrites
    };

    /// The same order, with what is known of each rail.
    pub const PLAN: EventPlan = EventPlan { event: E::POINT, rails: Self::RAILS.split_at(Self::COUNT).0 };

    const COUNT: usize = {
        let mut count = 0;
        while count < N && Self::ORDER[count] < N {
            count += 1;
        }
        count
    };

    const RAILS: &'static [PlannedRail] = &{
        let mut rails = [super::NoRail::ROW.rail; N];
        let mut i = 0;
        while i < Self::COUNT {
            rails[i] = C::ROWS[Self::ORDER[i]].rail;
            i += 1;
        }
        rails
    };
}

/// What chain `C` is on all events together.
#[derive(Debug)]
pub struct Summary<C, const N: usize, const K: usize>(PhantomData<C>);

impl<C: Listing<N, K>, const N: usize, const K: usize> Summary<C, N, K> {
    /// The plans of the events that have rails.
    pub const PLANS: &'static [EventPlan] = Self::USED.split_at(Self::COUNT).0;

    /// The events that have rails.
    pub const EVENTS: &'static [HookPoint] = Self::POINTS.split_at(Self::COUNT).0;

    /// The events whose payload a rail may change.
    pub const REWRITES: &'static [HookPoint] = Self::REWRITTEN.0.split_at(Self::REWRITTEN.1).0;

    const COUNT: usize = {
        let (mut count, mut i) = (0, 0);
        while i < K {
            count += !C::EVENTS[i].rails.is_empty() as usize;
            i += 1;
        }
        count
    };

    /// The events that have rails first; what follows them is not looked at.
    const USED: &'static [EventPlan] = &{
        let (mut used, mut count, mut i) = (C::EVENTS, 0, 0);
        while i < K {
            if !C::EVENTS[i].rails.is_empty() {
                used[count] = C::EVENTS[i];
                count += 1;
            }
            i += 1;
        }
        used
    };

    const POINTS: &'static [HookPoint] = &{
        let (mut points, mut i) = ([HookPoint::Start; K], 0);
        while i < Self::COUNT {
            points[i] = Self::USED[i].event;
            i += 1;
        }
        points
    };

    const REWRITTEN: &'static ([HookPoint; K], usize) = &{
        let (mut points, mut count, mut i) = ([HookPoint::Start; K], 0, 0);
        while i < K {
            let event = C::EVENTS[i].event;
            let mut row = 0;
            while row < N {
                if contains(C::ROWS[row].rewrites, event) {
                    points[count] = event;
                    count += 1;
                    row = N;
                } else {
                    row += 1;
                }
            }
            i += 1;
        }
        (points, count)
    };
}

pub(super) const fn contains(events: &[HookPoint], event: HookPoint) -> bool {
    let mut i = 0;
    while i < events.len() {
        if events[i].same(event) {
            return true;
        }
        i += 1;
    }
    false
}

/// An insertion sort, because it is stable and short: constants cannot call the library's.
const fn order<const N: usize>(rows: &[Row; N], event: HookPoint) -> [usize; N] {
    let mut order = [N; N];
    let (mut place, mut len) = (0, 0);
    while place < N {
        if contains(rows[place].events, event) {
            let mut at = len;
            while at > 0 && rows[order[at - 1]].rail.info.priority > rows[place].rail.info.priority {
                order[at] = order[at - 1];
                at -= 1;
            }
            order[at] = place;
            len += 1;
        }
        place += 1;
    }
    order
}
