//! Compares the declared order of rails and the requirements of a chain with its plan, when the chain is compiled.

use std::slice;

use super::values;
use crate::chain::requirements::{Requirement, Subject, breaks, lists};
use crate::chain::sorting::{ChainFacts, Listing};
use crate::chain::{Chain, NO_PLACE};
use crate::point::text;
use crate::point::text::Text;
use crate::point::{HookPoint, RailInfo};
use crate::rail::{EventPlan, NamesOf, PlannedRail, Row, contains, known_by};

/// The checks of chain `C`. Each check panics in a constant, at the name that the user wrote.
impl<C: Chain + Listing<N>, const N: usize, const K: usize> ChainFacts<C, N, K> {
    /// Checks that the rail at this place runs after and before the rails that it names. For a chain, checks the rails in it too.
    ///
    /// # Panics
    /// Panics if a rail does not run in its order.
    #[track_caller]
    pub const fn check_rail(place: usize) {
        let row = &C::ROWS[place];
        if Self::REPORTED {
            return;
        }
        served(row, Self::SERVED, C::PLAN.chain);
        if row.inner.is_none() && row.after.is_empty() && row.before.is_empty() && row.values.is_empty() {
            return;
        }
        let rail = &PlannedRail::of(row, place);
        let (events, mut i) = (C::PLAN.events, 0);
        while i < events.len() {
            let plan = &events[i];
            if row.is_on(plan.event) {
                in_order(plan, slice::from_ref(rail), None);
                values::check(plan, place, C::NEEDS);
            }
            i += 1;
        }
    }

    /// Whether the compiler reports a mistake at the name of a rail. A requirement would repeat the message.
    const REPORTED_AT_A_RAIL: bool = {
        let (mut reported, mut i) = (Self::REPORTED, 0);
        while i < N {
            reported |= unserved(&C::ROWS[i], Self::SERVED).is_some();
            i += 1;
        }
        reported
    };

    /// Checks that the rail at this place, and each rail in it, is for tools of this set.
    ///
    /// # Panics
    /// Panics if a rail is for another tool.
    #[track_caller]
    pub const fn check_tools(place: usize, set: NamesOf) {
        let (row, mut i) = (&C::ROWS[place], 0);
        let rail = &PlannedRail::of(row, place);
        while i < row.events.len() {
            of_set(slice::from_ref(rail), row.events[i], set);
            i += 1;
        }
    }

    /// Checks that the rail at this place can run concurrently with the others.
    ///
    /// # Panics
    /// Panics if the rail cannot.
    #[track_caller]
    pub const fn check_concurrent(place: usize) {
        let row = &C::ROWS[place];
        if row.concurrent || Self::REPORTED || row.info.name.is_empty() {
            return;
        }
        let text = Text::new().name(row.info.name).and(" cannot run concurrently with others: ");
        if row.inner.is_some() {
            text.and("it is a chain, so list its rails").refuse();
        }
        text.and("let it only read, and write `#[rail(on = [PreToolCall], concurrent)]`").refuse();
    }

    /// Checks that no earlier rail of the list has the same priority at an event that both rails are on.
    ///
    /// # Panics
    /// Panics if an earlier rail has the same priority.
    #[track_caller]
    pub const fn check_unique_priority(place: usize) {
        if Self::REPORTED {
            return;
        }
        let (rows, mut i) = (C::ROWS, 0);
        let row = &rows[place];
        while i < place {
            let other = &rows[i];
            if row.info.priority == other.info.priority
                && let Some(event) = common(row.events, other.events)
            {
                let text = Text::new().name(other.info.name).and(" and ").name(row.info.name);
                let text = text.and(" both have priority ").number(row.info.priority).and(" at ");
                let text = text
                    .name(event.event_name())
                    .and(", and the chain has `unique_priorities`: change one of the priorities");
                text.refuse();
            }
            i += 1;
        }
    }

    /// Checks that the chain lists a rail that one of its own `before(…)` requirements names.
    ///
    /// # Panics
    /// Panics if the chain does not list the rail.
    #[track_caller]
    pub const fn check_lists(rail: Subject) {
        let name = rail.name();
        if !Self::REPORTED && !rail.is_field() && !lists(&C::PLAN, rail.wanted()) {
            let text = Text::new().and("the chain ").name(C::PLAN.chain).and(" does not list ").name(name);
            text.and(": list it, or leave it out here").refuse();
        }
    }

