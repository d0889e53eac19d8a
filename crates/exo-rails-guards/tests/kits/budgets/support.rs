//! Guards on a store that the test can read, and calls that use a given amount.

use std::sync::Arc;

use exo_rails::message::Usage;
use exo_rails::prelude::*;
use exo_rails_guards::budgets::{Budgets, BudgetsConfig};
use exo_rails_guards::store::{Counter, GuardStore, MemoryStore, StateStore, key};
use exo_rails_guards::{ConfigError, Scope, config};

rail_chain! {
    pub(crate) struct Rails { pub(crate) budgets: Budgets }
}

pub(crate) fn budgets(toml: &str) -> Budgets {
    let config: BudgetsConfig = config::from_toml(toml).unwrap();
    config.build().unwrap_or_else(|error: ConfigError| panic!("{error}"))
}

/// Returns rails with this configuration, and their store.
pub(crate) fn rails(toml: &str) -> (Rails, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new());
    (on(toml, store.clone()), store)
}

pub(crate) fn on(toml: &str, store: impl StateStore + 'static) -> Rails {
    Rails { budgets: budgets(toml).with_store(GuardStore::new(store)) }
}

/// Returns the counter of a limit.
pub(crate) async fn counter(store: &impl StateStore, name: &str, of: &str, per: Scope, id: &str) -> Counter {
    store.counter(&key(["budgets", name, of, per.name(), id])).await.unwrap()
}

pub(crate) fn usage(prompt_tokens: u64, completion_tokens: u64) -> Usage {
    Usage { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, ..Usage::default() }
}

pub(crate) fn answer(usage: Option<Usage>) -> ModelResponse {
    ModelResponse { usage, ..ModelResponse::text("hello") }
}

/// A request that a bounded answer follows. Its text has this number of bytes.
pub(crate) fn request(bytes: usize, max_tokens: Option<u64>) -> ModelCallInputs {
    let mut request = ModelCallInputs::new(vec![exo_rails::message::Message::user("x".repeat(bytes))]);
    if let Some(max_tokens) = max_tokens {
        request.extra.insert("max_tokens".to_owned(), max_tokens.into());
    }
    request
}

pub(crate) async fn model_call(
    rails: &Rails,
    ctx: &mut RunContext,
    usage: Option<Usage>,
) -> Result<ModelResponse, RunError> {
    let model = |_| async { Ok::<_, OperationError>(answer(usage.clone())) };
    rails.guard_llm_call(ModelCallInputs::default(), ctx, model).await
}

pub(crate) async fn tool_call(rails: &Rails, ctx: &mut RunContext, name: &str) -> String {
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    rails.guard_tool_call(ToolCallInputs::new(name), ctx, tool).await.unwrap().content
}
