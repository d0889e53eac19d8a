//! Limits of the number of calls that run at once.

pub use exo_rails_policy::concurrency::{ConcurrencyConfig, ConcurrencyLimit};
use std::sync::Arc;
use std::time::Duration;

use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{Next, OperationErrorKind, RailContext};
use exo_rails_policy::ToolName;
use exo_rails_policy::{ConfigError, Severity};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::config::makes;
use crate::finding::Finding;
use crate::finding::FindingError;
use crate::kit_guard::KitGuard;
use crate::limits::held::Open;
use crate::limits::surround::boxed;
use crate::store::{Claim, GuardStore, StateStore, key};

const GUARD: &str = "concurrency";

/// Limits how many model calls and tool calls run at once, in one process or in all processes that share a store.
///
/// If a limit has no place for a call, the call waits until another call has ended. After
/// [`max_wait_ms`](field@ConcurrencyLimit::max_wait_ms), it fails with [`OperationErrorKind::RateLimited`]. The model reads the
/// error of a tool call. The place of a call is free again when the call ends, fails or is dropped.
///
/// A limit with [`lease_ms`](field@ConcurrencyLimit::lease_ms) applies to all processes together that share the
/// [store](Self::with_store). If a process dies, its places are free after this time. If the store fails, the call fails with
/// [`OperationErrorKind::Unavailable`].
///
/// A call inside another call, such as a call of an agent that runs in a tool, needs its own place. If the outer calls have all
/// places, the inner calls wait, and then fail.
///
/// The rails are [around the operation](exo_rails::Next). The priority is 42, so the guard runs outside of
/// [`Timeouts`](crate::Timeouts), and the time limit does not include the wait for a place. Each attempt of a retry takes a new
/// place. With this guard, a kit cannot be
/// registered with a [`HookManager`], because a hook runs no operation: [`try_register`](GuardSet::try_register) says so.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::{Concurrency, Kit, Timeouts};
/// use exo_rails_guards::concurrency::ConcurrencyLimit;
/// use exo_rails_guards::rate_limits::RatedCalls;
///
/// rail_chain! { struct Guards { kit: Kit, concurrency: Concurrency, timeouts: Timeouts } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limit = ConcurrencyLimit::new("builds", RatedCalls::ToolCalls, 1).tools(["build".parse()?]).max_wait_ms(0);
/// let concurrency = Concurrency::builder().limits([limit]).build()?;
/// let guards = Guards { kit: Kit::default(), concurrency, timeouts: Timeouts::builder().build()? };
/// let inner = |_| async { Ok::<_, OperationError>(ToolOutput::text("built")) };
/// let outer = |permit: exo_rails::Permit<ToolCallInputs>| {
///     let guards = &guards;
///     async move {
///         let call = ToolCallInputs::new("build");
///         let output = guards.guard_tool_call(call, &mut permit.context(), inner).await;
///         output.map_err(|error| OperationError::from(error.to_string()))
///     }
/// };
/// let output = guards.guard_tool_call(ToolCallInputs::new("build"), &mut RunContext::new("demo"), outer).await?;
/// assert!(output.content.contains("concurrency/builds: 1 tool calls are running"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Concurrency {
    limits: Vec<(ConcurrencyLimit, Arc<Semaphore>)>,
    store: GuardStore,
}

/// The time after which a waiting call asks the store again for a place.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// A place of a running call. Dropping it frees the place.
enum Place<'s> {
    Local { _permit: SemaphorePermit<'s> },
    Lease { _open: Open },
}

/// Waits for a place in the store.
async fn lease(limit: &ConcurrencyLimit, store: &Arc<dyn StateStore>) -> Result<Open, OperationError> {
    let end = Instant::now() + Duration::from_millis(limit.max_wait_ms);
    let key = key([GUARD, &limit.name]);
    let claim = Claim { key: &key, amount: 1, limit: u64::from(limit.most), window: None };
    loop {
        match store.reserve(&[claim], Duration::from_millis(limit.lease_ms)).await {
            // When the call ends, it has used 0 of the counter.
            Ok(Ok(reservation)) => return Ok(Open::new(reservation, Arc::clone(store), vec![0])),
            Ok(Err(_)) if Instant::now() >= end => return Err(no_place(limit)),
            Ok(Err(_)) => tokio::time::sleep_until(end.min(Instant::now() + ASK_AGAIN)).await,
            Err(error) => {
                let message = format!("concurrency/{}: the running calls are not known", limit.name);
                let mut failed = OperationError::new(OperationErrorKind::Unavailable, message);
                failed.source = Some(Box::new(error));
                return Err(failed);
            }
        }
    }
}

