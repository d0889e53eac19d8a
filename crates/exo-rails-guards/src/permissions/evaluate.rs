//! The semantics: from the rules that match a call to one decision.

use std::collections::HashMap;
use std::sync::Arc;

use exo_rails::ToolCallInputs;
use exo_rails_policy::{Severity, ToolPattern};

use super::grant::ExecutionGrant;
use super::{Caution, Effect, Permission, PermissionMode, Source};
use crate::finding::Place;
use crate::places::path::{Match, Places};
use crate::rules::call::Call;
use crate::rules::command::{self, CommandText, Judge, Judgement, Reading, ShellCommand, command_texts, read};
use crate::rules::rule::{Rank, Rule, RuleId};
use crate::rules::tools::Tools;

/// The rules and settings of a guard, ready to decide.
#[derive(Debug)]
pub(super) struct Policy {
    pub(super) mode: PermissionMode,
    pub(super) default: Permission,
    pub(super) unknown: Caution,
    pub(super) plan: Caution,
    pub(super) grant: ExecutionGrant,
    pub(super) places: Places,
    pub(super) tools: Tools,
    pub(super) judge: Judge,
    /// Where the rules about shell commands come from that are not built in.
    pub(super) shell_source: Source,
    pub(super) rules: Vec<Rule>,
    pub(super) index: Index,
}

/// The rules by the names of their tools.
#[derive(Debug, Default)]
pub(super) struct Index {
    exact: HashMap<String, Vec<usize>>,
    globs: Vec<usize>,
}

impl Index {
    pub(super) fn new(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            let names: Option<Vec<&str>> = rule.tools.iter().map(ToolPattern::folded_name).collect();
            for name in names.iter().flatten() {
                let numbers = index.exact.entry((*name).to_owned()).or_default();
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
            if names.is_none() {
                index.globs.push(number);
            }
        }
        index
    }

    /// Returns the numbers of the rules that may be about a call.
    fn rules<'i>(&'i self, call: &'i Call<'_>) -> impl Iterator<Item = usize> + 'i {
        let exact = call.tool.readings.iter().filter_map(|name| self.exact.get(name.as_ref())).flatten();
        exact.chain(&self.globs).copied()
    }
}

/// Who decided.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum By {
    /// A rule. A rule that denies may match only perhaps.
    Rule(usize, Match),
    /// The rules about shell commands.
    Shell(Judgement),
    /// The rules about shell commands, because none of them stops the command.
    ShellPasses,
    /// The shell itself runs the command, and no rule stops it.
    Builtin,
    /// A command that cannot be read.
    Unreadable,
    /// The default, because no rule matches.
    Default,
    /// The mode, instead of another decision.
    Mode(Box<By>),
}

/// The decision about a call, or about one command in it.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) permission: Permission,
    pub(super) by: By,
    /// The rules that matched, with those that lost.
    pub(super) matched: Vec<(usize, Match)>,
    /// The judgements about the command.
    pub(super) judgements: Vec<Judgement>,
    /// The command: its text, and its bytes in the text.
    pub(super) command: Option<(usize, std::ops::Range<usize>)>,
}

/// The decisions about all commands of a call. A call without commands has one decision.
#[derive(Debug)]
pub(super) struct Evaluation {
    pub(super) verdicts: Vec<Verdict>,
    pub(super) texts: Vec<CommandText>,
    /// The number of the verdict that decides: the first of the strictest.
    pub(super) deciding: usize,
}

impl Evaluation {
    pub(super) fn verdict(&self) -> &Verdict {
        &self.verdicts[self.deciding]
    }

    /// Returns the place of the decision in the arguments.
    pub(super) fn place(&self) -> Place {
        let command = self.verdict().command.as_ref();
        command.map(|(text, range)| self.texts[*text].place_of(range)).unwrap_or_default()
    }
}

