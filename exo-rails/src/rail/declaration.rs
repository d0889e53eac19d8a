//! The facts about a rail that are known at compile time.

use crate::action::RailIdentity;
use crate::decision::{OnFault, PlacedRail};
use crate::point::{HookPoint, RailInfo, RailName, text};
use crate::rail::plan::Plan;
use crate::rail::value_use::ValueUse;

/// The facts about a rail that are known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name and the priority of the rail in its chain, for messages and plans.
    pub(crate) info: RailInfo,
    /// The rail itself, whatever its name in the chain. Requirements name this rail.
    pub(crate) rail: RailInfo,
    /// The field of the rail, if a chain lists it as a field.
    pub(crate) field: Option<&'static str>,
    pub(crate) events: &'static [HookPoint],
    pub(crate) rewrites: &'static [HookPoint],
    /// The same events as a set, which constants search quickly.
    pub(crate) on: EventSet,
    pub(crate) rewritten: EventSet,
    /// The events at which the rail also runs after another rail has stopped the event.
    pub(crate) always: EventSet,
    /// The events that begin an operation which the rail surrounds.
    pub(crate) around: EventSet,
    /// The events of a rail that takes the context at an event after an operation, where it may ask for the duration.
    pub(crate) timed: EventSet,
    /// The rails inside, if the rail is a chain.
    pub(crate) inner: Option<&'static Plan>,
    /// The rails that this rail runs after, and the rails that it runs before.
    pub(crate) after: &'static [RailInfo],
    pub(crate) before: &'static [RailInfo],
    /// The values that the rail provides or needs.
    pub(crate) values: &'static [ValueUse],
    /// The tools that the rail is for.
    pub(crate) tools: &'static [&'static str],
    /// Whether the rail can run concurrently at each of its events.
    pub(crate) concurrent: bool,
    /// Whether the rail exists whenever the chain does.
    pub(crate) presence: Presence,
    /// Whether the rail shares its name and place with others that come from the same generic type.
    pub(crate) generic: bool,
    /// Whether the compiler has already reported a mistake in the rail, or in a rail inside it. A chain then reports
    /// nothing, because it does not know what the rail was meant to be.
    pub(crate) reported: bool,
}

/// Whether a rail exists whenever its chain does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Always,
    /// The rail is a chain, and some of its rails may be absent.
    InPart,
    /// The rail may be absent.
    Optional,
    /// The rail is a list of rails, which may be empty.
    List,
}

/// A set of events, with one bit for each. Constants that search a list take more time whenever a chain is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventSet(pub(crate) u64);

impl EventSet {
    pub(crate) const fn of(events: &[HookPoint]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < events.len() {
            bits |= 1 << events[i].number();
            i += 1;
        }
        Self(bits)
    }

    /// Returns whether the set has the event. For a custom event, returns whether the set may have the event, because
    /// some custom events share a bit.
    pub(crate) const fn has(self, event: HookPoint) -> bool {
        self.0 & (1 << event.number()) != 0
    }

    /// Returns whether the set has the event, also for custom events. `events` are the same events as a list.
    pub(crate) const fn surely_has(self, event: HookPoint, events: &[HookPoint]) -> bool {
        self.has(event) && (!matches!(event, HookPoint::Custom(_)) || contains(events, event))
    }
}

/// The methods that the macros call: `new` for every rail, the others for some.
impl Row {
    /// Makes a row for a rail on these events. `rewrites` are the events whose payload the rail may change.
    #[must_use]
    pub const fn new(info: RailInfo, events: &'static [HookPoint], rewrites: &'static [HookPoint]) -> Self {
        let (on, rewritten) = (EventSet::of(events), EventSet::of(rewrites));
        Self {
            info,
            rail: info,
            field: None,
            events,
            rewrites,
            on,
            rewritten,
            always: EventSet(0),
            around: EventSet(0),
            timed: EventSet(0),
            inner: None,
            after: &[],
            before: &[],
            values: &[],
            tools: &[],
            concurrent: false,
            presence: Presence::Always,
            generic: false,
            reported: false,
        }
    }

    /// Adds the plan of a chain. The plan is a static. A constant would become a part of the value of everything that
    /// refers to the row, twice for each event and each chain around it.
    #[must_use]
    pub const fn with_inner(mut self, plan: &'static Plan) -> Self {
        self.inner = Some(plan);
        self
    }

    /// Records whether the compiler has already reported a mistake in the rail.
    #[must_use]
    pub const fn reported(mut self, reported: bool) -> Self {
        self.reported = reported;
        self
    }

    /// Records that the rail is one of several rails from one generic type.
    #[must_use]
    pub const fn generic(mut self) -> Self {
        self.generic = true;
        self
    }

    /// Records that the rail also runs after another rail has stopped one of these events.
    #[must_use]
    pub const fn always(mut self, events: &'static [HookPoint]) -> Self {
        self.always = EventSet::of(events);
        self
    }

    /// Records that the rail takes the context at an event after an operation, where it may ask for the duration.
    #[must_use]
    pub const fn timed(mut self) -> Self {
        self.timed = self.on;
        self
    }

