//! The order of a chain, as constants.
//!
//! `rail_chain!` sees the paths of its rails, not their priorities: those are constants of the types. It writes
//! which rail is at which place ([`RailAt`](super::RailAt)) and the table of what is known of each
//! ([`Listing`]). The constants here sort the table: step *i* of an event is the rail at place `ORDER[i]`. Stable Rust
//! allows that because the chain is a concrete type: a constant in the place of a const generic argument must
//! involve no generic parameter.

use std::marker::PhantomData;

use super::lifecycle::LIFECYCLE;
use crate::context::ValueInfo;
use crate::event::Event;
use crate::point::{HookPoint, RailInfo};
use crate::rail::{EventPlan, EventSet, Plan, PlannedRail, Presence, Rail, Row};

/// The place of [`NoRail`](super::NoRail) in every list: that of the steps after the last rail of an event.
pub(crate) const NO_PLACE: usize = usize::MAX;

/// What a chain lists: `N` rails.
pub trait Listing<const N: usize> {
    /// The rails in the order in which they are listed: a static, so that nothing that refers to one of them has all of
    /// them in its value.
    const ROWS: &'static [Row; N];

    /// The plans of the custom events that the chain serves, also of those without rails.
    const CUSTOM_EVENTS: &'static [EventPlan] = &[];

    /// The values that it needs of the chain around it.
    const NEEDS: &'static [ValueInfo] = &[];

    /// Whether rails run in the reverse of their order at events after an operation.
    const ONION: bool = false;
}

const NO_RAIL: PlannedRail = PlannedRail::of(&<super::NoRail as Rail>::ROW, NO_PLACE);

/// The rails of chain `C` at event `E`.
struct Sorted<C, E, const N: usize, const K: usize>(PhantomData<(C, E)>);

impl<C: Listing<N>, E: Event, const N: usize, const K: usize> Sorted<C, E, N, K> {
    /// The places of the rails that are on the event, by priority; then [`NO_PLACE`].
    const ORDER: [usize; N] = {
        let order = order(C::ROWS, E::POINT);
        if C::ONION && E::POINT.is_after() { reversed(order) } else { order }
    };

    /// The same order, with what is known of each rail.
    const PLAN: EventPlan = EventPlan {
        event: E::POINT,
        reversed: C::ONION && E::POINT.is_after(),
        rails: Self::RAILS.split_at(Self::COUNT).0,
    };

    const COUNT: usize = {
        let (order, mut count) = (&Self::ORDER, 0);
        while count < N && order[count] < N {
            count += 1;
        }
        count
    };

    const RAILS: &'static [PlannedRail] = &{
        let mut rails = [NO_RAIL; N];
        let (order, mut i) = (&Self::ORDER, 0);
        while i < Self::COUNT {
            rails[i] = PlannedRail::of(&C::ROWS[order[i]], order[i]);
            i += 1;
        }
        rails
    };
}

/// What is known of chain `C` when it is compiled: its `N` rails, at the `K` events that it serves. The expansion of
/// `rail_chain!` names this type, and takes all constants from it.
#[derive(Debug)]
pub struct ChainFacts<C, const N: usize, const K: usize = LIFECYCLE>(PhantomData<C>);

impl<C: Listing<N>, const N: usize, const K: usize> ChainFacts<C, N, K> {
    /// The plan of the event, also when it has no rails.
    #[must_use]
    pub const fn at<E: Event>() -> EventPlan {
        if Self::ON.has(E::POINT) {
            return Self::planned::<E>();
        }
        EventPlan { event: E::POINT, reversed: C::ONION && E::POINT.is_after(), rails: &[] }
    }

    /// The steps of the event from this one on.
    #[must_use]
    pub const fn order<E: Event>(start: usize) -> Order {
        if Self::ON.has(E::POINT) { Self::sorted::<E>(start) } else { Order::NONE }
    }