impl Policy {
    pub(super) fn evaluate(&self, inputs: &ToolCallInputs) -> Evaluation {
        let mut call = Call::new(inputs, &self.tools, &self.places);
        let texts =
            if call.facts.is_shell() { command_texts(&call.facts, &inputs.arguments) } else { Some(Vec::new()) };
        let is_readable = texts.is_some();
        let texts = texts.unwrap_or_default();
        call.readings = texts.iter().map(|text| read(&self.judge, text)).collect();
        let mut matched: Vec<(usize, Match)> = Vec::new();
        for number in self.index.rules(&call) {
            let found = self.rules[number].matches(&call);
            if found > Match::No && !matched.iter().any(|(known, _)| *known == number) {
                matched.push((number, found));
            }
        }
        let mut verdicts = Vec::new();
        if !is_readable {
            verdicts.push(self.unreadable(&call, &matched));
        }
        for (number, reading) in call.readings.iter().enumerate() {
            self.reading(number, reading, &call, &matched, &mut verdicts);
        }
        if verdicts.is_empty() {
            let matched = self.without_commands(&matched);
            verdicts.push(self.decide(matched, Vec::new(), By::Default, call.facts.effect, None));
        }
        let strictest = verdicts.iter().map(|verdict| verdict.permission).max();
        let deciding = verdicts.iter().position(|verdict| Some(verdict.permission) == strictest).unwrap_or(0);
        Evaluation { verdicts, texts, deciding }
    }

    /// Decides about each command in a text, and about what the shell itself does.
    fn reading(
        &self,
        text: usize,
        reading: &Reading,
        call: &Call<'_>,
        matched: &[(usize, Match)],
        verdicts: &mut Vec<Verdict>,
    ) {
        let effect = call.facts.effect;
        let before = verdicts.len();
        let about = |about: command::About| -> Vec<Judgement> {
            reading.judgements.iter().filter(|judgement| judgement.about == about).cloned().collect()
        };
        for (number, command) in reading.commands.iter().enumerate() {
            let matched = self.with_command(matched, command);
            // What rules about this command name needs no other decision.
            let is_lifted = |judgement: &Judgement| judgement.is_liftable && self.lifts(&matched, command, judgement);
            let mut judgements = about(command::About::Command(number));
            judgements.retain(|judgement| !is_lifted(judgement));
            let otherwise = if command.is_builtin { By::Builtin } else { By::ShellPasses };
            verdicts.push(self.decide(matched, judgements, otherwise, effect, Some((text, command.range.clone()))));
        }
        let of_text = about(command::About::Text);
        if let Some(range) = of_text.first().map(|judgement| judgement.range.clone()) {
            let matched = self.with_unknown_command(matched);
            verdicts.push(self.decide(matched, of_text, By::ShellPasses, effect, Some((text, range))));
        }
        let of_shell = about(command::About::Shell);
        let range = of_shell.first().map(|judgement| judgement.range.clone());
        if range.is_some() || verdicts.len() == before {
            let range = range.unwrap_or(0..0);
            let matched = self.without_commands(matched);
            verdicts.push(self.decide(matched, of_shell, By::ShellPasses, effect, Some((text, range))));
        }
    }

    /// Returns whether a rule names the words that a judgement of the shipped policy is about.
    fn lifts(&self, matched: &[(usize, Match)], command: &ShellCommand, judgement: &Judgement) -> bool {
        matched.iter().any(|(number, _)| {
            let rule = &self.rules[*number];
            let patterns = rule.commands.as_ref().filter(|_| rule.permission != Permission::Deny);
            patterns.is_some_and(|patterns| patterns.names(command, &judgement.range))
        })
    }

    /// Decides about a call whose command cannot be read.
    fn unreadable(&self, call: &Call<'_>, matched: &[(usize, Match)]) -> Verdict {
        let judgement = Judgement {
            permission: self.unknown.into(),
            rule: Arc::from("command-unreadable"),
            reason: Arc::from("the call has no command that can be read: write the command as one text"),
            severity: Severity::Medium,
            is_own: false,
            is_liftable: false,
            about: command::About::Text,
            range: 0..0,
        };
        self.decide(self.with_unknown_command(matched), vec![judgement], By::Unreadable, call.facts.effect, None)
    }

