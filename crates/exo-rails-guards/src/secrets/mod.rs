//! Secrets in texts: keys, tokens and passwords.

mod begins;
mod names;
mod prefixed;
mod rules;

pub use exo_rails_policy::secrets::SecretsConfig;
use std::ops::Range;

use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, NoRetry, NoSubstitute, RecalledMemory};
use exo_rails_policy::{ConfigError, Severity};

use self::begins::BEGINS;
use self::rules::RULES;
use crate::config::makes;
use crate::kit_guard::needs_only_its_configuration;
use crate::scan::{At, Redactor, Rule, RuleFile, Settings, chosen, plain};

const GUARD: &str = "secrets";

/// Finds keys, tokens and passwords in the texts of a run, and hides them.
///
/// | text | event |
/// |---|---|
/// | the input of the user, and the conversation before it | `Start` |
/// | recalled and stored memories | `MemoryRecalled`, `MemoryStored` |
/// | an answer, before the user receives a piece of it | `LlmChunk` |
/// | all of an answer: reasoning, arguments and names of tool calls | `PostLlmCall` |
/// | the arguments that a tool receives | `PreToolCall` |
/// | the output of a tool | `PostToolCall` |
/// | the error of a tool or of a model | `ToolError`, `LlmError` |
///
/// In each place, the guard [redacts, refuses or reports](crate::scan::Action). A redaction replaces a secret by the name of its rule, such
/// as `[GITHUB_TOKEN]`. The priority is 7, so later rails, logs and the model read only redacted text.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Secrets;
/// use exo_rails_guards::scan::{Action, Actions};
/// use serde_json::json;
///
/// rail_chain! { struct Guards { secrets: Secrets } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let actions = Actions { arguments: Action::Refuse, ..Actions::default() };
/// let guards = Guards { secrets: Secrets::builder().actions(actions).build()? };
/// let mut ctx = RunContext::new("demo");
///
/// # let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
/// // The output of a tool has a token of GitHub.
/// let read = |_| async { Ok::<_, OperationError>(ToolOutput::text(format!("GITHUB_TOKEN={token}"))) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("read_file"), &mut ctx, read).await?;
/// assert_eq!(output.content, "GITHUB_TOKEN=[GITHUB_TOKEN]");
///
/// // The model cannot send a token to another tool.
/// let post = |_| async { Ok::<_, OperationError>(ToolOutput::text("sent")) };
/// let call = ToolCallInputs::new("post").with_arguments(json!({ "text": token }));
/// let output = guards.guard_tool_call(call, &mut ctx, post).await?;
/// assert!(output.content.ends_with("secrets/github-token: a token of GitHub is not allowed in the arguments"));
/// # Ok(()) }
/// ```
///
/// The page "Secrets" of the book says how the guard searches, what findings contain, and what it does not find.
/// [`rules`](Self::rules) lists the rules.
#[derive(Debug)]
pub struct Secrets {
    redactor: Redactor,
}

impl Secrets {
    /// Makes the guard, and reads the files with rules.
    ///
    /// # Errors
    /// Returns an error that names the key, or the file and the line, if a rule cannot be read, if there is no rule, or if `except`
    /// or `overrides` are about a rule that does not exist.
    pub fn new(config: SecretsConfig) -> Result<Self, ConfigError> {
        let mut rules = Vec::with_capacity(if config.default_rules { RULES.len() } else { 0 });
        if config.default_rules {
            rules.extend(RULES.iter().zip(BEGINS).map(|(rule, begins)| Rule::built_in(rule, *begins)));
        }
        for file in &config.files {
            let of_file = exo_rails_policy::read(file)
                .and_then(|text| RuleFile::read(&text).map_err(|error| error.in_file(file)));
            add(&mut rules, of_file.map_err(|error| error.in_key("files"))?);
        }
        for (number, rule) in config.rules.into_iter().enumerate() {
            let rule = Rule::new(rule).map_err(|error| error.in_key(format_args!("rules[{number}]")))?;
            add(&mut rules, rule.into_iter().collect());
        }
        if !config.except.is_empty() {
            let names: Vec<&str> = rules.iter().map(|rule| &*rule.id).collect();
            let except = chosen(&config.except, &names).map_err(|error| error.in_key("except"))?;
            let mut number = 0;
            rules.retain(|_| {
                number += 1;
                !except.contains(&(number - 1))
            });
        }
        if rules.is_empty() {
            return Err(ConfigError::new("the guard has no rules: write `default_rules = true`, `files` or `rules`"));
        }
        let redactor = Redactor::new(
            rules,
            &Settings {
                guard: GUARD,
                severity: Severity::High,
                actions: config.actions,
                overrides: &config.overrides,
                max_text_bytes: config.max_text_bytes,
                whole: "[SECRET]",
            },
        )?;
        Ok(Self { redactor })
    }

