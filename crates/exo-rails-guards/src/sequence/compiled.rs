//! A rule, ready to judge calls.

use std::time::Duration;

use exo_rails::RailContext;
use exo_rails_policy::{ConfigError, Scope, Severity, ToolPattern};
use exo_rails_policy::{Decimal, PointerPattern, ToolName};
use exo_rails_sequence::grammar::{self, Calls, Demand, Name, Outcome};

use super::held::Part;
use super::state::{Memory, Seen};
use super::values::{self, LONGEST, Unusable};
use super::{GUARD, SequenceRule};
use crate::finding::{Finding, Place};
use crate::limits::scope::ScopeError;
use crate::limits::scope::ScopeKey;
use crate::vault::Comparable;

/// The records of a run without a window are forgotten a week after the last call that the rule has remembered.
pub(super) const END_OF_RUN: Duration = Duration::from_hours(7 * 24);

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) name: String,
    rule: SequenceRule,
    /// The tools that the rule may refuse.
    checked: Vec<ToolPattern>,
    remembered: Vec<ToolPattern>,
    forgets: Vec<ToolPattern>,
    /// The fields of the checked tools, and of the other ones.
    same: Vec<(PointerPattern, PointerPattern)>,
    amount: Option<PointerPattern>,
    most: Decimal,
    per: Scope,
    pub(super) memory: Memory,
}

/// What a call is for a rule.
#[derive(Clone, Copy)]
pub(super) struct Roles {
    checked: bool,
    remembered: bool,
    forgets: bool,
}

/// A field of a call that a rule cannot use.
pub(super) struct BadField<'r> {
    field: &'r PointerPattern,
    reason: Unusable,
}

impl Compiled {
    pub(super) fn new(rule: SequenceRule, hold_for: u64) -> Result<Self, ConfigError> {
        let demand = &rule.rule.demand;
        let same = rule.rule.same.iter().map(|same| Ok((pointer(&same.field)?, pointer(same.other())?)));
        let (amount, most) = match demand {
            Demand::Sum { field, most, .. } => (Some(pointer(field)?), most.parse()?),
            _ => (None, Decimal::default()),
        };
        let scopes = [Scope::Run, Scope::Session, Scope::User, Scope::Agent, Scope::Global];
        let per = scopes.into_iter().find(|scope| scope.name() == rule.rule.per).unwrap_or_default();
        let only_last = matches!(demand, Demand::OnlyAfter { .. } | Demand::Never { .. });
        Ok(Self {
            name: rule.shown_name(),
            checked: patterns(demand.tools())?,
            remembered: patterns(&demand.remembered().tools)?,
            forgets: demand.unless().map(|calls| patterns(&calls.tools)).transpose()?.unwrap_or_default(),
            same: same.collect::<Result<_, ConfigError>>()?,
            amount,
            most,
            per,
            memory: Memory { only_last, within: rule.rule.within_ms, hold_for },
            rule,
        })
    }

    const fn demand(&self) -> &Demand<()> {
        &self.rule.rule.demand
    }

    /// Returns what a call of the tool is for the rule. A tool that makes a call possible must have exactly the name.
    pub(super) fn roles(&self, tool: &ToolName<'_>) -> Option<Roles> {
        let caught = |patterns: &[ToolPattern]| patterns.iter().any(|pattern| pattern.catches(tool));
        let allowed = |patterns: &[ToolPattern]| patterns.iter().any(|pattern| pattern.allows(tool));
        let remembered = match self.demand() {
            Demand::OnlyAfter { .. } => allowed(&self.remembered),
            _ => caught(&self.remembered),
        };
        let roles = Roles { checked: caught(&self.checked), remembered, forgets: allowed(&self.forgets) };
        (roles.checked || roles.remembered || roles.forgets).then_some(roles)
    }

