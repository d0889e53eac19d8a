//! Policies: configurations, checked and indexed once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::config::{LanguageConfig, ProgramConfig, ShellConfig, ShellRule};
use super::decision::{Caution, ShellDecision};
use super::judge::Judge;
use super::lexer::Limits;
use super::matching::Rule;
use super::place::{Directory, Places};
use super::verdict::ShellVerdict;
use crate::error::ShellConfigError;

/// The text of the shipped policy.
pub const DEFAULT_POLICY: &str = include_str!("default.toml");

/// A policy about shell commands.
///
/// A policy reads a command as bash does, finds every simple command in it, and judges each by rules. The strictest decision
/// is the verdict. It is cheap to clone.
///
/// ```
/// use exo_rails_shell::{ShellDecision, ShellPolicy};
///
/// let policy = ShellPolicy::default();
/// assert_eq!(policy.judge("RUST_LOG=debug cargo test 2>&1 | tail -20").decision, ShellDecision::Allow);
/// assert_eq!(policy.judge("echo done; git reset --hard").decision, ShellDecision::Deny);
/// assert_eq!(policy.judge("$TOOL --version").decision, ShellDecision::Ask);
/// ```
#[derive(Clone, Debug)]
pub struct ShellPolicy(Arc<Compiled>);

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) unlisted: ShellDecision,
    pub(super) project: ShellDecision,
    pub(super) strict: bool,
    pub(super) unknown: ShellDecision,
    pub(super) unreadable: ShellDecision,
    pub(super) max_bytes: usize,
    pub(super) limits: Limits,
    pub(super) places: Places,
    pub(super) programs: Vec<ProgramConfig>,
    pub(super) languages: HashMap<String, LanguageConfig>,
    pub(super) names: HashMap<String, Named>,
    pub(super) rules: Vec<Rule>,
}

/// What a policy has about one program.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) known: bool,
    pub(super) program: Option<usize>,
    pub(super) rules: Vec<usize>,
}

static SHIPPED: LazyLock<ShellPolicy> = LazyLock::new(|| {
    // A test builds the same policy with all its examples.
    let compiled = shipped_config().and_then(Compiled::new).unwrap_or_else(|error| Compiled::closed(&error));
    ShellPolicy(Arc::new(compiled))
});

fn shipped_config() -> Result<ShellConfig, ShellConfigError> {
    let config: ShellConfig =
        toml::from_str(DEFAULT_POLICY).map_err(|error| ShellConfigError::new(error.to_string()))?;
    Ok(ShellConfig { shipped: false, ..config })
}

impl Default for ShellPolicy {
    /// Returns the [shipped policy](DEFAULT_POLICY).
    fn default() -> Self {
        SHIPPED.clone()
    }
}

impl ShellPolicy {
    /// Builds a policy, and checks its rules with their examples.
    ///
    /// ```
    /// use exo_rails_shell::ShellPolicy;
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
    /// let error = ShellPolicy::new(config).unwrap_err();
    /// assert_eq!(error.to_string(), "`rule.no-publish.match`: the rule does not match `npm run publish`");
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the rule if a rule has no program, names a place that does not exist, does not match an
    /// example in `match`, or matches one in `not_match`. Returns an error if a program names a language that does not exist.
    pub fn new(config: ShellConfig) -> Result<Self, ShellConfigError> {
        let own = config.rule.clone();
        let merged = if config.shipped { merge(shipped_config()?, config) } else { config };
        let policy = Self(Arc::new(Compiled::new(merged)?));
        for rule in &own {
            policy.check_examples(rule)?;
        }
        Ok(policy)
    }

    /// Begins a policy in code, on the base of the shipped policy.
    pub fn builder() -> ShellPolicyBuilder {
        ShellPolicyBuilder(ShellConfig::default())
    }

    /// Judges a command that runs in the working directory.
    #[must_use]
    pub fn judge(&self, command: &str) -> ShellVerdict {
        Judge::new(&self.0, command, Directory::Project(String::new())).verdict()
    }