    /// Checks an event in `events` that has the name of an event of the library. The macro sees only the name. If another
    /// type has this name, the compiler reports it elsewhere.
    ///
    /// # Panics
    /// Panics if the event is an event of the library, because every chain serves these events.
    #[track_caller]
    pub const fn check_names(event: HookPoint) {
        if !matches!(event, HookPoint::Custom(_)) {
            let text = Text::new().and("every chain serves this event: leave it out of `events`");
            text.refuse();
        }
    }

    /// Checks that the chain meets one of its own requirements.
    ///
    /// # Panics
    /// Panics if the chain does not meet the requirement.
    #[track_caller]
    pub const fn check_meets(requirement: Requirement) {
        if !Self::REPORTED_AT_A_RAIL
            && let Some(text) = requirement.broken(&C::PLAN, None)
        {
            text.refuse();
        }
    }

    /// Checks that the chain meets these requirements, which several chains share.
    ///
    /// # Panics
    /// Panics if the chain does not meet a requirement.
    #[track_caller]
    pub const fn check_requirements(name: &str, requirements: &[Requirement]) {
        if !Self::REPORTED_AT_A_RAIL
            && let Some(text) = breaks(&C::PLAN, name, requirements)
        {
            text.refuse();
        }
    }
}

/// Checks that the rails are for tools of the set, and the rails in them at the event too. The caller calls this for each
/// event. Checking all events of an inner chain here would multiply the time for each level of nesting.
#[track_caller]
const fn of_set(rails: &[PlannedRail], event: HookPoint, set: NamesOf) {
    let mut i = 0;
    while i < rails.len() {
        let (rail, mut tool) = (&rails[i], 0);
        while tool < rail.row.tools.len() {
            known_by(Some(rail.info.name), rail.row.tools[tool], set);
            tool += 1;
        }
        if let Some(inner) = rail.inner {
            of_set(inner.rails_at(event), event, set);
        }
        i += 1;
    }
}

/// Checks that the chain serves every event of the rail. The rail would never run at an event that the chain does not
/// serve.
#[track_caller]
const fn served(rail: &Row, events: &[EventPlan], chain: &str) {
    let Some(event) = unserved(rail, events) else { return };
    let (rail, name) = (rail.info.name, event.event_name());
    let text = Text::new().name(rail).and(" is on ").name(name);
    let (text, list, listed) = match event {
        HookPoint::Custom(point) if let Some(operation) = point.operation() => {
            let text = text.and(", an event of an operation that this chain does not guard: write `");
            (text, "operations", operation)
        }
        _ => (text.and(", an event that this chain does not serve: write `"), "events", name),
    };
    // Every unnamed chain is called `rail_chain!`.
    let unnamed = text::same(chain, "rail_chain!");
    let text = if unnamed { text.and("rail_chain![") } else { text };
    let text = text.and("#[chain(").and(list).and(" = [").and(listed).and("])]");
    let text = if unnamed { text.and(" ").and(rail).and("]") } else { text };
    text.and("`").refuse();
}

/// Returns the first event of the rail that the chain does not serve. Every chain serves the events of the library.
const fn unserved(rail: &Row, events: &[EventPlan]) -> Option<HookPoint> {
    let mut i = 0;
    while i < rail.events.len() {
        let (event, mut at) = (rail.events[i], 0);
        let own = matches!(event, HookPoint::Custom(_));
        while own && at < events.len() && !events[at].event.same(event) {
            at += 1;
        }
        if own && at == events.len() {
            return Some(event);
        }
        i += 1;
    }
    None
}

/// Checks that the rails, and the rails in them, run after and before the rails that they name. `within` is the inner chain
/// that contains `rails`, or `None` for the chain that is checked. If `within` has both rails, its own check has ordered
/// them.
#[track_caller]
const fn in_order(plan: &EventPlan, rails: &[PlannedRail], within: Option<&EventPlan>) {
    let mut i = 0;
    while i < rails.len() {
        let (rail, mut other) = (&rails[i], 0);
        let this = if within.is_none() { Wanted::Place(rail.place) } else { Wanted::Rail(&rail.row.rail) };
        while other < rail.row.after.len() {
            let earlier = Wanted::Rail(&rail.row.after[other]);
            if !runs_before(plan, earlier, this) && !has(within, earlier) {
                not_in_order(plan, rail, this, true, &rail.row.after[other]);
            }
            other += 1;
        }
        other = 0;
        while other < rail.row.before.len() {
            let later = Wanted::Rail(&rail.row.before[other]);
            if !runs_before(plan, this, later) && !has(within, later) {
                not_in_order(plan, rail, this, false, &rail.row.before[other]);
            }
            other += 1;
        }
        if let Some(inner) = rail.inner {
            let inner = inner.at(plan.event);
            in_order(plan, inner.rails, Some(&inner));
        }
        i += 1;
    }
}

