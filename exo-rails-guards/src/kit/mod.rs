//! The kit: a chain of all guards of this crate, from one configuration.

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
#[cfg(feature = "handlers")]
use crate::handlers::HookHandlers;
#[cfg(feature = "paths")]
use crate::paths::PathSandbox;
use crate::permissions::Permissions;
use crate::rate_limits::RateLimits;
use crate::risk::RiskScore;
use crate::shape::{CapabilityGap, Sizes, Structure};
#[cfg(feature = "schema")]
use crate::shape::{StructuredAnswer, ToolSchemas};
#[cfg(feature = "urls")]
use crate::urls::UrlGuard;

rail_chain! {
    /// A chain of all guards of this crate.
    ///
    /// A guard that the configuration does not have is `None`. A guard that may appear several times is a list. Each guard is in
    /// a [`Mode`](exo_rails::Mode). The features of the crate decide which fields exist.
    ///
    /// Use the kit as the guard set of an agent, or list it in a chain beside rails of your program. In decisions, the names of
    /// the guards are those of the fields, such as `permissions` and `hook_handlers[0]`.
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
    /// A table of the file has the name of a field, and the keys of its guard's configuration: see [`KitConfig`]. A mistake in
    /// the file is an error with its line:
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
    ///     "line 1, column 2: `risk`: `threshold`: 200 is more than the largest score: write a number from 0 to 100",
    /// );
    /// ```
    ///
    /// What a file cannot hold, such as models and the way to ask a person, comes from [`Kit::builder`].
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
        /// Changes calls as a person wants them. It is there if a guard that asks is there.
        pub changed_calls: Option<ChangedCalls>,
        /// Limits the sizes of answers, arguments and outputs.
        pub sizes: Option<InMode<Sizes>>,
        /// Answers calls of tools that do not exist.
        pub capability_gap: Option<InMode<CapabilityGap>>,
        /// Let commands, HTTP endpoints, models and agents decide.
        #[cfg(feature = "handlers")]
        pub hook_handlers: Vec<InMode<HookHandlers>>,
        /// Decides about tool calls by rules.
        pub permissions: Option<InMode<Permissions>>,
        /// Checks the structure of tool calls.
        pub structure: Option<InMode<Structure>>,
        /// Keeps paths inside of directories.
        #[cfg(feature = "paths")]
        pub paths: Option<InMode<PathSandbox>>,
        /// Checks URLs.
        #[cfg(feature = "urls")]
        pub urls: Option<InMode<UrlGuard>>,
        /// Checks tool calls against JSON Schema.
        #[cfg(feature = "schema")]
        pub tool_schemas: Option<InMode<ToolSchemas>>,
        /// Checks answers against JSON Schema.
        #[cfg(feature = "schema")]
        pub structured_answer: Option<InMode<StructuredAnswer>>,
        /// Asks a person from a score on.
        pub risk: Option<InMode<RiskScore>>,
        /// Asks a person before calls of certain tools.
        pub approval: Option<InMode<Approval>>,
        /// Limit how often models and tools are called.
        pub rate_limits: Vec<InMode<RateLimits>>,
        /// Limit what runs, sessions, users and agents use.
        pub budgets: Vec<InMode<Budgets>>,
    }
}

impl Kit {
    /// Makes the guards of a configuration in TOML.
    ///
    /// # Errors
    /// Returns an error with the line, the column and the nearest key if the text is not TOML or has an unknown key. Returns an
    /// error with the place of the guard's table if the values make no sense together.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        Self::builder().from_toml(text)
    }

    /// Makes the guards of a configuration file in TOML.
    ///
    /// # Errors
    /// Returns the errors of [`from_toml`](Self::from_toml), and an error if the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        Self::builder().from_file(path)
    }

    /// Begins with what a configuration file cannot hold.
    pub fn builder() -> KitBuilder {
        KitBuilder::default()
    }
}
