//! Values that rails hand on, held against the order of a chain: whoever needs one runs after a rail that has it.

use super::order::{find, priorities};
use crate::checks::text::Text;
use crate::hook_point::HookPoint;
use crate::plan::PlannedRail;
use crate::provided::ValueInfo;
use crate::rail::RailInfo;

/// That a rail hands on a value at an event, or needs it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    event: HookPoint,
    value: ValueInfo,
    needs: bool,
}

impl Flow {
    /// The rail hands on the value.
    #[must_use]
    pub const fn provides(event: HookPoint, value: ValueInfo) -> Self {
        Self { event, value, needs: false }
    }

    /// The rail needs the value.
    #[must_use]
    pub const fn needs(event: HookPoint, value: ValueInfo) -> Self {
        Self { event, value, needs: true }
    }
}

/// The rail, and each that is in it, has what it needs at this event, and hands on nothing that another hands on.
///
/// A rail in a chain inside is only asked what it hands on: what it needs, its own chain has been asked.
#[track_caller]
pub(super) const fn check(all: &[PlannedRail], event: HookPoint, rail: &PlannedRail) {
    let mut i = 0;
    while i < rail.row.flow.len() {
        let flow = &rail.row.flow[i];
        if flow.event.same(event) {
            if flow.needs {
                needed(all, event, &rail.info, &flow.value);
            } else {
                once(rail, event, i);
                only_one(all, event, &rail.info, &flow.value);
            }
        }
        i += 1;
    }
    if let Some(inner) = rail.inner {
        let (rails, mut i) = (inner.rails_at(event), 0);
        while i < rails.len() {
            provided_once(all, event, &rails[i]);
            i += 1;
        }
    }
}

/// The rail does not hand on one value under two names.
#[track_caller]
const fn once(rail: &PlannedRail, event: HookPoint, place: usize) {
    let (value, mut i) = (&rail.row.flow[place].value, 0);
    while i < place {
        let flow = &rail.row.flow[i];
        if !flow.needs && flow.event.same(event) && flow.value.same(value) {
            let text = Text::new().name(rail.info.name).and(" provides ").name(value.name);
            text.and(" twice, under two names: list it once").refuse();
        }
        i += 1;
    }
}

/// What a rail in a chain inside hands on.
#[track_caller]
const fn provided_once(all: &[PlannedRail], event: HookPoint, rail: &PlannedRail) {
    let mut i = 0;
    while i < rail.row.flow.len() {
        let flow = &rail.row.flow[i];
        if flow.event.same(event) && !flow.needs {
            only_one(all, event, &rail.info, &flow.value);
        }
        i += 1;
    }
    if let Some(inner) = rail.inner {
        let (rails, mut i) = (inner.rails_at(event), 0);
        while i < rails.len() {
            provided_once(all, event, &rails[i]);
            i += 1;
        }
    }
}

#[track_caller]
const fn needed(all: &[PlannedRail], event: HookPoint, rail: &RailInfo, value: &ValueInfo) {
    let text = Text::new().name(rail.name).and(" needs ").name(value.name).and(" at ").name(event.event_name());
    let Some(provider) = provider(all, event, value, None) else {
        let text = text.and(", and no rail of the chain provides it there: list one with ");
        text.and("`provides = [").and(value.name).and("]`").refuse();
    };
    if provider.same(rail) {
        text.and(", and provides it itself: a value has one provider, and that is a rail before it").refuse();
    }
    let (Some(theirs), Some(ours)) = (find(all, event, provider), find(all, event, rail)) else { return };
    if theirs.first >= ours.first {
        let text = text.and(", but ").name(provider.name).and(", which provides it, runs later: ");
        priorities(&text, all, event, rail, provider).refuse();
    }
}

#[track_caller]
const fn only_one(all: &[PlannedRail], event: HookPoint, rail: &RailInfo, value: &ValueInfo) {
    if let Some(other) = provider(all, event, value, Some(rail)) {
        let text = Text::new().name(rail.name).and(" and ").name(other.name).and(" both provide ").name(value.name);
        let text = text.and(" at ").name(event.event_name());
        text.and(": a value has one provider, so give one of them a type of its own").refuse();
    }
}

/// The first rail that hands on the value, chains taken apart; another one than `but`.
const fn provider<'p>(
    rails: &'p [PlannedRail],
    event: HookPoint,
    value: &ValueInfo,
    but: Option<&RailInfo>,
) -> Option<&'p RailInfo> {
    let mut i = 0;
    while i < rails.len() {
        let is_it = match but {
            Some(rail) => rails[i].info.same(rail),
            None => false,
        };
        if !is_it && provides(&rails[i], event, value) {
            return Some(&rails[i].info);
        }
        if let Some(inner) = rails[i].inner
            && let Some(found) = provider(inner.rails_at(event), event, value, but)
        {
            return Some(found);
        }
        i += 1;
    }
    None
}

const fn provides(rail: &PlannedRail, event: HookPoint, value: &ValueInfo) -> bool {
    let mut i = 0;
    while i < rail.row.flow.len() {
        let flow = &rail.row.flow[i];
        if !flow.needs && flow.event.same(event) && flow.value.same(value) {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether the rail, or one in it, has anything to do with values.
pub(super) const fn concerns(rail: &PlannedRail) -> bool {
    if !rail.row.flow.is_empty() {
        return true;
    }
    let Some(inner) = rail.inner else { return false };
    let mut event = 0;
    while event < inner.events.len() {
        let (rails, mut i) = (inner.events[event].rails, 0);
        while i < rails.len() {
            if concerns(&rails[i]) {
                return true;
            }
            i += 1;
        }
        event += 1;
    }
    false
}