    /// Returns what the rule must know about a call.
    pub(super) fn part(
        &self,
        rule: usize,
        arguments: &Comparable<'_>,
        roles: Roles,
        ctx: &RailContext,
    ) -> Result<Result<Part, BadField<'_>>, ScopeError> {
        let key = |of_checked: bool| -> Result<Result<String, BadField<'_>>, ScopeError> {
            let mut what = String::new();
            for (checked, other) in &self.same {
                let field = if of_checked { checked } else { other };
                match values::canonical(&arguments.hashed, field) {
                    Ok(value) => what = format!("{what}{value},"),
                    Err(reason) => return Ok(Err(BadField { field, reason })),
                }
            }
            self.per.key(GUARD, &self.name, &what, ctx).map(Ok)
        };
        // Where a tool is on both sides, there is one field.
        let both = roles.checked && roles.remembered;
        let mut part = Part { rule, ..Part::default() };
        if roles.checked {
            match key(true)? {
                Ok(key) => part.checked = Some(key),
                Err(bad) => return Ok(Err(bad)),
            }
        }
        if roles.remembered || roles.forgets {
            match key(both)? {
                Ok(key) => {
                    part.remembered = roles.remembered.then(|| key.clone());
                    part.forgets = roles.forgets.then_some(key);
                }
                Err(bad) => return Ok(Err(bad)),
            }
        }
        if let Some(field) = self.amount.as_ref().filter(|_| roles.remembered) {
            match values::amount(&arguments.revealed, field) {
                Ok(amount) => part.amount = amount,
                Err(reason) => return Ok(Err(BadField { field, reason })),
            }
        }
        Ok(Ok(part))
    }

    /// Returns whether the rule counts the calls of a run.
    pub(super) fn is_of_run(&self) -> bool {
        self.per == Scope::Run
    }

    /// Returns whether the rule of a run would allow too much without the earlier calls.
    pub(super) fn misses_lost_calls(&self) -> bool {
        self.is_of_run() && !matches!(self.demand(), Demand::OnlyAfter { .. })
    }

    /// Returns whether the rule counts calls that run. A call that runs allows nothing, and is not refused.
    pub(super) fn counts_running(&self) -> bool {
        let outcome = self.demand().remembered().outcome;
        outcome != Outcome::Refused && !matches!(self.demand(), Demand::OnlyAfter { .. })
    }

    /// Returns the call whose earlier attempts do not count. An earlier attempt can allow a later one.
    pub(super) const fn own<'i>(&self, id: &'i str) -> &'i str {
        if matches!(self.demand(), Demand::OnlyAfter { .. }) { "" } else { id }
    }

    /// Returns whether the rule remembers a call with this outcome.
    pub(super) fn remembers(&self, outcome: Outcome) -> bool {
        includes(self.demand().remembered(), outcome)
    }

    /// Returns whether the rule forgets after a call with this outcome.
    pub(super) fn forgets_after(&self, outcome: Outcome) -> bool {
        self.demand().unless().is_some_and(|calls| includes(calls, outcome))
    }

    /// Returns whether the rule allows a call after the others.
    pub(super) fn allows(&self, seen: &Seen, amount: Decimal) -> bool {
        match self.demand() {
            Demand::OnlyAfter { .. } => seen.ended > 0,
            Demand::Never { .. } => seen.calls() == 0,
            Demand::AtMost { most, .. } => seen.calls() < *most,
            Demand::Sum { .. } => seen.amount.saturating_add(amount) <= self.most,
        }
    }

    /// Returns how long a record is kept after it was written.
    pub(super) fn expires_in(&self) -> Option<Duration> {
        let Memory { within, hold_for, .. } = self.memory;
        let in_window = within.map(|within| Duration::from_millis(within.saturating_add(hold_for).saturating_add(1)));
        in_window.or_else(|| (self.per == Scope::Run).then_some(END_OF_RUN))
    }

    /// Returns the finding about a call that the rule refuses.
    pub(super) fn refusal(&self, seen: &Seen) -> Finding {
        let mut message = match self.demand() {
            Demand::OnlyAfter { first, .. } => {
                let tools = backticks(&first.tools);
                format!(
                    "the call needs {} before it{}. Call {tools} first, and then repeat this call",
                    self.calls(first),
                    self.window(", at most ", " earlier")
                )
            }
            Demand::Never { after, unless, .. } => {
                let state = if seen.ended == 0 { " that still runs" } else { "" };
                let way = match unless {
                    Some(unless) => format!(". It is allowed again after {}", self.calls(unless)),
                    None => room_in(seen.last_leaves, "It is allowed again"),
                };
                format!("the call is not allowed after {}{state}{way}", self.calls(after))
            }
            Demand::AtMost { most, calls } => {
                let way = room_in(seen.oldest_leaves, "There can be room");
                format!(
                    "at most {most} are allowed of {}{}: {}{way}",
                    self.calls(calls),
                    self.window(" within ", ""),
                    counted(seen)
                )
            }
            Demand::Sum { field, calls, .. } => {
                let way = room_in(seen.oldest_leaves, "There can be room");
                let (limit, used) = (self.most, seen.amount);
                let (calls, window) = (self.calls(calls), self.window(" within ", ""));
                format!(
                    "the sum of `{field}` in {calls}{window} can be at most {limit}, and {used} is used{way}",
                    field = field.text
                )
            }
        };
        if let Some(because) = &self.rule.because {
            message = format!("{message}. {because}");
        }
        self.finding(message)
    }

    /// Returns the finding about a call with a field that the rule cannot use.
    pub(super) fn bad_field(&self, BadField { field, reason }: &BadField<'_>) -> Finding {
        let name = field.to_string();
        let name = name.strip_prefix('/').filter(|name| !name.contains(['/', '~'])).unwrap_or(&name);
        let problem = match reason {
            Unusable::Missing => "is missing".to_owned(),
            Unusable::TooLong => format!("is longer than {LONGEST} bytes"),
            Unusable::NotAnAmount => "is not an amount from 0".to_owned(),
        };
        let message = format!("the rule needs the argument `{name}` of this call, and it {problem}");
        self.finding(message).at(Place::pointer(field.to_string()))
    }

    /// Returns the finding about a run whose earlier calls are lost.
    pub(super) fn lost(&self) -> Finding {
        self.finding(
            "the store no longer has the calls that the run has made before it went on, so the rule cannot decide. Begin a new run"
                .to_owned(),
        )
    }

    /// Returns the finding about a record that is full.
    pub(super) fn full(&self) -> Finding {
        self.finding("too many calls that the rule counts run at the same time".to_owned())
    }

    fn finding(&self, message: String) -> Finding {
        Finding::new(GUARD, self.name.clone(), Severity::Medium, message)
    }

    /// Returns calls in words.
    fn calls(&self, Calls { outcome, tools }: &Calls<()>) -> String {
        let kind = match outcome {
            Outcome::Succeeded => "successful calls of",
            Outcome::Failed => "failed calls of",
            Outcome::Refused => "refused calls of",
            Outcome::Attempted => "calls of",
        };
        let scope = match self.per {
            Scope::Run => " in this run",
            Scope::Session => " in this session",
            Scope::User => " for this user",
            Scope::Agent => " by this agent",
            Scope::Global => "",
        };
        let same: Vec<_> = self.rule.rule.same.iter().map(|same| format!("`{}`", same.field.text)).collect();
        let same = if same.is_empty() { String::new() } else { format!(" with the same {}", same.join(" and ")) };
        format!("{kind} {}{same}{scope}", backticks(tools))
    }

    fn window(&self, before: &str, after: &str) -> String {
        let within = self.rule.rule.within_ms;
        within.map_or_else(String::new, |millis| format!("{before}{}{after}", grammar::duration(millis)))
    }
}