    /// Returns the rules that match a command.
    fn with_command(&self, matched: &[(usize, Match)], command: &ShellCommand) -> Vec<(usize, Match)> {
        let found = |(number, found): &(usize, Match)| {
            let rule = &self.rules[*number];
            let command = match &rule.commands {
                None => Match::Yes,
                Some(patterns) if rule.permission.passes() => patterns.allows(command).into(),
                Some(patterns) => patterns.catches(command),
            };
            (*number, (*found).min(command))
        };
        matched.iter().map(found).filter(|(_, found)| *found > Match::No).collect()
    }

    /// Returns the rules that match or may match a command that is not known.
    fn with_unknown_command(&self, matched: &[(usize, Match)]) -> Vec<(usize, Match)> {
        let found = |(number, found): &(usize, Match)| {
            let rule = &self.rules[*number];
            let command = match &rule.commands {
                None => Match::Yes,
                Some(_) if rule.permission.passes() => Match::No,
                Some(_) => Match::Maybe,
            };
            (*number, (*found).min(command))
        };
        matched.iter().map(found).filter(|(_, found)| *found > Match::No).collect()
    }

    fn without_commands(&self, matched: &[(usize, Match)]) -> Vec<(usize, Match)> {
        matched.iter().filter(|(number, _)| self.rules[*number].commands.is_none()).copied().collect()
    }

    fn decide(
        &self,
        matched: Vec<(usize, Match)>,
        judgements: Vec<Judgement>,
        otherwise: By,
        effect: Effect,
        command: Option<(usize, std::ops::Range<usize>)>,
    ) -> Verdict {
        let (permission, by) = self.decision(&matched, &judgements, otherwise, effect);
        Verdict { permission, by, matched, judgements, command }
    }

    /// The semantics, in the order of the table in the documentation of the module.
    fn decision(
        &self,
        matched: &[(usize, Match)],
        judgements: &[Judgement],
        otherwise: By,
        effect: Effect,
    ) -> (Permission, By) {
        if let Some(denied) = self.denied(matched, judgements) {
            return (Permission::Deny, denied);
        }
        let (mut permission, mut by) =
            self.most_specific(matched, judgements).unwrap_or_else(|| self.otherwise(judgements, otherwise, effect));
        let in_mode = self.in_mode(permission, effect);
        if in_mode != permission {
            (permission, by) = (in_mode, By::Mode(Box::new(by)));
        }
        if let Some(unknown) = self.unknown(matched, judgements).filter(|_| Permission::from(self.unknown) > permission)
        {
            (permission, by) = (self.unknown.into(), unknown);
        }
        if self.mode == PermissionMode::DontAsk && permission == Permission::Ask {
            (permission, by) = (Permission::Deny, By::Mode(Box::new(by)));
        }
        (permission, by)
    }

    /// Returns the rule that denies. Of several, the most specific.
    fn denied(&self, matched: &[(usize, Match)], judgements: &[Judgement]) -> Option<By> {
        let denies = |(number, found): &&(usize, Match)| {
            self.rules[*number].permission == Permission::Deny && *found == Match::Yes
        };
        let rule = matched.iter().filter(denies).max_by_key(|(number, _)| self.standing(*number));
        let judgement =
            judgements.iter().find(|judgement| judgement.permission == Permission::Deny && !is_unread(judgement));
        let rule = rule.map(|(number, found)| By::Rule(*number, *found));
        rule.or_else(|| judgement.cloned().map(By::Shell))
    }

