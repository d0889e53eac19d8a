//! The kit: a chain of guards from one policy file.
//!
//! [`Kit`] is the chain, [`PolicyConfig`] is its configuration, and [`KitBuilder`] makes a kit with what a file cannot hold, such
//! as models and the way to ask a person. Each guard says with [`KitGuard`] how it is made.

mod builder;

pub use builder::KitBuilder;
pub use exo_rails_policy::PolicyConfig;

pub use crate::kit_guard::{KitGuard, KnownTools, Supply};

use std::path::Path;

use exo_rails::{InMode, rail_chain};
use exo_rails_policy::{ConfigError, Sections};

use crate::approval::ChangedCalls;

/// The list of all guards: makes the chain from it, and the code that makes the guards from their tables. A guard is an `Option`
/// if the file has at most one table for it, and a `Vec` if it can have several. The name of its field is the key of its table.
macro_rules! kit {
    (
        $(#[$meta:meta])*
        pub struct Kit {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $many:ident<$guard:path> $(if $feature:literal)?,
            )*
        }
    ) => {
        rail_chain! {
            $(#[$meta])*
            pub struct Kit {
                /// Lets all rails judge a call again after a person has changed its arguments. The builder adds it if the kit
                /// has a guard that asks.
                pub changed_calls: Option<ChangedCalls>,
                $(
                    $(#[doc = $doc])*
                    $(#[cfg(feature = $feature)])?
                    pub $field: $many<InMode<$guard>>,
                )*
            }
        }

        impl Kit {
            /// Makes the guards of a configuration. Takes `asks` from the guards that are there.
            fn of_tables(config: PolicyConfig, builder: &KitBuilder, sections: &Sections<'_>) -> Result<Self, ConfigError> {
                let mut asks = false;
                $(
                    $(#[cfg(feature = $feature)])?
                    let $field = if config.$field.iter().next().is_some() {
                        asks |= <$guard as KitGuard>::ASKS;
                        kit!(@made $many builder::guards::<$guard>(config.$field, config.mode, builder, sections)?)
                    } else {
                        $many::default()
                    };
                    $(
                        #[cfg(not(feature = $feature))]
                        if config.$field.iter().next().is_some() {
                            return Err(sections.locate(stringify!($field), 0, builder::needs_feature($feature)));
                        }
                    )?
                )*
                Ok(Self {
                    changed_calls: asks.then_some(ChangedCalls),
                    $(
                        $(#[cfg(feature = $feature)])?
                        $field,
                    )*
                })
            }
        }
    };
    (@made Option $guards:expr) => { $guards.into_iter().next() };
    (@made Vec $guards:expr) => { $guards };
}

kit! {
    /// A chain of the guards of this crate, made from one configuration.
    ///
    /// Each field is a guard. A field is `None`, or an empty list, if the configuration has no table for the guard. Each guard
    /// has a [`Mode`](exo_rails::Mode). The features of the crate decide which fields exist.
    ///
    /// Use the kit as the guard set of an agent, or list it in a chain beside your own rails. A decision names the guard as its
    /// field, such as `permissions` or `hook_handlers[0]`.
    ///
    /// # From a file
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_guards::Kit;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let kit = Kit::from_toml(r#"
    ///     [sizes]
    ///     max_argument_bytes = 10_000
    ///
    ///     [permissions]
    ///     default = "allow"
    ///
    ///     [[permissions.rules]]
    ///     name = "no-deletion"
    ///     tool = "delete_*"
    ///     decision = "deny"
    ///     because = "records are kept for ten years"
    ///
    ///     [risk]
    ///     mode = "shadow"
    ///     threshold = 60
    /// "#)?;
    ///
    /// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    /// let call = ToolCallInputs::new("delete_order").with_arguments(json!({ "id": 7 }));
    /// let output = kit.guard_tool_call(call, &mut RunContext::new("demo"), tool).await?;
    /// assert!(output.content.ends_with("permissions/no-deletion: records are kept for ten years"));
    /// # Ok(()) }
    /// ```
    ///
    /// Each table of the file has the name of a field. Its keys are those of the configuration type in [`PolicyConfig`]. A mistake
    /// in the file is an error with its line:
    ///
    /// ```
    /// use exo_rails_guards::Kit;
    ///
    /// let error = |text| Kit::from_toml(text).unwrap_err().to_string();
    /// assert_eq!(error("[size]"), "line 1, column 2: unknown key `size`: did you mean `sizes`?");
    /// assert_eq!(
    ///     error("[sizes]\nmax_deph = 3"),
    ///     "line 2, column 1: unknown key `max_deph`: did you mean `max_depth`?",
    /// );
    /// assert_eq!(
    ///     error("[risk]\nthreshold = 200"),
    ///     "line 2, column 13: `risk`: `threshold`: 200 is more than the largest score: write a number from 0 to 100",
    /// );
    /// ```
    ///
    /// To set what a file cannot hold, such as models and the way to ask a person, use [`Kit::builder`].
    ///
    /// # In code
    ///
    /// ```
    /// use exo_rails::{InMode, Mode};
    /// use exo_rails_guards::Kit;
    /// use exo_rails_guards::Sizes;
    ///
    /// let sizes = Sizes::builder().max_depth(8).build()?;
    /// let mut kit = Kit::default();
    /// kit.sizes = Some(InMode::new(Mode::Shadow, sizes));
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[derive(Debug, Default)]
    #[non_exhaustive]
    pub struct Kit {
        /// Limits the sizes of answers, arguments and outputs.
        sizes: Option<crate::sizes::Sizes>,
        /// Answers calls of tools that do not exist.
        capability_gap: Option<crate::capability_gap::CapabilityGap>,
        /// Hides keys, tokens and passwords.
        secrets: Option<crate::secrets::Secrets>,
        /// Hides e-mail addresses, and the numbers of people, phones, cards and accounts.
        personal_data: Option<crate::personal_data::PersonalData>,
        /// Asks commands, HTTP endpoints, models and agents for decisions.
        hook_handlers: Vec<crate::handlers::HookHandlers> if "handlers",
        /// Decides about tool calls by rules.
        permissions: Option<crate::permissions::Permissions>,
        /// Filters inputs and answers by phrases, lengths and patterns.
        content: Option<crate::content::ContentFilter>,
        /// Reports prompt injections, and removes hidden characters.
        injection: Option<crate::injection::Injection>,
        /// Checks the structure of tool calls.
        structure: Option<crate::structure::Structure>,
        /// Keeps the paths of tool calls inside directories.
        paths: Option<crate::paths::PathSandbox> if "paths",
        /// Checks the URLs of tool calls, and the addresses of their hosts.
        urls: Option<crate::urls::UrlGuard> if "urls",
        /// Checks tool calls against JSON Schema.
        tool_schemas: Option<crate::tool_schemas::ToolSchemas> if "schema",
        /// Checks answers against JSON Schema.
        structured_answer: Option<crate::structured_answer::StructuredAnswer> if "schema",
        /// Keeps values from untrusted tools out of certain arguments.
        data_flow: Option<crate::data_flow::DataFlow>,
        /// Stops agents that make the same calls again and again.
        loops: Option<crate::loops::Loops>,
        /// Ends answers that repeat the same text.
        repetition: Option<crate::repetition::Repetition>,
        /// Scores the risk of tool calls, and asks a person if the score reaches a threshold.
        risk: Option<crate::risk::RiskScore>,
        /// Asks a person before calls of certain tools.
        approval: Option<crate::approval::Approval>,
        /// Limit how often models and tools are called.
        rate_limits: Vec<crate::rate_limits::RateLimits>,
        /// Refuses tool calls that come in the wrong order or too often.
        sequence: Option<crate::sequence::Sequence>,
        /// Limit the calls, tokens, costs, time and bytes of runs, sessions, users and agents.
        budgets: Vec<crate::budgets::Budgets>,
        /// Limits how many calls run at once.
        concurrency: Option<crate::concurrency::Concurrency>,
        /// Refuses calls of models and tools that keep failing.
        circuit_breaker: Option<crate::circuit_breaker::CircuitBreaker>,
        /// Ends calls that take too long.
        timeouts: Option<crate::timeouts::Timeouts>,
        /// Repeats failed model calls, and failed calls of certain tools.
        retry: Option<crate::retry::Retry>,
        /// Asks another model, or calls another tool, after a failure.
        fallback: Option<crate::fallback::Fallback>,
    }
}

impl Kit {
    /// Makes a kit from a configuration in TOML.
    ///
    /// # Errors
    /// Returns an error with the line and the column in these cases:
    ///
    /// - The text is not TOML, or a value does not fit its key.
    /// - A key is unknown. The error names the most similar key.
    /// - A guard cannot work with the values, for example a threshold above 100.
    /// - A table needs a feature of this crate that is not enabled.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        Self::builder().from_toml(text)
    }

    /// Makes a kit from a configuration file in TOML.
    ///
    /// # Errors
    /// Returns the errors of [`from_toml`](Self::from_toml) with the path of the file, and an error if the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::builder().from_file(path)
    }

    /// Returns a builder, which sets what a configuration file cannot hold, such as models, a store and the way to ask a
    /// person.
    pub fn builder() -> KitBuilder {
        KitBuilder::default()
    }
}