/// Returns `true` if the chain has the rail at the event of the plan.
const fn has(chain: Option<&EventPlan>, rail: Wanted<'_>) -> bool {
    match chain {
        Some(chain) => find(chain.rails, chain.event, rail).is_some(),
        None => false,
    }
}

/// Reports that `rail` does not run after or before `other`, although its attribute requires it.
#[track_caller]
const fn not_in_order(plan: &EventPlan, rail: &PlannedRail, this: Wanted<'_>, is_after: bool, other: &RailInfo) -> ! {
    let relation = if is_after { "after" } else { "before" };
    let event = plan.event;
    let text = Text::new().name(rail.info.name).and(" must run ").and(relation).and(" ").name(other.name);
    let text = text.and(" (`").and(relation).and(" = [").and(other.name).and("]`), but at ");
    let text = text.name(event.event_name()).and(" it does not: ");
    let other = Wanted::Rail(other);
    // If the other rail has several instances, names an instance in the wrong place.
    let other = if is_after { other.last() } else { other.first() };
    priorities(&text, plan, this.first(), other).refuse();
}

/// A rail to find in a plan.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// A rail, wherever it is listed.
    Rail(&'a RailInfo),
    /// The rail that the chain itself lists at this place.
    Place(usize),
}

impl Wanted<'_> {
    const fn is(self, rail: &PlannedRail) -> bool {
        match self {
            Self::Rail(wanted) => rail.row.rail.same(wanted),
            Self::Place(place) => rail.place == place,
        }
    }

    /// Returns the value for the search in an inner chain.
    const fn inside(self) -> Self {
        match self {
            Self::Rail(_) => self,
            Self::Place(_) => Self::Place(NO_PLACE),
        }
    }
}

/// Finds the reason why the wanted rail may be absent, and returns its row: the rail itself, a chain that contains it, or,
/// if the wanted rail is a chain, the first rail in it.
pub(super) const fn absent(rails: &[PlannedRail], event: HookPoint, wanted: Wanted<'_>) -> Option<&'static Row> {
    let Some(at) = holder(rails, event, wanted) else { return None };
    let mut rail = &rails[at];
    if let Some(inner) = rail.inner
        && !rail.row.is_optional()
        && let Some(absent) = absent(inner.rails_at(event), event, wanted.inside())
    {
        return Some(absent);
    }
    while let Some(inner) = rail.inner
        && !rail.row.is_optional()
        && let Some(first) = inner.rails_at(event).first()
    {
        rail = first;
    }
    Some(rail.row)
}

/// Adds to the text how to list the rail so that it cannot be absent.
pub(super) const fn there_always(text: &Text, absent: &Row) -> Text {
    if absent.is_list() {
        text.and(": a `Vec` may be empty, so list a rail in a field without `Vec`")
    } else {
        text.and(": list it in the chain itself, without `Option` or `InMode`")
    }
}

/// One of the instances of a rail.
#[derive(Clone, Copy)]
pub(super) struct Instance<'a> {
    wanted: Wanted<'a>,
    is_last: bool,
}

impl<'a> Wanted<'a> {
    /// The instance that must run first.
    pub(super) const fn first(self) -> Instance<'a> {
        Instance { wanted: self, is_last: false }
    }

    /// The instance that must run last.
    pub(super) const fn last(self) -> Instance<'a> {
        Instance { wanted: self, is_last: true }
    }
}

