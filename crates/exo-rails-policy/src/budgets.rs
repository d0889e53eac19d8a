//! The table `budgets`.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::list::one_or_many;
use crate::table::{Table, named};
use crate::{ConfigError, Decimal, OnRefusal, Scope, ToolPattern};

/// The configuration of `Budgets`.
///
/// ```
/// use exo_rails_policy::budgets::{BudgetsConfig, Measure, Window};
/// use exo_rails_policy::Scope;
///
/// let config: BudgetsConfig = exo_rails_policy::from_toml(r#"
///     limits = [
///         { name = "day", of = "cost", most = 2.50, per = "user", window = "day" },
///         { name = "mails", of = "tool_calls", most = 3, tools = "send_*" },
///     ]
///     prices = [{ model = "small-*", prompt = 0.15, completion = 0.60 }]
/// "#)?;
/// assert_eq!((config.limits[0].of, config.limits[0].per), (Measure::Cost, Scope::User));
/// assert_eq!((config.limits[1].window, config.warn_at_percent), (Window::None, 80));
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetsConfig {
    /// The limits. A call needs room in each limit that counts it.
    pub limits: Vec<BudgetLimit>,
    /// The prices of models, for limits of [`Measure::Cost`]. The first price whose name matches the model applies.
    pub prices: Vec<Price>,
    /// The name of the model whose price applies to requests that name no model. Empty if there is none, which is the default.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub default_model: String,
    /// What the guard does with a call of a model that has no price, if a limit counts costs. The default is `refuse`.
    pub unknown_price: UnknownPrice,
    /// How the guard estimates the size of a call before the call happens.
    pub estimate: Estimate,
    /// What counts for an answer that reports no usage. The default is `estimate`.
    pub without_usage: Unreported,
    /// What counts for the tokens and the cost of a model call that fails, is cancelled or is dropped. The default is
    /// `nothing`, because most failures cost nothing. Write `estimate` if users can end runs as often as they like.
    ///
    /// In both cases, the call counts for limits of calls. If the call fails, the tokens that the model has reported before
    /// also count.
    pub interrupted: Unreported,
    /// How long the guard reserves the amounts of a call, in milliseconds. If the process dies, the amounts are free after this
    /// time. It must be longer than the longest call. The default is 600,000, which is 10 minutes.
    pub hold_for_ms: u64,
    /// The used part of a limit at which the model reads a warning, in percent from 0 to 100. The model reads one warning in a
    /// run for each limit. 0 means no warning. The default is 80.
    pub warn_at_percent: u8,
    /// What the guard does with a tool call for which a budget has no room. The default is `skip`. A model call without room
    /// always ends the run.
    pub on_refusal: OnRefusal,
}

impl Default for BudgetsConfig {
    fn default() -> Self {
        Self {
            limits: Vec::new(),
            prices: Vec::new(),
            default_model: String::new(),
            unknown_price: UnknownPrice::default(),
            estimate: Estimate::default(),
            without_usage: Unreported::Estimate,
            interrupted: Unreported::Nothing,
            hold_for_ms: 600_000,
            warn_at_percent: 80,
            on_refusal: OnRefusal::default(),
        }
    }
}

setters!(BudgetsConfig {
    limits: [BudgetLimit],
    prices: [Price],
    default_model: String,
    unknown_price: UnknownPrice,
    estimate: Estimate,
    without_usage: Unreported,
    interrupted: Unreported,
    hold_for_ms: u64,
    warn_at_percent: u8,
    on_refusal: OnRefusal,
});

