//! Values that rails provide, checked against the order of a chain: a rail that needs one runs after the rail that provides it.

use crate::chain::Chain;
use crate::chain::order::{Wanted, absent, by_priority, there_always};
use crate::chain::sorting::{ChainFacts, Listing};
use crate::context::ValueInfo;
use crate::point::text::Text;
use crate::point::{HookPoint, SourceLocation};
use crate::rail::{EventPlan, PlannedRail, ValueUse};

/// The rail of this place in the list, and each that is in it, has what it needs at the event, and provides nothing that
/// another provides.
///
/// Rails are told apart by their places, because those made from one generic type share all that is known of them. A
/// rail in a chain inside is only asked what it provides: its own chain has been asked what it needs.
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

/// What a chain needs of the chain around it.
impl<C: Chain + Listing<N>, const N: usize, const K: usize> ChainFacts<C, N, K> {
    /// The uses of the values that it needs, one for each event at which a rail in it does, and how many they are. What
    /// follows them is not looked at.
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

    /// A rail of the chain needs the value of this place in `needs`.
    ///
    /// # Panics
    /// When none does.
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
            text.and(" of another chain: leave it out").refuse();
        }
    }
}

/// Whether a rail needs the value at the event, and none before it provides it.
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

/// The rail does not provide one value under two names.
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

/// A rail before this one provides the value.
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
        let text = text.and(", and no rail of the chain provides it there: list one with ");
        let text = text
            .and("`provides = [")
            .and(value.name)
            .and("]`, or list the chain in one that has it: `#[chain(needs = [");
        text.and(value.name).and("])]`").refuse();
    };
    if later == 0 {
        text.and(", and provides it itself: a value has one provider, and that is a rail before it").refuse();
    }
    let text = text.and(", but ").name(provider.info.name).and(", which provides it, runs later: ");
    let direct = provider.info.same(&from[later].info);
    by_priority(&text, rail, &from[later].info, direct, reversed).refuse();
}

/// Checks that the rails before this one provide none of the values that it, or a rail in it, provides.
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
            text.and(": a value has one provider, so give one of them another type").refuse();
        }
        i += 1;
    }
    if rail.row.is_list()
        && let Some(value) = provided(rail, event)
    {
        let text = Text::new().name(rail.info.name).and(" is a list, and each rail in it provides ").name(value.name);
        let text = text.and(" at ").name(event.event_name());
        text.and(": a value has one provider, so list one rail in a field without `Vec`").refuse();
    }
    if let Some(inner) = rail.inner {
        let (rails, mut i) = (inner.rails_at(event), 0);
        while i < rails.len() {
            only_one(before, event, &rails[i]);
            i += 1;
        }
    }
}

/// A value that the rail, or one in it, provides.
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

/// The first rail that provides the value, also inside chains, and the index of the entry in `rails` that contains it.
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

/// Whether a rail that provides the value is there in any case.
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

/// Whether the rail needs the value at the event, or else provides it.
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