impl Instance<'_> {
    /// Returns the index of this instance in `rails`, or of the chain that contains it.
    const fn holder(self, rails: &[PlannedRail], event: HookPoint, reversed: bool) -> Option<usize> {
        if self.is_last == reversed {
            holder(rails, event, self.wanted)
        } else {
            last_holder(rails, event, self.wanted)
        }
    }

    const fn inside(self) -> Self {
        Self { wanted: self.wanted.inside(), is_last: self.is_last }
    }

    /// Returns `true` if the rail at `at` is the wanted rail and its only instance. The text has then already named it.
    const fn is(self, rails: &[PlannedRail], event: HookPoint, at: usize) -> bool {
        self.wanted.is(&rails[at]) && only_holder(rails, event, self.wanted).is_some()
    }
}

/// Adds to the text why two rails run in their order: their priorities, or the priorities of the chains that contain them.
pub(super) const fn priorities(text: &Text, plan: &EventPlan, one: Instance<'_>, two: Instance<'_>) -> Text {
    let EventPlan { event, rails, reversed } = *plan;
    let (Some(first), Some(second)) = (one.holder(rails, event, reversed), two.holder(rails, event, reversed)) else {
        return *text;
    };
    if let (Some(one), Some(two)) = (find(rails, event, one.wanted), find(rails, event, two.wanted))
        && surround(rails, event, one) != surround(rails, event, two)
    {
        let around = if surround(rails, event, one) { one.first } else { two.first };
        return match rail_at(rails, event, around) {
            Some(rail) => {
                text.name(rail.info.name).and(" surrounds the operation, so it runs after the rails without `around`")
            }
            None => *text,
        };
    }
    if first == second
        && let Some(inner) = rails[first].inner
    {
        return priorities(text, &inner.at(event), one.inside(), two.inside());
    }
    let direct = one.is(rails, event, first) && two.is(rails, event, second);
    by_priority(text, &rails[first].info, &rails[second].info, direct, reversed)
}

/// Adds to the text why two rails of one list run in their order. `direct` is true if the text is about these two rails,
/// and false if they are chains that contain the rails of the text.
pub(super) const fn by_priority(
    text: &Text,
    first: &RailInfo,
    second: &RailInfo,
    direct: bool,
    reversed: bool,
) -> Text {
    let text = if direct {
        text.and("their priorities are ")
    } else {
        text.and("the priorities of ").name(first.name).and(" and ").name(second.name).and(" are ")
    };
    let text = text.number(first.priority).and(" and ").number(second.priority);
    match (first.priority == second.priority, reversed) {
        (true, false) => text.and(", so the order of the list decides"),
        (false, false) => text.and(", and the lower number runs first"),
        (true, true) => text.and(", so the order of the list decides, and an onion reverses it after an operation"),
        (false, true) => text.and(", and an onion runs the higher number first after an operation"),
    }
}