impl BudgetsConfig {
    /// Checks the values that need no engine.
    ///
    /// # Errors
    /// Returns an error that names the key, and says what to write.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.hold_for_ms == 0 {
            let message = "0 would free the amounts of running calls: write how long a call can take";
            return Err(ConfigError::new(message).in_key("hold_for_ms"));
        }
        if self.warn_at_percent > 100 {
            let message = format!("{} is more than the whole limit: write 0 to 100", self.warn_at_percent);
            return Err(ConfigError::new(message).in_key("warn_at_percent"));
        }
        if self.estimate.bytes_per_token == 0 {
            return Err(ConfigError::new("a token has at least 1 byte").in_key("bytes_per_token").in_key("estimate"));
        }
        for (place, limit) in self.limits.iter().enumerate() {
            self.check_limit(limit, place).map_err(|error| error.in_key(format_args!("limits[{place}]")))?;
        }
        Ok(())
    }

    fn check_limit(&self, limit: &BudgetLimit, place: usize) -> Result<(), ConfigError> {
        let BudgetLimit { name, of, most, tools, .. } = limit;
        if name.trim().is_empty() {
            return Err(ConfigError::new("the limit has no name: reasons and the store need one").in_key("name"));
        }
        if self.limits[..place].iter().any(|other| other.name == *name) {
            let message = format!("`{name}` is the name of two limits, which would share their counts: rename one");
            return Err(ConfigError::new(message).in_key("name"));
        }
        if most.is_zero() {
            return Err(ConfigError::new("0 would refuse every call: write a larger amount").in_key("most"));
        }
        if of.unit() != Unit::Cost && most.whole().is_none() {
            return Err(ConfigError::new(format!("`{of}` counts whole numbers: write one")).in_key("most"));
        }
        if !tools.is_empty() && !of.is_of_tools() {
            let message = format!("`{of}` does not count tool calls: remove `tools`, or write `of = \"tool_calls\"`");
            return Err(ConfigError::new(message).in_key("tools"));
        }
        if *of == Measure::Cost && self.prices.is_empty() && self.unknown_price == UnknownPrice::Refuse {
            let message =
                "a limit of costs needs prices: add `prices = [{ model = \"*\", prompt = …, completion = … }]`";
            return Err(ConfigError::new(message).in_key("of"));
        }
        Ok(())
    }
}

/// A limit of `Budgets`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BudgetLimit {
    /// The name, which reasons and findings contain. The name is also part of the key in the store. So if you change the
    /// configuration and keep the name, the count continues. Processes that share the store share the count.
    pub name: String,
    /// What the limit counts.
    pub of: Measure,
    /// The largest amount, in the unit of [`of`](Self::of). Only an amount of costs may have digits after the point.
    pub most: Decimal,
    /// Whose calls count together. The default is the run.
    #[serde(default)]
    pub per: Scope,
    /// When the count begins again at 0. The default is never.
    #[serde(default)]
    pub window: Window,
    /// The tools whose calls count: names, or globs such as `send_*`. Only limits of `tool_calls` and `output_bytes` can name
    /// tools. The default is all tools.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolPattern>,
}

impl BudgetLimit {
    /// Makes a limit for each run, without a window. `most` is the largest amount, in the unit of the measure.
    ///
    /// ```
    /// use exo_rails_policy::budgets::{BudgetLimit, Measure, Window};
    /// use exo_rails_policy::Scope;
    ///
    /// let limit = BudgetLimit::new("day", Measure::TotalTokens, 200_000).per(Scope::User).window(Window::Day);
    /// assert_eq!(limit.most.to_string(), "200000");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, of: Measure, most: impl Into<Decimal>) -> Self {
        let (name, most) = (name.into(), most.into());
        Self { name, of, most, per: Scope::default(), window: Window::default(), tools: Vec::new() }
    }

    /// Sets [`per`](field@Self::per).
    #[must_use]
    pub fn per(mut self, per: Scope) -> Self {
        self.per = per;
        self
    }

    /// Sets [`window`](field@Self::window).
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Sets [`tools`](field@Self::tools).
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolPattern>) -> Self {
        // a pattern is `"send_*".parse()?`
        self.tools = tools.into_iter().collect();
        self
    }

    /// Returns the largest amount in the unit of the store: billionths for costs.
    #[must_use]
    pub fn limit(&self) -> u64 {
        match self.of.unit() {
            Unit::Cost => self.most.billionths(),
            _ => self.most.whole().unwrap_or_default(),
        }
    }

    /// Returns the window of the counter. The count of a run expires a week after its first call, so that old runs do not fill
    /// the store.
    #[must_use]
    pub fn store_window(&self) -> Option<Duration> {
        match self.window {
            Window::None if self.per == Scope::Run => Some(Duration::from_hours(7 * 24)),
            Window::None => None,
            Window::Minute => Some(Duration::from_mins(1)),
            Window::Hour => Some(Duration::from_hours(1)),
            Window::Day => Some(Duration::from_hours(24)),
        }
    }
}

