//! The table `concurrency`.

use serde::{Deserialize, Serialize};

use crate::ToolPattern;
use crate::builder::setters;
use crate::list::one_or_many;
use crate::rate_limits::RatedCalls;
use crate::table::{Table, named};

/// The configuration of `Concurrency`.
///
/// ```
/// use exo_rails_policy::concurrency::ConcurrencyConfig;
///
/// let config: ConcurrencyConfig = exo_rails_policy::from_toml(r#"
///     limits = [{ name = "models", of = "model_calls", most = 4 }]
/// "#)?;
/// assert_eq!(config.limits[0].max_wait_ms, 30_000);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConcurrencyConfig {
    /// The limits. A call needs a place in each limit that counts it.
    pub limits: Vec<ConcurrencyLimit>,
}

setters!(ConcurrencyConfig { limits: [ConcurrencyLimit] });

/// A limit of `Concurrency`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConcurrencyLimit {
    /// The name, which errors and findings contain. With [`lease_ms`](field@Self::lease_ms), the name is also the key in the
    /// store, so limits with the same name share their places.
    pub name: String,
    /// The calls that count.
    pub of: RatedCalls,
    /// The largest number of these calls that run at once. At least 1.
    pub most: u32,
    /// The tools whose calls count: names, or globs such as `build_*`. Only limits of `tool_calls` can name tools. The default
    /// is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
    /// The longest time that a call waits for a place, in milliseconds. The default is 30,000. With 0, the call does not wait.
    #[serde(default = "half_a_minute")]
    pub max_wait_ms: u64,
    /// The longest time that a call keeps its place in the store, in milliseconds. After this time, the place is free, even if
    /// the call still runs. So the time must be longer than the longest call. The default is 0: the places are not in the
    /// store, and only the calls through this guard count.
    #[serde(default)]
    pub lease_ms: u64,
}

const fn half_a_minute() -> u64 {
    30_000
}

impl ConcurrencyLimit {
    /// Makes a limit of `most` calls at once for one process. A call waits up to 30 seconds for a place.
    #[must_use]
    pub fn new(name: impl Into<String>, of: RatedCalls, most: u32) -> Self {
        Self { name: name.into(), of, most, tools: Vec::new(), max_wait_ms: half_a_minute(), lease_ms: 0 }
    }

    /// Sets [`tools`](field@Self::tools).
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPattern>) -> Self {
        // a pattern is `"send_*".parse()?`
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets [`max_wait_ms`](field@Self::max_wait_ms).
    #[must_use]
    pub fn max_wait_ms(mut self, max_wait_ms: u64) -> Self {
        self.max_wait_ms = max_wait_ms;
        self
    }

    /// Sets [`lease_ms`](field@Self::lease_ms).
    #[must_use]
    pub fn lease_ms(mut self, lease_ms: u64) -> Self {
        self.lease_ms = lease_ms;
        self
    }
}

impl Table for ConcurrencyConfig {
    const KEY: &'static str = "concurrency";

    fn tools(&self) -> Vec<(String, &str)> {
        named("limits", self.limits.iter().flat_map(|limit| &limit.tools))
    }
}
