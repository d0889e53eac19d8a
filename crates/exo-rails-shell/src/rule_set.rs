//! Rule sets: the shipped policy with the rules of a person.

use std::borrow::Cow;
use std::sync::Arc;

use crate::command::ShellCommand;
use crate::config::{ShellConfig, ShellRule};
use crate::decision::{Caution, ShellDecision};
use crate::effect::Effect;
use crate::error::ShellConfigError;
use crate::lower::{Directory, Ground, Lowered, lower};
use crate::pattern::Holds;
use crate::policy;
use crate::read::{Limits, read};
use crate::rule::Rule;
use crate::severity::Severity;
use crate::verdict::{Judgement, ShellVerdict};
use crate::word::mark;

/// The longest text that is read without a configuration, in bytes.
const MAX_BYTES: usize = 65_536;

/// A rule set about shell commands: the shipped policy, and the rules of a person in front of it.
///
/// A text is read as bash reads it, and run as far as that is possible without a machine. What it does becomes a
/// list of [effects](crate::Effect). Each effect is judged; the strictest decision is the verdict. A rule set is cheap to clone.
///
/// ```
/// use exo_rails_shell::{ShellDecision, ShellRules};
///
/// let rules = ShellRules::default();
/// assert_eq!(rules.judge("RUST_LOG=debug cargo test 2>&1 | tail -20").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("echo done; git reset --hard").decision, ShellDecision::Ask);
/// assert_eq!(rules.judge("echo 'rm -rf ~' | bash").decision, ShellDecision::Deny);
/// assert_eq!(rules.judge("$TOOL --version").decision, ShellDecision::Ask);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ShellRules(Arc<RuleSet>);

#[derive(Debug)]
struct RuleSet {
    rules: Vec<Rule>,
    ground: Ground,
    unreadable: Caution,
    max_bytes: usize,
}

impl Default for RuleSet {
    fn default() -> Self {
        let config = ShellConfig::default();
        Self { rules: Vec::new(), ground: Ground::new(&config.places), unreadable: Caution::Ask, max_bytes: MAX_BYTES }
    }
}

impl ShellRules {
    /// Builds a rule set, and checks its rules with their examples.
    ///
    /// ```
    /// use exo_rails_shell::ShellRules;
    ///
    /// let config = toml::from_str(r#"
    ///     [[rule]]
    ///     name = "no-publish"
    ///     command = "npm publish"
    ///     decision = "deny"
    ///     reason = "releases are made by the pipeline"
    ///     match = "npm run publish"
    /// "#)?;
    /// let error = ShellRules::new(config).unwrap_err();
    /// assert_eq!(error.to_string(), "`rule.no-publish.match`: the rule does not match `npm run publish`");
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the rule if a rule is about nothing, has a command that cannot be read, does not match an
    /// example in `match`, or matches one in `not_match`, or if two rules have the same name.
    pub fn new(config: ShellConfig) -> Result<Self, ShellConfigError> {
        let ShellConfig { unreadable, max_bytes, places, rule } = config;
        for (place, one) in rule.iter().enumerate() {
            if rule[..place].iter().any(|other| other.name == one.name) {
                let message = "two rules have this name: give each a name of its own";
                return Err(ShellConfigError::new(message).in_key(format_args!("rule.{}", one.name)));
            }
        }
        let rules = rule.into_iter().map(Rule::new).collect::<Result<_, _>>()?;
        let set = RuleSet {
            rules,
            ground: Ground::new(&places),
            unreadable: unreadable.unwrap_or_default(),
            max_bytes: max_bytes.unwrap_or(MAX_BYTES),
        };
        let rules = Self(Arc::new(set));
        rules.0.rules.iter().try_for_each(|rule| rules.check_examples(&rule.config))?;
        Ok(rules)
    }

    /// Begins a rule set in code.
    pub fn builder() -> ShellRulesBuilder {
        ShellRulesBuilder(ShellConfig::default())
    }

    /// Judges a text that runs in the project.
    ///
    /// Nothing is run, and no file is looked up.
    #[must_use]
    pub fn judge(&self, command: &str) -> ShellVerdict {
        self.0.judge(command, Directory::Project(String::new()))
    }

