//! The guard.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::RailContext;
use exo_rails::prelude::*;
use exo_rails_policy::{ConfigError, OnRefusal, Severity, ToolName};

use super::gcra::{Rate, rate_of};
use super::{RateLimit, RateLimitsConfig};
use crate::config::makes;
use crate::finding::Finding;
use crate::kit_guard::KitGuard;
use crate::limits::scope::ScopeError;
use crate::limits::scope::ScopeKey;
use crate::store::StoreError;
use crate::store::{Change, GuardStore, StateStore, StateStoreExt};

const GUARD: &str = "rate_limits";

/// Limits how often models and tools are called.
///
/// A [limit](RateLimit) allows a number of calls in each period, evenly distributed, and a burst of calls after a pause. The
/// algorithm is the generic cell rate algorithm ([ITU-T I.371](https://www.itu.int/rec/T-REC-I.371)), as in the crate
/// `governor`. Its state is one record in the store, so the limit applies to all processes together that share the store.
///
/// A call that comes too early waits, if the wait is at most [`max_wait_ms`](field@RateLimit::max_wait_ms). Otherwise the guard
/// refuses it: it skips a tool call, and the model reads when the next call is possible. It ends the run before a model call. A
/// refused call does not count.
///
/// A call that waits counts at once. If it is cancelled while it waits, it still counts. If it waits for one limit, it counts for
/// the others at once too, so it can run together with a later call that only they count.
///
/// If the store fails, or if a limit needs a user or a session that the run does not have, the guard faults, and the run ends.
/// In shadow, no call waits.
///
/// The priority is 35: after guards that check what a call contains, and before [`Budgets`](crate::Budgets), so that a waiting
/// call has not reserved anything.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::rate_limits::{Every, RateLimit, RateLimits, RatedCalls};
///
/// rail_chain! { struct Guards { rate_limits: RateLimits } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limit = RateLimit::new("search", RatedCalls::ToolCalls, 1, Every::Hour);
/// let guards = Guards { rate_limits: RateLimits::builder().limits([limit]).build()? };
/// let mut ctx = RunContext::new("demo");
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("found")) };
/// assert_eq!(guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?.content, "found");
/// let refused = guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
/// assert!(refused.content.contains("rate_limits/search: at most 1 tool calls per hour and run are allowed"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct RateLimits {
    config: RateLimitsConfig,
    store: GuardStore,
}

/// The reason why [`RateLimits`] could not decide. It is the cause of the guard's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RateLimitError {
    /// A limit needs a user or a session that the run does not have.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RateLimits {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key in these cases:
    ///
    /// - A limit has no name, or two limits have the same name.
    /// - `calls` or `burst` is 0.
    /// - A limit of model calls names tools.
    pub fn new(config: RateLimitsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self { config, store: GuardStore::default() })
    }

    /// Sets the store for the state of the limits. The default is a store in memory that only this guard uses.
    #[must_use]
    pub fn with_store(mut self, store: impl Into<GuardStore>) -> Self {
        self.store = store.into();
        self
    }

    /// Takes a place in each limit of the call, and waits until all of them allow the call. Returns a finding if one refuses
    /// it.
    async fn pass(&self, tool: Option<&ToolName<'_>>, ctx: &RailContext) -> Result<Option<Finding>, RateLimitError> {
        let store = self.store.at(ctx);
        let (mut taken, mut longest) = (Vec::<(String, Rate)>::new(), Duration::ZERO);
        for limit in self.config.limits.iter().filter(|limit| limit.of.counts(&limit.tools, tool)) {
            let key = limit.per.key(GUARD, &limit.name, "rate", ctx)?;
            match take(store, &key, limit).await? {
                Ok(wait) => longest = longest.max(wait),
                Err(wait) => {
                    for (key, rate) in taken {
                        give_back(store, &key, rate).await?;
                    }
                    return Ok(Some(refusal(limit, wait)));
                }
            }
            taken.push((key, rate_of(limit)));
        }
        if !longest.is_zero() && !ctx.is_shadow() {
            pause(longest, ctx).await;
        }
        Ok(None)
    }
}

/// Waits. If the run is cancelled, the wait ends, and the library ends the call.
async fn pause(wait: Duration, ctx: &RailContext) {
    let sleep = tokio::time::sleep(wait);
    match ctx.cancellation() {
        Some(token) => drop(token.run_until_cancelled(sleep).await),
        None => sleep.await,
    }
}

/// Takes a place. Returns how long the call must wait. The time is an `Err` if it is too long.
async fn take(
    store: &Arc<dyn StateStore>,
    key: &str,
    limit: &RateLimit,
) -> Result<Result<Duration, Duration>, StoreError> {
    let (rate, longest) = (rate_of(limit), Duration::from_millis(limit.max_wait_ms));
    store
        .update_aged(key, |found: Option<(u64, Duration)>| {
            let (ahead, age) = found.unwrap_or_default();
            let taken = rate.take(ahead, age);
            if taken.wait > longest {
                return (Change::Keep, Err(taken.wait));
            }
            (put(taken.ahead), Ok(taken.wait))
        })
        .await
}

async fn give_back(store: &Arc<dyn StateStore>, key: &str, rate: Rate) -> Result<(), StoreError> {
    store
        .update_aged(key, |found: Option<(u64, Duration)>| match found {
            Some((ahead, age)) => (put(rate.give_back(ahead, age)), ()),
            None => (Change::Keep, ()),
        })
        .await
}

/// Writes the state. The record expires when it has no effect any more.
fn put(ahead: u64) -> Change<u64> {
    Change::Put(ahead, Some(Duration::from_nanos(ahead) + Duration::from_secs(1)))
}

fn refusal(limit: &RateLimit, wait: Duration) -> Finding {
    let RateLimit { calls, every, of, per, .. } = limit;
    let message = format!(
        "at most {calls} {} per {} and {per} are allowed. The next one is possible in {} s",
        of.shown(),
        every.shown(),
        wait.as_millis().div_ceil(1_000)
    );
    Finding::new(GUARD, limit.name.clone(), Severity::Medium, message)
}

#[rail(priority = 35, name = "rate_limits")]
impl RateLimits {
    #[on(PreLlmCall)]
    async fn before_model(&self, ctx: &mut RailContext) -> Result<RailAction, RateLimitError> {
        let Some(finding) = self.pass(None, ctx).await? else { return Ok(RailAction::Continue) };
        let reason = finding.reason();
        finding.report(ctx);
        Ok(RailAction::abort(reason))
    }

    #[on(PreToolCall)]
    async fn before_tool(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, RateLimitError> {
        let finding = self.pass(Some(&ToolName::new(&call.tool_name)), ctx).await?;
        let Some(finding) = finding else { return Ok(RailAction::Continue) };
        let reason = finding.reason();
        finding.report(ctx);
        Ok(match self.config.on_refusal {
            OnRefusal::Skip => RailAction::skip(reason),
            OnRefusal::Abort => RailAction::abort(reason),
        })
    }
}

makes!(RateLimits, RateLimitsConfig);

impl KitGuard for RateLimits {
    type Config = RateLimitsConfig;
    type Needs = GuardStore;

    fn make(config: RateLimitsConfig, store: GuardStore) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_store(store))
    }
}
