//! How long calls may take.

use std::time::Duration;

use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{Next, OperationErrorKind};
use serde::{Deserialize, Serialize};

use crate::arguments::ToolName;
use crate::config::{builder, one_or_many};
use crate::rate_limits::RatedCalls;
use crate::{ConfigError, ToolPattern};

/// Limits the time of model calls and tool calls.
///
/// The rails are [around the operation](exo_rails::Next). A call that takes longer than its limit is dropped, and fails with
/// [`OperationErrorKind::Timeout`]. The model reads the error of a tool call. A dropped call stops where it waits, so it may have
/// done a part of its work. A tool that never waits cannot be dropped.
///
/// Each attempt of a retry has the whole time. The first limit of the list that counts a call is its limit. The priority is 44.
/// The guard is not part of [`Kit`](crate::Kit), because a chain with rails around operations cannot be registered with a
/// [`HookManager`]. List it beside the kit.
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
    /// The limits. The first one that counts a call is its limit.
    pub limits: Vec<TimeLimit>,
}

builder!(Timeouts, TimeoutsConfig { limits: [TimeLimit] });

/// A limit of [`Timeouts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TimeLimit {
    /// The name, for errors.
    pub name: String,
    /// The calls that have this limit.
    pub of: RatedCalls,
    /// The time of a call, in milliseconds.
    pub limit_ms: u64,
    /// The tools that have this limit. The default is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
}

impl TimeLimit {
    /// Makes a limit in milliseconds.
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
    /// Returns an error that names the key if a limit has no name, or leaves no time.
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
            let message = format!("timeouts/{name}: the call has taken more than {limit_ms} ms");
            Err(OperationError::new(OperationErrorKind::Timeout, message))
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
}