/// What a [`BudgetLimit`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Model calls. Each attempt is a call, and so is each call of a `Fallback`.
    ModelCalls,
    /// Tool calls. Each attempt is a call, and so is each call of a `Fallback`.
    ToolCalls,
    /// The tokens of requests to models.
    PromptTokens,
    /// The tokens of answers of models.
    CompletionTokens,
    /// The tokens of requests and answers.
    TotalTokens,
    /// The cost of the tokens, in the currency of the prices.
    Cost,
    /// The time since the first model call or tool call of a run, in milliseconds. Time between calls counts too. The time of
    /// calls that run at once counts only once. The guard checks the limit before each call, and does not interrupt a call.
    WallTimeMs,
    /// The bytes of the texts that tools return, after rails with a lower priority have changed them.
    OutputBytes,
}

/// The unit of a [`Measure`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Calls of models or tools.
    Calls,
    /// Tokens.
    Tokens,
    /// A currency.
    Cost,
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
}

impl Measure {
    /// Returns the name in configuration files, such as `total_tokens`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelCalls => "model_calls",
            Self::ToolCalls => "tool_calls",
            Self::PromptTokens => "prompt_tokens",
            Self::CompletionTokens => "completion_tokens",
            Self::TotalTokens => "total_tokens",
            Self::Cost => "cost",
            Self::WallTimeMs => "wall_time_ms",
            Self::OutputBytes => "output_bytes",
        }
    }

    /// Returns the unit of the amounts.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::ModelCalls | Self::ToolCalls => Unit::Calls,
            Self::PromptTokens | Self::CompletionTokens | Self::TotalTokens => Unit::Tokens,
            Self::Cost => Unit::Cost,
            Self::WallTimeMs => Unit::Milliseconds,
            Self::OutputBytes => Unit::Bytes,
        }
    }

    /// Returns whether the measure counts tool calls by their tool.
    const fn is_of_tools(self) -> bool {
        matches!(self, Self::ToolCalls | Self::OutputBytes)
    }

    /// Returns an amount with its unit.
    #[must_use]
    pub fn shown(self, amount: u64) -> String {
        match self {
            Self::ModelCalls => format!("{amount} model calls"),
            Self::ToolCalls => format!("{amount} tool calls"),
            Self::PromptTokens => format!("{amount} tokens of requests"),
            Self::CompletionTokens => format!("{amount} tokens of answers"),
            Self::TotalTokens => format!("{amount} tokens"),
            Self::Cost => format!("a cost of {}", Decimal::of_billionths(amount)),
            Self::WallTimeMs => format!("{amount} ms"),
            Self::OutputBytes => format!("{amount} bytes of output"),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// When the count of a [`BudgetLimit`] begins again at 0.
///
/// The first amount that counts opens the window. Windows do not begin at midnight or at the full hour: see
/// `StateStore`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Window {
    /// Never. The count of a run expires a week after its first call.
    #[default]
    None,
    /// A minute after the first amount.
    Minute,
    /// An hour after the first amount.
    Hour,
    /// 24 hours after the first amount.
    Day,
}

impl Window {
    /// Returns the end of a sentence about the limit.
    #[must_use]
    pub const fn shown(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Minute => " and minute",
            Self::Hour => " and hour",
            Self::Day => " and day",
        }
    }
}

/// What the guard does with a call of a model that has no [`Price`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownPrice {
    /// It ends the run.
    #[default]
    Refuse,
    /// The call costs nothing. A finding reports each such call.
    Free,
}

/// What counts for a model call that reports no usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreported {
    /// The reserved amount: see [`Estimate`].
    Estimate,
    /// Nothing.
    Nothing,
}

