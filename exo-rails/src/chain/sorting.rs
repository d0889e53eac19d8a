//! The order of a chain, as constants.
//!
//! `rail_chain!` sees the paths of its rails, not their priorities: those are constants of the types. It writes
//! which rail is at which place ([`RailAt`](super::RailAt)) and the table of what is known of each
//! ([`Listing`]); sorting the table is left to the constants here, and step *i* of an event is the rail at
//! place `ORDER[i]`. Stable Rust allows that because the chain is a concrete type: a constant in the place of
//! a const generic argument must involve no generic parameter.

use std::marker::PhantomData;

use crate::event::Event;
use crate::point::HookPoint;
use crate::point::text::Text;
use crate::rail::{EventPlan, EventSet, PlannedRail, Rail, Row};

/// What a chain lists: `N` rails, for `K` events.
pub trait Listing<const N: usize, const K: usize> {
    /// The rails in the order in which they are listed: a static, so that nothing that refers to one of them has all of
    /// them in its value.
    const ROWS: &'static [Row; N];

    /// The plans of all events that the chain serves, also of those without rails.
    const EVENTS: [EventPlan; K];

    /// Whether rails run in the reverse of their order at events that tell of what has happened.
    const ONION: bool = false;
}

/// The rails of chain `C` at event `E`.
#[derive(Debug)]
pub struct Sorted<C, E, const N: usize, const K: usize>(PhantomData<(C, E)>);

impl<C: Listing<N, K>, E: Event, const N: usize, const K: usize> Sorted<C, E, N, K> {
    /// The places of the rails that are on the event, by priority; the rest is filled with `N`, the place of
    /// [`NoRail`](super::NoRail).
    pub const ORDER: [usize; N] = {
        let order = order(C::ROWS, E::POINT);
        if Self::REVERSED { reversed(order) } else { order }
    };

    const REVERSED: bool = C::ONION && E::POINT.is_after();

    /// Whether there is any.
    pub const GUARDS: bool = Self::COUNT > 0;

    /// Whether one of them may change the payload.
    pub const REWRITES: bool = Summary::<C, N, K>::rewrites_at(E::POINT);

    /// The same order, with what is known of each rail.
    pub const PLAN: EventPlan =
        EventPlan { event: E::POINT, reversed: Self::REVERSED, rails: Self::RAILS.split_at(Self::COUNT).0 };

    /// The rails have room in this many steps.
    ///
    /// # Panics
    /// When there are more: in a constant, at the name of the chain.
    #[track_caller]
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "no list is so long")]
    pub const fn fits(steps: usize) {
        if Self::COUNT > steps {
            let event = E::POINT.event_name();
            let text = Text::new().and("the chain has ").number(Self::COUNT as i32).and(" rails on ").name(event);
            let text = text.and(", and without a word room for ").number(steps as i32);
            text.and(": name the event, `#[chain(events = [").and(event).and("])]`").refuse();
        }
    }

    const COUNT: usize = {
        let (order, mut count) = (&Self::ORDER, 0);
        while count < N && order[count] < N {
            count += 1;
        }
        count
    };

    const RAILS: &'static [PlannedRail] = &{
        let mut rails = [const { PlannedRail::of(&<super::NoRail as Rail>::ROW, N) }; N];
        let (order, mut i) = (&Self::ORDER, 0);
        while i < Self::COUNT {
            rails[i] = PlannedRail::of(&C::ROWS[order[i]], order[i]);
            i += 1;
        }
        rails
    };
}

/// What chain `C` is on all events together.
#[derive(Debug)]
pub struct Summary<C, const N: usize, const K: usize>(PhantomData<C>);

impl<C: Listing<N, K>, const N: usize, const K: usize> Summary<C, N, K> {
    /// The plans of all events that the chain serves.
    pub(super) const SERVED: &'static [EventPlan] = &<C as Listing<N, K>>::EVENTS;

    /// The plans of the events that have rails.
    pub const PLANS: &'static [EventPlan] = Self::USED.0.split_at(Self::USED.1).0;

    /// The events that have rails.
    pub const EVENTS: &'static [HookPoint] = Self::POINTS.split_at(Self::USED.1).0;

    /// The events whose payload a rail may change.
    pub const REWRITES: &'static [HookPoint] = Self::REWRITTEN_POINTS.0.split_at(Self::REWRITTEN_POINTS.1).0;

    /// The events that have rails first, and how many they are; what follows them is not looked at.
    const USED: &'static ([EventPlan; K], usize) = &{
        let (mut used, mut count, mut i) = (C::EVENTS, 0, 0);
        while i < K {
            if !used[i].rails.is_empty() {
                used[count] = used[i];
                count += 1;
            }
            i += 1;
        }
        (used, count)
    };

    const POINTS: &'static [HookPoint] = &{
        let (mut points, mut i) = ([HookPoint::Start; K], 0);
        while i < Self::USED.1 {
            points[i] = Self::USED.0[i].event;
            i += 1;
        }
        points
    };

    const REWRITTEN: EventSet = {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= C::ROWS[i].rewritten.0;
            i += 1;
        }
        EventSet(bits)
    };

    /// Whether what is wrong with one of the rails has been told.
    pub const TOLD: bool = {
        let (mut told, mut i) = (false, 0);
        while i < N {
            told |= C::ROWS[i].told;
            i += 1;
        }
        told
    };

    /// Whether there are rails that are always called.
    pub const HAS_ALWAYS: bool = Self::ALWAYS.0 != 0;

    /// How many characters of a streamed answer its rails have to see together.
    pub const WINDOW: usize = {
        let (mut most, mut i) = (0, 0);
        while i < N {
            if C::ROWS[i].window > most {
                most = C::ROWS[i].window;
            }
            i += 1;
        }
        most
    };

    /// The events at which a rail is always called.
    pub const ALWAYS: EventSet = {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= C::ROWS[i].always.0;
            i += 1;
        }
        EventSet(bits)
    };

    const fn rewrites_at(event: HookPoint) -> bool {
        let mut i = 0;
        while Self::REWRITTEN.has(event) && i < N {
            if C::ROWS[i].rewritten.surely_has(event, C::ROWS[i].rewrites) {
                return true;
            }
            i += 1;
        }
        false
    }

    const REWRITTEN_POINTS: &'static ([HookPoint; K], usize) = &{
        let (mut points, mut count, mut i) = ([HookPoint::Start; K], 0, 0);
        while i < Self::USED.1 {
            if Self::rewrites_at(Self::POINTS[i]) {
                points[count] = Self::POINTS[i];
                count += 1;
            }
            i += 1;
        }
        (points, count)
    };
}

/// The same rails from the last to the first.
const fn reversed<const N: usize>(order: [usize; N]) -> [usize; N] {
    let (mut reversed, mut count) = ([N; N], 0);
    while count < N && order[count] < N {
        count += 1;
    }
    let mut i = 0;
    while i < count {
        reversed[i] = order[count - 1 - i];
        i += 1;
    }
    reversed
}

/// An insertion sort, because it is stable and short: constants cannot call the library's.
const fn order<const N: usize>(rows: &[Row; N], event: HookPoint) -> [usize; N] {
    let mut order = [N; N];
    let (mut place, mut len) = (0, 0);
    while place < N {
        if rows[place].is_on(event) {
            let (mut at, priority) = (len, rows[place].info.priority);
            while at > 0 && rows[order[at - 1]].info.priority > priority {
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
