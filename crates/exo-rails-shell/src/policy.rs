//! Policies: configurations, checked and indexed once.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use super::config::{LanguageConfig, ProgramConfig, ShellConfig, ShellRule};
use super::decision::{Caution, ShellDecision};
use super::judge::Judge;
use super::lexer::Limits;
use super::matching::Rule;
use super::place::{Directory, Places};
use super::shipped::{self, Base, Named};
use super::table::{self, BASE};
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
    /// Whether the shipped policy is the base. Its items have the first numbers, and those below the next ones.
    shipped: bool,
    programs: Vec<ProgramConfig>,
    languages: HashMap<String, LanguageConfig>,
    /// The programs that the configuration names, with what the shipped policy has about them.
    names: HashMap<String, Named>,
    rules: Vec<Rule>,
}

static SHIPPED: LazyLock<ShellPolicy> = LazyLock::new(|| {
    let compiled = Compiled::new(ShellConfig::default()).unwrap_or_else(|error| Compiled::closed(&error));
    ShellPolicy(Arc::new(compiled))
});

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
        let policy = Self(Arc::new(Compiled::new(config)?));
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

impl ProgramConfig {
    /// Counts the options with code among those with a value.
    pub(super) fn with_all_values(mut self) -> Self {
        let code = self.code_options.iter().chain(&self.text_options).chain(&self.placeholders).chain(&self.fetches);
        let code = code.chain(self.outputs.iter().filter(|option| option.starts_with('-'))).chain(&self.modules);
        let code: Vec<String> = code.filter(|option| !self.values.contains(option)).cloned().collect();
        self.values.extend(code);
        self
    }
}

impl Compiled {
    fn new(config: ShellConfig) -> Result<Self, ShellConfigError> {
        let base = if config.shipped { BASE } else { Base::NONE };
        let (first_program, first_rule) =
            if config.shipped { (table::PROGRAMS.len(), table::RULES.len()) } else { (0, 0) };
        let mut names: HashMap<String, Named> = HashMap::new();
        let of_shipped = |name: &str| shipped::named(name).filter(|_| config.shipped).cloned().unwrap_or_default();
        for name in &config.known {
            names.entry(name.clone()).or_insert_with(|| of_shipped(name)).known = true;
        }
        for (number, program) in config.program.iter().enumerate() {
            check_language(program, &config)?;
            for name in &program.name {
                let entry = names.entry(name.clone()).or_insert_with(|| of_shipped(name));
                entry.known = true;
                // The first table of a name counts. Those of the shipped policy come last.
                if entry.program.is_none_or(|program| program < first_program) {
                    entry.program = Some(first_program + number);
                }
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
                let entry = names.entry(name.clone()).or_insert_with(|| of_shipped(name));
                // A rule that denies must not make the rest of a program known: it would allow more.
                entry.known |= rule.decision == ShellDecision::Allow;
                entry.rules.to_mut().push(first_rule + rules.len());
            }
            rules.push(Rule::new(rule).map_err(|message| ShellConfigError::new(message).in_key(key))?);
        }
        let unslash = |path: String| path.trim_end_matches('/').to_owned();
        let with = |base: &'static [&str], own: Vec<String>| base.iter().map(|&text| text.to_owned()).chain(own);
        Ok(Self {
            unlisted: config.unlisted.or(base.unlisted).unwrap_or(ShellDecision::Ask),
            project: config.project.or(base.project).unwrap_or(ShellDecision::Ask),
            strict: config.strict.or(base.strict).unwrap_or(false),
            unknown: config.unknown.or(base.unknown).unwrap_or_default().into(),
            unreadable: config.unreadable.or(base.unreadable).unwrap_or_default().into(),
            max_bytes: config.max_bytes.or(base.max_bytes).unwrap_or(65_536),
            limits: Limits { depth: 16, nesting: 32, tokens: 4_096, braces: 64 },
            places: Places {
                project: config.places.working_directory.map(unslash).filter(|path| !path.is_empty()),
                home: config.places.home.map(unslash).filter(|path| !path.is_empty()),
                temp: with(base.temp, config.places.temp).map(unslash).filter(|path| !path.is_empty()).collect(),
                build: with(base.build, config.places.build).collect(),
            },
            shipped: config.shipped,
            programs: config.program.into_iter().map(ProgramConfig::with_all_values).collect(),
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
            shipped: false,
            programs: Vec::new(),
            languages: HashMap::new(),
            names: HashMap::new(),
            rules: Vec::new(),
        }
    }

    /// Finds what the policy has about a program. Names are compared without the number of a version, and without case if the
    /// name as it is written is not there: some file systems do not distinguish case.
    pub(super) fn named(&self, name: &str) -> Option<&Named> {
        if let Some(found) = self.exactly(name) {
            return Some(found);
        }
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
        self.exactly(lower).or_else(|| {
            let base = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
            self.exactly(base).filter(|_| !base.is_empty())
        })
    }

    /// Finds what the policy has about a program of exactly this name.
    pub(super) fn exactly(&self, name: &str) -> Option<&Named> {
        self.names.get(name).or_else(|| shipped::named(name).filter(|_| self.shipped))
    }

    /// Returns a rule by its number.
    pub(super) fn rule(&self, number: usize) -> Option<&Rule> {
        let first = if self.shipped { table::RULES.len() } else { 0 };
        match number.checked_sub(first) {
            Some(own) => self.rules.get(own),
            None => shipped::rule(number),
        }
    }

    /// Returns what a program is like, by its number.
    pub(super) fn program(&self, number: usize) -> Option<&ProgramConfig> {
        let first = if self.shipped { table::PROGRAMS.len() } else { 0 };
        match number.checked_sub(first) {
            Some(own) => self.programs.get(own),
            None => shipped::program(number),
        }
    }

    /// Returns a language by its name.
    pub(super) fn language(&self, name: &str) -> Option<&LanguageConfig> {
        self.languages.get(name).or_else(|| shipped::language(name).filter(|_| self.shipped))
    }
}

/// Checks that there is a language with the name that a program has.
fn check_language(program: &ProgramConfig, config: &ShellConfig) -> Result<(), ShellConfigError> {
    let mut known: BTreeSet<&str> = config.language.keys().map(String::as_str).collect();
    if config.shipped {
        for name in shipped::languages() {
            known.insert(name);
        }
    }
    let Some(language) = program.language.as_deref().filter(|language| !known.contains(language)) else {
        return Ok(());
    };
    let known: Vec<&str> = known.into_iter().collect();
    let advice = match exo_rails_text::names::nearest(language, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", exo_rails_text::names::quoted(&known)),
    };
    let place = format!("program.{}.language", program.name.first().map_or("", String::as_str));
    Err(ShellConfigError::new(format!("unknown language `{language}`: {advice}")).in_key(place))
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
