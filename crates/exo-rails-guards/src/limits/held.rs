//! The reserved amounts of the calls of a run.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use exo_rails::RunScope;
use exo_rails::message::Usage;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::limits::call_id::CallId;
use crate::store::StoreError;
use crate::store::{Claim, Counter, MAX_AMOUNT, OverLimit, Reservation, StateStore, StateStoreExt, TIME_LIMIT};
use exo_rails_policy::budgets::Measure;

/// The amount of a limit that a call has reserved.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) measure: Measure,
    /// The index of the limit in the configuration.
    pub(crate) limit: usize,
    /// The key of the counter.
    pub(crate) key: String,
    pub(crate) amount: u64,
    /// The smallest amount that the call needs.
    pub(crate) least: u64,
    /// The largest amount of the counter.
    pub(crate) most: u64,
    pub(crate) window: Option<Duration>,
    /// Whether the limit counts for one run.
    pub(crate) is_of_run: bool,
}

/// What the limits of a run have counted: a value of the run that each of its records has. So a run that goes on with a store
/// that has lost the counts brings them along.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RunAmounts {
    /// The amounts by the keys of their counters.
    counts: BTreeMap<String, RunAmount>,
    /// Whether the store was compared with the amounts since the run has begun or gone on.
    #[serde(skip)]
    is_compared: bool,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RunAmount {
    used: u64,
    window: Option<Duration>,
    /// The time of the last count, in milliseconds since 1970.
    at: u64,
}

impl RunAmount {
    /// Returns whether the window of the amount is surely over.
    fn has_ended(&self) -> bool {
        let age = Duration::from_millis(unix_ms().saturating_sub(self.at));
        self.window.is_some_and(|window| age >= window)
    }
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl RunAmounts {
    /// Gives the store the amounts that it has lost.
    pub(crate) async fn restore(
        name: &'static str,
        store: &Arc<dyn StateStore>,
        ctx: &RunScope,
    ) -> Result<(), RestoreError> {
        let saved = ctx.run.update_kept(name, |Self { counts, is_compared }: &mut Self| {
            (!*is_compared).then(|| counts.iter().map(|(key, amount)| (key.clone(), *amount)).collect::<Vec<_>>())
        })?;
        let Some(saved) = saved else { return Ok(()) };
        for (key, amount) in saved.into_iter().filter(|(_, amount)| !amount.has_ended()) {
            let Counter { used, reserved, .. } = store.counter(&key).await?;
            let missing = amount.used.saturating_sub(used).saturating_sub(reserved);
            if missing == 0 {
                continue;
            }
            let claim = Claim { key: &key, amount: missing, limit: amount.used, window: amount.window };
            // Without room, another call of the run has already put the amount back.
            if let Ok(reservation) = store.reserve(&[claim], TIME_LIMIT).await? {
                store.settle(&reservation, &[missing]).await?;
            }
        }
        ctx.run.update_kept(name, |amounts: &mut Self| amounts.is_compared = true)?;
        Ok(())
    }
}

impl RunAmounts {
    /// Releases the counters of a run that has ended. If the run goes on nevertheless, for example because a later rail asks for
    /// another attempt, the store gets the amounts again.
    pub(crate) async fn release(
        name: &'static str,
        store: &Arc<dyn StateStore>,
        ctx: &RunScope,
    ) -> Result<(), RestoreError> {
        let counters = ctx.run.update_kept(name, |Self { counts, is_compared }: &mut Self| {
            *is_compared = false;
            counts.keys().cloned().collect::<Vec<_>>()
        })?;
        if !counters.is_empty() {
            store.forget(&counters).await?;
        }
        Ok(())
    }
}

/// The reason why a store cannot get the amounts of a run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Saved(#[from] serde_json::Error),
}

