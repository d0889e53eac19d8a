//! Time limits for model calls and tool calls.

use std::time::Duration;

use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{Next, OperationErrorKind, RailContext};
use serde::{Deserialize, Serialize};

use crate::arguments::ToolName;
use crate::config::{builder, one_or_many};
use crate::finding::FindingError;
use crate::rate_limits::RatedCalls;
use crate::{ConfigError, Finding, Severity, ToolPattern};

const GUARD: &str = "timeouts";

/// Limits the time of model calls and tool calls.
///
/// If a call takes longer than its limit, the guard drops the future of the call, and the call fails with
/// [`OperationErrorKind::Timeout`]. The model reads the error of a tool call. A dropped future stops at its current `await`, so
/// the tool may have done a part of its work. The guard cannot stop code that blocks its thread.
///
/// The first limit in the list that matches a call is its limit. A call that no limit matches has no time limit. Each attempt
/// of a retry has the whole time.
///
/// The rails are [around the operation](exo_rails::Next), with the priority 44. The guard is not part of [`Kit`](crate::Kit),
/// because a chain with rails around operations cannot be registered with a [`HookManager`]. List it beside the kit.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Timeouts;
/// use exo_rails_guards::rate_limits::RatedCalls;
/// use exo_rails_guards::timeouts::TimeLimit;
///
/// rail_chain! { struct Guards { timeouts: Timeouts } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limit = TimeLimit::new("search", RatedCalls::ToolCalls, 20).tools(["search_*".parse()?]);
/// let guards = Guards { timeouts: Timeouts::builder().limits([limit]).build()? };
/// let tool = |_| std::future::pending::<Result<ToolOutput, OperationError>>();
/// let output = guards.guard_tool_call(ToolCallInputs::new("search_web"), &mut RunContext::new("demo"), tool).await?;
/// assert!(output.content.contains("timeouts/search: the call has taken more than 20 ms"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Timeouts {
    config: TimeoutsConfig,
}

/// The configuration of [`Timeouts`].
///
/// ```
/// use exo_rails_guards::timeouts::TimeoutsConfig;
///
/// let config: TimeoutsConfig = exo_rails_guards::config::from_toml(r#"
///     limits = [
///         { name = "build", of = "tool_calls", tools = ["build", "test"], limit_ms = 600_000 },
///         { name = "tools", of = "tool_calls", limit_ms = 30_000 },
///     ]
/// "#)?;
/// assert_eq!(config.limits[1].limit_ms, 30_000);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimeoutsConfig {
    /// The limits. The first limit that matches a call applies.
    pub limits: Vec<TimeLimit>,
}

builder!(Timeouts, TimeoutsConfig { limits: [TimeLimit] });

/// A limit of [`Timeouts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TimeLimit {
    /// The name, which errors and findings contain.
    pub name: String,
    /// The calls that the limit applies to.
    pub of: RatedCalls,
    /// The longest time of a call, in milliseconds. At least 1.
    pub limit_ms: u64,
    /// The tools that the limit applies to: names, or globs such as `search_*`. Only limits of `tool_calls` can name tools. The
    /// default is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
}

impl TimeLimit {
    /// Makes a limit. `limit_ms` is the longest time of a call, in milliseconds.
    #[must_use]
    pub fn new(name: impl Into<String>, of: RatedCalls, limit_ms: u64) -> Self {
        Self { name: name.into(), of, limit_ms, tools: Vec::new() }
    }

    /// Sets [`tools`](field@Self::tools).
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPattern>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }
}

impl Timeouts {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if a limit has no name, if `limit_ms` is 0, or if a limit of model calls names
    /// tools.
    pub fn new(config: TimeoutsConfig) -> Result<Self, ConfigError> {
        for (place, limit) in config.limits.iter().enumerate() {
            let in_place = |error: ConfigError| error.in_key(format_args!("limits[{place}]"));
            if limit.name.trim().is_empty() {
                return Err(in_place(ConfigError::new("the limit has no name: errors need one").in_key("name")));
            }
            if limit.limit_ms == 0 {
                let message = "0 would end every call: write at least 1";
                return Err(in_place(ConfigError::new(message).in_key("limit_ms")));
            }
            limit.of.check_tools(&limit.tools).map_err(in_place)?;
        }
        Ok(Self { config })
    }

    async fn within<T>(
        &self,
        tool: Option<&ToolName<'_>>,
        call: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        let limit = self.config.limits.iter().find(|limit| limit.of.counts(&limit.tools, tool));
        let Some(TimeLimit { name, limit_ms, .. }) = limit else { return call.await };
        tokio::time::timeout(Duration::from_millis(*limit_ms), call).await.unwrap_or_else(|_| {
            let message = format!("the call has taken more than {limit_ms} ms");
            let finding = Finding::new(GUARD, name.clone(), Severity::Low, message);
            Err(FindingError::refusal(finding, OperationErrorKind::Timeout))
        })
    }
}

#[rail(priority = 44, name = "timeouts")]
impl Timeouts {
    #[on(PreLlmCall, around)]
    async fn model(&self, next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        self.within(None, next.run()).await
    }

    #[on(PreToolCall, around)]
    async fn tool(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        self.within(Some(&ToolName::new(&call.tool_name)), next.run()).await
    }

    #[on(LlmError, always)]
    #[expect(clippy::unused_self, reason = "the rails of the guard are methods")]
    fn model_failed(&self, error: &OperationError, ctx: &mut RailContext) {
        FindingError::report(GUARD, error, ctx);
    }

    #[on(ToolError, always)]
    #[expect(clippy::unused_self, reason = "the rails of the guard are methods")]
    fn tool_failed(&self, error: &OperationError, ctx: &mut RailContext) {
        FindingError::report(GUARD, error, ctx);
    }
}