    // Apart: the compiler evaluates the constants that a function names when it is called, and most chains have no rails on
    // most events.

    const fn planned<E: Event>() -> EventPlan {
        Sorted::<C, E, N, K>::PLAN
    }

    const fn sorted<E: Event>(start: usize) -> Order {
        Order::from(&Sorted::<C, E, N, K>::ORDER, start)
    }

    /// What a chain that lists this one knows of it. The plan is that of [`Self::plan`], in a static.
    #[must_use]
    pub const fn row(info: RailInfo, plan: &'static Plan) -> Row {
        Row::new(info, Self::EVENTS, Self::REWRITES)
            .with_inner(plan)
            .always_in(Self::ALWAYS)
            .around_in(Self::AROUND)
            .timed_in(Self::TIMED)
            .present(if Self::OPTIONAL { Presence::InPart } else { Presence::Always })
            .reported(Self::REPORTED)
    }

    /// Which rails run at which event.
    #[must_use]
    pub const fn plan(chain: &'static str) -> Plan {
        Plan { chain, events: Self::PLANS }
    }

    /// The plans of all events that the chain serves: first those of the library.
    pub(super) const SERVED: &'static [EventPlan] = &{
        let (mut plans, lifecycle, custom) = ([EventPlan::EMPTY; K], Self::lifecycle_plans(), C::CUSTOM_EVENTS);
        let mut i = 0;
        while i < K {
            plans[i] = if i < LIFECYCLE { lifecycle[i] } else { custom[i - LIFECYCLE] };
            i += 1;
        }
        plans
    };

    /// The plans of the events that have rails.
    const PLANS: &'static [EventPlan] = Self::USED.0.split_at(Self::USED.1).0;

    /// The events that have rails.
    const EVENTS: &'static [HookPoint] = Self::POINTS.split_at(Self::USED.1).0;

    /// The events whose payload a rail may change.
    const REWRITES: &'static [HookPoint] = Self::REWRITTEN_POINTS.0.split_at(Self::REWRITTEN_POINTS.1).0;

    /// The events that have rails first, and how many they are; what follows them is not looked at.
    const USED: &'static ([EventPlan; K], usize) = &{
        let (mut used, mut count, mut i) = ([EventPlan::EMPTY; K], 0, 0);
        while i < K {
            if !Self::SERVED[i].rails.is_empty() {
                used[count] = Self::SERVED[i];
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

    /// The events that have rails; of custom events, those that may have some.
    const ON: EventSet = {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= C::ROWS[i].on.0;
            i += 1;
        }
        EventSet(bits)
    };

    const REWRITTEN: EventSet = {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= C::ROWS[i].rewritten.0;
            i += 1;
        }
        EventSet(bits)
    };

    /// Whether the compiler has already reported a mistake in one of the rails.
    pub(super) const REPORTED: bool = {
        let (mut reported, mut i) = (false, 0);
        while i < N {
            reported |= C::ROWS[i].reported;
            i += 1;
        }
        reported
    };

    /// Whether there are rails that are always called.
    pub const HAS_ALWAYS: bool = Self::ALWAYS.0 != 0;

    /// Whether there are rails around operations: 0 for none, 1 when all of them are there, 2 when some may be absent.
    pub const HAS_AROUND: u8 = {
        let (mut has_around, mut i) = (0, 0);
        while i < N {
            let row = &C::ROWS[i];
            if row.around.0 != 0 && has_around < 2 {
                has_around = if matches!(row.presence, Presence::Always) { 1 } else { 2 };
            }
            i += 1;
        }
        has_around
    };

    /// The events that begin an operation which a rail surrounds.
    const AROUND: EventSet = {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= C::ROWS[i].around.0;
            i += 1;
        }
        EventSet(bits)
    };

    /// The events after an operation at which a rail takes the context.
    const TIMED: EventSet = {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= C::ROWS[i].timed.0;
            i += 1;
        }
        EventSet(bits)
    };

    /// Whether some of the rails, or some in them, may be absent.
    const OPTIONAL: bool = {
        let (mut optional, mut i) = (false, 0);
        while i < N {
            optional |= !matches!(C::ROWS[i].presence, Presence::Always);
            i += 1;
        }
        optional
    };

    /// The events at which a rail is always called.
    const ALWAYS: EventSet = {
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

/// What [`ChainFacts`] answers where the numbers of rails and events are not known.
pub trait Facts {
    /// What is known of the rails, in the order of the list.
    const ROWS: &'static [Row];

    /// Whether some of the rails may be absent.
    const OPTIONAL: bool;

    /// Whether rails run in the reverse of their order at events after an operation.
    const ONION: bool;

    /// The places of the rails on the event, in their order; then [`NO_PLACE`].
    fn order<E: Event>() -> &'static [usize];

    /// Whether the chain has rails on the event.
    fn has_rails<E: Event>() -> bool;

    /// Whether one of them may change the payload.
    fn may_rewrite<E: Event>() -> bool;

    /// Whether one of them may ask how long the operation before the event took.
    fn is_timed<E: Event>() -> bool;
}

impl<C: Listing<N>, const N: usize, const K: usize> Facts for ChainFacts<C, N, K> {
    const ROWS: &'static [Row] = C::ROWS;
    const OPTIONAL: bool = Self::OPTIONAL;
    const ONION: bool = C::ONION;

    fn order<E: Event>() -> &'static [usize] {
        const { &Sorted::<C, E, N, K>::ORDER }
    }

    #[inline]
    fn has_rails<E: Event>() -> bool {
        const { Sorted::<C, E, N, K>::COUNT > 0 }
    }

    #[inline]
    fn may_rewrite<E: Event>() -> bool {
        const { Self::rewrites_at(E::POINT) }
    }

    #[inline]
    fn is_timed<E: Event>() -> bool {
        const { Self::TIMED.has(E::POINT) }
    }
}