    /// Returns the names of the rules, with what they find.
    ///
    /// ```
    /// use exo_rails_guards::Secrets;
    ///
    /// let secrets = Secrets::builder().build()?;
    /// assert!(secrets.rules().any(|(name, finds)| (name, finds) == ("jwt", "a JSON web token")));
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    pub fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.redactor.rules().iter().map(|rule| (&*rule.id, &*rule.description))
    }

    /// Returns the secrets in a text, in order: the name of the rule, and the bytes. Secrets that overlap are one.
    ///
    /// ```
    /// use exo_rails_guards::Secrets;
    ///
    /// let secrets = Secrets::builder().build()?;
    /// assert_eq!(secrets.find("redis://:hunter2hunter2@cache"), [("url-password", 9..23)]);
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<(&str, Range<usize>)> {
        self.redactor.find(text)
    }

    /// Returns a text as the guard leaves it in the output of a tool.
    ///
    /// ```
    /// use exo_rails_guards::Secrets;
    ///
    /// let secrets = Secrets::builder().build()?;
    /// assert_eq!(secrets.redacted("postgres://app:hunter2hunter2@db/orders"), "postgres://app:[URL_PASSWORD]@db/orders");
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[must_use]
    pub fn redacted(&self, text: &str) -> String {
        self.redactor.redacted(text, At::Output)
    }
}

/// Adds rules. A rule replaces an earlier one of the same name.
fn add(rules: &mut Vec<Rule>, more: Vec<Rule>) {
    for rule in more {
        match rules.iter_mut().find(|other| other.id == rule.id) {
            Some(other) => *other = rule,
            None => rules.push(rule),
        }
    }
}

#[rail(priority = 7, name = "secrets")]
impl Secrets {
    #[on(Start)]
    fn input(&self, run: &mut InvokeInputs, ctx: &mut RailContext) -> RailAction {
        self.redactor.input(run, ctx, &mut plain)
    }

    #[on(MemoryRecalled)]
    fn recalled(&self, memory: &mut RecalledMemory, ctx: &mut RailContext) -> RailAction<NoSubstitute, NoRetry> {
        self.redactor.recalled(memory, ctx, &mut plain)
    }

    #[on(LlmChunk)]
    fn piece(&self, window: &mut StreamWindow, ctx: &mut RailContext) -> Verdict {
        self.redactor.piece(window, ctx, &mut plain)
    }

    #[on(PostLlmCall)]
    fn answer(&self, response: &mut ModelResponse, ctx: &mut RailContext) -> Verdict {
        self.redactor.answer(response, ctx, &mut plain)
    }

    #[on(LlmError)]
    fn model_error(&self, error: &OperationError, ctx: &mut RailContext) -> Verdict {
        self.redactor.model_error(error, ctx, &mut plain)
    }

    #[on(PreToolCall)]
    fn arguments(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        self.redactor.arguments(call, ctx, &mut plain).map_or(RailAction::Continue, RailAction::skip)
    }

    #[on(PostToolCall)]
    fn output(&self, output: &mut ToolOutput, ctx: &mut RailContext) {
        self.redactor.output(output, ctx, &mut plain);
    }

