//! The table `rate_limits`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{ConfigError, OnRefusal, Scope, ToolName, ToolPattern};

/// The configuration of `RateLimits`.
///
/// ```
/// use exo_rails_policy::rate_limits::{Every, RateLimitsConfig};
///
/// let config: RateLimitsConfig = exo_rails_policy::from_toml(r#"
///     limits = [{ name = "search", of = "tool_calls", tools = "search_*", calls = 10, every = "minute", burst = 2 }]
/// "#)?;
/// assert_eq!(config.limits[0].every, Every::Minute);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimitsConfig {
    /// The limits. A call must pass each limit that counts it.
    pub limits: Vec<RateLimit>,
    /// What the guard does with a tool call that comes too early. The default is `skip`. A model call that comes too early
    /// always ends the run.
    pub on_refusal: OnRefusal,
}

setters!(RateLimitsConfig { limits: [RateLimit], on_refusal: OnRefusal });

impl RateLimitsConfig {
    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self) -> Result<(), ConfigError> {
        for (place, limit) in self.limits.iter().enumerate() {
            let earlier = &self.limits[..place];
            limit.check(earlier).map_err(|error| error.in_key(format_args!("limits[{place}]")))?;
        }
        Ok(())
    }
}

/// A limit of `RateLimits`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RateLimit {
    /// The name, which reasons, findings and keys of the store contain. Processes that share the store share limits with the
    /// same name.
    pub name: String,
    /// The calls that count.
    pub of: RatedCalls,
    /// The number of calls in each period [`every`](Self::every), evenly distributed. A [`burst`](field@Self::burst) can be
    /// added to it: with 10 calls in a minute and the default burst, up to 19 calls can run in the first minute after a pause.
    pub calls: u32,
    /// The length of the period.
    pub every: Every,
    /// The number of calls that can run at once after a pause. The default is [`calls`](Self::calls). With 1, there is at least
    /// the time `every / calls` between two calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<u32>,
    /// Whose calls count together. The default is the run.
    #[serde(default)]
    pub per: Scope,
    /// The tools whose calls count: names, or globs such as `search_*`. Only limits of `tool_calls` can name tools. The default
    /// is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
    /// The longest time that a call waits until it can run, in milliseconds. The default is 0: the guard refuses a call that
    /// comes too early.
    #[serde(default)]
    pub max_wait_ms: u64,
}

impl RateLimit {
    /// Makes a limit for each run, in which no call waits. `calls` is the number of calls in each period `every`.
    ///
    /// ```
    /// use exo_rails_policy::rate_limits::{Every, RateLimit, RatedCalls};
    ///
    /// let limit = RateLimit::new("models", RatedCalls::ModelCalls, 20, Every::Minute).burst(5).max_wait_ms(2_000);
    /// assert_eq!(limit.burst, Some(5));
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, of: RatedCalls, calls: u32, every: Every) -> Self {
        let (per, tools) = (Scope::default(), Vec::new());
        Self { name: name.into(), of, calls, every, burst: None, per, tools, max_wait_ms: 0 }
    }

    /// Sets [`burst`](field@Self::burst).
    #[must_use]
    pub fn burst(mut self, burst: u32) -> Self {
        self.burst = Some(burst);
        self
    }

    /// Sets [`per`](field@Self::per).
    #[must_use]
    pub fn per(mut self, per: Scope) -> Self {
        self.per = per;
        self
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

    fn check(&self, earlier: &[Self]) -> Result<(), ConfigError> {
        let name = &self.name;
        if name.trim().is_empty() {
            return Err(ConfigError::new("the limit has no name: reasons and the store need one").in_key("name"));
        }
        if earlier.iter().any(|other| other.name == *name) {
            let message = format!("`{name}` is the name of two limits, which would share their state: rename one");
            return Err(ConfigError::new(message).in_key("name"));
        }
        if self.calls == 0 {
            return Err(ConfigError::new("0 would refuse every call: write at least 1").in_key("calls"));
        }
        if self.burst == Some(0) {
            return Err(ConfigError::new("0 would refuse every call: write at least 1").in_key("burst"));
        }
        self.of.check_tools(&self.tools)
    }
}

/// The calls that a limit counts. Each attempt of a retry is a call. [`RateLimit`],
/// [`ConcurrencyLimit`](crate::concurrency::ConcurrencyLimit), [`TimeLimit`](crate::timeouts::TimeLimit) and
/// [`Breaker`](crate::circuit_breaker::Breaker) have this setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatedCalls {
    /// Model calls.
    ModelCalls,
    /// Tool calls.
    ToolCalls,
}

impl RatedCalls {
    /// Returns the words for messages.
    #[must_use]
    pub const fn shown(self) -> &'static str {
        match self {
            Self::ModelCalls => "model calls",
            Self::ToolCalls => "tool calls",
        }
    }

    /// Returns whether a call counts. `tool` is `None` for a model call. Without patterns, the calls of all tools count.
    #[must_use]
    pub fn counts(self, tools: &[ToolPattern], tool: Option<&ToolName<'_>>) -> bool {
        match (self, tool) {
            (Self::ModelCalls, None) => true,
            (Self::ToolCalls, Some(name)) => tools.is_empty() || tools.iter().any(|pattern| pattern.catches(name)),
            _ => false,
        }
    }

    /// Checks that a limit of model calls has no patterns of tools.
    ///
    /// # Errors
    /// A limit of model calls has patterns of tools.
    pub fn check_tools(self, tools: &[ToolPattern]) -> Result<(), ConfigError> {
        if self == Self::ToolCalls || tools.is_empty() {
            return Ok(());
        }
        let message = "`model_calls` does not count tool calls: remove `tools`, or write `of = \"tool_calls\"`";
        Err(ConfigError::new(message).in_key("tools"))
    }
}

/// The period of a [`RateLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Every {
    /// A second.
    Second,
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// 24 hours.
    Day,
}

impl Every {
    /// Returns the length of the period.
    #[must_use]
    pub const fn period(self) -> Duration {
        match self {
            Self::Second => Duration::from_secs(1),
            Self::Minute => Duration::from_mins(1),
            Self::Hour => Duration::from_hours(1),
            Self::Day => Duration::from_hours(24),
        }
    }

    /// Returns the word for messages.
    #[must_use]
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
        }
    }
}

impl Table for RateLimitsConfig {
    const KEY: &'static str = "rate_limits";

    fn tools(&self) -> Vec<(String, &str)> {
        named("limits", self.limits.iter().flat_map(|limit| &limit.tools))
    }

    fn limit_names(&self) -> Vec<&str> {
        self.limits.iter().map(|limit| limit.name.as_str()).collect()
    }
}