    /// Judges a text that runs in another directory: a path from the project, or an absolute path.
    ///
    /// ```
    /// use exo_rails_shell::{ShellDecision, ShellRules};
    ///
    /// let rules = ShellRules::builder().working_directory("/projects/app").build()?;
    /// assert_eq!(rules.judge_in("/projects/app/docs", "rm old.md").decision, ShellDecision::Allow);
    /// assert_eq!(rules.judge_in("/etc", "rm hosts").decision, ShellDecision::Deny);
    /// # Ok::<(), exo_rails_shell::ShellConfigError>(())
    /// ```
    #[must_use]
    pub fn judge_in(&self, directory: &str, command: &str) -> ShellVerdict {
        self.0.judge(command, self.0.ground.begin(directory))
    }

    fn check_examples(&self, rule: &ShellRule) -> Result<(), ShellConfigError> {
        let matches = |command: &str| {
            let judgements = self.judge(command).judgements;
            judgements.iter().any(|judgement| *judgement.rule == *rule.name)
        };
        let error = |key: &str, message: String| {
            Err(ShellConfigError::new(message).in_key(format_args!("rule.{}.{key}", rule.name)))
        };
        for command in &rule.matches {
            if !matches(command) {
                return error("match", format!("the rule does not match `{command}`"));
            }
        }
        for command in &rule.not_match {
            if matches(command) {
                return error("not_match", format!("the rule matches `{command}`"));
            }
        }
        Ok(())
    }
}

impl RuleSet {
    fn judge(&self, text: &str, directory: Directory) -> ShellVerdict {
        if text.len() > self.max_bytes {
            return self.unreadable(text, "it is longer than the limit");
        }
        // Inside of this crate, these characters stand for what is not known.
        if mark::in_text(text) {
            return self.unreadable(text, "it has a character that people cannot see");
        }
        let program = match read(text, Limits::DEFAULT) {
            Ok(program) => program,
            Err(refusal) => return self.unreadable(text, refusal.reason),
        };
        let Lowered { effects, commands } = lower(&program, &self.ground, directory);
        let mut judgements: Vec<Judgement> = Vec::new();
        for (number, command) in commands.iter().enumerate() {
            judgements.extend(self.about_command(number, command));
        }
        for (number, effect) in effects.iter().enumerate() {
            judgements.extend(self.about_effect(number, effect, &commands));
        }
        judgements.sort_by_key(|judgement| judgement.range.start);
        let decision = judgements.iter().map(|judgement| judgement.decision).max().unwrap_or_default();
        ShellVerdict { decision, commands, effects, judgements }
    }

    fn unreadable(&self, text: &str, why: &'static str) -> ShellVerdict {
        let judgement = Judgement {
            decision: self.unreadable.into(),
            rule: Arc::from("unreadable"),
            severity: Severity::Medium,
            reason: Arc::from(format!("it cannot be read: {why}: write it in a simpler way")),
            is_own: false,
            protects: None,
            effect: None,
            command: None,
            range: 0..text.len(),
        };
        ShellVerdict { decision: judgement.decision, judgements: vec![judgement], ..ShellVerdict::default() }
    }

    /// Returns the judgements of rules that stop a command as a whole.
    fn about_command<'s>(&'s self, number: usize, command: &'s ShellCommand) -> impl Iterator<Item = Judgement> + 's {
        let rules = self.rules.iter().filter(|rule| rule.is_about_commands() && !rule.config.decision.passes());
        rules.filter_map(move |rule| {
            let decision = stopped(rule, rule.catches(command))?;
            Some(Judgement { effect: None, command: Some(number), ..own(rule, decision, command.range.clone()) })
        })
    }