fn includes(calls: &Calls<()>, outcome: Outcome) -> bool {
    calls.outcome == Outcome::Attempted || calls.outcome == outcome
}

fn backticks(tools: &[Name<()>]) -> String {
    tools.iter().map(|tool| format!("`{}`", tool.text)).collect::<Vec<_>>().join(" or ")
}

fn counted(seen: &Seen) -> String {
    match (seen.ended, seen.running) {
        (ended, 0) => format!("{ended} have ended"),
        (0, running) => format!("{running} still run"),
        (ended, running) => format!("{ended} have ended, and {running} still run"),
    }
}

fn room_in(wait: Option<Duration>, what: &str) -> String {
    wait.map_or_else(String::new, |wait| format!(". {what} in {} s", wait.as_millis().div_ceil(1_000)))
}

fn patterns(names: &[Name<()>]) -> Result<Vec<ToolPattern>, ConfigError> {
    names.iter().map(|name| ToolPattern::new(name.text.as_str())).collect()
}

fn pointer(name: &Name<()>) -> Result<PointerPattern, ConfigError> {
    let pointer: PointerPattern = match name.path() {
        Some(path) if path.len() > 1 => format!("/{}", path.join("/")).parse()?,
        _ => name.text.parse()?,
    };
    if pointer.to_string().split('/').any(|segment| segment == "*") {
        let message = format!("`{}` can be several fields: a rule compares one, so write its name", name.text);
        return Err(ConfigError::new(message));
    }
    Ok(pointer)
}