    /// Records, for a chain, the events at which one of its rails takes the context.
    #[must_use]
    pub(crate) const fn timed_in(mut self, events: EventSet) -> Self {
        self.timed = events;
        self
    }

    /// Records that the rail surrounds the operations that these events begin.
    #[must_use]
    pub const fn around(mut self, events: &'static [HookPoint]) -> Self {
        self.around = EventSet::of(events);
        self
    }

    /// Records, for a chain, the events whose operations its rails surround.
    #[must_use]
    pub(crate) const fn around_in(mut self, events: EventSet) -> Self {
        self.around = events;
        self
    }

    /// Records, for a chain, the events at which one of its rails is always called.
    #[must_use]
    pub const fn always_in(mut self, events: EventSet) -> Self {
        self.always = events;
        self
    }

    /// Records that the rail can run concurrently.
    #[must_use]
    pub const fn concurrent(mut self) -> Self {
        self.concurrent = true;
        self
    }

    /// Records that the rail does not run concurrently.
    #[must_use]
    pub(crate) const fn in_turn(mut self) -> Self {
        self.concurrent = false;
        self
    }

    /// Records when the rail, or a part of it, exists.
    #[must_use]
    pub(crate) const fn present(mut self, presence: Presence) -> Self {
        // A list that may be absent is still a list.
        if !self.is_list() {
            self.presence = presence;
        }
        self
    }

    /// Records that the rail is a list of rails, which may be empty.
    #[must_use]
    pub(crate) const fn list(self) -> Self {
        self.present(Presence::List)
    }

    /// Returns whether the rail is a list of rails.
    pub(crate) const fn is_list(&self) -> bool {
        matches!(self.presence, Presence::List)
    }

    /// Returns whether the rail may be absent.
    pub(crate) const fn is_optional(&self) -> bool {
        matches!(self.presence, Presence::Optional | Presence::List)
    }

    /// Records that the rail is for these tools only.
    #[must_use]
    pub const fn for_tools(mut self, tools: &'static [&'static str]) -> Self {
        self.tools = tools;
        self
    }

    /// Returns the tool at this index of the rail's tools.
    #[must_use]
    pub const fn tool(&self, place: usize) -> &'static str {
        self.tools[place]
    }

    /// Sets the priority that the chain's list gives to the rail.
    #[must_use]
    pub const fn with_priority(mut self, priority: i32) -> Self {
        self.info.priority = priority;
        self
    }

    /// Records the field of a chain that the rail is in.
    #[must_use]
    pub const fn in_field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        if self.is_list() {
            // A rail in the list has the name of the list with an index.
            self.info.name = field;
        }
        self
    }

    /// Names the rails of a chain's list. If several rails have the same type, each is named after its field.
    #[must_use]
    pub const fn listed<const N: usize>(mut rows: [Self; N]) -> [Self; N] {
        let mut one = 0;
        while one < N {
            let mut other = 0;
            while other < N {
                // A rail that its `#[cfg]` removes has no name.
                if let Some(field) = rows[one].field
                    && one != other
                    && !rows[one].rail.name.is_empty()
                    && rows[one].rail.same(&rows[other].rail)
                {
                    rows[one].info.name = field;
                }
                other += 1;
            }
            one += 1;
        }
        rows
    }

    /// Returns the rail `R` of this row at a place of a guard set.
    pub(crate) const fn placed<R: ?Sized>(&self, place: u64, reversed: bool, on_fault: OnFault) -> PlacedRail {
        let named_here = !text::same(self.info.name, self.rail.name);
        let name = RailName::new(self.info.name);
        PlacedRail { name, named_here, rail: RailIdentity::of::<R>(), place, reversed, on_fault }
    }

    /// Adds the rails that the rail runs after and before, and the values that it provides or needs.
    #[must_use]
    pub(crate) const fn in_order(
        mut self,
        after: &'static [RailInfo],
        before: &'static [RailInfo],
        values: &'static [ValueUse],
    ) -> Self {
        (self.after, self.before, self.values) = (after, before, values);
        self
    }

    /// Returns whether the rail may be always called at this event.
    pub(crate) const fn is_always_on(&self, event: HookPoint) -> bool {
        self.always.has(event)
    }

    /// Returns whether the rail only surrounds the operation that this event begins. It then runs after all rails that
    /// decide at the event. `false` for a guard set that may also decide, and if two events of the rail share a bit.
    pub(crate) const fn only_surrounds(&self, event: HookPoint) -> bool {
        let (mut sharing, mut i) = (0, 0);
        while i < self.events.len() {
            if self.events[i].number() == event.number() {
                sharing += 1;
            }
            i += 1;
        }
        self.around.has(event) && !self.always.has(event) && sharing == 1
    }

    /// Returns whether the rail is on this event.
    pub(crate) const fn is_on(&self, event: HookPoint) -> bool {
        self.on.surely_has(event, self.events)
    }
}

pub(crate) const fn contains(events: &[HookPoint], event: HookPoint) -> bool {
    let mut i = 0;
    while i < events.len() {
        if events[i].same(event) {
            return true;
        }
        i += 1;
    }
    false
}