    /// Returns what is said about an effect, unless nothing but the shipped policy lets it run.
    fn about_effect(&self, number: usize, effect: &Effect, commands: &[ShellCommand]) -> Option<Judgement> {
        let command = effect.command.and_then(|number| commands.get(number));
        let mut deciding: Option<(ShellDecision, &Rule)> = None;
        for rule in &self.rules {
            if rule.is_about_commands() && !rule.config.decision.passes() {
                continue;
            }
            let holds = rule.matches(effect, command);
            let decision = match rule.config.decision {
                decision if decision.passes() => (holds == Holds::Yes).then_some(decision),
                _ => stopped(rule, holds),
            };
            if let Some(decision) = decision
                && deciding.is_none_or(|(other, best)| rank(rule, decision) > rank(best, other))
            {
                deciding = Some((decision, rule));
            }
        }
        let built_in = policy::rule(effect);
        let protects = policy::protected(effect).filter(|_| built_in.decision == ShellDecision::Deny);
        let judgement = match deciding {
            Some((decision, rule))
                if decision == ShellDecision::Deny
                    || protects.is_none_or(|protects| rule.config.lifts.contains(&protects)) =>
            {
                own(rule, decision, effect.span.clone())
            }
            _ if built_in.decision == ShellDecision::Allow => return None,
            _ => {
                let (found, advice) = policy::words(built_in.name);
                let reason = if advice.is_empty() { Cow::from(found) } else { Cow::from(format!("{found}: {advice}")) };
                Judgement {
                    decision: built_in.decision,
                    rule: Arc::from(built_in.name),
                    severity: policy::severity(effect, built_in.decision),
                    reason: Arc::from(reason),
                    is_own: false,
                    protects,
                    effect: None,
                    command: None,
                    range: effect.span.clone(),
                }
            }
        };
        Some(Judgement { effect: Some(number), command: effect.command, ..judgement })
    }
}

/// Returns the decision of a rule that stops: what may match asks.
fn stopped(rule: &Rule, holds: Holds) -> Option<ShellDecision> {
    match holds {
        Holds::No => None,
        Holds::Maybe => Some(ShellDecision::Ask),
        Holds::Yes => Some(rule.config.decision),
    }
}

/// Of several rules about an effect, one that denies decides, then one about the command, then the strictest.
fn rank(rule: &Rule, decision: ShellDecision) -> (bool, bool, ShellDecision) {
    (decision == ShellDecision::Deny, !rule.config.command.is_empty(), decision)
}

fn own(rule: &Rule, decision: ShellDecision, range: std::ops::Range<usize>) -> Judgement {
    Judgement {
        decision,
        rule: Arc::clone(&rule.name),
        severity: rule.config.severity,
        reason: Arc::clone(&rule.reason),
        is_own: true,
        protects: None,
        effect: None,
        command: None,
        range,
    }
}

/// Builds a [`ShellRules`] in code.
///
/// ```
/// use exo_rails_shell::{Caution, ShellDecision, ShellRule, ShellRules};
///
/// let rules = ShellRules::builder()
///     .working_directory("/projects/app")
///     .unreadable(Caution::Deny)
///     .rule(ShellRule::deny("deploy", "a deployment changes what customers see").command(["flyctl deploy"]))
///     .build()?;
/// assert_eq!(rules.judge("flyctl deploy --app shop").decision, ShellDecision::Deny);
/// assert_eq!(rules.judge("echo 'no end").decision, ShellDecision::Deny);
/// # Ok::<(), exo_rails_shell::ShellConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ShellRulesBuilder(ShellConfig);

impl ShellRulesBuilder {
    /// Adds a rule.
    pub fn rule(mut self, rule: ShellRule) -> Self {
        self.0.rule.push(rule);
        self
    }

    /// Sets the decision about texts that are not bash programs, or are beyond a limit.
    pub fn unreadable(mut self, caution: Caution) -> Self {
        self.0.unreadable = Some(caution);
        self
    }

    /// Sets the absolute path of the project.
    pub fn working_directory(mut self, path: impl Into<String>) -> Self {
        self.0.places.working_directory = Some(path.into());
        self
    }

    /// Sets the home directory.
    pub fn home(mut self, path: impl Into<String>) -> Self {
        self.0.places.home = Some(path.into());
        self
    }

    /// Builds the rule set.
    ///
    /// # Errors
    /// Returns the errors of [`ShellRules::new`].
    pub fn build(self) -> Result<ShellRules, ShellConfigError> {
        ShellRules::new(self.0)
    }
}
