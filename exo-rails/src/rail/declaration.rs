//! What is known of a rail before it runs.

use crate::action::RailIdentity;
use crate::decision::{OnFault, PlacedRail};
use crate::point::{HookPoint, RailInfo, RailName, text};
use crate::rail::plan::Plan;
use crate::rail::value_use::ValueUse;

/// What is known of a rail before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name and priority at its place: what people read.
    pub(crate) info: RailInfo,
    /// The rail itself, whatever it is called at its place: what requirements name.
    pub(crate) rail: RailInfo,
    /// The field that the rail is in, when a chain lists it as one.
    pub(crate) field: Option<&'static str>,
    pub(crate) events: &'static [HookPoint],
    pub(crate) rewrites: &'static [HookPoint],
    /// The same events, to be asked quickly.
    pub(crate) on: EventSet,
    pub(crate) rewritten: EventSet,
    /// Those of its events at which it is also called when a rail before it has stopped the event.
    pub(crate) always: EventSet,
    /// Those of its events that begin an operation which it surrounds.
    pub(crate) around: EventSet,
    /// Its events, when it takes the context at one after an operation: it may ask how long the operation took.
    pub(crate) timed: EventSet,
    /// The rails inside, when it is a chain.
    pub(crate) inner: Option<&'static Plan>,
    /// The rails that it runs after, and those that it runs before.
    pub(crate) after: &'static [RailInfo],
    pub(crate) before: &'static [RailInfo],
    /// The values that it provides or needs.
    pub(crate) values: &'static [ValueUse],
    /// The tools that it is for.
    pub(crate) tools: &'static [&'static str],
    /// Whether it can run beside others at each of its events.
    pub(crate) concurrent: bool,
    /// Whether it is there whenever the chain is.
    pub(crate) presence: Presence,
    /// Whether it shares name and place with others, made from the same generic type.
    pub(crate) generic: bool,
    /// Whether the compiler has already reported a mistake in it, or in a rail in it: then a chain has nothing to add,
    /// because it does not know what the rail was to be.
    pub(crate) reported: bool,
}

/// Whether a rail is there whenever its chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Always,
    /// It is a chain, and some of its rails may be absent.
    InPart,
    /// It may be absent.
    Optional,
    /// It is a list of rails, which may be empty.
    List,
}

/// Events, a bit for each: what constants compute takes its time whenever a chain is compiled.
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

    /// Whether it has the event; of custom events, whether it may have it: some share a bit.
    pub(crate) const fn has(self, event: HookPoint) -> bool {
        self.0 & (1 << event.number()) != 0
    }

    /// The same without doubt, given the events as a list.
    pub(crate) const fn surely_has(self, event: HookPoint, events: &[HookPoint]) -> bool {
        self.has(event) && (!matches!(event, HookPoint::Custom(_)) || contains(events, event))
    }
}

/// What the macros write: what every rail says of itself, and then what some do.
impl Row {
    /// A rail on these events, some of whose payloads it may change.
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

    /// It is a chain of this plan, which is a static: a constant would become a part of the value of everything that refers
    /// to the row, twice for each event and chain around it.
    #[must_use]
    pub const fn with_inner(mut self, plan: &'static Plan) -> Self {
        self.inner = Some(plan);
        self
    }

    /// The compiler has already reported a mistake in it.
    #[must_use]
    pub const fn reported(mut self, reported: bool) -> Self {
        self.reported = reported;
        self
    }

    /// It is one of several rails made from one generic type.
    #[must_use]
    pub const fn generic(mut self) -> Self {
        self.generic = true;
        self
    }

    /// It is also called when a rail before it has stopped one of these events.
    #[must_use]
    pub const fn always(mut self, events: &'static [HookPoint]) -> Self {
        self.always = EventSet::of(events);
        self
    }

    /// It takes the context at an event after an operation, where it may ask how long that took.
    #[must_use]
    pub const fn timed(mut self) -> Self {
        self.timed = self.on;
        self
    }

    /// It is a chain, and at these events one of its rails takes the context.
    #[must_use]
    pub(crate) const fn timed_in(mut self, events: EventSet) -> Self {
        self.timed = events;
        self
    }

    /// It surrounds the operations that these events begin.
    #[must_use]
    pub const fn around(mut self, events: &'static [HookPoint]) -> Self {
        self.around = EventSet::of(events);
        self
    }

    /// It is a chain, with rails around the operations that these events begin.
    #[must_use]
    pub(crate) const fn around_in(mut self, events: EventSet) -> Self {
        self.around = events;
        self
    }

    /// It is a chain; at these events one of its rails is always called.
    #[must_use]
    pub const fn always_in(mut self, events: EventSet) -> Self {
        self.always = events;
        self
    }

    /// It can run beside others.
    #[must_use]
    pub const fn concurrent(mut self) -> Self {
        self.concurrent = true;
        self
    }

    /// It is there, or some of its rails are, only when the program says so.
    #[must_use]
    pub(crate) const fn present(mut self, presence: Presence) -> Self {
        // A list that may be absent is a list all the same.
        if !self.is_list() {
            self.presence = presence;
        }
        self
    }

    /// It is a list of such rails, and the list may be empty.
    #[must_use]
    pub(crate) const fn list(self) -> Self {
        self.present(Presence::List)
    }

    /// Whether it is a list of rails.
    pub(crate) const fn is_list(&self) -> bool {
        matches!(self.presence, Presence::List)
    }

    /// Whether it may be absent.
    pub(crate) const fn is_optional(&self) -> bool {
        matches!(self.presence, Presence::Optional | Presence::List)
    }

    /// It is for these tools alone.
    #[must_use]
    pub const fn for_tools(mut self, tools: &'static [&'static str]) -> Self {
        self.tools = tools;
        self
    }

    /// The tool of this place among those that it is for.
    #[must_use]
    pub const fn tool(&self, place: usize) -> &'static str {
        self.tools[place]
    }

    /// It has this priority where it is listed.
    #[must_use]
    pub const fn with_priority(mut self, priority: i32) -> Self {
        self.info.priority = priority;
        self
    }

    /// It is in this field of a chain.
    #[must_use]
    pub const fn in_field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        if self.is_list() {
            // The name of one rail in it is the name of the list with an index.
            self.info.name = field;
        }
        self
    }

    /// Names the rails of a list. When several rails have one type, each is named after its field.
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

    /// The rail `R` of this row at a place of a guard set.
    pub(crate) const fn placed<R: ?Sized>(&self, place: u64, reversed: bool, on_fault: OnFault) -> PlacedRail {
        let named_here = !text::same(self.info.name, self.rail.name);
        let name = RailName::new(self.info.name);
        PlacedRail { name, named_here, rail: RailIdentity::of::<R>(), place, reversed, on_fault }
    }

    /// It runs after the ones and before the others, and provides or needs these values.
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

    /// Whether it may be one that is always called at this event.
    pub(crate) const fn is_always_on(&self, event: HookPoint) -> bool {
        self.always.has(event)
    }

    /// Whether the rail is on this event.
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
