//! Prices of models.

use exo_rails::message::Usage;
use globset::GlobMatcher;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::decimal::{Decimal, cost};
use crate::ConfigError;
use crate::arguments::glob;

/// The price of a model for a million tokens. Use any currency, but the same one for all prices and limits.
///
/// ```
/// use exo_rails_guards::budgets::Price;
///
/// let price = Price::new("small-*", "0.15", "0.60")?;
/// assert_eq!(price.prompt.to_string(), "0.15");
/// # Ok::<(), exo_rails_guards::ConfigError>(())
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

    /// Returns the cost of a call, in billionths.
    pub(super) fn cost(&self, usage: &Usage) -> u64 {
        let read = self.cached_prompt.map_or(0, |_| cached(usage)).min(usage.prompt_tokens);
        let written = self.cache_write.map_or(0, |_| field(&usage.extra, "cache_creation_input_tokens"));
        let written = written.min(usage.prompt_tokens - read);
        cost([
            (usage.prompt_tokens - read - written, self.prompt),
            (read, self.cached_prompt.unwrap_or_default()),
            (written, self.cache_write.unwrap_or_default()),
            (completion(usage), self.completion),
        ])
    }

    /// Returns the largest cost of a call with these numbers of tokens, in billionths.
    pub(super) fn largest_cost(&self, prompt: u64, completion: u64) -> u64 {
        let dearest = self.prompt.max(self.cached_prompt.unwrap_or_default()).max(self.cache_write.unwrap_or_default());
        cost([(prompt, dearest), (completion, self.completion)])
    }
}

/// Returns the tokens of the answer. Some providers count the tokens of the model's reasoning only in the sum.
pub(super) fn completion(usage: &Usage) -> u64 {
    usage.completion_tokens.max(usage.total_tokens.saturating_sub(usage.prompt_tokens))
}

fn cached(usage: &Usage) -> u64 {
    let details = usage.extra.get("prompt_tokens_details").and_then(Value::as_object);
    let of_details = details.map_or(0, |details| field(details, "cached_tokens"));
    of_details.max(field(&usage.extra, "cache_read_input_tokens"))
}

fn field(fields: &serde_json::Map<String, Value>, name: &str) -> u64 {
    fields.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// The prices of all models.
#[derive(Debug)]
pub(super) struct Prices(Vec<(GlobMatcher, Price)>);

impl Prices {
    pub(super) fn new(prices: &[Price]) -> Result<Self, ConfigError> {
        let matcher = |(place, price): (usize, &Price)| {
            let in_place = |error: ConfigError| error.in_key("model").in_key(format_args!("prices[{place}]"));
            if price.model.trim().is_empty() {
                let message = "a model has an empty name: write its name, or `*` for all models";
                return Err(in_place(ConfigError::new(message)));
            }
            let glob = glob(&price.model, false, false).map_err(|message| in_place(ConfigError::new(message)))?;
            Ok((glob.compile_matcher(), price.clone()))
        };
        prices.iter().enumerate().map(matcher).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn of(&self, model: &str) -> Option<&Price> {
        self.0.iter().find(|(matcher, _)| matcher.is_match(model)).map(|(_, price)| price)
    }
}
