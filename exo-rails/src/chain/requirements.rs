//! The requirements of a chain, from the chain itself or shared by several chains.

use std::fmt;

use crate::chain::order::{
    Wanted, absent, common, count, find, find_present, priorities, rail_at, runs_before, surround, there_always,
};
use crate::point::text::{Text, same};
use crate::point::{HookPoint, RailInfo};
use crate::rail::{EventPlan, Plan, Row, contains};

/// Requirements that several chains share. [`chain_requirements!`](crate::chain_requirements) makes them.
///
/// A chain names them in `#[chain(requirements = …)]`. If the chain does not meet a requirement, it does not compile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of requirements",
    label = "not a set of requirements",
    note = "declare requirements with `chain_requirements! {{ struct {Self} {{ require(permission_check on PreToolCall) }} }}`"
)]
pub trait ChainRequirements {
    /// The name in the compiler's messages.
    const NAME: &'static str;

    /// The requirements.
    const REQUIREMENTS: &'static [Requirement];
}

/// One requirement of a chain. `Display` writes it as in `#[chain(…)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The rail runs at the event.
    Require(Subject, HookPoint),
    /// The rail runs at the event, and no other rail runs before it.
    First(Subject, HookPoint),
    /// The rail runs at the event, and no other rail runs after it.
    Last(Subject, HookPoint),
    /// At each event that has both rails, they run in this order.
    Before(Subject, Subject),
}

/// The subject of a requirement: a rail, wherever the chain lists it, or the rail in one field of the chain.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The name, the priority and the location. For a field, the name is the name of the field.
    info: RailInfo,
    events: &'static [HookPoint],
    /// Whether a `#[cfg]` removes the rail.
    removed: bool,
    reported: bool,
    /// The place of the field. `None` if the subject is not a field.
    place: Option<usize>,
}

impl Subject {
    /// The rail of this row, wherever the chain lists it.
    #[must_use]
    pub const fn rail(row: Row) -> Self {
        let removed = row.rail.name.is_empty();
        Self { info: row.rail, events: row.events, removed, reported: row.reported, place: None }
    }

    /// The field of this name. `rows` are the rows of the chain, and `place` is the place of the field.
    #[must_use]
    pub const fn field(rows: &[Row], place: usize, name: &'static str) -> Self {
        let mut field = Self::rail(rows[place]);
        (field.info.name, field.place) = (name, Some(place));
        field
    }

    pub(super) const fn name(&self) -> &'static str {
        self.info.name
    }

    pub(super) const fn is_field(&self) -> bool {
        self.place.is_some()
    }

    pub(super) const fn wanted(&self) -> Wanted<'_> {
        match self.place {
            Some(place) => Wanted::Place(place),
            None => Wanted::Rail(&self.info),
        }
    }
}

