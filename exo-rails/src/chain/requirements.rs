//! What a chain has to have, stated by itself or, for many chains, by a policy.

use std::fmt;

use crate::chain::order::{Wanted, common, count, find, priorities, rail_at, runs_before};
use crate::point::text::Text;
use crate::point::{HookPoint, RailInfo};
use crate::rail::{Plan, Row, contains};

/// Requirements that chains have in common, made by [`chain_policy!`](crate::chain_policy).
///
/// A chain names it in `#[chain(policy = …)]`, and does not compile when it breaks one of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a policy",
    label = "not a policy",
    note = "a policy is made by `chain_policy! {{ struct {Self} {{ require(permission_check on PreToolCall) }} }}`"
)]
pub trait ChainPolicy {
    /// What it is called in the compiler's messages.
    const NAME: &'static str;

    /// What it requires.
    const REQUIREMENTS: &'static [Requirement];
}

/// One thing that a chain has to have. `Display` writes it as it stands in `#[chain(…)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The rail runs at the event.
    Require(RailInfo, HookPoint),
    /// The rail runs at the event, and no other before it.
    First(RailInfo, HookPoint),
    /// The rail runs at the event, and no other after it.
    Last(RailInfo, HookPoint),
    /// Where both rails run, this is their order.
    Before(RailInfo, RailInfo),
}

/// What the macros write for each of the words.
impl Requirement {
    /// `require(R on E)`.
    ///
    /// # Panics
    /// In a constant, when no chain could meet it.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn require(rail: Row, event: HookPoint) -> Self {
        can_be_met(&rail, event);
        Self(Kind::Require(rail.rail, event))
    }

    /// `first(R on E)`.
    ///
    /// # Panics
    /// In a constant, when no chain could meet it.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn first(rail: Row, event: HookPoint) -> Self {
        can_be_met(&rail, event);
        Self(Kind::First(rail.rail, event))
    }

    /// `last(R on E)`.
    ///
    /// # Panics
    /// In a constant, when no chain could meet it.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn last(rail: Row, event: HookPoint) -> Self {
        can_be_met(&rail, event);
        Self(Kind::Last(rail.rail, event))
    }

    /// `before(A, B)`.
    ///
    /// # Panics
    /// In a constant, when the rails never run at the same event.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn before(first: Row, second: Row) -> Self {
        let (first_info, second_info) = (first.rail, second.rail);
        if !first.reported && !second.reported && common(first.events, second.events).is_none() {
            let text = Text::new().name(first_info.name).and(" and ").name(second_info.name);
            text.and(" have no event in common, so neither runs before the other").refuse();
        }
        Self(Kind::Before(first_info, second_info))
    }

    /// The chain meets it. `policy` is whose requirement it is, when it is not the chain's own.
    #[track_caller]
    pub(super) const fn met_by(&self, plan: &Plan, policy: Option<&str>) {
        match &self.0 {
            Kind::Require(rail, event) => runs(plan, rail, *event, policy),
            Kind::First(rail, event) => {
                runs(plan, rail, *event, policy);
                at_end(plan, rail, *event, 0, policy);
            }
            Kind::Last(rail, event) => {
                runs(plan, rail, *event, policy);
                at_end(plan, rail, *event, count(plan.rails_at(*event), *event) - 1, policy);
            }
            Kind::Before(first, second) => in_order(plan, first, second, policy),
        }
    }
}

/// The rail is on the event, and can be told from others.
#[track_caller]
const fn can_be_met(rail: &Row, event: HookPoint) {
    let name = rail.info.name;
    if rail.reported {
        return;
    }
    if !contains(rail.events, event) {
        let text = Text::new().name(name).and(" is not on ").name(event.event_name());
        text.and(", so no chain can run it there").refuse();
    }
    if rail.generic {
        let text = Text::new().name(name).and(" is a generic rail, and its instances have one name here: ");
        let text = text.and("list the instance in another chain, and name that chain");
        text.refuse();
    }
}

/// The chain lists the rail, or a chain in it does.
pub(super) const fn lists(plan: &Plan, rail: &RailInfo) -> bool {
    let mut i = 0;
    while i < plan.events.len() {
        if find(plan.events[i].rails, plan.events[i].event, Wanted::Rail(rail)).is_some() {
            return true;
        }
        i += 1;
    }
    false
}

#[track_caller]
const fn runs(plan: &Plan, rail: &RailInfo, event: HookPoint, policy: Option<&str>) {
    let rails = plan.rails_at(event);
    if find(rails, event, Wanted::Present(rail)).is_some() {
        return;
    }
    if find(rails, event, Wanted::Rail(rail)).is_some() {
        let text = Text::new().name(rail.name).and(" may be absent, and ");
        let text = match policy {
            Some(policy) => text.and("the policy ").name(policy),
            None => text.and("the chain ").name(plan.chain),
        };
        let text = text.and(" requires it on ").name(event.event_name());
        text.and(": list it without `Option`").refuse();
    } else {
        let text = Text::new().and("the chain ").name(plan.chain).and(" does not list ").name(rail.name);
        let text = match policy {
            Some(policy) => text.and(", which the policy ").name(policy).and(" requires on "),
            None => text.and(", which it requires on "),
        };
        text.name(event.event_name()).and(": list it").refuse();
    }
}

/// Nothing but the rail runs at this place, the first or the last.
#[track_caller]
const fn at_end(plan: &Plan, rail: &RailInfo, event: HookPoint, place: usize, policy: Option<&str>) {
    let rails = plan.rails_at(event);
    let at_end = match find(rails, event, Wanted::Present(rail)) {
        Some(found) => found.first <= place && place <= found.last,
        None => false,
    };
    if at_end {
        return;
    }
    let end = if place == 0 { "first" } else { "last" };
    let text = Text::new().name(rail.name).and(" has to run ").and(end).and(" at ").name(event.event_name());
    let text = by(&text, policy).and(", but ");
    let text = match rail_at(rails, event, place) {
        Some(other) => {
            let (text, other) = (text.name(other.info.name).and(" does: "), Wanted::Rail(&other.row.rail));
            priorities(&text, &plan.at(event), Wanted::Rail(rail), other)
        }
        None => text.and("it does not"),
    };
    text.refuse();
}

#[track_caller]
const fn in_order(plan: &Plan, first: &RailInfo, second: &RailInfo, policy: Option<&str>) {
    let mut i = 0;
    while i < plan.events.len() {
        let event = plan.events[i].event;
        let (one, two) = (Wanted::Rail(first), Wanted::Rail(second));
        if !runs_before(&plan.events[i], one, two) {
            let text = Text::new().name(first.name).and(" has to run before ").name(second.name);
            let text = by(&text, policy).and(", but at ").name(event.event_name()).and(" it does not: ");
            priorities(&text, &plan.events[i], one, two).refuse();
        }
        i += 1;
    }
}

/// Says whose requirement it is, when it is not the chain's own.
const fn by(text: &Text, policy: Option<&str>) -> Text {
    match policy {
        Some(policy) => text.and(" (the policy ").name(policy).and(" says so)"),
        None => *text,
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Require(rail, event) => write!(f, "require({} on {})", rail.name, event.event_name()),
            Kind::First(rail, event) => write!(f, "first({} on {})", rail.name, event.event_name()),
            Kind::Last(rail, event) => write!(f, "last({} on {})", rail.name, event.event_name()),
            Kind::Before(first, second) => write!(f, "before({}, {})", first.name, second.name),
        }
    }
}