/// How the guard estimates the size of a call before the call happens. It reserves the estimated amount during the call.
///
/// - **Request.** The number of tokens is the bytes of the texts and tools, divided by
///   [`bytes_per_token`](Self::bytes_per_token). Images and other files do not count before the call.
/// - **Answer, if the request limits it.** The number of tokens is the option `max_tokens`, `max_completion_tokens` or
///   `max_output_tokens` of the request. If the budget has no room for them, the guard refuses the call.
/// - **Answer, if the request does not limit it.** The guard reserves [`completion_tokens`](Self::completion_tokens), or what
///   is left of the budget if that is less.
///
/// So a budget of tokens or costs is exact only if each request limits its answer. Otherwise the calls that run at the same
/// time can exceed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Estimate {
    /// Whether to read the limit of the answer from the options of the request. The default is true. With false, the guard
    /// always uses [`completion_tokens`](Self::completion_tokens).
    pub use_max_tokens: bool,
    /// The estimated tokens of an answer without a limit. The default is 1000.
    pub completion_tokens: u64,
    /// The bytes of a token of a request. The default is 3. English text has about 4 bytes in a token, so the default estimates
    /// more tokens than there are.
    pub bytes_per_token: u64,
    /// The estimated bytes of a tool's output. The default is 1000.
    pub output_bytes: u64,
}

impl Estimate {
    /// Returns the most bytes of a streamed answer with this number of tokens: twice [`bytes_per_token`](Self::bytes_per_token)
    /// for each. The tokens of usual text are shorter, so an answer that keeps within a budget is not cut.
    #[must_use]
    pub const fn most_bytes(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.bytes_per_token).saturating_mul(2)
    }
}

impl Default for Estimate {
    fn default() -> Self {
        Self { use_max_tokens: true, completion_tokens: 1_000, bytes_per_token: 3, output_bytes: 1_000 }
    }
}

/// The price of a model for a million tokens. Use any currency, but the same one for all prices and limits.
///
/// ```
/// use exo_rails_policy::budgets::Price;
///
/// let price = Price::new("small-*", "0.15", "0.60")?;
/// assert_eq!(price.prompt.to_string(), "0.15");
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Price {
    /// The name of the model, or a glob such as `small-*`. The first price in the list whose name matches applies.
    pub model: String,
    /// The price of a million tokens of the request.
    pub prompt: Decimal,
    /// The price of a million tokens of the answer.
    pub completion: Decimal,
    /// The price of a million tokens of the request that the provider has read from its cache. The provider must report them as
    /// `prompt_tokens_details.cached_tokens` or as `cache_read_input_tokens`. The default is [`prompt`](Self::prompt).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_prompt: Option<Decimal>,
    /// The price of a million tokens of the request that the provider has written to its cache. The provider must report them
    /// as `cache_creation_input_tokens`. The default is [`prompt`](Self::prompt).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Decimal>,
}

impl Table for BudgetsConfig {
    const KEY: &'static str = "budgets";

    fn tools(&self) -> Vec<(String, &str)> {
        named("limits", self.limits.iter().flat_map(|limit| &limit.tools))
    }

    fn limit_names(&self) -> Vec<&str> {
        self.limits.iter().map(|limit| limit.name.as_str()).collect()
    }
}

impl Price {
    /// Makes the price of a model. `prompt` and `completion` are the prices of a million tokens of the request and of the
    /// answer, as texts such as `"0.15"`.
    ///
    /// # Errors
    /// Returns an error if `prompt` or `completion` is not a [`Decimal`].
    pub fn new(model: impl Into<String>, prompt: &str, completion: &str) -> Result<Self, ConfigError> {
        let (prompt, completion) = (prompt.parse()?, completion.parse()?);
        Ok(Self { model: model.into(), prompt, completion, cached_prompt: None, cache_write: None })
    }

    /// Sets [`cached_prompt`](field@Self::cached_prompt), for a million tokens.
    #[must_use]
    pub fn cached_prompt(mut self, price: Decimal) -> Self {
        self.cached_prompt = Some(price);
        self
    }

    /// Sets [`cache_write`](field@Self::cache_write), for a million tokens.
    #[must_use]
    pub fn cache_write(mut self, price: Decimal) -> Self {
        self.cache_write = Some(price);
        self
    }
}
