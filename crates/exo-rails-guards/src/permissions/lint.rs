//! Rules that contradict each other or never decide.

use std::fmt;

use exo_rails_policy::ToolPattern;
use exo_rails_policy::permissions::IfMissing;
use exo_rails_policy::{Precision, ToolName};
use serde::Serialize;

use super::evaluate::Policy;
use super::{Permission, PermissionRule};
use crate::rules::rule::{Rule, RuleId};

/// A rule that probably does not do what its author wants. See [`Permissions::lint`](crate::Permissions::lint).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lint {
    /// The rule.
    pub rule: RuleId,
    /// What is wrong with the rule.
    pub problem: Problem,
    /// The other rule that is the reason, if there is one.
    pub other: Option<RuleId>,
}

/// What is wrong with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Problem {
    /// Another rule with the same conditions decides something else.
    Contradiction,
    /// Another rule always decides in its place.
    Unreachable,
    /// Another rule says the same.
    Duplicate,
    /// No known tool has a name that the rule matches.
    NoTool,
    /// The rule stops every call of every tool that has no such argument.
    MissingArgument,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rule {} ", self.rule)?;
        match (self.problem, &self.other) {
            (Problem::Contradiction, Some(other)) => write!(f, "contradicts {other}, which has the same conditions and decides"),
            (Problem::Unreachable, Some(other)) => write!(f, "never decides: {other} matches the same calls and always wins"),
            (Problem::Duplicate, Some(other)) => write!(f, "says the same as {other}: remove one of them"),
            (Problem::NoTool, _) => f.write_str("matches no tool: check the pattern in `tool`"),
            (Problem::MissingArgument, _) => f.write_str(
                "also stops calls of tools without its argument, because `tool` is a pattern: name the tools, or add `if_missing = \"no-match\"`",
            ),
            (problem, None) => write!(f, "has a problem: {problem:?}"),
        }
    }
}

impl Policy {
    pub(super) fn lint(&self, known_tools: &[String]) -> Vec<Lint> {
        let mut all = Vec::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let mut found = |problem, other: Option<&Rule>| {
                all.push(Lint { rule: (*rule.id).clone(), problem, other: other.map(|other| (*other.id).clone()) });
            };
            if let Some((problem, other)) =
                self.rules.iter().enumerate().find_map(|(index, other)| self.problem(number, index, other))
            {
                found(problem, Some(other));
            }
            if !known_tools.is_empty() && !known_tools.iter().any(|tool| names_tool(rule, tool)) {
                found(Problem::NoTool, None);
            }
            if stops_without_argument(rule) {
                found(Problem::MissingArgument, None);
            }
        }
        all
    }

    /// Returns what is wrong with a rule because of another rule.
    fn problem<'r>(&'r self, number: usize, index: usize, other: &'r Rule) -> Option<(Problem, &'r Rule)> {
        let rule = &self.rules[number];
        if number == index {
            return None;
        }
        let key = |index: usize| (self.rules[index].rank, self.rules[index].id.source, self.rules[index].permission);
        if has_same_conditions(&rule.config, &other.config) {
            if rule.permission == other.permission {
                let later = key(number) < key(index) || (key(number) == key(index) && index < number);
                return later.then_some((Problem::Duplicate, other));
            }
            let other_wins = other.permission == Permission::Deny
                || (rule.permission != Permission::Deny && key(number) < key(index));
            return other_wins.then_some((Problem::Contradiction, other));
        }
        let other_denies_all =
            other.permission == Permission::Deny && has_no_conditions(&other.config) && covers(other, rule);
        other_denies_all.then_some((Problem::Unreachable, other))
    }
}

fn has_same_conditions(a: &PermissionRule, b: &PermissionRule) -> bool {
    let sorted = |list: &[String]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    let lists = |rule: &PermissionRule| [&rule.tool, &rule.path, &rule.host, &rule.command].map(|list| sorted(list));
    a.arguments == b.arguments && lists(a) == lists(b)
}

fn has_no_conditions(rule: &PermissionRule) -> bool {
    rule.arguments.is_empty() && rule.path.is_empty() && rule.host.is_empty() && rule.command.is_empty()
}

/// Returns whether a rule is about every tool that another rule is about. The answer for two globs is no, unless one is `*`.
fn covers(rule: &Rule, other: &Rule) -> bool {
    let covered = |other: &ToolPattern| {
        let is_name = other.precision() == Precision::Name;
        rule.tools.iter().any(|tool| tool.precision() == Precision::Any || tool == other)
            || (is_name && names_tool(rule, other.as_str()))
    };
    other.tools.iter().all(covered)
}

fn names_tool(rule: &Rule, name: &str) -> bool {
    let name = ToolName::new(name);
    rule.tools.iter().any(|tool| match tool.precision() {
        Precision::Name => tool.allows(&name),
        _ => tool.catches(&name),
    })
}

fn stops_without_argument(rule: &Rule) -> bool {
    let depends =
        rule.config.arguments.values().all(|condition| {
            condition.exists.is_none() && condition.if_missing.unwrap_or_default() != IfMissing::NoMatch
        });
    !rule.permission.passes()
        && !rule.config.arguments.is_empty()
        && depends
        && rule.config.path.is_empty()
        && rule.config.host.is_empty()
        && rule.config.command.is_empty()
        && rule.tools.iter().any(|tool| tool.precision() < Precision::Name)
}