/// The reserved amounts of a call. If nobody settles them, for example because the run ends, dropping the hold settles them.
#[derive(Debug)]
pub(crate) struct Hold {
    pub(crate) guard: Arc<str>,
    pub(crate) call: CallId,
    pub(crate) parts: Vec<Part>,
    /// The usage of the run that no response had reported when the call began.
    pub(crate) unclaimed: Usage,
    cut: Option<Cut>,
    open: Open,
}

/// Where a budget cuts a streamed answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// The index of the limit in the configuration.
    pub(crate) limit: usize,
    pub(crate) bytes: u64,
}

/// A reservation that is not settled. Dropping it settles it.
#[derive(Debug)]
pub(crate) struct Open {
    /// `None` after the settlement.
    reservation: Option<Reservation>,
    store: Arc<dyn StateStore>,
    /// The used amounts that are known so far.
    used: Vec<u64>,
}

impl Open {
    pub(crate) const fn new(reservation: Reservation, store: Arc<dyn StateStore>, used: Vec<u64>) -> Self {
        Self { reservation: Some(reservation), store, used }
    }
}

impl Hold {
    pub(crate) fn new(
        (guard, call): (Arc<str>, CallId),
        parts: Vec<Part>,
        (reservation, store): (Reservation, Arc<dyn StateStore>),
        used: Vec<u64>,
    ) -> Self {
        let open = Open::new(reservation, store, used);
        Self { guard, call, parts, unclaimed: Usage::default(), cut: None, open }
    }

    /// Sets the amounts that count if nobody settles the hold.
    pub(crate) fn set_used(&mut self, used: Vec<u64>) {
        self.open.used = used;
    }

    /// Settles the reservation with the used amounts.
    ///
    /// After an error, the caller keeps the hold and settles it again. The second settlement of a reservation counts nothing.
    pub(crate) async fn settle(&mut self) -> Result<(), StoreError> {
        if let Some(reservation) = &self.open.reservation {
            self.open.store.settle(reservation, &self.open.used).await?;
        }
        self.open.reservation = None;
        Ok(())
    }

    /// Notes the used amounts in the run, after the settlement.
    pub(crate) fn note(&self, name: &'static str, ctx: &RunScope) -> serde_json::Result<()> {
        let of_run = || self.parts.iter().zip(&self.open.used).filter(|(part, used)| part.is_of_run && **used > 0);
        if of_run().next().is_none() {
            return Ok(());
        }
        ctx.run.update_kept(name, |RunAmounts { counts, .. }: &mut RunAmounts| {
            for (part, used) in of_run() {
                let amount = counts.entry(part.key.clone()).or_default();
                if amount.has_ended() {
                    amount.used = 0;
                }
                let used = amount.used.saturating_add(*used).min(MAX_AMOUNT);
                *amount = RunAmount { used, window: part.window, at: unix_ms() };
            }
        })
    }
}

/// A reservation that the store is making. A store with I/O finishes the reservation even if nobody waits for it. So if the
/// call is dropped in the meantime, a task waits for the reservation and gives it back.
pub(crate) struct Reserving {
    future: Option<Pin<Box<dyn Future<Output = Reserved> + Send>>>,
    store: Arc<dyn StateStore>,
}

pub(crate) type Reserved = Result<Result<Reservation, OverLimit>, StoreError>;

impl Reserving {
    pub(crate) fn new(store: &Arc<dyn StateStore>, parts: &[Part], hold_for: Duration) -> Self {
        let (used, parts) = (Arc::clone(store), parts.to_vec());
        let future = async move {
            let claim = |part| {
                let Part { key, amount, most, window, .. }: &Part = part;
                Claim { key, amount: *amount, limit: *most, window: *window }
            };
            let claims: Vec<Claim<'_>> = parts.iter().map(claim).collect();
            used.reserve(&claims, hold_for).await
        };
        Self { future: Some(Box::pin(future)), store: Arc::clone(store) }
    }
}

impl Future for Reserving {
    type Output = Reserved;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Reserved> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        let reserved = future.as_mut().poll(cx);
        if reserved.is_ready() {
            self.future = None;
        }
        reserved
    }
}

