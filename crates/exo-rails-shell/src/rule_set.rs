//! Rule sets: configurations, checked and indexed once.

use std::sync::{Arc, LazyLock};

use super::compiled::Compiled;
use super::config::{ProgramConfig, ShellConfig, ShellRule};
use super::decision::{Caution, ShellDecision};
use super::judge::Judge;
use super::place::Directory;
use super::verdict::ShellVerdict;
use crate::error::ShellConfigError;

/// The text of the shipped rule set.
pub const DEFAULT_RULES: &str = include_str!("default.toml");

/// A rule set about shell commands.
///
/// A rule set reads a command as bash does, finds every simple command in it, and judges each by rules. The strictest decision
/// is the verdict. It is cheap to clone.
///
/// ```
/// use exo_rails_shell::{ShellDecision, ShellRules};
///
/// let rules = ShellRules::default();
/// assert_eq!(rules.judge("RUST_LOG=debug cargo test 2>&1 | tail -20").decision, ShellDecision::Allow);
/// assert_eq!(rules.judge("echo done; git reset --hard").decision, ShellDecision::Deny);
/// assert_eq!(rules.judge("$TOOL --version").decision, ShellDecision::Ask);
/// ```
#[derive(Clone, Debug)]
pub struct ShellRules(Arc<Compiled>);

static SHIPPED: LazyLock<ShellRules> = LazyLock::new(|| {
    let compiled = Compiled::new(ShellConfig::default()).unwrap_or_else(|error| Compiled::closed(&error));
    ShellRules(Arc::new(compiled))
});

impl Default for ShellRules {
    /// Returns the [shipped rule set](DEFAULT_RULES).
    fn default() -> Self {
        SHIPPED.clone()
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
    ///     program = ["npm"]
    ///     subcommand = ["publish"]
    ///     decision = "deny"
    ///     reason = "releases are made by the pipeline"
    ///     match = ["npm run publish"]
    /// "#)?;
    /// let error = ShellRules::new(config).unwrap_err();
    /// assert_eq!(error.to_string(), "`rule.no-publish.match`: the rule does not match `npm run publish`");
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the rule if a rule has no program, names a place that does not exist, does not match an
    /// example in `match`, or matches one in `not_match`. Returns an error if a program names a language that does not exist.
    pub fn new(config: ShellConfig) -> Result<Self, ShellConfigError> {
        let own = config.rule.clone();
        let rules = Self(Arc::new(Compiled::new(config)?));
        for rule in &own {
            rules.check_examples(rule)?;
        }
        Ok(rules)
    }

    /// Begins a rule set in code, on the base of the shipped rule set.
    pub fn builder() -> ShellRulesBuilder {
        ShellRulesBuilder(ShellConfig::default())
    }

    /// Judges a command that runs in the working directory.
    #[must_use]
    pub fn judge(&self, command: &str) -> ShellVerdict {
        Judge::new(&self.0, command, Directory::Project(String::new())).verdict()
    }

    /// Judges a command that runs in another directory: a path from the working directory, or an absolute path.
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
        let directory = Judge::enter(&self.0.places, directory, &Directory::Project(String::new()));
        Judge::new(&self.0, command, directory).verdict()
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

/// Builds a [`ShellRules`] in code.
///
/// ```
/// use exo_rails_shell::{Caution, ShellDecision, ShellRules, ShellRule};
///
/// let rules = ShellRules::builder()
///     .working_directory("/projects/app")
///     .unknown(Caution::Deny)
///     .rule(ShellRule::ask("deploy", "a deployment changes what customers see").program(["flyctl"]))
///     .build()?;
/// assert_eq!(rules.judge("flyctl deploy").decision, ShellDecision::Ask);
/// assert_eq!(rules.judge("$x").decision, ShellDecision::Deny);
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

    /// Adds programs that run without a question where no rule matches.
    pub fn known<T: Into<String>>(mut self, programs: impl IntoIterator<Item = T>) -> Self {
        self.0.known.extend(programs.into_iter().map(Into::into));
        self
    }

    /// Adds what a program is like.
    pub fn program(mut self, program: ProgramConfig) -> Self {
        self.0.program.insert(0, program);
        self
    }

    /// Sets the decision about programs that the rule set does not name.
    pub fn unlisted(mut self, decision: ShellDecision) -> Self {
        self.0.unlisted = Some(decision);
        self
    }

    /// Sets the decision about programs of the project that the rule set does not name.
    pub fn project(mut self, decision: ShellDecision) -> Self {
        self.0.project = Some(decision);
        self
    }

    /// Sets whether an unknown word may also be an option with its value. See [`ShellConfig::strict`].
    pub fn strict(mut self, strict: bool) -> Self {
        self.0.strict = Some(strict);
        self
    }

    /// Sets the decision where a command depends on something that is not known before it runs.
    pub fn unknown(mut self, caution: Caution) -> Self {
        self.0.unknown = Some(caution);
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

    /// Sets whether the shipped rule set is the base. Default: `true`.
    pub fn shipped(mut self, shipped: bool) -> Self {
        self.0.shipped = shipped;
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