/// Returns the index of the first entry that is the wanted rail, or a chain that contains it.
const fn holder(rails: &[PlannedRail], event: HookPoint, wanted: Wanted<'_>) -> Option<usize> {
    let mut i = 0;
    while i < rails.len() {
        if find(slice::from_ref(&rails[i]), event, wanted).is_some() {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// Returns the index of the last entry that is the wanted rail, or a chain that contains it.
const fn last_holder(rails: &[PlannedRail], event: HookPoint, wanted: Wanted<'_>) -> Option<usize> {
    let mut i = rails.len();
    while i > 0 {
        i -= 1;
        if find(slice::from_ref(&rails[i]), event, wanted).is_some() {
            return Some(i);
        }
    }
    None
}

/// Returns `true` if all instances of the first rail end before the second rail begins, or if one of the rails does not
/// run. In a reversed plan, checks the opposite order.
pub(super) const fn runs_before(plan: &EventPlan, first: Wanted<'_>, second: Wanted<'_>) -> bool {
    let EventPlan { event, rails, reversed } = *plan;
    // If both rails are only in one inner chain, this chain orders them.
    if let (Some(at), Some(other)) = (only_holder(rails, event, first), only_holder(rails, event, second))
        && at == other
        && let Some(inner) = rails[at].inner
    {
        return runs_before(&inner.at(event), first.inside(), second.inside());
    }
    match (find(rails, event, first), find(rails, event, second)) {
        (Some(first), Some(second)) if surround(rails, event, first) != surround(rails, event, second) => {
            surround(rails, event, second)
        }
        (Some(first), Some(second)) if reversed => second.last < first.first,
        (Some(first), Some(second)) => first.last < second.first,
        _ => true,
    }
}

/// Returns the index of the only entry that is the wanted rail, or a chain that contains it. `None` if there are several
/// entries.
const fn only_holder(rails: &[PlannedRail], event: HookPoint, wanted: Wanted<'_>) -> Option<usize> {
    let Some(at) = holder(rails, event, wanted) else { return None };
    if holder(rails.split_at(at + 1).1, event, wanted).is_some() { None } else { Some(at) }
}

/// The places of a rail among the rails of an event, from the first to the last. Inner chains are flattened, so the places
/// of a chain are those of its rails.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub first: usize,
    pub last: usize,
}

/// Returns all places of a rail. `None` if the rail does not run.
pub(super) const fn find(rails: &[PlannedRail], event: HookPoint, wanted: Wanted<'_>) -> Option<Found> {
    search(rails, event, wanted, false, 0).0
}

/// Returns the places where the rail cannot be absent.
pub(super) const fn find_present(rails: &[PlannedRail], event: HookPoint, wanted: Wanted<'_>) -> Option<Found> {
    search(rails, event, wanted, true, 0).0
}

/// Returns the places of the rail, counted from `from`, and the place after the last rail.
const fn search(
    rails: &[PlannedRail],
    event: HookPoint,
    wanted: Wanted<'_>,
    present: bool,
    from: usize,
) -> (Option<Found>, usize) {
    let (mut found, mut next, mut i) = (None, from, 0);
    while i < rails.len() {
        let start = next;
        let mut here = None;
        match rails[i].inner {
            // A rail in a chain that may be absent may be absent too.
            Some(inner) if rails[i].row.is_optional() && present => {
                next += count(inner.rails_at(event), event);
            }
            Some(inner) => (here, next) = search(inner.rails_at(event), event, wanted.inside(), present, start),
            None => next += 1,
        }
        if wanted.is(&rails[i]) && (!present || is_there(&rails[i], event)) {
            here = Some(Found { first: start, last: next - 1 });
        }
        found = both(found, here);
        i += 1;
    }
    (found, next)
}

/// Returns `true` if the rail, or a rail in it, runs at the event in every configuration.
const fn is_there(rail: &PlannedRail, event: HookPoint) -> bool {
    let Some(inner) = rail.inner else { return !rail.row.is_optional() };
    let (rails, mut i) = (inner.rails_at(event), 0);
    while i < rails.len() {
        if !rail.row.is_optional() && is_there(&rails[i], event) {
            return true;
        }
        i += 1;
    }
    false
}

const fn both(earlier: Option<Found>, later: Option<Found>) -> Option<Found> {
    match (earlier, later) {
        (Some(earlier), Some(later)) => Some(Found { first: earlier.first, last: later.last }),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => None,
    }
}

/// Returns `true` if all rails at these places only surround the operation. They run after all rails that decide, whatever
/// their priorities are.
pub(super) const fn surround(rails: &[PlannedRail], event: HookPoint, places: Found) -> bool {
    let mut place = places.first;
    while place <= places.last {
        match rail_at(rails, event, place) {
            Some(rail) if rail.row.only_surrounds(event) => place += 1,
            _ => return false,
        }
    }
    true
}

/// Returns the number of rails at the event, with inner chains flattened.
pub(super) const fn count(rails: &[PlannedRail], event: HookPoint) -> usize {
    let (mut count_of_all, mut i) = (0, 0);
    while i < rails.len() {
        count_of_all += match rails[i].inner {
            Some(inner) => count(inner.rails_at(event), event),
            None => 1,
        };
        i += 1;
    }
    count_of_all
}

/// Returns the rail at this place, with inner chains flattened.
pub(super) const fn rail_at(rails: &[PlannedRail], event: HookPoint, place: usize) -> Option<&PlannedRail> {
    let (mut start, mut i) = (0, 0);
    while i < rails.len() {
        let len = count(slice::from_ref(&rails[i]), event);
        if place < start + len {
            return match rails[i].inner {
                Some(inner) => rail_at(inner.rails_at(event), event, place - start),
                None => Some(&rails[i]),
            };
        }
        start += len;
        i += 1;
    }
    None
}

/// Returns the first event of `one` that is also in `two`.
pub(super) const fn common(one: &[HookPoint], two: &[HookPoint]) -> Option<HookPoint> {
    let mut i = 0;
    while i < one.len() {
        if contains(two, one[i]) {
            return Some(one[i]);
        }
        i += 1;
    }
    None
}