    /// Judges a command that runs in another directory: a path from the working directory, or an absolute path.
    ///
    /// ```
    /// use exo_rails_shell::{ShellDecision, ShellPolicy};
    ///
    /// let policy = ShellPolicy::builder().working_directory("/projects/app").build()?;
    /// assert_eq!(policy.judge_in("/projects/app/docs", "rm old.md").decision, ShellDecision::Allow);
    /// assert_eq!(policy.judge_in("/etc", "rm hosts").decision, ShellDecision::Deny);
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

/// Puts a configuration on the shipped one.
fn merge(base: ShellConfig, own: ShellConfig) -> ShellConfig {
    fn join<T>(mut base: Vec<T>, own: Vec<T>) -> Vec<T> {
        base.extend(own);
        base
    }
    ShellConfig {
        shipped: own.shipped,
        unlisted: own.unlisted.or(base.unlisted),
        project: own.project.or(base.project),
        strict: own.strict.or(base.strict),
        unknown: own.unknown.or(base.unknown),
        unreadable: own.unreadable.or(base.unreadable),
        max_bytes: own.max_bytes.or(base.max_bytes),
        places: super::config::ShellPlaces {
            working_directory: own.places.working_directory.or(base.places.working_directory),
            home: own.places.home.or(base.places.home),
            temp: join(base.places.temp, own.places.temp),
            build: join(base.places.build, own.places.build),
        },
        known: join(base.known, own.known),
        // The first table of a name counts.
        program: join(own.program, base.program),
        language: base.language.into_iter().chain(own.language).collect(),
        rule: join(base.rule, own.rule),
    }
}

/// Counts the options with code among those with a value.
fn with_all_values(mut program: ProgramConfig) -> ProgramConfig {
    let code =
        program.code_options.iter().chain(&program.text_options).chain(&program.placeholders).chain(&program.fetches);
    let code = code.chain(program.outputs.iter().filter(|option| option.starts_with('-'))).chain(&program.modules);
    let code: Vec<String> = code.filter(|option| !program.values.contains(option)).cloned().collect();
    program.values.extend(code);
    program
}

impl Compiled {
    fn new(config: ShellConfig) -> Result<Self, ShellConfigError> {
        let mut names: HashMap<String, Named> = HashMap::new();
        for name in config.known {
            names.entry(name).or_default().known = true;
        }
        for (number, program) in config.program.iter().enumerate() {
            if let Some(language) =
                program.language.as_ref().filter(|language| !config.language.contains_key(*language))
            {
                let known: Vec<&str> = config.language.keys().map(String::as_str).collect();
                let advice = match exo_rails_text::names::nearest(language, &known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("write one of {}", exo_rails_text::names::quoted(&known)),
                };
                return Err(ShellConfigError::new(format!("unknown language `{language}`: {advice}"))
                    .in_key(format_args!("program.{}.language", program.name.first().map_or("", String::as_str))));
            }
            for name in &program.name {
                let entry = names.entry(name.clone()).or_default();
                entry.known = true;
                entry.program.get_or_insert(number);
            }
        }
        let mut rules = Vec::new();
        for rule in config.rule {
            let key = format!("rule.{}", rule.name);
            if rule.name.is_empty() {
                return Err(ShellConfigError::new("a rule has an empty name").in_key("rule"));
            }
            if rule.program.is_empty() {
                return Err(ShellConfigError::new(
                    "the rule has no program: write the names of programs, or `*` for all",
                )
                .in_key(key));
            }
            for name in &rule.program {
                let entry = names.entry(name.clone()).or_default();
                // A rule that denies must not make the rest of a program known: it would allow more.
                entry.known |= rule.decision == ShellDecision::Allow;
                entry.rules.push(rules.len());
            }
            rules.push(Rule::new(rule).map_err(|message| ShellConfigError::new(message).in_key(key))?);
        }
        let unslash = |path: String| path.trim_end_matches('/').to_owned();
        Ok(Self {
            unlisted: config.unlisted.unwrap_or(ShellDecision::Ask),
            project: config.project.unwrap_or(ShellDecision::Ask),
            strict: config.strict.unwrap_or(false),
            unknown: config.unknown.unwrap_or_default().into(),
            unreadable: config.unreadable.unwrap_or_default().into(),
            max_bytes: config.max_bytes.unwrap_or(65_536),
            limits: Limits { depth: 16, nesting: 32, tokens: 4_096, braces: 64 },
            places: Places {
                project: config.places.working_directory.map(unslash).filter(|path| !path.is_empty()),
                home: config.places.home.map(unslash).filter(|path| !path.is_empty()),
                temp: config.places.temp.into_iter().map(unslash).filter(|path| !path.is_empty()).collect(),
                build: config.places.build,
            },
            programs: config.program.into_iter().map(with_all_values).collect(),
            languages: config.language.into_iter().collect(),
            names,
            rules,
        })
    }

    /// Makes a policy that denies everything: what is left of a shipped policy that cannot be read.
    fn closed(error: &ShellConfigError) -> Self {
        tracing::error!(%error, "the shipped policy for shell commands cannot be read");
        Self {
            unlisted: ShellDecision::Deny,
            project: ShellDecision::Deny,
            strict: true,
            unknown: ShellDecision::Deny,
            unreadable: ShellDecision::Deny,
            max_bytes: 0,
            limits: Limits { depth: 0, nesting: 0, tokens: 0, braces: 0 },
            places: Places::default(),
            programs: Vec::new(),
            languages: HashMap::new(),
            names: HashMap::new(),
            rules: Vec::new(),
        }
    }

    /// Finds what the policy has about a program. Names are compared without the number of a version, and without case if the
    /// name as it is written is not there: some file systems do not distinguish case.
    pub(super) fn named(&self, name: &str) -> Option<&Named> {
        if let Some(found) = self.names.get(name) {
            return Some(found);
        }
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
        self.names.get(lower).or_else(|| {
            let base = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
            self.names.get(base).filter(|_| !base.is_empty())
        })
    }
}

/// Builds a [`ShellPolicy`] in code.
///
/// ```
/// use exo_rails_shell::{Caution, ShellDecision, ShellPolicy, ShellRule};
///
/// let policy = ShellPolicy::builder()
///     .working_directory("/projects/app")
///     .unknown(Caution::Deny)
///     .rule(ShellRule::ask("deploy", "a deployment changes what customers see").program(["flyctl"]))
///     .build()?;
/// assert_eq!(policy.judge("flyctl deploy").decision, ShellDecision::Ask);
/// assert_eq!(policy.judge("$x").decision, ShellDecision::Deny);
/// # Ok::<(), exo_rails_shell::ShellConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ShellPolicyBuilder(ShellConfig);

impl ShellPolicyBuilder {
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

    /// Sets the decision about programs that the policy does not name.
    pub fn unlisted(mut self, decision: ShellDecision) -> Self {
        self.0.unlisted = Some(decision);
        self
    }

    /// Sets the decision about programs of the project that the policy does not name.
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

    /// Sets whether the shipped policy is the base. Default: `true`.
    pub fn shipped(mut self, shipped: bool) -> Self {
        self.0.shipped = shipped;
        self
    }

    /// Builds the policy.
    ///
    /// # Errors
    /// Returns the errors of [`ShellPolicy::new`].
    pub fn build(self) -> Result<ShellPolicy, ShellConfigError> {
        ShellPolicy::new(self.0)
    }
}
