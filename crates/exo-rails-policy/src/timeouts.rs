//! The table `timeouts`.

use serde::{Deserialize, Serialize};

use crate::ToolPattern;
use crate::builder::setters;
use crate::list::one_or_many;
use crate::rate_limits::RatedCalls;
use crate::table::{Table, named};

/// The configuration of `Timeouts`.
///
/// ```
/// use exo_rails_policy::timeouts::TimeoutsConfig;
///
/// let config: TimeoutsConfig = exo_rails_policy::from_toml(r#"
///     limits = [
///         { name = "build", of = "tool_calls", tools = ["build", "test"], limit_ms = 600_000 },
///         { name = "tools", of = "tool_calls", limit_ms = 30_000 },
///     ]
/// "#)?;
/// assert_eq!(config.limits[1].limit_ms, 30_000);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimeoutsConfig {
    /// The limits. The first limit that matches a call applies.
    pub limits: Vec<TimeLimit>,
}

setters!(TimeoutsConfig { limits: [TimeLimit] });

/// A limit of `Timeouts`.
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
        // a pattern is `"send_*".parse()?`
        self.tools = tools.into_iter().collect();
        self
    }
}

impl Table for TimeoutsConfig {
    const KEY: &'static str = "timeouts";

    fn tools(&self) -> Vec<(String, &str)> {
        named("limits", self.limits.iter().flat_map(|limit| &limit.tools))
    }
}
