//! The guard.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{Next, RailContext};
use exo_rails_policy::{ConfigError, Severity, ToolName};

use super::circuit::{Moves, Pass};
use super::{Breaker, CircuitBreakerConfig};
use crate::config::makes;
use crate::finding::Finding;
use crate::finding::FindingError;
use crate::kit_guard::KitGuard;
use crate::limits::failure::core_kind;
use crate::limits::surround::boxed;
use crate::store::StoreError;
use crate::store::{GuardStore, StateStore, StateStoreExt, key};

const GUARD: &str = "circuit_breaker";

/// Refuses calls of a tool or a model that has failed several times, until some time has passed.
///
/// Each tool and each model has its own circuit, which is in one of three states:
///
/// | circuit | what happens to calls |
/// |---|---|
/// | closed | Calls run. The circuit opens after [`failures`](field@Breaker::failures) in a row, or when [`failure_percent`](field@Breaker::failure_percent) of the calls in a window have failed. |
/// | open | Calls fail without running, for [`open_ms`](field@Breaker::open_ms). Then the circuit is half open. |
/// | half open | At most [`probes`](field@Breaker::probes) calls run at once, and other calls fail. If a call fails, the circuit opens again. When this number of calls have succeeded, it closes. |
///
/// A refused call fails with [`OperationErrorKind::Unavailable`] and a `retry_after`. Rails such as [`Retry`](crate::Retry) and
/// [`Fallback`](crate::Fallback) can act on this failure. The model reads the error of a tool call.
///
/// Only the failures of certain [`kinds`](field@Breaker::kinds) count. The circuits are in the store, so all processes that
/// share the store share them. If the store fails before a call, the call fails with [`OperationErrorKind::Unavailable`]. If
/// the store fails after a call, the result of the call remains, and the call does not count.
///
/// The rails are [around the operation](exo_rails::Next). The priority is 43, inside [`Concurrency`](crate::Concurrency) and
/// outside [`Timeouts`](crate::Timeouts). So the errors of `Concurrency` do not count as failures, and the errors of `Timeouts`
/// do. With this guard, a kit cannot be
/// registered with a [`HookManager`], because a hook runs no operation: [`try_register`](GuardSet::try_register) says so.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::CircuitBreaker;
/// use exo_rails_guards::circuit_breaker::Breaker;
/// use exo_rails_guards::rate_limits::RatedCalls;
///
/// rail_chain! { struct Guards { breaker: CircuitBreaker } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let breaker = CircuitBreaker::builder().breakers([Breaker::new("tools", RatedCalls::ToolCalls, 2)]).build()?;
/// let guards = Guards { breaker };
/// let mut ctx = RunContext::new("demo");
/// let down = |_| async { Err::<ToolOutput, _>(OperationError::new(OperationErrorKind::Unavailable, "no connection")) };
/// for expected in ["no connection", "no connection", "circuit_breaker/tools: `search` has failed too often"] {
///     let output = guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, down).await?;
///     assert!(output.content.contains(expected), "{}", output.content);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct CircuitBreaker {
    config: CircuitBreakerConfig,
    store: GuardStore,
}

impl CircuitBreaker {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key in these cases:
    ///
    /// - A breaker has no name, or two breakers have the same name.
    /// - `failures` and `failure_percent` are both 0, or `failure_percent` is more than 100.
    /// - `min_calls`, `window_ms`, `open_ms` or `probes` is 0, or `kinds` is empty.
    /// - A breaker of model calls names tools.
    pub fn new(config: CircuitBreakerConfig) -> Result<Self, ConfigError> {
        for (place, breaker) in config.breakers.iter().enumerate() {
            let earlier = &config.breakers[..place];
            breaker.check(earlier).map_err(|error| error.in_key(format_args!("breakers[{place}]")))?;
        }
        Ok(Self { config, store: GuardStore::default() })
    }

    /// Sets the store for the circuits. The default is a store in memory that only this guard uses.
    #[must_use]
    pub fn with_store(mut self, store: impl Into<GuardStore>) -> Self {
        self.store = store.into();
        self
    }

