//! The table `circuit_breaker`.

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::rate_limits::RatedCalls;
use crate::table::{Table, named};
use crate::{ConfigError, FailureKind, ToolPattern};

/// The configuration of `CircuitBreaker`.
///
/// ```
/// use exo_rails_policy::circuit_breaker::CircuitBreakerConfig;
///
/// let config: CircuitBreakerConfig = exo_rails_policy::from_toml(r#"
///     breakers = [
///         { name = "models", of = "model_calls", failures = 3 },
///         { name = "search", of = "tool_calls", tools = "search_*", failure_percent = 50, open_ms = 60_000 },
///     ]
/// "#)?;
/// assert_eq!((config.breakers[0].failures, config.breakers[1].failures), (3, 0));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CircuitBreakerConfig {
    /// The breakers. The first breaker that matches a call applies.
    pub breakers: Vec<Breaker>,
}

setters!(CircuitBreakerConfig { breakers: [Breaker] });

/// A breaker of `CircuitBreaker`: when circuits open and close. Each tool and each model has its own circuit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Breaker {
    /// The name, which errors, findings and keys of the store contain. Processes that share the store share the circuits of
    /// breakers with the same name.
    pub name: String,
    /// The calls that the breaker applies to.
    pub of: RatedCalls,
    /// The tools that the breaker applies to: names, or globs such as `search_*`. Only breakers of `tool_calls` can name tools.
    /// The default is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
    /// The number of failures in a row that opens the circuit. With 0, which is the default, only
    /// [`failure_percent`](field@Self::failure_percent) opens it.
    #[serde(default)]
    pub failures: u32,
    /// The share of failed calls in a window that opens the circuit, in percent from 0 to 100. With 0, which is the default,
    /// only [`failures`](Self::failures) opens it.
    #[serde(default)]
    pub failure_percent: u8,
    /// The number of calls in a window from which [`failure_percent`](field@Self::failure_percent) can open the circuit. The
    /// default is 10.
    #[serde(default = "ten")]
    pub min_calls: u32,
    /// The length of the window, in milliseconds. A window begins with the first call that counts. At its end, the counts of
    /// [`failure_percent`](field@Self::failure_percent) and of [`failures`](Self::failures) begin again at 0. The default is
    /// 60,000.
    #[serde(default = "one_minute")]
    pub window_ms: u64,
    /// The time for which an open circuit refuses all calls, in milliseconds. The default is 30,000.
    #[serde(default = "half_a_minute")]
    pub open_ms: u64,
    /// The number of calls that must succeed after [`open_ms`](field@Self::open_ms) before the circuit closes. At most this
    /// number of calls run at once, and the guard refuses the others. The default is 1.
    #[serde(default = "one")]
    pub probes: u32,
    /// The kinds of failures that count. Other failures do not count as failures or as successes. The default is `timeout`,
    /// `rate_limited`, `unavailable`, `invalid_response` and `other`.
    #[serde(default = "kinds")]
    pub kinds: Vec<FailureKind>,
}

const fn one() -> u32 {
    1
}

const fn ten() -> u32 {
    10
}

const fn half_a_minute() -> u64 {
    30_000
}

const fn one_minute() -> u64 {
    60_000
}

fn kinds() -> Vec<FailureKind> {
    use FailureKind::{InvalidResponse, Other, RateLimited, Timeout, Unavailable};
    vec![Timeout, RateLimited, Unavailable, InvalidResponse, Other]
}

impl Breaker {
    /// Makes a breaker that opens after this number of failures in a row. The other fields have their default values.
    ///
    /// ```
    /// use std::time::Duration;
    /// use exo_rails_policy::circuit_breaker::Breaker;
    /// use exo_rails_policy::rate_limits::RatedCalls;
    ///
    /// let breaker = Breaker::new("models", RatedCalls::ModelCalls, 3).open_ms(60_000).probes(2);
    /// assert_eq!(breaker.window_ms, 60_000);
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, of: RatedCalls, failures: u32) -> Self {
        Self {
            name: name.into(),
            of,
            tools: Vec::new(),
            failures,
            failure_percent: 0,
            min_calls: ten(),
            window_ms: one_minute(),
            open_ms: half_a_minute(),
            probes: one(),
            kinds: kinds(),
        }
    }

    /// Sets [`tools`](field@Self::tools).
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPattern>) -> Self {
        // a pattern is `"send_*".parse()?`
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets [`failure_percent`](field@Self::failure_percent) and [`min_calls`](field@Self::min_calls).
    #[must_use]
    pub fn failure_percent(mut self, percent: u8, min_calls: u32) -> Self {
        (self.failure_percent, self.min_calls) = (percent, min_calls);
        self
    }

    /// Sets [`window_ms`](field@Self::window_ms).
    #[must_use]
    pub fn window_ms(mut self, window_ms: u64) -> Self {
        self.window_ms = window_ms;
        self
    }

    /// Sets [`open_ms`](field@Self::open_ms).
    #[must_use]
    pub fn open_ms(mut self, open_ms: u64) -> Self {
        self.open_ms = open_ms;
        self
    }

    /// Sets [`probes`](field@Self::probes).
    #[must_use]
    pub fn probes(mut self, probes: u32) -> Self {
        self.probes = probes;
        self
    }

    /// Sets [`kinds`](field@Self::kinds).
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = FailureKind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        self
    }

    /// Checks the values. `earlier` is the breakers before this one in the list.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self, earlier: &[Self]) -> Result<(), ConfigError> {
        let error = |key, message: &str| Err(ConfigError::new(message).in_key(key));
        if self.name.trim().is_empty() {
            return error("name", "the breaker has no name: errors and the store need one");
        }
        if earlier.iter().any(|other| other.name == self.name) {
            let message =
                format!("`{}` is the name of two breakers, which would share their circuits: rename one", self.name);
            return error("name", &message);
        }
        if self.failures == 0 && self.failure_percent == 0 {
            return error("failures", "the breaker never opens: write `failures = 5` or `failure_percent = 50`");
        }
        if self.failure_percent > 100 {
            return error("failure_percent", "write 0 to 100");
        }
        for (key, value) in [("min_calls", self.min_calls), ("probes", self.probes)] {
            if value == 0 {
                return error(key, "write at least 1");
            }
        }
        for (key, value) in [("window_ms", self.window_ms), ("open_ms", self.open_ms)] {
            if value == 0 {
                return error(key, "write at least 1");
            }
        }
        if self.kinds.is_empty() {
            return error("kinds", "without kinds, no failure counts: write some, such as `[\"unavailable\"]`");
        }
        self.of.check_tools(&self.tools)
    }
}

impl Table for CircuitBreakerConfig {
    const KEY: &'static str = "circuit_breaker";

    fn tools(&self) -> Vec<(String, &str)> {
        named("breakers", self.breakers.iter().flat_map(|breaker| &breaker.tools))
    }
}
