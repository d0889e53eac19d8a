//! Prices of models.

use exo_rails::message::Usage;
use exo_rails_policy::ConfigError;
use exo_rails_policy::budgets::Price;
use globset::GlobMatcher;
use serde_json::Value;

use super::Decimal;
use crate::arguments::glob;

/// Returns the cost of a call at a price, in billionths.
pub(super) fn cost(price: &Price, usage: &Usage) -> u64 {
    let read = price.cached_prompt.map_or(0, |_| cached(usage)).min(usage.prompt_tokens);
    let written = price.cache_write.map_or(0, |_| field(&usage.extra, "cache_creation_input_tokens"));
    let written = written.min(usage.prompt_tokens - read);
    Decimal::cost([
        (usage.prompt_tokens - read - written, price.prompt),
        (read, price.cached_prompt.unwrap_or_default()),
        (written, price.cache_write.unwrap_or_default()),
        (completion(usage), price.completion),
    ])
}

/// Returns the largest cost of a call with these numbers of tokens at a price, in billionths.
pub(super) fn largest_cost(price: &Price, prompt: u64, completion: u64) -> u64 {
    let dearest = price.prompt.max(price.cached_prompt.unwrap_or_default()).max(price.cache_write.unwrap_or_default());
    Decimal::cost([(prompt, dearest), (completion, price.completion)])
}

/// Returns the tokens of an answer whose cost, with that of the prompt, is at most this amount in billionths.
pub(super) fn completion_for(price: &Price, prompt: u64, amount: u64) -> u64 {
    const MILLION: u64 = 1_000_000;
    let left = amount.saturating_sub(largest_cost(price, prompt, 0));
    let tokens = (u128::from(left) * u128::from(MILLION)).checked_div(largest_cost(price, 0, MILLION).into());
    tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(u64::MAX)
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