/// Constructors for the expansions of the macros.
impl Requirement {
    /// `require(R on E)`.
    ///
    /// # Panics
    /// Panics, in a constant, if no chain could meet the requirement.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn require(rail: Subject, event: HookPoint) -> Self {
        can_be_met(&rail, event);
        Self(Kind::Require(rail, event))
    }

    /// `first(R on E)`.
    ///
    /// # Panics
    /// Panics, in a constant, if no chain could meet the requirement.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn first(rail: Subject, event: HookPoint) -> Self {
        can_be_met(&rail, event);
        Self(Kind::First(rail, event))
    }

    /// `last(R on E)`.
    ///
    /// # Panics
    /// Panics, in a constant, if no chain could meet the requirement.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn last(rail: Subject, event: HookPoint) -> Self {
        can_be_met(&rail, event);
        Self(Kind::Last(rail, event))
    }

    /// `before(A, B)`.
    ///
    /// # Panics
    /// Panics, in a constant, if the rails never run at the same event.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn before(first: Subject, second: Subject) -> Self {
        let known = !first.reported && !second.reported && !first.removed && !second.removed;
        if known && common(first.events, second.events).is_none() {
            let text = Text::new().name(first.name()).and(" and ").name(second.name());
            text.and(" have no event in common, so neither runs before the other").refuse();
        }
        Self(Kind::Before(first, second))
    }

    /// Returns how the chain breaks the requirement, or `None` if it meets the requirement. `of` is the name of the
    /// shared requirements, or `None` if the chain has the requirement itself.
    pub(super) const fn broken(&self, plan: &Plan, of: Option<&str>) -> Option<Text> {
        match &self.0 {
            Kind::Require(rail, event) => missing(plan, rail, *event, of),
            Kind::First(rail, event) => match missing(plan, rail, *event, of) {
                None => not_at_end(plan, rail, *event, true, of),
                missing => missing,
            },
            Kind::Last(rail, event) => match missing(plan, rail, *event, of) {
                None => not_at_end(plan, rail, *event, false, of),
                missing => missing,
            },
            Kind::Before(first, second) => not_in_order(plan, first, second, of),
        }
    }

    /// Returns `true` if both requirements are about the same rail. For `before(A, B)`, this is `A`.
    const fn is_about_the_rail_of(&self, other: &Self) -> bool {
        let (one, other) = (self.subject(), other.subject());
        one.info.same(&other.info)
    }

    const fn subject(&self) -> &Subject {
        match &self.0 {
            Kind::Require(rail, _) | Kind::First(rail, _) | Kind::Last(rail, _) | Kind::Before(rail, _) => rail,
        }
    }
}

/// Returns how the chain breaks the requirements of this name, one line for each rail. `None` if it meets them.
pub(super) const fn breaks(plan: &Plan, of: &str, requirements: &[Requirement]) -> Option<Text> {
    let (mut text, mut i) = (Text::new(), 0);
    while i < requirements.len() {
        if let Some(broken) = requirements[i].broken(plan, Some(of))
            && !is_reported(plan, of, requirements, i)
        {
            let more = if text.as_str().is_empty() { broken } else { Text::new().and("\n").and(broken.as_str()) };
            text = text.and(more.as_str());
        }
        i += 1;
    }
    if text.as_str().is_empty() { None } else { Some(text) }
}

/// Returns `true` if the chain breaks an earlier requirement of the same rail.
const fn is_reported(plan: &Plan, of: &str, requirements: &[Requirement], at: usize) -> bool {
    let mut i = 0;
    while i < at {
        if requirements[i].is_about_the_rail_of(&requirements[at]) && requirements[i].broken(plan, Some(of)).is_some() {
            return true;
        }
        i += 1;
    }
    false
}

/// Checks that the rail is on the event.
#[track_caller]
const fn can_be_met(rail: &Subject, event: HookPoint) {
    if rail.removed {
        Text::new().name(rail.name()).and(" is required, but its `#[cfg]` removes it here").refuse();
    }
    if !rail.reported && !contains(rail.events, event) {
        let text = Text::new().name(rail.name()).and(" is not on ").name(event.event_name());
        text.and(", so no chain can run it there").refuse();
    }
}

/// Returns `true` if the chain lists the rail, directly or in an inner chain.
pub(super) const fn lists(plan: &Plan, rail: Wanted<'_>) -> bool {
    let mut i = 0;
    while i < plan.events.len() {
        if find(plan.events[i].rails, plan.events[i].event, rail).is_some() {
            return true;
        }
        i += 1;
    }
    false
}

/// Returns the text if the rail does not run at the event in every configuration.
const fn missing(plan: &Plan, rail: &Subject, event: HookPoint, of: Option<&str>) -> Option<Text> {
    let rails = plan.rails_at(event);
    if find_present(rails, event, rail.wanted()).is_some() {
        return None;
    }
    if let Some(absent) = absent(rails, event, rail.wanted()) {
        let text = Text::new().name(rail.name()).and(" may be absent, and ");
        let text = match of {
            Some(of) => text.name(of),
            None => text.and("the chain ").name(plan.chain),
        };
        let text = text.and(" requires it on ").name(event.event_name());
        Some(there_always(&text, absent))
    } else {
        let text = Text::new().and("the chain ").name(plan.chain).and(" does not list ").name(rail.name());
        let text = match of {
            Some(of) => text.and(", which ").name(of).and(" requires on "),
            None => text.and(", but requires it on "),
        };
        let text = text.name(event.event_name());
        Some(match of_this_name(plan, rail.name()) {
            Some(other) => {
                let text =
                    declared(&text.and(": the ").name(rail.name()).and(" that it lists is another rail"), &other);
                declared(&text.and(". List the rail that is required"), &rail.info)
            }
            None => text.and(": list it"),
        })
    }
}

