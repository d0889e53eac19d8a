//! The kit: a chain of guards from one configuration.
//!
//! [`Kit`] is the chain, [`KitConfig`] is its configuration, and [`KitBuilder`] makes a kit with what a configuration file
//! cannot hold, such as models and the way to ask a person.

mod builder;
mod config;

pub use builder::KitBuilder;
pub use config::KitConfig;

use std::path::Path;

use exo_rails::{InMode, rail_chain};

use crate::ConfigError;
use crate::approval::ChangedCalls;
use crate::approval_guard::Approval;
use crate::budgets::Budgets;
use crate::content::Content;
use crate::data_flow::DataFlow;
#[cfg(feature = "handlers")]
use crate::handlers::HookHandlers;
use crate::injection::Injection;
use crate::loops::Loops;
#[cfg(feature = "paths")]
use crate::paths::PathSandbox;
use crate::permissions::Permissions;
use crate::personal_data::PersonalData;
use crate::rate_limits::RateLimits;
use crate::repetition::Repetition;
use crate::retry::Retry;
use crate::risk::RiskScore;
use crate::secrets::Secrets;
use crate::sequence::Sequence;
use crate::shape::{CapabilityGap, Sizes, Structure};
#[cfg(feature = "schema")]
use crate::shape::{StructuredAnswer, ToolSchemas};
#[cfg(feature = "urls")]
use crate::urls::UrlGuard;

rail_chain! {
    /// A chain of the guards of this crate, made from one configuration.
    ///
    /// Each field is a guard. A field is `None`, or an empty list, if the configuration has no table for the guard. Each guard
    /// has a [`Mode`](exo_rails::Mode). The features of the crate decide which fields exist.
    ///
    /// Use the kit as the guard set of an agent, or list it in a chain beside your own rails. A decision names the guard as its
    /// field, such as `permissions` or `hook_handlers[0]`.
    ///
    /// The kit does not contain [`Concurrency`](crate::Concurrency), [`CircuitBreaker`](crate::CircuitBreaker),
    /// [`Timeouts`](crate::Timeouts) and [`Fallback`](crate::Fallback). List them in a chain beside the kit.
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
    /// Each table of the file has the name of a field. Its keys are those of the configuration type in [`KitConfig`]. A mistake
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
    /// use exo_rails_guards::shape::Sizes;
    ///
    /// let sizes = Sizes::builder().max_depth(8).build()?;
    /// let mut kit = Kit::default();
    /// kit.sizes = Some(InMode::new(Mode::Shadow, sizes));
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    #[derive(Debug, Default)]
    #[non_exhaustive]
    pub struct Kit {
        /// Lets all rails judge a call again after a person has changed its arguments. The builder adds it if the kit has a
        /// guard that asks.
        pub changed_calls: Option<ChangedCalls>,
        /// Limits the sizes of answers, arguments and outputs.
        pub sizes: Option<InMode<Sizes>>,
        /// Answers calls of tools that do not exist.
        pub capability_gap: Option<InMode<CapabilityGap>>,
        /// Hides keys, tokens and passwords.
        pub secrets: Option<InMode<Secrets>>,
        /// Hides e-mail addresses, and the numbers of people, phones, cards and accounts.
        pub personal_data: Option<InMode<PersonalData>>,
        /// Asks commands, HTTP endpoints, models and agents for decisions.
        #[cfg(feature = "handlers")]
        pub hook_handlers: Vec<InMode<HookHandlers>>,
        /// Decides about tool calls by rules.
        pub permissions: Option<InMode<Permissions>>,
        /// Filters inputs and answers by phrases, lengths and patterns.
        pub content: Option<InMode<Content>>,
        /// Reports prompt injections, and removes hidden characters.
        pub injection: Option<InMode<Injection>>,
        /// Checks the structure of tool calls.
        pub structure: Option<InMode<Structure>>,
        /// Keeps the paths of tool calls inside directories.
        #[cfg(feature = "paths")]
        pub paths: Option<InMode<PathSandbox>>,
        /// Checks the URLs of tool calls, and the addresses of their hosts.
        #[cfg(feature = "urls")]
        pub urls: Option<InMode<UrlGuard>>,
        /// Checks tool calls against JSON Schema.
        #[cfg(feature = "schema")]
        pub tool_schemas: Option<InMode<ToolSchemas>>,
        /// Checks answers against JSON Schema.
        #[cfg(feature = "schema")]
        pub structured_answer: Option<InMode<StructuredAnswer>>,
        /// Keeps values from untrusted tools out of certain arguments.
        pub data_flow: Option<InMode<DataFlow>>,
        /// Stops agents that make the same calls again and again.
        pub loops: Option<InMode<Loops>>,
        /// Ends answers that repeat the same text.
        pub repetition: Option<InMode<Repetition>>,
        /// Scores the risk of tool calls, and asks a person if the score reaches a threshold.
        pub risk: Option<InMode<RiskScore>>,
        /// Asks a person before calls of certain tools.
        pub approval: Option<InMode<Approval>>,
        /// Limit how often models and tools are called.
        pub rate_limits: Vec<InMode<RateLimits>>,
        /// Refuses tool calls that come in the wrong order or too often.
        pub sequence: Option<InMode<Sequence>>,
        /// Limit the calls, tokens, costs, time and bytes of runs, sessions, users and agents.
        pub budgets: Vec<InMode<Budgets>>,
        /// Repeats failed model calls, and failed calls of certain tools.
        pub retry: Option<InMode<Retry>>,
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
