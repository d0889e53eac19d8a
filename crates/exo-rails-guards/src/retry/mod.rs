//! Repeats failed calls.

pub use exo_rails_policy::retry::RetryConfig;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use exo_rails::prelude::*;
use exo_rails::{NoSubstitute, RailContext, RetryOrContinue};
use exo_rails_policy::{ConfigError, Severity, ToolName};

use crate::config::makes;
use crate::finding::Finding;
use crate::kit_guard::needs_only_its_configuration;
use crate::limits::failure::core_kind;

const GUARD: &str = "retry";

/// Repeats failed model calls, and failed calls of tools that you name.
///
/// - **Which failures.** The guard repeats a call if the kind of the failure is in [`kinds`](field@RetryConfig::kinds).
/// - **Which tools.** A tool call that failed may still have had its effect. So the guard repeats only calls of tools in
///   [`idempotent`](field@RetryConfig::idempotent). The list is empty by default. Other spellings of a name do not match.
/// - **Delay.** If the server asks for a delay (`retry_after`), the guard waits for this time. If the time is longer than
///   [`max_retry_after_ms`](field@RetryConfig::max_retry_after_ms), the guard does not repeat the call. Without `retry_after`,
///   the delay doubles with each retry, and has a random part so that many clients do not retry at the same moment.
/// - **When no retry is left**, the next rail of the error event runs, such as [`Fallback`](crate::Fallback). Without such a
///   rail, the call fails with the error.
///
/// The run limits retries too: see [`RunContext::with_max_retries`] and [`RunContext::with_max_retry_delay`].
///
/// The guard runs at [`LlmError`] and [`ToolError`] with the priority 60. Each retry is reported by a finding with the rule
/// `failed_call` and the severity `low`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::Retry;
///
/// rail_chain! { struct Guards { retry: Retry } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { retry: Retry::builder().idempotent(["search".parse::<exo_rails_guards::ToolPattern>()?]).build()? };
/// let tool = |call: Permit<ToolCallInputs>| async move {
///     match call.attempt() {
///         0 | 1 => Err(OperationError::new(OperationErrorKind::Unavailable, "no connection")),
///         _ => Ok(ToolOutput::text("found")),
///     }
/// };
/// let mut ctx = RunContext::new("demo");
/// assert_eq!(guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?.content, "found");
/// let output = guards.guard_tool_call(ToolCallInputs::new("pay"), &mut ctx, tool).await?;
/// assert!(output.content.contains("no connection"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Retry {
    config: RetryConfig,
}

/// The number of retries in the run so far.
#[derive(Default)]
struct Retries(u32);

type Again = RailAction<NoSubstitute, RetryOrContinue>;

impl Retry {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if `kinds` is empty, if `max_retries` is 0, or if `max_delay_ms` is less than
    /// `min_delay_ms`.
    pub fn new(config: RetryConfig) -> Result<Self, ConfigError> {
        let RetryConfig { kinds, max_retries, min_delay_ms, max_delay_ms, .. } = &config;
        if kinds.is_empty() {
            let message = "without kinds, nothing is repeated: write some, such as `kinds = [\"unavailable\"]`";
            return Err(ConfigError::new(message).in_key("kinds"));
        }
        if *max_retries == 0 {
            let message = "0 would repeat nothing: write at least 1, or `mode = \"off\"`";
            return Err(ConfigError::new(message).in_key("max_retries"));
        }
        if max_delay_ms < min_delay_ms {
            let message =
                format!("{max_delay_ms} is less than `min_delay_ms`, which is {min_delay_ms}: write a longer time");
            return Err(ConfigError::new(message).in_key("max_delay_ms"));
        }
        Ok(Self { config })
    }

    fn again(&self, error: &OperationError, ctx: &mut RailContext) -> Again {
        let RetryConfig { kinds, max_retries, max_per_run, .. } = &self.config;
        if !kinds.iter().any(|kind| core_kind(*kind) == error.kind) || ctx.attempt() >= *max_retries {
            return RailAction::Continue;
        }
        let Some(delay) = self.delay(error, ctx.attempt()) else { return RailAction::Continue };
        let retries = ctx.run.update(|Retries(retries): &mut Retries| {
            *retries = retries.saturating_add(1);
            *retries
        });
        if retries > *max_per_run {
            return RailAction::Continue;
        }
        let message =
            format!("the call failed ({}). Retry {} comes in {} ms", error.kind, ctx.attempt() + 1, delay.as_millis());
        let finding = Finding::new(GUARD, "failed_call", Severity::Low, message);
        let reason = finding.reason();
        finding.report(ctx);
        RailAction::retry_or_continue(RetryRequest::new(reason).with_delay(delay).with_max_retries(*max_retries))
    }

    /// Returns the delay before the next attempt. `None` if the server asks for a longer delay than the configuration allows.
    fn delay(&self, error: &OperationError, attempt: u32) -> Option<Duration> {
        let RetryConfig { min_delay_ms, max_delay_ms, jitter, max_retry_after_ms, .. } = self.config;
        let backoff = ExponentialBuilder::new()
            .with_min_delay(Duration::from_millis(min_delay_ms))
            .with_max_delay(Duration::from_millis(max_delay_ms))
            .without_max_times();
        let backoff = if jitter { backoff.with_jitter() } else { backoff };
        let own = backoff.build().nth(attempt as usize)?;
        match error.retry_after {
            Some(asked) if asked > Duration::from_millis(max_retry_after_ms) => None,
            Some(asked) => Some(asked),
            None => Some(own),
        }
    }
}

#[rail(priority = 60, name = "retry")]
impl Retry {
    #[on(LlmError)]
    fn model(&self, error: &OperationError, ctx: &mut RailContext) -> Again {
        if self.config.models { self.again(error, ctx) } else { RailAction::Continue }
    }

    #[on(ToolError)]
    fn tool(&self, call: &ToolCallInputs, error: &OperationError, ctx: &mut RailContext) -> Again {
        let name = ToolName::new(&call.tool_name);
        let is_idempotent = self.config.idempotent.iter().any(|pattern| pattern.allows(&name));
        if is_idempotent { self.again(error, ctx) } else { RailAction::Continue }
    }
}

makes!(Retry, RetryConfig);

needs_only_its_configuration!(Retry, RetryConfig);
