//! Time limits for model calls and tool calls.

pub use exo_rails_policy::timeouts::{TimeLimit, TimeoutsConfig};
use std::time::Duration;

use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{Next, OperationErrorKind, RailContext};
use exo_rails_policy::{ConfigError, Severity, ToolName};

use crate::config::makes;
use crate::finding::Finding;
use crate::finding::FindingError;
use crate::kit_guard::needs_only_its_configuration;
use crate::limits::surround::boxed;

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
/// The rails are [around the operation](exo_rails::Next), with the priority 44. With this guard, a kit cannot be
/// registered with a [`HookManager`], because a hook runs no operation: [`try_register`](GuardSet::try_register) says so.
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
        self.within(None, boxed(next)).await
    }

    #[on(PreToolCall, around)]
    async fn tool(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        self.within(Some(&ToolName::new(&call.tool_name)), boxed(next)).await
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

makes!(Timeouts, TimeoutsConfig);

needs_only_its_configuration!(Timeouts, TimeoutsConfig);