    /// Returns what a rule that denies may decide, if something unknown were known.
    fn unknown(&self, matched: &[(usize, Match)], judgements: &[Judgement]) -> Option<By> {
        let may_deny = |(number, found): &&(usize, Match)| {
            self.rules[*number].permission == Permission::Deny && *found == Match::Maybe
        };
        let rule = matched.iter().filter(may_deny).max_by_key(|(number, _)| self.standing(*number));
        let rule = rule.map(|(number, found)| By::Rule(*number, *found));
        rule.or_else(|| judgements.iter().find(|judgement| is_unread(judgement)).cloned().map(By::Shell))
    }

    /// Returns the decision of the most specific rule that does not deny.
    fn most_specific(&self, matched: &[(usize, Match)], judgements: &[Judgement]) -> Option<(Permission, By)> {
        let rules = matched.iter().filter(|(number, _)| self.rules[*number].permission != Permission::Deny);
        let rule = rules.max_by_key(|(number, _)| self.standing(*number));
        let asks = judgements.iter().find(|judgement| judgement.permission == Permission::Ask && !is_unread(judgement));
        match (rule, asks) {
            // A rule about the command has lifted the questions about what it names.
            (Some((number, _)), Some(judgement)) if self.rules[*number].permission.passes() => {
                Some((Permission::Ask, By::Shell(judgement.clone())))
            }
            (Some((number, found)), _) => Some((self.rules[*number].permission, By::Rule(*number, *found))),
            (None, Some(judgement)) => Some((Permission::Ask, By::Shell(judgement.clone()))),
            (None, None) => None,
        }
    }

    /// Returns what decides between rules: how specific they are, then their source, then the strictest.
    fn standing(&self, number: usize) -> (Rank, Source, Permission) {
        let rule = &self.rules[number];
        (rule.rank, rule.id.source, rule.permission)
    }

    /// Returns the decision about a call that no rule matches.
    fn otherwise(&self, judgements: &[Judgement], otherwise: By, effect: Effect) -> (Permission, By) {
        match (&otherwise, self.mode, effect) {
            // The judge of shell commands knows the command. What is closed by default stays closed.
            (By::Builtin, ..) => match judgements.first() {
                Some(judgement) => (judgement.permission, By::Shell(judgement.clone())),
                None => (Permission::Allow, otherwise),
            },
            (By::ShellPasses, ..) if self.default != Permission::Deny => match judgements.first() {
                Some(judgement) => (judgement.permission, By::Shell(judgement.clone())),
                None => (Permission::Allow, otherwise),
            },
            (_, PermissionMode::Plan, Effect::Read) | (_, PermissionMode::AcceptEdits, Effect::Edit) => {
                (Permission::Allow, By::Mode(Box::new(By::Default)))
            }
            _ => (self.default, By::Default),
        }
    }

    fn in_mode(&self, permission: Permission, effect: Effect) -> Permission {
        match self.mode {
            PermissionMode::Plan if effect != Effect::Read => permission.max(self.plan.into()),
            PermissionMode::Bypass if !permission.passes() => Permission::Allow,
            _ => permission,
        }
    }

    /// Returns the grant of an allowed call: the limits of all rules that decided about one of its commands.
    pub(super) fn grant_of(&self, evaluation: &Evaluation) -> ExecutionGrant {
        let mut grant = self.grant.clone();
        for verdict in &evaluation.verdicts {
            let By::Rule(decided, _) = verdict.by else { continue };
            let equals = verdict.matched.iter().filter(|(number, _)| self.standing(*number) == self.standing(decided));
            for (number, _) in equals {
                grant = grant.intersection(&self.rules[*number].config.grant.clone().into());
            }
        }
        grant
    }

    /// Returns the identity of the rule behind a decision.
    pub(super) fn rule_of(&self, by: &By) -> Option<RuleId> {
        match by {
            By::Rule(number, _) => Some((*self.rules[*number].id).clone()),
            By::Shell(judgement) => Some(self.shell_rule(judgement)),
            By::Mode(by) => self.rule_of(by),
            By::ShellPasses | By::Builtin | By::Unreadable | By::Default => None,
        }
    }

