//! How many calls run at once.

use std::time::Duration;

use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{Next, OperationErrorKind};
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::arguments::ToolName;
use crate::config::{builder, one_or_many};
use crate::rate_limits::RatedCalls;
use crate::{ConfigError, ToolPattern};

/// Limits how many model calls and tool calls run at once in this process.
///
/// The rails are [around the operation](exo_rails::Next). A call without room waits until another one has ended, up to the limit's
/// [`max_wait_ms`](field@ConcurrencyLimit::max_wait_ms). Then it fails with [`OperationErrorKind::RateLimited`]. The model reads
/// the error of a tool call. The place of a call is free again when the call ends, fails or is dropped.
///
/// A call inside another one, such as the calls of an agent in a tool, needs its own place. If all places belong to calls that
/// wait for calls inside them, the inner calls fail when they have waited too long.
///
/// The priority is 42: inside of retries, and outside of [`Timeouts`](crate::Timeouts), so the time in the queue does not count.
/// The guard is not part of [`Kit`](crate::Kit), because a chain with rails around operations cannot be registered with a
/// [`HookManager`]. List it beside the kit.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::{Concurrency, Kit, Timeouts};
/// use exo_rails_guards::concurrency::ConcurrencyLimit;
/// use exo_rails_guards::rate_limits::RatedCalls;
///
/// rail_chain! { struct Guards { kit: Kit, concurrency: Concurrency, timeouts: Timeouts } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limit = ConcurrencyLimit::new("builds", RatedCalls::ToolCalls, 1).tools(["build".parse()?]).max_wait_ms(0);
/// let concurrency = Concurrency::builder().limits([limit]).build()?;
/// let guards = Guards { kit: Kit::default(), concurrency, timeouts: Timeouts::builder().build()? };
/// let inner = |_| async { Ok::<_, OperationError>(ToolOutput::text("built")) };
/// let outer = |permit: exo_rails::Permit<ToolCallInputs>| {
///     let guards = &guards;
///     async move {
///         let call = ToolCallInputs::new("build");
///         let output = guards.guard_tool_call(call, &mut permit.context(), inner).await;
///         output.map_err(|error| OperationError::from(error.to_string()))
///     }
/// };
/// let output = guards.guard_tool_call(ToolCallInputs::new("build"), &mut RunContext::new("demo"), outer).await?;
/// assert!(output.content.contains("concurrency/builds: 1 tool calls are running"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Concurrency {
    limits: Vec<(ConcurrencyLimit, Semaphore)>,
}

/// The configuration of [`Concurrency`].
///
/// ```
/// use exo_rails_guards::concurrency::ConcurrencyConfig;
///
/// let config: ConcurrencyConfig = exo_rails_guards::config::from_toml(r#"
///     limits = [{ name = "models", of = "model_calls", most = 4 }]
/// "#)?;
/// assert_eq!(config.limits[0].max_wait_ms, 30_000);
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConcurrencyConfig {
    /// The limits. A call needs a place in each limit that counts it.
    pub limits: Vec<ConcurrencyLimit>,
}

builder!(Concurrency, ConcurrencyConfig { limits: [ConcurrencyLimit] });

/// A limit of [`Concurrency`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConcurrencyLimit {
    /// The name, for errors.
    pub name: String,
    /// The calls that count.
    pub of: RatedCalls,
    /// How many of them run at once.
    pub most: u32,
    /// The tools whose calls count. The default is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
    /// How long a call waits at most for a place, in milliseconds. The default is 30 seconds.
    #[serde(default = "half_a_minute")]
    pub max_wait_ms: u64,
}

const fn half_a_minute() -> u64 {
    30_000
}

impl ConcurrencyLimit {
    /// Makes a limit.
    #[must_use]
    pub fn new(name: impl Into<String>, of: RatedCalls, most: u32) -> Self {
        Self { name: name.into(), of, most, tools: Vec::new(), max_wait_ms: half_a_minute() }
    }

    /// Sets [`tools`](field@Self::tools).
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPattern>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets [`max_wait_ms`](field@Self::max_wait_ms).
    #[must_use]
    pub fn max_wait_ms(mut self, max_wait_ms: u64) -> Self {
        self.max_wait_ms = max_wait_ms;
        self
    }

    fn no_place(&self) -> OperationError {
        let Self { name, of, most, max_wait_ms, .. } = self;
        let message = format!(
            "concurrency/{name}: {most} {} are running, and no place was free within {max_wait_ms} ms: call later",
            of.shown()
        );
        OperationError::new(OperationErrorKind::RateLimited, message)
    }
}

impl Concurrency {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if a limit has no name, or allows nothing.
    pub fn new(config: ConcurrencyConfig) -> Result<Self, ConfigError> {
        for (place, limit) in config.limits.iter().enumerate() {
            let in_place = |error: ConfigError| error.in_key(format_args!("limits[{place}]"));
            if limit.name.trim().is_empty() {
                return Err(in_place(ConfigError::new("the limit has no name: errors need one").in_key("name")));
            }
            if limit.most == 0 {
                return Err(in_place(ConfigError::new("0 would refuse every call: write at least 1").in_key("most")));
            }
            limit.of.check_tools(&limit.tools).map_err(in_place)?;
        }
        let places = |limit: ConcurrencyLimit| {
            let most = usize::try_from(limit.most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
            (limit, Semaphore::new(most))
        };
        Ok(Self { limits: config.limits.into_iter().map(places).collect() })
    }

    /// Waits for a place in each limit. All calls take their places in the same order, so they do not wait for each other in a
    /// circle.
    async fn places(&self, tool: Option<&ToolName<'_>>) -> Result<Vec<SemaphorePermit<'_>>, OperationError> {
        let mut places = Vec::new();
        for (limit, semaphore) in &self.limits {
            if limit.of.counts(&limit.tools, tool) {
                let wait = Duration::from_millis(limit.max_wait_ms);
                let place = tokio::time::timeout(wait, semaphore.acquire()).await;
                places.push(place.ok().and_then(Result::ok).ok_or_else(|| limit.no_place())?);
            }
        }
        Ok(places)
    }
}

#[rail(priority = 42, name = "concurrency")]
impl Concurrency {
    #[on(PreLlmCall, around)]
    async fn model(&self, next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        let _places = self.places(None).await?;
        next.run().await
    }

    #[on(PreToolCall, around)]
    async fn tool(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let _places = self.places(Some(&ToolName::new(&call.tool_name))).await?;
        next.run().await
    }
}
