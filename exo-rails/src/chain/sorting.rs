//! Sorts the rails of a chain, in constants.
//!
//! `rail_chain!` sees the paths of its rails, but not their priorities, which are constants of the types. The macro writes
//! which rail is at which place ([`RailAt`](super::RailAt)), and a table of the facts about each rail ([`Listing`]). The
//! constants in this module sort the table: step *i* of an event is the rail at place `ORDER[i]`.
//!
//! This works on stable Rust because the chain is a concrete type: a constant that is a const generic argument must not
//! depend on a generic parameter.

use std::marker::PhantomData;

use super::lifecycle::LIFECYCLE;
use crate::context::ValueInfo;
use crate::event::Event;
use crate::point::{HookPoint, RailInfo};
use crate::rail::{EventPlan, EventSet, Plan, PlannedRail, Presence, Rail, Row};

/// The place of [`NoRail`](super::NoRail) in every list. The steps after the last rail of an event have this place.
pub(crate) const NO_PLACE: usize = usize::MAX;

/// The list of a chain's `N` rails.
pub trait Listing<const N: usize> {
    /// The rails in the order of the list. A reference to a static, so that a constant that uses one row does not contain
    /// all rows.
    const ROWS: &'static [Row; N];

    /// The plans of the custom events that the chain serves, including events without rails.
    const CUSTOM_EVENTS: &'static [EventPlan] = &[];

    /// The values that the chain needs from an outer chain.
    const NEEDS: &'static [ValueInfo] = &[];

    /// Whether rails run in reverse order at events after an operation.
    const ONION: bool = false;
}

const NO_RAIL: PlannedRail = PlannedRail::of(&<super::NoRail as Rail>::ROW, NO_PLACE);

/// The rails of chain `C` at event `E`.
struct Sorted<C, E, const N: usize, const K: usize>(PhantomData<(C, E)>);

impl<C: Listing<N>, E: Event, const N: usize, const K: usize> Sorted<C, E, N, K> {
    /// The places of the rails on the event, by priority. [`NO_PLACE`] fills the rest.
    const ORDER: [usize; N] = {
        let order = order(C::ROWS, E::POINT);
        if C::ONION && E::POINT.is_after() { reversed(order) } else { order }
    };

    /// The same order, with the facts about each rail.
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

/// The facts about chain `C` at compile time: it has `N` rails and serves `K` events. The expansion of `rail_chain!` takes
/// all constants from this type.
#[derive(Debug)]
pub struct ChainFacts<C, const N: usize, const K: usize = LIFECYCLE>(PhantomData<C>);

impl<C: Listing<N>, const N: usize, const K: usize> ChainFacts<C, N, K> {
    /// Returns the plan of the event. The plan may have no rails.
    #[must_use]
    pub const fn at<E: Event>() -> EventPlan {
        if Self::ON.has(E::POINT) {
            return Self::planned::<E>();
        }
        EventPlan { event: E::POINT, reversed: C::ONION && E::POINT.is_after(), rails: &[] }
    }

    /// Returns the steps of the event, beginning with step `start`.
    #[must_use]
    pub const fn order<E: Event>(start: usize) -> Order {
        if Self::ON.has(E::POINT) { Self::sorted::<E>(start) } else { Order::NONE }
    }

    // Separate functions: the compiler evaluates the constants of a function only when the function is called, and most
    // chains have no rails on most events.

    const fn planned<E: Event>() -> EventPlan {
        Sorted::<C, E, N, K>::PLAN
    }

    const fn sorted<E: Event>(start: usize) -> Order {
        Order::from(&Sorted::<C, E, N, K>::ORDER, start)
    }

    /// Returns the facts that an outer chain needs about this chain. `plan` is a static with the value of [`Self::plan`].
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

    /// Returns which rails run at which event.
    #[must_use]
    pub const fn plan(chain: &'static str) -> Plan {
        Plan { chain, events: Self::PLANS }
    }

    /// The plans of all events that the chain serves. The events of the library come first.
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

    /// An array that begins with the plans of the events that have rails, and their number. Nothing reads the rest of the
    /// array.
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

    /// The events that have rails. A custom event may be in the set without having rails.
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

    /// Whether the chain has rails that are always called.
    pub const HAS_ALWAYS: bool = Self::ALWAYS.0 != 0;

    /// Whether the chain has rails around operations: 0 if it has none, 1 if all of them are always present, 2 if some of
    /// them may be absent.
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

    /// Whether some of the rails, or some of the rails in them, may be absent.
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

/// The facts of [`ChainFacts`], for code that does not know the number of rails and events.
pub trait Facts {
    /// The facts about the rails, in the order of the list.
    const ROWS: &'static [Row];

    /// Whether some of the rails may be absent.
    const OPTIONAL: bool;

    /// Whether rails run in reverse order at events after an operation.
    const ONION: bool;

    /// Returns the places of the rails on the event, in the order in which they run. [`NO_PLACE`] fills the rest.
    fn order<E: Event>() -> &'static [usize];

    /// Returns `true` if the chain has rails on the event.
    fn has_rails<E: Event>() -> bool;

    /// Returns `true` if a rail may change the payload.
    fn may_rewrite<E: Event>() -> bool;

    /// Returns `true` if a rail may read how long the operation before the event took.
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

/// Reverses the order of the rails. `NO_PLACE` stays at the end.
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

/// Sorts the rails of an event by priority. It is an insertion sort, which is stable and short. Constants cannot call the
/// sorting functions of the standard library.
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

/// The largest number of steps in one walk.
const LONGEST: usize = 64;

/// Declares [`Order`] with a field for each step.
macro_rules! order {
    ($($usize:ident $step:literal)*) => {
        /// The places of the rails at the steps of one walk. They are fields and not a list, because a field costs the
        /// compiler half the work of an element.
        #[derive(Clone, Copy, Debug)]
        pub struct Order($(pub $usize),*);

        impl Order {
            /// The steps of an event without rails.
            const NONE: Self = Self::from(&[], 0);

            /// Returns the steps of an event, beginning with step `start`.
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