    /// Returns the identity of a rule about shell commands.
    pub(super) fn shell_rule(&self, judgement: &Judgement) -> RuleId {
        let source = if judgement.is_own { self.shell_source } else { Source::BuiltIn };
        RuleId { source, ..RuleId::built_in(&*judgement.rule) }
    }

    /// Returns the name of the rule in findings.
    pub(super) fn name_of(&self, by: &By) -> String {
        match by {
            By::Mode(_) => format!("mode-{}", self.mode),
            By::Default => "default".to_owned(),
            By::ShellPasses | By::Builtin => "shell".to_owned(),
            By::Unreadable => "command-unreadable".to_owned(),
            by => self.rule_of(by).map(|rule| rule.name).unwrap_or_default(),
        }
    }

    /// Returns the time for the reply to a question of a rule.
    pub(super) fn expiry_of(&self, by: &By) -> Option<u64> {
        match by {
            By::Rule(number, _) => self.rules[*number].expires_in_ms,
            By::Mode(by) => self.expiry_of(by),
            By::Shell(_) | By::ShellPasses | By::Builtin | By::Unreadable | By::Default => None,
        }
    }

    pub(super) fn severity_of(&self, by: &By, permission: Permission) -> Severity {
        match by {
            By::Rule(number, _) => self.rules[*number].severity,
            By::Shell(judgement) => judgement.severity,
            By::Mode(by) => self.severity_of(by, permission),
            By::ShellPasses | By::Builtin | By::Unreadable | By::Default => match permission {
                Permission::Allow | Permission::Notify => Severity::Info,
                Permission::Ask => Severity::Low,
                Permission::Deny => Severity::Medium,
            },
        }
    }

    /// Returns why, in a sentence without the arguments of the call.
    pub(super) fn reason_of(&self, by: &By, permission: Permission) -> String {
        match by {
            By::Rule(number, Match::Maybe) if self.rules[*number].permission == Permission::Deny => {
                let reason = self.rules[*number].reason();
                format!(
                    "the rule may apply, because an argument or a part of the command is missing or not known: {reason}"
                )
            }
            By::Rule(number, _) => self.rules[*number].reason(),
            By::Shell(judgement) => judgement.reason.to_string(),
            By::ShellPasses => "the rules about shell commands let it run".to_owned(),
            By::Builtin => "the shell itself runs it, and it changes nothing".to_owned(),
            By::Unreadable => "the call has no command that can be read".to_owned(),
            By::Default => match permission {
                Permission::Allow | Permission::Notify => "no rule matches, and calls run by default".to_owned(),
                Permission::Ask => "no rule allows this call, so a person must agree".to_owned(),
                Permission::Deny => "no rule allows this call".to_owned(),
            },
            By::Mode(by) => self.reason_in_mode(by, permission),
        }
    }

    fn reason_in_mode(&self, by: &By, permission: Permission) -> String {
        let mode = self.mode;
        match mode {
            PermissionMode::Plan if permission.passes() => "in the mode `plan`, tools that only read run".to_owned(),
            PermissionMode::Plan => {
                "in the mode `plan`, nothing may be changed: describe the change instead".to_owned()
            }
            PermissionMode::AcceptEdits => "in the mode `accept-edits`, tools that edit files run".to_owned(),
            PermissionMode::Bypass => "in the mode `bypass`, everything runs that no rule denies".to_owned(),
            PermissionMode::DontAsk => {
                format!("nobody can be asked in the mode `dont-ask`: {}", self.reason_of(by, Permission::Ask))
            }
            PermissionMode::Default => self.reason_of(by, permission),
        }
    }
}

/// Returns whether the text of a judgement cannot be read, so that a rule that denies may be meant.
fn is_unread(judgement: &Judgement) -> bool {
    judgement.about == command::About::Text
}