    #[on(ToolError)]
    fn tool_error(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
    ) -> RailAction<ToolOutput> {
        self.redactor.tool_error(call, error, ctx, &mut plain)
    }

    #[on(MemoryStored)]
    fn stored(&self, entry: &mut MemoryEntry, ctx: &mut RailContext) -> RailAction<NoSubstitute, NoRetry> {
        self.redactor.stored(entry, ctx, &mut plain)
    }
}

makes!(Secrets, SecretsConfig);

needs_only_its_configuration!(Secrets, SecretsConfig);

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use std::sync::LazyLock;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::scan::{AllowlistConfig, BuiltIn, RuleConfig};

    /// The guard compiles the rules only when a search needs them, and searches for what the table says.
    #[test]
    fn the_rules_compile_and_their_beginnings_are_those_of_the_regexes() {
        let table = Rule::table(RULES).unwrap();
        let is_written = include_str!("begins.rs").ends_with(&format!("= &[\n{table}];\n"));
        assert!(is_written, "`secrets/begins.rs` must have these lines:\n{table}");
    }

    /// The rules as a configuration has them, which compiles each at once.
    fn configs() -> Vec<RuleConfig> {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let config = |rule: &BuiltIn| RuleConfig {
            id: rule.id.to_owned(),
            description: rule.description.to_owned(),
            regex: Some(rule.regex.to_owned()),
            entropy: rule.entropy,
            keywords: list(rule.keywords),
            allowlists: rule
                .except
                .iter()
                .map(|except| AllowlistConfig {
                    regex_target: if except.is_about_match { "match" } else { "secret" }.to_owned(),
                    regexes: list(except.regexes),
                    stopwords: list(except.stopwords),
                    ..AllowlistConfig::default()
                })
                .collect(),
            ..RuleConfig::default()
        };
        RULES.iter().map(config).collect()
    }

    /// The guard with these rules. A configuration has no judges.
    fn eager() -> Secrets {
        let rules = configs().into_iter().zip(RULES).map(|(config, built_in)| {
            let mut rule = Rule::new(config).unwrap().unwrap();
            rule.judge = built_in.judge;
            rule
        });
        let config = SecretsConfig::default();
        let (severity, whole) = (Severity::High, "[SECRET]");
        let SecretsConfig { actions, overrides, max_text_bytes, .. } = &config;
        let settings =
            Settings { guard: GUARD, severity, actions: *actions, overrides, max_text_bytes: *max_text_bytes, whole };
        Secrets { redactor: Redactor::new(rules.collect(), &settings).unwrap() }
    }

    /// Texts with beginnings of matches, and with letters that may be the rest of one.
    fn texts() -> impl Strategy<Value = String> {
        let begins: Vec<String> = BEGINS
            .iter()
            .flat_map(|begins| begins.texts())
            // The search of every rule reads no look-alikes.
            .filter(|text| text.is_ascii())
            .flat_map(|text| [(*text).to_owned(), text.to_ascii_uppercase()])
            .collect();
        let signs = [
            " ",
            "=",
            ": ",
            "\"",
            "-",
            ".",
            "_",
            "/",
            "\n",
            "://user:",
            "@host",
            "Bearer ",
            "password = ",
            "0Q~",
            "-us12",
            "4711:A",
            "key",
            ".ey",
            "-u ",
        ];
        let piece = prop_oneof![
            select(begins),
            "[0-9A-Za-z]{6,64}",
            "[0-9a-f]{16,64}",
            "[0-9A-Z]{11,20}",
            select(signs.map(str::to_owned).to_vec()),
        ];
        vec(piece, 1..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_rules_that_a_text_triggers_find_what_all_rules_find(text in texts()) {
            static LAZY: LazyLock<Secrets> = LazyLock::new(|| Secrets::builder().build().unwrap());
            static EAGER: LazyLock<Secrets> = LazyLock::new(eager);
            let found = LAZY.find(&text);
            prop_assert_eq!(&found, &LAZY.redactor.find_with_every_rule(&text));
            prop_assert_eq!(&found, &EAGER.find(&text));
        }
    }
}
