//! Compares the values that rails provide and need with the order of a chain. A rail that needs a value must run after the
//! rail that provides it.

use crate::chain::Chain;
use crate::chain::order::{Wanted, absent, by_priority, there_always};
use crate::chain::sorting::{ChainFacts, Listing};
use crate::context::ValueInfo;
use crate::point::text::Text;
use crate::point::{HookPoint, SourceLocation};
use crate::rail::{EventPlan, PlannedRail, ValueUse};

/// Checks the values of the rail at this place of the list, at the event. The rail must have the values that it needs, and
/// must not provide a value that another rail provides.
///
/// Rails are distinguished by their places, because rails of one generic type share all other facts. For the rails in an
/// inner chain, the function checks only the values that they provide. The check of the inner chain itself has checked the
/// values that they need.
#[track_caller]
pub(super) const fn check(plan: &EventPlan, place: usize, given: &[ValueInfo]) {
    let EventPlan { event, rails: all, .. } = *plan;
    let mut at = 0;
    while at < all.len() && all[at].place != place {
        at += 1;
    }
    if at == all.len() {
        return;
    }
    let (rail, mut i) = (&all[at], 0);
    while i < rail.row.values.len() {
        let used = &rail.row.values[i];
        if used.needs && used.event.same(event) {
            needed(plan, at, &used.value, given);
        } else if used.event.same(event) {
            once(rail, event, i);
        }
        i += 1;
    }
    only_one(all.split_at(at).0, event, rail);
}

/// The values that a chain needs from an outer chain.
impl<C: Chain + Listing<N>, const N: usize, const K: usize> ChainFacts<C, N, K> {
    /// Returns one use for each value in `needs` and each event at which a rail needs the value, and the number of uses.
    /// Nothing reads the rest of the array.
    #[must_use]
    pub const fn needed<const MOST: usize>() -> ([ValueUse; MOST], usize) {
        const NONE: ValueUse =
            ValueUse::needs(HookPoint::Start, ValueInfo { name: "", declared: SourceLocation::here(&module_path!()) });
        let (mut uses, mut count, mut i) = ([NONE; MOST], 0, 0);
        while i < C::NEEDS.len() {
            let (value, mut event) = (C::NEEDS[i], 0);
            while event < Self::SERVED.len() {
                if lacks(&Self::SERVED[event], &value) {
                    uses[count] = ValueUse::needs(Self::SERVED[event].event, value);
                    count += 1;
                }
                event += 1;
            }
            i += 1;
        }
        (uses, count)
    }

    /// Checks that a rail of the chain needs the value at this index of `needs`.
    ///
    /// # Panics
    /// Panics if no rail needs the value.
    #[track_caller]
    pub const fn check_needs(place: usize) {
        let (value, mut i) = (&C::NEEDS[place], 0);
        while i < Self::SERVED.len() {
            if lacks(&Self::SERVED[i], value) {
                return;
            }
            i += 1;
        }
        if !Self::REPORTED {
            let text = Text::new().and("no rail of the chain needs ").name(value.name);
            text.and(" from outside: leave it out").refuse();
        }
    }
}

/// Returns `true` if a rail needs the value at the event, and no earlier rail provides it.
const fn lacks(plan: &EventPlan, value: &ValueInfo) -> bool {
    let (rails, mut i) = (plan.rails, 0);
    while i < rails.len() {
        if uses(&rails[i], plan.event, value, true) && provider(rails.split_at(i).0, plan.event, value).is_none() {
            return true;
        }
        i += 1;
    }
    false
}

const fn has(values: &[ValueInfo], value: &ValueInfo) -> bool {
    let mut i = 0;
    while i < values.len() {
        if values[i].same(value) {
            return true;
        }
        i += 1;
    }
    false
}

/// Checks that the rail does not provide one value under two names.
#[track_caller]
const fn once(rail: &PlannedRail, event: HookPoint, place: usize) {
    let (value, mut i) = (&rail.row.values[place].value, 0);
    while i < place {
        let used = &rail.row.values[i];
        if !used.needs && used.event.same(event) && used.value.same(value) {
            let text = Text::new().name(rail.info.name).and(" provides ").name(value.name);
            text.and(" twice, under two names: list it once").refuse();
        }
        i += 1;
    }
}