    /// Makes a call if its circuit allows it. The call must not begin before its future is polled.
    async fn through<T>(
        &self,
        tool: Option<&ToolName<'_>>,
        name: &str,
        store: Arc<dyn StateStore>,
        call: impl Future<Output = Result<T, OperationError>>,
    ) -> Result<T, OperationError> {
        let Some(breaker) = self.config.breakers.iter().find(|breaker| breaker.of.counts(&breaker.tools, tool)) else {
            return call.await;
        };
        let name_of_circuit = tool.and_then(|tool| tool.readings.first()).map_or(name, |reading| &**reading);
        let key = key([GUARD, &breaker.name, name_of_circuit]);
        let pass = store.update_aged(&key, |found| breaker.enter(found)).await.map_err(unknown)?;
        if let Pass::Refuse(wait) = pass {
            return Err(refusal(breaker, name, wait));
        }
        let result = call.await;
        let failed = match &result {
            Ok(_) => Some(false),
            Err(error) if breaker.kinds.iter().any(|kind| core_kind(*kind) == error.kind) => Some(true),
            Err(_) => None,
        };
        let opens = store.update_aged(&key, |found| breaker.leave(found, pass, failed)).await;
        let opens = opens.unwrap_or_else(|error| {
            // The call has happened, so the caller receives its result.
            tracing::warn!(%error, "a circuit breaker could not count a call");
            false
        });
        result.map_err(|error| if opens { FindingError::add(error, opened(breaker, name)) } else { error })
    }
}

fn unknown(error: StoreError) -> OperationError {
    let kind = OperationErrorKind::Unavailable;
    let mut failed = OperationError::new(kind, "circuit_breaker: the state of the circuit is not known");
    failed.source = Some(Box::new(error));
    failed
}

fn refusal(breaker: &Breaker, name: &str, wait: Duration) -> OperationError {
    let seconds = wait.as_millis().div_ceil(1_000);
    let message = format!("`{}` has failed too often. The next call is possible in {seconds} s", short(name));
    let finding = Finding::new(GUARD, breaker.name.clone(), Severity::Low, message);
    FindingError::refusal(finding, OperationErrorKind::Unavailable).with_retry_after(wait)
}

fn opened(breaker: &Breaker, name: &str) -> Finding {
    let message = format!("`{}` has failed too often: no calls for {} ms", short(name), breaker.open_ms);
    Finding::new(GUARD, breaker.name.clone(), Severity::Medium, message)
}

/// Shortens a name, because the model may have made it up.
fn short(name: &str) -> String {
    name.chars().filter(|char| !char.is_control()).take(64).collect()
}

#[rail(priority = 43, name = "circuit_breaker")]
impl CircuitBreaker {
    #[on(PreLlmCall, around)]
    async fn model(
        &self,
        request: &ModelCallInputs,
        next: impl Next<LlmCall>,
    ) -> Result<ModelResponse, OperationError> {
        let store = Arc::clone(self.store.at(next.scope()));
        self.through(None, request.model.as_deref().unwrap_or("the model"), store, boxed(next)).await
    }

    #[on(PreToolCall, around)]
    async fn tool(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let store = Arc::clone(self.store.at(next.scope()));
        self.through(Some(&ToolName::new(&call.tool_name)), &call.tool_name, store, boxed(next)).await
    }

    #[on(LlmError, always)]
    #[expect(clippy::unused_self, reason = "the rails of the guard are methods")]
    fn model_failed(&self, error: &OperationError, ctx: &mut RailContext) {
        FindingError::report(GUARD, error, ctx);
    }

    #[on(ToolError, always)]
    #[expect(clippy::unused_self, reason = "the rails of the guard are methods")]
    fn tool_failed(&self, error: &OperationError, ctx: &mut RailContext) {
        FindingError::report(GUARD, error, ctx);
    }
}

makes!(CircuitBreaker, CircuitBreakerConfig);

impl KitGuard for CircuitBreaker {
    type Config = CircuitBreakerConfig;
    type Needs = GuardStore;

    fn make(config: CircuitBreakerConfig, store: GuardStore) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_store(store))
    }
}
