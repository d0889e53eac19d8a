//! The table `retry`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{FailureKind, ToolPattern};

/// The configuration of `Retry`.
///
/// ```
/// use exo_rails_policy::retry::RetryConfig;
///
/// let config: RetryConfig = exo_rails_policy::from_toml(r#"
///     idempotent = ["search_*", "read_file"]
///     kinds = ["rate_limited", "unavailable"]
///     max_retries = 5
/// "#)?;
/// assert_eq!((config.min_delay_ms, config.max_per_run), (500, 20));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetryConfig {
    /// The kinds of failures after which the guard repeats a call. The default is `rate_limited`, `unavailable` and `timeout`.
    pub kinds: Vec<FailureKind>,
    /// Whether the guard repeats model calls. The default is true.
    pub models: bool,
    /// The tools for which a second call does no harm: names, or globs such as `search_*`. The guard repeats only calls of
    /// these tools. The default is none.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub idempotent: Vec<ToolPattern>,
    /// The largest number of retries of one call. The first attempt does not count. The default is 3.
    pub max_retries: u32,
    /// The largest number of retries of all calls in a run. The default is 20.
    pub max_per_run: u32,
    /// The delay before the first retry, in milliseconds. Each further delay is twice as long. The default is 500.
    pub min_delay_ms: u64,
    /// The longest delay without its random part, in milliseconds. The default is 30,000.
    pub max_delay_ms: u64,
    /// Whether the guard adds a random time to each delay. The random time is at most as long as the delay. The default is
    /// true.
    pub jitter: bool,
    /// The longest delay that a server can ask for, in milliseconds. If it asks for more, the guard does not repeat the call.
    /// The default is 60,000.
    pub max_retry_after_ms: u64,
}

impl Default for RetryConfig {
    fn default() -> Self {
        use FailureKind::{RateLimited, Timeout, Unavailable};
        Self {
            kinds: vec![RateLimited, Unavailable, Timeout],
            models: true,
            idempotent: Vec::new(),
            max_retries: 3,
            max_per_run: 20,
            min_delay_ms: 500,
            max_delay_ms: 30_000,
            jitter: true,
            max_retry_after_ms: 60_000,
        }
    }
}

setters!(RetryConfig {
    kinds: [FailureKind],
    models: bool,
    idempotent: [ToolPattern],
    max_retries: u32,
    max_per_run: u32,
    min_delay_ms: u64,
    max_delay_ms: u64,
    jitter: bool,
    max_retry_after_ms: u64,
});

impl Table for RetryConfig {
    const KEY: &'static str = "retry";

    fn tools(&self) -> Vec<(String, &str)> {
        named("idempotent", &self.idempotent)
    }
}