fn no_place(limit: &ConcurrencyLimit) -> OperationError {
    let ConcurrencyLimit { name, of, most, max_wait_ms, .. } = limit;
    let message =
        format!("{most} {} are running, and no place was free within {max_wait_ms} ms: call later", of.shown());
    let finding = Finding::new(GUARD, name.clone(), Severity::Low, message);
    FindingError::refusal(finding, OperationErrorKind::RateLimited)
}

impl Concurrency {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key in these cases:
    ///
    /// - A limit has no name, or two limits with `lease_ms` have the same name.
    /// - `most` is 0.
    /// - A limit of model calls names tools.
    pub fn new(config: ConcurrencyConfig) -> Result<Self, ConfigError> {
        for (place, limit) in config.limits.iter().enumerate() {
            let in_place = |error: ConfigError| error.in_key(format_args!("limits[{place}]"));
            if limit.name.trim().is_empty() {
                return Err(in_place(ConfigError::new("the limit has no name: errors need one").in_key("name")));
            }
            if limit.most == 0 {
                return Err(in_place(ConfigError::new("0 would refuse every call: write at least 1").in_key("most")));
            }
            if limit.lease_ms > 0 && config.limits[..place].iter().any(|other| other.name == limit.name) {
                let message =
                    format!("`{}` is the name of two limits, which would share their places: rename one", limit.name);
                return Err(in_place(ConfigError::new(message).in_key("name")));
            }
            limit.of.check_tools(&limit.tools).map_err(in_place)?;
        }
        let places = |limit: ConcurrencyLimit| {
            let most = usize::try_from(limit.most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
            (limit, Arc::new(Semaphore::new(most)))
        };
        Ok(Self { limits: config.limits.into_iter().map(places).collect(), store: GuardStore::default() })
    }

    /// Sets the store for the limits with [`lease_ms`](field@ConcurrencyLimit::lease_ms). The default is a store in memory that
    /// only this guard uses. Guards with clones of one [`GuardStore`] share the places of limits with the same name and number, so a
    /// guard that replaces another one counts the calls that run.
    #[must_use]
    pub fn with_store(mut self, store: impl Into<GuardStore>) -> Self {
        self.store = store.into();
        for (number, (limit, places)) in self.limits.iter_mut().enumerate() {
            let most = usize::try_from(limit.most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
            // Limits without a lease can have equal names.
            *places = self.store.places(format!("{number}/{}", limit.name), most);
        }
        self
    }

    /// Waits for a place in each limit. All calls take their places in the same order, so they cannot wait for each other
    /// forever.
    async fn places(
        &self,
        tool: Option<&ToolName<'_>>,
        store: &Arc<dyn StateStore>,
    ) -> Result<Vec<Place<'_>>, OperationError> {
        let mut places = Vec::new();
        for (limit, semaphore) in &self.limits {
            if limit.of.counts(&limit.tools, tool) {
                if limit.lease_ms > 0 {
                    places.push(Place::Lease { _open: lease(limit, store).await? });
                    continue;
                }
                let wait = Duration::from_millis(limit.max_wait_ms);
                let place = tokio::time::timeout(wait, semaphore.acquire()).await;
                let place = place.ok().and_then(Result::ok).ok_or_else(|| no_place(limit))?;
                places.push(Place::Local { _permit: place });
            }
        }
        Ok(places)
    }
}

#[rail(priority = 42, name = "concurrency")]
impl Concurrency {
    #[on(PreLlmCall, around)]
    async fn model(&self, next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        let _places = self.places(None, self.store.at(next.scope())).await?;
        boxed(next).await
    }

    #[on(PreToolCall, around)]
    async fn tool(&self, call: &ToolCallInputs, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let name = ToolName::new(&call.tool_name);
        let _places = self.places(Some(&name), self.store.at(next.scope())).await?;
        boxed(next).await
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

makes!(Concurrency, ConcurrencyConfig);

impl KitGuard for Concurrency {
    type Config = ConcurrencyConfig;
    type Needs = GuardStore;

    fn make(config: ConcurrencyConfig, store: GuardStore) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_store(store))
    }
}