/// Returns a rail of this name that the chain lists, directly or in an inner chain.
const fn of_this_name(plan: &Plan, name: &str) -> Option<RailInfo> {
    let mut i = 0;
    while i < plan.events.len() {
        let EventPlan { event, rails, .. } = plan.events[i];
        let mut place = 0;
        while let Some(rail) = rail_at(rails, event, place) {
            if same(rail.row.rail.name, name) {
                return Some(rail.row.rail);
            }
            place += 1;
        }
        i += 1;
    }
    None
}

/// Adds to the text the place where a rail is declared. One call of a macro may declare several rails in several modules.
const fn declared(text: &Text, rail: &RailInfo) -> Text {
    let text = text.and(", declared at ").and(rail.declared.file()).and(":").number(rail.declared.line().cast_signed());
    text.and(" in the module ").name(rail.declared.module())
}

/// Returns the text if another rail runs before the rail, or after it. A rail around the operation runs after all rails that
/// decide. So this compares rails around the operation only with each other, and rails that decide only with each other.
const fn not_at_end(plan: &Plan, rail: &Subject, event: HookPoint, is_first: bool, of: Option<&str>) -> Option<Text> {
    let rails = plan.rails_at(event);
    let Some(found) = find_present(rails, event, rail.wanted()) else { return None };
    let surrounds = surround(rails, event, found);
    let (beyond, mut step) = (if is_first { found.first } else { count(rails, event) - 1 - found.last }, 0);
    while step < beyond {
        // From the end: the message names the rail that is there.
        let place = if is_first { step } else { count(rails, event) - 1 - step };
        if let Some(other) = rail_at(rails, event, place)
            && other.row.only_surrounds(event) == surrounds
        {
            let end = if is_first { "first" } else { "last" };
            let text = Text::new().name(rail.name()).and(" must run ").and(end).and(" at ").name(event.event_name());
            let text = by(&text, of).and(", but ").name(other.info.name).and(" does: ");
            let (rail, other) = (rail.wanted(), Wanted::Rail(&other.row.rail));
            let (rail, other) = if is_first { (rail.first(), other.first()) } else { (rail.last(), other.last()) };
            return Some(priorities(&text, &plan.at(event), rail, other));
        }
        step += 1;
    }
    None
}

/// Returns the text if the rails do not run in this order.
const fn not_in_order(plan: &Plan, first: &Subject, second: &Subject, of: Option<&str>) -> Option<Text> {
    let mut i = 0;
    while i < plan.events.len() {
        let event = plan.events[i].event;
        let (one, two) = (first.wanted(), second.wanted());
        if !runs_before(&plan.events[i], one, two) {
            let text = Text::new().name(first.name()).and(" must run before ").name(second.name());
            let text = by(&text, of).and(", but at ").name(event.event_name()).and(" it does not: ");
            return Some(priorities(&text, &plan.events[i], one.last(), two.first()));
        }
        i += 1;
    }
    None
}

/// Adds to the text the name of the requirements that have it.
const fn by(text: &Text, of: Option<&str>) -> Text {
    match of {
        Some(of) => text.and(" (required by ").name(of).and(")"),
        None => *text,
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Require(rail, event) => write!(f, "require({} on {})", rail.name(), event.event_name()),
            Kind::First(rail, event) => write!(f, "first({} on {})", rail.name(), event.event_name()),
            Kind::Last(rail, event) => write!(f, "last({} on {})", rail.name(), event.event_name()),
            Kind::Before(first, second) => write!(f, "before({}, {})", first.name(), second.name()),
        }
    }
}