/// The same rails from the last to the first.
const fn reversed<const N: usize>(order: [usize; N]) -> [usize; N] {
    let (mut reversed, mut count) = ([NO_PLACE; N], 0);
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
    let mut order = [NO_PLACE; N];
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

/// The most steps that one walk has.
const LONGEST: usize = 64;

/// Declares [`Order`] with a field for each step.
macro_rules! order {
    ($($usize:ident $step:literal)*) => {
        /// The places of the rails at the steps of one walk, as fields: when an expansion names a field, the compiler has
        /// half the work that it has with an element of a list.
        #[derive(Clone, Copy, Debug)]
        pub struct Order($(pub $usize),*);

        impl Order {
            /// The steps of an event without rails.
            const NONE: Self = Self::from(&[], 0);

            /// The steps of an event from this one on.
            const fn from<const N: usize>(order: &[usize; N], start: usize) -> Self {
                let (mut places, mut i) = ([NO_PLACE; LONGEST], 0);
                while i < LONGEST && start + i < N {
                    places[i] = order[start + i];
                    i += 1;
                }
                Self($(places[$step]),*)
            }
        }
    };
}

order! {
    usize 0 usize 1 usize 2 usize 3 usize 4 usize 5 usize 6 usize 7
    usize 8 usize 9 usize 10 usize 11 usize 12 usize 13 usize 14 usize 15
    usize 16 usize 17 usize 18 usize 19 usize 20 usize 21 usize 22 usize 23
    usize 24 usize 25 usize 26 usize 27 usize 28 usize 29 usize 30 usize 31
    usize 32 usize 33 usize 34 usize 35 usize 36 usize 37 usize 38 usize 39
    usize 40 usize 41 usize 42 usize 43 usize 44 usize 45 usize 46 usize 47
    usize 48 usize 49 usize 50 usize 51 usize 52 usize 53 usize 54 usize 55
    usize 56 usize 57 usize 58 usize 59 usize 60 usize 61 usize 62 usize 63
}
