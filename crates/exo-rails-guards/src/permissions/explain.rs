//! Explanations: which rule decided about a call, and why the others did not.

use std::fmt;

use exo_rails::ToolCallInputs;
use serde::Serialize;

use super::evaluate::{By, Evaluation, Policy, Verdict};
use super::{Permission, PermissionMode};
use crate::places::path::Match;
use crate::rules::command::{About, Judgement};
use crate::rules::rule::RuleId;

/// Which rule decides about a call, and why. See [`Permissions::explain`](crate::Permissions::explain).
///
/// The text of an explanation quotes commands of the call. It is for the people who may read the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The name of the tool.
    pub tool_name: String,
    /// The mode of the guard.
    pub mode: PermissionMode,
    /// The decision.
    pub permission: Permission,
    /// The decisions about the commands in the call. A call without commands has one part.
    pub parts: Vec<ExplainedPart>,
}

/// The decision about a call, or about one command in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExplainedPart {
    /// The command, if the part is a command.
    pub command: Option<String>,
    /// The decision.
    pub permission: Permission,
    /// The rule that decides. `None` if no rule matches.
    pub rule: Option<RuleId>,
    /// Why.
    pub reason: String,
    /// The other rules that matched.
    pub lost: Vec<LostRule>,
}

/// A rule that matched and did not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LostRule {
    /// The rule.
    pub rule: RuleId,
    /// What it would have decided.
    pub permission: Permission,
    /// Why it did not decide.
    pub why: String,
}

impl Policy {
    pub(super) fn explain(&self, call: &ToolCallInputs) -> Explanation {
        let evaluation = self.evaluate(call);
        Explanation {
            tool_name: call.tool_name.clone(),
            mode: self.mode,
            permission: evaluation.verdict().permission,
            parts: evaluation.verdicts.iter().map(|verdict| self.part(verdict, &evaluation)).collect(),
        }
    }

    fn part(&self, verdict: &Verdict, evaluation: &Evaluation) -> ExplainedPart {
        let command = verdict.command.as_ref().map(|(text, range)| {
            let text = &evaluation.texts[*text].text;
            text.get(range.clone()).filter(|part| !part.is_empty()).unwrap_or(text).to_owned()
        });
        let rules =
            verdict.matched.iter().filter(|(number, _)| !is_rule(&verdict.by, *number)).map(|(number, found)| {
                let rule = &self.rules[*number];
                LostRule {
                    rule: (*rule.id).clone(),
                    permission: rule.permission,
                    why: self.why_lost(*number, *found, verdict),
                }
            });
        let shell = verdict.judgements.iter().filter(|judgement| !is_judgement(&verdict.by, &judgement.rule)).map(
            |judgement| LostRule {
                rule: self.shell_rule(judgement),
                permission: judgement.permission,
                why: self.why_shell_lost(judgement.permission, verdict),
            },
        );
        ExplainedPart {
            command,
            permission: verdict.permission,
            rule: self.rule_of(&verdict.by),
            reason: self.reason_of(&verdict.by, verdict.permission),
            lost: rules.chain(shell).collect(),
        }
    }

    fn why_lost(&self, number: usize, found: Match, verdict: &Verdict) -> String {
        let rule = &self.rules[number];
        let Some(winner) = deciding_rule(&verdict.by) else {
            return match &verdict.by {
                By::Shell(judgement) => why_shell_won(judgement, rule.commands.is_some()).to_owned(),
                By::Mode(_) => format!("the mode `{}` decides", self.mode),
                _ => "it is less strict".to_owned(),
            };
        };
        let winner = &self.rules[winner];
        if winner.permission == Permission::Deny && rule.permission != Permission::Deny {
            return "a rule that denies always decides".to_owned();
        }
        if rule.permission == Permission::Deny && found == Match::Maybe {
            return "it may apply, and the decision is as strict".to_owned();
        }
        let why = if rule.rank < winner.rank {
            "it is less specific"
        } else if rule.id.source < winner.id.source {
            "its source has a lower precedence"
        } else if rule.permission < winner.permission {
            "it is less strict"
        } else {
            "another rule says the same"
        };
        why.to_owned()
    }

    fn why_shell_lost(&self, permission: Permission, verdict: &Verdict) -> String {
        match deciding_rule(&verdict.by) {
            Some(number) if self.rules[number].permission == Permission::Deny => {
                "a rule that denies always decides".to_owned()
            }
            Some(_) => "a rule is more specific than the rules about commands".to_owned(),
            None if permission < verdict.permission => "it is less strict".to_owned(),
            None if matches!(verdict.by, By::Mode(_)) => format!("the mode `{}` decides", self.mode),
            None => "another rule says the same".to_owned(),
        }
    }
}

/// Returns why a judgement about a shell command decided, and not a rule.
fn why_shell_won(judgement: &Judgement, has_commands: bool) -> &'static str {
    let is_lifted_by_words = judgement.is_liftable && has_commands;
    if judgement.permission == Permission::Deny && !is_lifted_by_words {
        "a rule that denies always decides"
    } else if judgement.about == About::Text {
        "a rule that denies may apply"
    } else if has_commands {
        "it does not name the words that the rules about shell commands stop"
    } else {
        "it has no pattern of commands, so it lifts no question about a command"
    }
}

fn deciding_rule(by: &By) -> Option<usize> {
    match by {
        By::Rule(number, _) => Some(*number),
        By::Mode(by) => deciding_rule(by),
        _ => None,
    }
}

fn is_rule(by: &By, number: usize) -> bool {
    deciding_rule(by) == Some(number)
}

fn is_judgement(by: &By, rule: &str) -> bool {
    match by {
        By::Shell(judgement) => *judgement.rule == *rule,
        By::Mode(by) => is_judgement(by, rule),
        _ => false,
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`", self.permission, self.tool_name)?;
        if self.mode != PermissionMode::Default {
            write!(f, " in the mode `{}`", self.mode)?;
        }
        for part in &self.parts {
            write!(f, "\n  {}", part.permission)?;
            if let Some(command) = &part.command {
                write!(f, " `{}`", command.escape_debug())?;
            }
            match &part.rule {
                Some(rule) => write!(f, " by {rule}: {}", part.reason)?,
                None => write!(f, ": {}", part.reason)?,
            }
            for LostRule { rule, permission, why } in &part.lost {
                write!(f, "\n    not {permission} by {rule}: {why}")?;
            }
        }
        Ok(())
    }
}