/// Checks that an earlier rail provides the value.
#[track_caller]
const fn needed(plan: &EventPlan, at: usize, value: &ValueInfo, given: &[ValueInfo]) {
    let EventPlan { event, rails: all, reversed } = *plan;
    let (before, from) = all.split_at(at);
    let rail = &all[at].info;
    if let Some((_, provider)) = provider(before, event, value) {
        if is_present(before, event, value) {
            return;
        }
        let text = Text::new().name(rail.name).and(" needs ").name(value.name).and(" at ").name(event.event_name());
        let text = text.and(", but ").name(provider.info.name).and(", which provides it, may be absent");
        let absent = match absent(before, event, Wanted::Rail(&provider.row.rail)) {
            Some(absent) => absent,
            None => provider.row,
        };
        there_always(&text, absent).refuse();
    }
    if has(given, value) {
        return;
    }
    let text = Text::new().name(rail.name).and(" needs ").name(value.name).and(" at ").name(event.event_name());
    let Some((later, provider)) = provider(from, event, value) else {
        let text = text.and(", and no rail of the chain provides it there: list a rail with ");
        let text =
            text.and("`provides = [").and(value.name).and("]`, or take it from an outer chain, `#[chain(needs = [");
        text.and(value.name).and("])]`").refuse();
    };
    if later == 0 {
        text.and(", and provides it itself: let an earlier rail provide it").refuse();
    }
    let text = text.and(", but ").name(provider.info.name).and(", which provides it, runs later: ");
    let direct = provider.info.same(&from[later].info);
    by_priority(&text, rail, &from[later].info, direct, reversed).refuse();
}

/// Checks that no earlier rail provides a value that this rail, or a rail in it, provides.
#[track_caller]
const fn only_one(before: &[PlannedRail], event: HookPoint, rail: &PlannedRail) {
    let mut i = 0;
    while i < rail.row.values.len() {
        let used = &rail.row.values[i];
        if !used.needs
            && used.event.same(event)
            && let Some((_, other)) = provider(before, event, &used.value)
            && (!other.info.same(&rail.info) || rail.row.generic)
        {
            let text = Text::new().name(other.info.name).and(" and ").name(rail.info.name).and(" both provide ");
            let text = text.name(used.value.name).and(" at ").name(event.event_name());
            text.and(": only one rail can provide a value, so let one of them provide another type").refuse();
        }
        i += 1;
    }
    if rail.row.is_list()
        && let Some(value) = provided(rail, event)
    {
        let text = Text::new().name(rail.info.name).and(" is a list, and each rail in it provides ").name(value.name);
        let text = text.and(" at ").name(event.event_name());
        text.and(": only one rail can provide a value, so list one rail in a field without `Vec`").refuse();
    }
    if let Some(inner) = rail.inner {
        let (rails, mut i) = (inner.rails_at(event), 0);
        while i < rails.len() {
            only_one(before, event, &rails[i]);
            i += 1;
        }
    }
}

/// Returns a value that the rail, or a rail in it, provides.
const fn provided(rail: &PlannedRail, event: HookPoint) -> Option<&'static ValueInfo> {
    let mut i = 0;
    while i < rail.row.values.len() {
        let used = &rail.row.values[i];
        if !used.needs && used.event.same(event) {
            return Some(&used.value);
        }
        i += 1;
    }
    let Some(inner) = rail.inner else { return None };
    let (rails, mut i) = (inner.rails_at(event), 0);
    while i < rails.len() {
        if let Some(value) = provided(&rails[i], event) {
            return Some(value);
        }
        i += 1;
    }
    None
}

/// Returns the first rail that provides the value, and the index of its entry in `rails`. The rail may be in an inner
/// chain.
const fn provider<'p>(
    rails: &'p [PlannedRail],
    event: HookPoint,
    value: &ValueInfo,
) -> Option<(usize, &'p PlannedRail)> {
    let mut i = 0;
    while i < rails.len() {
        if provides(&rails[i], event, value) {
            return Some((i, &rails[i]));
        }
        if let Some(inner) = rails[i].inner
            && let Some((_, found)) = provider(inner.rails_at(event), event, value)
        {
            return Some((i, found));
        }
        i += 1;
    }
    None
}

/// Returns `true` if a rail that provides the value is present in every configuration.
const fn is_present(rails: &[PlannedRail], event: HookPoint, value: &ValueInfo) -> bool {
    let mut i = 0;
    while i < rails.len() {
        let rail = &rails[i];
        let inside = match rail.inner {
            Some(inner) => is_present(inner.rails_at(event), event, value),
            None => false,
        };
        if !rail.row.is_optional() && (provides(rail, event, value) || inside) {
            return true;
        }
        i += 1;
    }
    false
}

const fn provides(rail: &PlannedRail, event: HookPoint, value: &ValueInfo) -> bool {
    uses(rail, event, value, false)
}

/// Returns `true` if the rail needs the value at the event. If `needs` is false, returns `true` if the rail provides it.
const fn uses(rail: &PlannedRail, event: HookPoint, value: &ValueInfo, needs: bool) -> bool {
    let mut i = 0;
    while i < rail.row.values.len() {
        let used = &rail.row.values[i];
        if used.needs == needs && used.event.same(event) && used.value.same(value) {
            return true;
        }
        i += 1;
    }
    false
}