impl Drop for Reserving {
    fn drop(&mut self) {
        let (Some(future), Ok(runtime)) = (self.future.take(), Handle::try_current()) else { return };
        let store = Arc::clone(&self.store);
        runtime.spawn(async move {
            if let Ok(Ok(reservation)) = future.await
                && let Err(error) = store.give_back(&reservation).await
            {
                report_unsettled(&error);
            }
        });
    }
}

fn report_unsettled(error: &StoreError) {
    tracing::warn!(%error, "the reserved amounts of a budget are not settled, and expire");
}

impl Drop for Open {
    fn drop(&mut self) {
        let Some(reservation) = self.reservation.take() else { return };
        // Outside a runtime, a store with a time limit does not work. Then the reservation expires.
        let Ok(runtime) = Handle::try_current() else { return };
        let (store, used) = (Arc::clone(&self.store), std::mem::take(&mut self.used));
        let mut settlement = Box::pin(async move {
            if let Err(error) = store.settle(&reservation, &used).await {
                report_unsettled(&error);
            }
        });
        // A store in memory finishes at the first poll. A timer panics if the runtime is shutting down, and a panic inside a
        // drop could end the process.
        let poll = || settlement.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending();
        if catch_unwind(AssertUnwindSafe(poll)).unwrap_or(false) {
            runtime.spawn(settlement);
        }
    }
}

/// The state of all budgets in a run: a value in `ctx.run`.
#[derive(Default)]
pub(crate) struct Held {
    holds: Vec<Hold>,
    /// The calls that the event after the call must not count: their error event has settled them, or a guard in shadow would
    /// have refused them.
    ended: Vec<(Arc<str>, CallId)>,
    /// Holds that the store could not settle.
    unsettled: Vec<Hold>,
    /// The usage of responses that budgets have counted.
    claimed: Vec<(Arc<str>, Usage)>,
    /// When the wall time was counted for the last time.
    clocks: Vec<(Arc<str>, Instant)>,
    /// The limits about which the model has read a warning.
    warned: Vec<(Arc<str>, usize)>,
}

impl Held {
    /// Begins an attempt of a call. Returns the holds that earlier calls have left behind, because the store failed after them
    /// or because they were dropped.
    pub(crate) fn begin(&mut self, guard: &Arc<str>, call: CallId, attempt: u32) -> Vec<Hold> {
        self.ended.retain(|(of, id)| of != guard || *id != call);
        let mut left = std::mem::take(&mut self.unsettled);
        // The id of a call in shadow has no address, so the hold may belong to an equal call that is running.
        if call.is_unique() {
            let unfinished = self.holds.extract_if(.., |hold| hold.guard == *guard && hold.call == call);
            left.extend(unfinished.map(|mut hold| {
                // A later rail has retried before the call was made.
                if attempt > 0 {
                    hold.open.used.fill(0);
                }
                hold
            }));
        }
        left
    }

    pub(crate) fn hold(&mut self, hold: Hold) {
        self.holds.push(hold);
    }

    /// Returns the parts of a call that has begun.
    pub(crate) fn parts(&mut self, guard: &Arc<str>, call: CallId) -> Vec<Part> {
        self.of(guard, call).map(|hold| hold.parts.clone()).unwrap_or_default()
    }

    /// Sets where the answer of a call is cut.
    pub(crate) fn set_cut(&mut self, guard: &Arc<str>, call: CallId, cut: Cut) {
        if let Some(hold) = self.of(guard, call) {
            hold.cut = Some(cut);
        }
    }

    /// Returns where the answer of a call is cut.
    pub(crate) fn cut(&mut self, guard: &Arc<str>, call: CallId) -> Option<Cut> {
        self.of(guard, call)?.cut
    }

    fn of(&mut self, guard: &Arc<str>, call: CallId) -> Option<&mut Hold> {
        self.holds.iter_mut().rfind(|hold| hold.guard == *guard && hold.call == call)
    }

    pub(crate) fn end(&mut self, guard: &Arc<str>, call: CallId) -> Option<Hold> {
        let place = self.holds.iter().rposition(|hold| hold.guard == *guard && hold.call == call)?;
        Some(self.holds.swap_remove(place))
    }

    /// Takes the holds of a call that another guard with one of these keys has made. This guard has replaced the other one.
    pub(crate) fn end_replaced(&mut self, guard: &Arc<str>, call: CallId, keys: &[&str]) -> Vec<Hold> {
        let has_key = |hold: &Hold| hold.parts.iter().any(|part| keys.contains(&part.key.as_str()));
        let is_it = |hold: &mut Hold| call.is_unique() && hold.call == call && hold.guard != *guard && has_key(hold);
        self.holds.extract_if(.., is_it).collect()
    }

    /// Ends all calls of the guard.
    pub(crate) fn end_all(&mut self, guard: &Arc<str>) -> Vec<Hold> {
        self.holds.extract_if(.., |hold| hold.guard == *guard).collect()
    }

    pub(crate) fn keep_unsettled(&mut self, hold: Hold) {
        self.unsettled.push(hold);
    }

    pub(crate) fn set_ended(&mut self, guard: &Arc<str>, call: CallId) {
        self.ended.push((Arc::clone(guard), call));
    }

    /// Returns whether the event after the call must not count the call. Forgets the call.
    pub(crate) fn take_ended(&mut self, guard: &Arc<str>, call: CallId) -> bool {
        let place = self.ended.iter().rposition(|(of, id)| of == guard && *id == call);
        place.map(|place| self.ended.swap_remove(place)).is_some()
    }

    /// Counts the usage of a response.
    pub(crate) fn claim(&mut self, guard: &Arc<str>, usage: &Usage) {
        *of_guard(&mut self.claimed, guard, Usage::default) += usage;
    }

    /// Returns the usage of the run that no response has reported, for example of a stream that has failed.
    pub(crate) fn unclaimed(&mut self, guard: &Arc<str>, total: &Usage) -> Usage {
        let claimed = of_guard(&mut self.claimed, guard, Usage::default);
        difference(total, claimed)
    }

    /// Returns the time since the last count, and starts to count from now on if `restart` is set.
    pub(crate) fn elapsed(&mut self, guard: &Arc<str>, restart: bool) -> u64 {
        let now = Instant::now();
        let last = of_guard(&mut self.clocks, guard, || now);
        let elapsed = now.duration_since(*last).as_millis();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        if restart {
            // Parts of a millisecond count next time.
            *last += Duration::from_millis(elapsed);
        }
        elapsed
    }

    /// Returns whether the model has not been warned about the limit yet.
    pub(crate) fn warn_once(&mut self, guard: &Arc<str>, limit: usize) -> bool {
        let is_new = !self.warned.iter().any(|(of, warned)| of == guard && *warned == limit);
        if is_new {
            self.warned.push((Arc::clone(guard), limit));
        }
        is_new
    }
}

fn of_guard<'v, T>(values: &'v mut Vec<(Arc<str>, T)>, guard: &Arc<str>, new: impl FnOnce() -> T) -> &'v mut T {
    let place = values.iter().position(|(of, _)| of == guard).unwrap_or_else(|| {
        values.push((Arc::clone(guard), new()));
        values.len() - 1
    });
    &mut values[place].1
}

/// Returns the difference of two usages.
pub(crate) fn difference(total: &Usage, part: &Usage) -> Usage {
    Usage {
        prompt_tokens: total.prompt_tokens.saturating_sub(part.prompt_tokens),
        completion_tokens: total.completion_tokens.saturating_sub(part.completion_tokens),
        total_tokens: total.total_tokens.saturating_sub(part.total_tokens),
        ..Usage::default()
    }
}
