//! The guard.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::message::{Message, Usage};
use exo_rails::prelude::*;
use exo_rails::{AnswerLimit, DroppedInputs, OperationEnd, RailContext};
use exo_rails_policy::ToolName;
use exo_rails_policy::budgets::{Price, Unit};
use exo_rails_policy::{ConfigError, OnRefusal, Scope, Severity};

use super::estimate::{Expected, usage_of_cut};
use super::price::{Prices, completion, completion_for, cost, largest_cost};
use super::{BudgetLimit, BudgetsConfig, Measure, UnknownPrice, Unreported};
use crate::config::makes;
use crate::finding::Finding;
use crate::finding::FindingError;
use crate::kit_guard::KitGuard;
use crate::limits::call_id::{CallId, Fallbacks, Operation, was_skipped};
use crate::limits::held::{Cut, Held, Hold, Part, Reserved, Reserving, RestoreError, RunAmounts, difference};
use crate::limits::scope::ScopeError;
use crate::limits::scope::ScopeKey;
use crate::store::StoreError;
use crate::store::{Counter, GuardStore, MAX_AMOUNT, OverLimit, StateStore};

const GUARD: &str = "budgets";

/// Refuses model calls and tool calls for which a budget has no room.
///
/// A [limit](super::BudgetLimit) counts calls, tokens, costs, time or bytes, for a run, a session, a user, an agent or the
/// whole program. A call runs only if each limit that counts it has room.
///
/// - **Before a call**, the guard reserves the amounts that the call will probably use. So running calls count too, also in
///   other processes with the same store. [`Estimate`](super::Estimate) says when tokens and costs can still exceed a budget.
/// - **After the call**, the real amounts count. Each attempt of a retry is a call, and so is each call of a
///   [`Fallback`](crate::Fallback). They count for the limits of the first call. The cost of a fallback model has the price of
///   the first model. A call that a guard around it refuses, such as [`Concurrency`](crate::Concurrency), uses nothing.
/// - **If the call fails or is dropped**, the reserved amounts are free again.
///   [`interrupted`](super::BudgetsConfig::interrupted) decides what counts for the call. If an agent in a tool is dropped, the
///   amounts of its running calls stay reserved until the run around it ends.
/// - **If the process dies**, the reserved amounts are free after [`hold_for_ms`](super::BudgetsConfig::hold_for_ms).
///
/// If a limit has no room, the guard skips a tool call, and the model reads the reason. It ends the run before a model call.
/// A streamed answer is cut when the budgets have no more room for its tokens: see [`Estimate`](super::Estimate).
///
/// The finding and the reason name the limit as the rule, such as `budgets/day`. By default, when 80 % of a limit are used, the
/// model reads a warning, once in a run, and a finding with the severity `low` reports it.
///
/// If the store fails before a call, or if a limit needs a user or a session that the run does not have, the guard faults, and
/// the run ends. If the store fails after a call, the run continues, and the guard counts the amounts before the next call of
/// the run.
///
/// The priority is 40. Calls that guards with a lower priority refuse reserve nothing.
///
/// ```
/// use exo_rails::message::Usage;
/// use exo_rails::prelude::*;
/// use exo_rails_guards::budgets::{BudgetLimit, Budgets, Measure, Window};
/// use exo_rails_guards::{Scope, UserId};
///
/// rail_chain! { struct Guards { budgets: Budgets } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let day = BudgetLimit::new("day", Measure::TotalTokens, 2_000).per(Scope::User).window(Window::Day);
/// let mails = BudgetLimit::new("mails", Measure::ToolCalls, 1).tools(["send_*".parse()?]);
/// let guards = Guards { budgets: Budgets::builder().limits([day, mails]).build()? };
///
/// let mut ctx = RunContext::new("desk");
/// ctx.run.insert(UserId::new("ada"));
/// let mail = |_| async { Ok::<_, OperationError>(ToolOutput::text("sent")) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("send_mail"), &mut ctx, mail).await?;
/// assert_eq!(output.content, "sent");
/// let output = guards.guard_tool_call(ToolCallInputs::new("send_mail"), &mut ctx, mail).await?;
/// assert!(output.content.contains("budgets/mails: the budget of 1 tool calls per run has no room: 1 are used"));
///
/// let model = |_| async {
///     let usage = Usage { prompt_tokens: 1_500, completion_tokens: 500, total_tokens: 2_000, ..Usage::default() };
///     Ok::<_, OperationError>(ModelResponse { usage: Some(usage), ..ModelResponse::text("hello") })
/// };
/// guards.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
/// let error = guards.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap_err();
/// assert!(error.to_string().contains("budgets/day: the budget of 2000 tokens per user and day has no room"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Budgets {
    config: BudgetsConfig,
    prices: Prices,
    /// The names of the limits. If another guard with the same limits replaces this one, it ends the calls that this one has
    /// begun.
    id: Arc<str>,
    store: GuardStore,
}

/// The reason why [`Budgets`] could not decide. It is the cause of the guard's fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// A limit needs a user or a session that the run does not have.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The amounts in the record of the run cannot be read.
    #[error("the saved state `budgets` cannot be read: {0}")]
    Saved(#[from] serde_json::Error),
}

impl From<RestoreError> for BudgetError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Store(error) => Self::Store(error),
            RestoreError::Saved(error) => Self::Saved(error),
        }
    }
}

/// A call to count.
#[derive(Clone, Copy)]
enum Call<'c> {
    Model { request: &'c ModelCallInputs, price: Option<&'c Price> },
    Tool(&'c ToolCallInputs),
}

/// What a call has used.
#[derive(Clone, Copy, Default)]
struct Used<'c> {
    /// 1 if the call was made, and otherwise 0.
    calls: u64,
    usage: Option<&'c Usage>,
    /// The usage of an answer that was cut at a limit, from its length. The server has not reported it.
    cut: Option<&'c Usage>,
    /// What counts if there is no usage.
    without_usage: Option<Unreported>,
    bytes: u64,
    milliseconds: u64,
}

impl Call<'_> {
    const fn operation(&self) -> Operation {
        match self {
            Self::Model { .. } => Operation::Model,
            Self::Tool(_) => Operation::Tool,
        }
    }
}

impl Budgets {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key in these cases:
    ///
    /// - A limit has no name, or two limits have the same name.
    /// - `most` is 0, or has digits after the point although the limit does not count costs.
    /// - A limit that does not count tool calls names tools.
    /// - A limit counts costs, and there are no prices.
    /// - The name of a model in a price is empty, or is not a valid glob.
    /// - `hold_for_ms` or `estimate.bytes_per_token` is 0, or `warn_at_percent` is more than 100.
    pub fn new(config: BudgetsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let prices = Prices::new(&config.prices)?;
        let names: Vec<&str> = config.limits.iter().map(|limit| limit.name.as_str()).collect();
        let id = names.join("\n").into();
        Ok(Self { config, prices, id, store: GuardStore::default() })
    }

    /// Sets the store for the counts. The default is a store in memory that only this guard uses.
    #[must_use]
    pub fn with_store(mut self, store: impl Into<GuardStore>) -> Self {
        self.store = store.into();
        self
    }

    fn price(&self, request: &ModelCallInputs) -> Option<&Price> {
        self.prices.of(self.model(request))
    }

    fn model<'m>(&'m self, request: &'m ModelCallInputs) -> &'m str {
        request.model.as_deref().unwrap_or(&self.config.default_model)
    }

    /// Returns the finding about a model without a price.
    fn unknown_price(&self, request: &ModelCallInputs) -> Option<Finding> {
        let counts_cost = self.config.limits.iter().any(|limit| limit.of == Measure::Cost);
        if !counts_cost || self.price(request).is_some() {
            return None;
        }
        let message = match self.model(request) {
            "" => "the request names no model, and without a model it has no price: set `default_model`".to_owned(),
            model => format!("the model `{model}` has no price: add it to `prices`"),
        };
        let severity = match self.config.unknown_price {
            UnknownPrice::Refuse => Severity::Medium,
            UnknownPrice::Free => Severity::Low,
        };
        Some(Finding::new(GUARD, "unknown_price", severity, message))
    }

    /// Reserves room for a call. Returns the finding if a limit has none.
    async fn begin(&self, call: Call<'_>, ctx: &RailContext) -> Result<Option<Finding>, BudgetError> {
        let id = CallId::of(call.operation(), ctx);
        self.settle_left(id, ctx).await?;
        let mut parts = self.parts(call, ctx)?;
        if parts.is_empty() {
            return Ok(None);
        }
        let store = self.store.at(ctx);
        RunAmounts::restore(GUARD, store, ctx).await?;
        let reservation = match self.reserve(store, &mut parts).await? {
            Ok(reservation) => reservation,
            Err(over) => {
                // In shadow, the call happens nevertheless. An enforced guard would not count it.
                if ctx.is_shadow() {
                    ctx.run.update(|held: &mut Held| held.set_ended(&self.id, id));
                }
                return Ok(Some(self.no_room(&parts[over.claim], &over)));
            }
        };
        let interrupted = Used { calls: 1, without_usage: Some(self.config.interrupted), ..Used::default() };
        let used = used_amounts(&parts, &call, interrupted);
        let mut hold = Hold::new((Arc::clone(&self.id), id), parts, (reservation, Arc::clone(store)), used);
        let total = ctx.usage();
        ctx.run.update(|held: &mut Held| {
            hold.unclaimed = held.unclaimed(&self.id, &total);
            held.hold(hold);
        });
        Ok(None)
    }

    /// Limits a streamed answer to the tokens for which the budgets have room.
    async fn limit_answer(&self, request: &ModelCallInputs, ctx: &mut RailContext) -> Result<(), BudgetError> {
        let id = CallId::of(Operation::Model, ctx);
        let mut parts = ctx.run.update(|held: &mut Held| held.parts(&self.id, id));
        parts.retain(|part| matches!(part.measure, Measure::CompletionTokens | Measure::TotalTokens | Measure::Cost));
        if parts.is_empty() {
            return Ok(());
        }
        let prompt = Expected::of(request, &self.config.estimate).prompt;
        let mut least: Option<(usize, u64)> = None;
        for part in parts {
            let Counter { used, reserved, .. } = self.store.at(ctx).counter(&part.key).await?;
            // What this call has reserved is room too.
            let others = reserved.saturating_sub(part.amount);
            let room = part.most.min(MAX_AMOUNT).saturating_sub(used).saturating_sub(others);
            let tokens = match (part.measure, self.price(request)) {
                (Measure::CompletionTokens, _) => room,
                (Measure::Cost, Some(price)) => completion_for(price, prompt, room),
                _ => room.saturating_sub(prompt),
            };
            if least.is_none_or(|(_, least)| tokens < least) {
                least = Some((part.limit, tokens));
            }
        }
        let Some((limit, tokens)) = least else { return Ok(()) };
        let cut = Cut { limit, bytes: self.config.estimate.most_bytes(tokens) };
        ctx.run.update(|held: &mut Held| held.set_cut(&self.id, id, cut));
        ctx.limit_answer(AnswerLimit::All(cut.bytes));
        Ok(())
    }

    /// Reports an answer that was cut at the limit of this guard.
    fn report_cut(&self, ctx: &mut RailContext) {
        let Some(AnswerLimit::All(passed)) = ctx.passed_limit() else { return };
        let id = CallId::of(Operation::Model, ctx);
        let Some(Cut { limit, bytes }) = ctx.run.update(|held: &mut Held| held.cut(&self.id, id)) else { return };
        if bytes == passed {
            let limit = &self.config.limits[limit];
            let (most, window) = (limit.of.shown(limit.limit()), limit.window.shown());
            let message =
                format!("the answer was cut, because the budget of {most} per {}{window} has no more room", limit.per);
            Finding::new(GUARD, limit.name.clone(), Severity::Medium, message).report(ctx);
        }
    }

    /// Settles the holds that earlier calls have left behind.
    async fn settle_left(&self, id: CallId, ctx: &RailContext) -> Result<(), BudgetError> {
        let left = ctx.run.update(|held: &mut Held| held.begin(&self.id, id, ctx.attempt()));
        let mut failed = None;
        for mut hold in left {
            if let Err(error) = hold.settle().await {
                ctx.run.update(|held: &mut Held| held.keep_unsettled(hold));
                failed = Some(error.into());
            } else {
                hold.note(GUARD, ctx)?;
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Returns the parts of a call: the limits that count it, with the amounts that it will probably use.
    fn parts(&self, call: Call<'_>, ctx: &RailContext) -> Result<Vec<Part>, ScopeError> {
        let name = match call {
            Call::Tool(call) => Some(ToolName::new(&call.tool_name)),
            Call::Model { .. } => None,
        };
        let expected = match call {
            Call::Model { request, .. } => Some(Expected::of(request, &self.config.estimate)),
            Call::Tool(_) => None,
        };
        let milliseconds = self.counts_time().then(|| ctx.run.update(|held: &mut Held| held.elapsed(&self.id, false)));
        let mut parts = Vec::new();
        for (place, limit) in self.config.limits.iter().enumerate() {
            if !counts(limit, name.as_ref()) {
                continue;
            }
            let Some((amount, least)) = self.expected(limit.of, &call, expected, milliseconds) else { continue };
            parts.push(Part {
                measure: limit.of,
                limit: place,
                key: limit.per.key(GUARD, &limit.name, limit.of.name(), ctx)?,
                amount,
                least,
                most: limit.limit(),
                window: limit.store_window(),
                is_of_run: limit.per == Scope::Run,
            });
        }
        Ok(parts)
    }

    fn counts_time(&self) -> bool {
        self.config.limits.iter().any(|limit| limit.of == Measure::WallTimeMs)
    }

    /// Returns the amount that a call will probably use, and the smallest amount that it needs. `None` if the measure does not
    /// count the call. Both amounts are at least 1, so that a budget without any room refuses the call.
    fn expected(
        &self,
        measure: Measure,
        call: &Call<'_>,
        expected: Option<Expected>,
        milliseconds: Option<u64>,
    ) -> Option<(u64, u64)> {
        let amounts = match (measure, call, expected) {
            (Measure::ModelCalls, Call::Model { .. }, _) | (Measure::ToolCalls, Call::Tool(_), _) => (1, 1),
            (Measure::WallTimeMs, ..) => {
                let elapsed = milliseconds.unwrap_or_default();
                (elapsed, elapsed)
            }
            (Measure::OutputBytes, Call::Tool(_), _) => (self.config.estimate.output_bytes, 1),
            (Measure::PromptTokens, _, Some(Expected { prompt, .. })) => (prompt, prompt),
            (Measure::CompletionTokens, _, Some(tokens)) => (tokens.completion, tokens.least_completion),
            (Measure::TotalTokens, _, Some(Expected { prompt, completion, least_completion })) => {
                (prompt.saturating_add(completion), prompt.saturating_add(least_completion))
            }
            (Measure::Cost, Call::Model { price: Some(price), .. }, Some(tokens)) => (
                largest_cost(price, tokens.prompt, tokens.completion),
                largest_cost(price, tokens.prompt, tokens.least_completion),
            ),
            _ => return None,
        };
        Some((amounts.0.max(1), amounts.1.max(1)))
    }

    /// Reserves the parts. If the amount of a part is a guess, the part can also take a smaller rest of the budget.
    async fn reserve(&self, store: &Arc<dyn StateStore>, parts: &mut [Part]) -> Reserved {
        let hold_for = Duration::from_millis(self.config.hold_for_ms);
        // Each round makes a part smaller. Because of other calls, a part may become smaller more than once.
        let mut rounds = parts.len() + 16;
        loop {
            let over = match Reserving::new(store, parts, hold_for).await? {
                Ok(reservation) => return Ok(Ok(reservation)),
                Err(over) => over,
            };
            let part = &mut parts[over.claim];
            let Counter { used, reserved, .. } = over.counter;
            let room = part.most.min(MAX_AMOUNT).saturating_sub(used).saturating_sub(reserved);
            if rounds == 0 || room < part.least || room >= part.amount {
                return Ok(Err(over));
            }
            part.amount = room;
            rounds -= 1;
        }
    }

    fn no_room(&self, part: &Part, over: &OverLimit) -> Finding {
        let limit = &self.config.limits[part.limit];
        let Counter { used, reserved, .. } = over.counter;
        let amount = |amount| if part.measure.unit() == Unit::Cost { cost_text(amount) } else { amount.to_string() };
        let mut parts = vec![format!(
            "the budget of {} per {}{} has no room: {} are used",
            part.measure.shown(part.most),
            limit.per,
            limit.window.shown(),
            amount(used)
        )];
        if reserved > 0 {
            parts.push(format!("{} are reserved by running calls", amount(reserved)));
        }
        if part.least > 1 {
            parts.push(format!("and the call needs {}", amount(part.least)));
        }
        let mut message = parts.join(", ");
        if let Some(wait) = over.retry_after {
            message = format!("{message}. There can be room in {} s", wait.as_millis().div_ceil(1_000));
        }
        Finding::new(GUARD, limit.name.clone(), Severity::Medium, message)
    }

    /// Ends a call and counts its real amounts.
    async fn end(&self, call: Call<'_>, used: Used<'_>, ctx: &mut RailContext) -> Result<(), BudgetError> {
        let id = CallId::of(call.operation(), ctx);
        let hold = ctx.run.update(|held: &mut Held| {
            if let Some(usage) = used.usage {
                held.claim(&self.id, usage);
            }
            held.end(&self.id, id)
        });
        let hold = match hold {
            Some(hold) => hold,
            // No rail of this guard has seen the beginning of the call. For example, this guard has replaced another one.
            None if used.calls > 0 => {
                let parts = self.uncounted(call, id, used, ctx).await?;
                match self.unlimited(parts, id, ctx).await? {
                    Some(hold) => hold,
                    None => return Ok(()),
                }
            }
            None => return Ok(()),
        };
        self.settle(hold, call, used, ctx).await
    }

    /// Ends a call that a guard with some of the same limits has begun, before this guard has replaced it. Returns the parts
    /// for the other limits.
    async fn uncounted(
        &self,
        call: Call<'_>,
        id: CallId,
        used: Used<'_>,
        ctx: &RailContext,
    ) -> Result<Vec<Part>, BudgetError> {
        let mut parts = self.parts(call, ctx)?;
        RunAmounts::restore(GUARD, self.store.at(ctx), ctx).await?;
        let keys: Vec<&str> = parts.iter().map(|part| part.key.as_str()).collect();
        let replaced = ctx.run.update(|held: &mut Held| held.end_replaced(&self.id, id, &keys));
        for mut hold in replaced {
            parts.retain(|part| !hold.parts.iter().any(|counted| counted.key == part.key));
            hold.set_used(used_amounts(&hold.parts, &call, used));
            if let Err(error) = hold.settle().await {
                ctx.run.update(|held: &mut Held| held.keep_unsettled(hold));
                return Err(error.into());
            }
            hold.note(GUARD, ctx)?;
        }
        Ok(parts)
    }

    /// Counts the amounts that a call has used.
    async fn settle(
        &self,
        mut hold: Hold,
        call: Call<'_>,
        mut used: Used<'_>,
        ctx: &mut RailContext,
    ) -> Result<(), BudgetError> {
        if self.counts_time() {
            used.milliseconds = ctx.run.update(|held: &mut Held| held.elapsed(&self.id, true));
        }
        hold.set_used(used_amounts(&hold.parts, &call, used));
        if let Err(error) = hold.settle().await {
            ctx.run.update(|held: &mut Held| held.keep_unsettled(hold));
            return Err(error.into());
        }
        hold.note(GUARD, ctx)?;
        self.warn(&hold.parts, ctx).await
    }

    /// Begins a call without checking limits, in order to count these parts. `None` if there are no parts.
    async fn unlimited(
        &self,
        mut parts: Vec<Part>,
        id: CallId,
        ctx: &RailContext,
    ) -> Result<Option<Hold>, BudgetError> {
        if parts.is_empty() {
            return Ok(None);
        }
        let limited = parts.clone();
        for part in &mut parts {
            (part.amount, part.most) = (0, MAX_AMOUNT);
        }
        let store = self.store.at(ctx);
        let reserved = Reserving::new(store, &parts, Duration::from_millis(self.config.hold_for_ms)).await?;
        let used = vec![0; parts.len()];
        Ok(reserved
            .ok()
            .map(|reservation| Hold::new((Arc::clone(&self.id), id), limited, (reservation, Arc::clone(store)), used)))
    }

    /// Warns the model about limits that are nearly used up.
    async fn warn(&self, parts: &[Part], ctx: &mut RailContext) -> Result<(), BudgetError> {
        let percent = u128::from(self.config.warn_at_percent);
        if percent == 0 {
            return Ok(());
        }
        for part in parts {
            let Counter { used, .. } = self.store.at(ctx).counter(&part.key).await?;
            let is_near = u128::from(used) * 100 >= u128::from(part.most) * percent;
            if is_near && ctx.run.update(|held: &mut Held| held.warn_once(&self.id, part.limit)) {
                let warning = self.warning(part, used);
                ctx.notify_model(Message::system(format!("{warning}. Finish with what you have.")));
                Finding::new(GUARD, self.config.limits[part.limit].name.clone(), Severity::Low, warning).report(ctx);
            }
        }
        Ok(())
    }

    fn warning(&self, part: &Part, used: u64) -> String {
        let limit = &self.config.limits[part.limit];
        let (used, most) = (part.measure.shown(used), part.measure.shown(part.most));
        let name = &limit.name;
        format!("The budget `{name}` is nearly used up: {used} of {most} per {}", limit.per)
    }

    /// Ends a call that has failed. Its usage is the usage that the run has counted and that no response has reported.
    async fn fail(&self, call: Call<'_>, error: &OperationError, ctx: &mut RailContext) -> Result<(), BudgetError> {
        Fallbacks::forget(call.operation(), ctx);
        let (id, total) = (CallId::of(call.operation(), ctx), ctx.usage());
        let unclaimed = ctx.run.update(|held: &mut Held| {
            let now = held.unclaimed(&self.id, &total);
            let hold = held.end(&self.id, id)?;
            let unclaimed = difference(&now, &hold.unclaimed);
            held.hold(hold);
            Some(unclaimed)
        });
        let was_ended = ctx.run.update(|held: &mut Held| {
            let was_ended = held.take_ended(&self.id, id);
            held.set_ended(&self.id, id);
            was_ended
        });
        if was_ended {
            return Ok(());
        }
        let usage = unclaimed.as_ref().filter(|usage| is_reported(usage));
        // A guard around the call has refused it.
        let was_refused = ctx.operation_end() == Some(OperationEnd::NotStarted) && FindingError::is_in(error);
        let used = if was_refused {
            Used::default()
        } else {
            Used { calls: 1, usage, without_usage: Some(self.config.interrupted), ..Used::default() }
        };
        self.end(call, used, ctx).await
    }

    /// Counts the calls that rails have made after a failed call, in order to replace its result.
    async fn count_fallbacks(
        &self,
        call: Call<'_>,
        (usage, bytes): (Option<&Usage>, u64),
        ctx: &mut RailContext,
    ) -> Result<(), BudgetError> {
        let fallbacks = Fallbacks::of(call.operation(), ctx);
        let is_replaced = ctx.substituted_by().is_some();
        let usage = usage.filter(|usage| is_replaced && is_reported(usage));
        // An answer with a usage comes from a model, whatever rail has asked it.
        let calls = fallbacks.ran.max(u32::from(usage.is_some()));
        if calls == 0 {
            return Ok(());
        }
        let total = ctx.usage();
        ctx.run.update(|held: &mut Held| {
            if let Some(usage) = usage.filter(|usage| covers(&held.unclaimed(&self.id, &total), usage)) {
                held.claim(&self.id, usage);
            }
        });
        let id = CallId::of(call.operation(), ctx);
        let Some(hold) = self.unlimited(self.parts(call, ctx)?, id, ctx).await? else { return Ok(()) };
        let without_usage = is_replaced.then_some(self.config.without_usage);
        let bytes = if is_replaced { bytes } else { 0 };
        let used = Used { calls: u64::from(calls), usage, without_usage, bytes, ..Used::default() };
        self.settle(hold, call, used, ctx).await
    }
}

/// Returns the amounts that a call has used, for each part.
fn used_amounts(parts: &[Part], call: &Call<'_>, used: Used<'_>) -> Vec<u64> {
    let amount = |part: &Part| {
        let price = match call {
            Call::Model { price, .. } => *price,
            Call::Tool(_) => None,
        };
        let reported = match (part.measure, used.usage.or(used.cut)) {
            (Measure::ModelCalls | Measure::ToolCalls, _) => return used.calls,
            (Measure::WallTimeMs, _) => return used.milliseconds,
            (Measure::OutputBytes, _) => return used.bytes,
            (Measure::PromptTokens, Some(usage)) => Some(usage.prompt_tokens),
            (Measure::CompletionTokens, Some(usage)) => Some(completion(usage)),
            (Measure::TotalTokens, Some(usage)) => Some(usage.prompt_tokens.saturating_add(completion(usage))),
            (Measure::Cost, Some(usage)) => price.map(|price| cost(price, usage)),
            (_, None) => None,
        };
        let unreported = match used.without_usage {
            Some(Unreported::Estimate) => part.amount,
            _ => 0,
        };
        reported.unwrap_or(unreported)
    };
    parts.iter().map(amount).collect()
}

/// Returns whether a limit counts calls of this tool, or model calls.
fn counts(limit: &BudgetLimit, tool: Option<&ToolName<'_>>) -> bool {
    limit.tools.is_empty() || tool.is_some_and(|name| limit.tools.iter().any(|pattern| pattern.catches(name)))
}

fn cost_text(billionths: u64) -> String {
    super::Decimal::of_billionths(billionths).to_string()
}

/// Returns whether a usage is a part of the other one.
const fn covers(total: &Usage, part: &Usage) -> bool {
    total.prompt_tokens >= part.prompt_tokens && total.completion_tokens >= part.completion_tokens
}

/// Returns whether a usage has a number above 0. Some servers send only zeros.
const fn is_reported(usage: &Usage) -> bool {
    usage.prompt_tokens > 0 || usage.completion_tokens > 0 || usage.total_tokens > 0
}

#[rail(priority = 40, name = "budgets")]
impl Budgets {
    #[on(PreLlmCall)]
    async fn before_model(&self, request: &ModelCallInputs, ctx: &mut RailContext) -> Result<RailAction, BudgetError> {
        let finding = match self.unknown_price(request) {
            Some(finding) if self.config.unknown_price == UnknownPrice::Refuse => Some(finding),
            free => {
                if let Some(finding) = free {
                    finding.report(ctx);
                }
                self.begin(Call::Model { request, price: self.price(request) }, ctx).await?
            }
        };
        let Some(finding) = finding else {
            self.limit_answer(request, ctx).await?;
            return Ok(RailAction::Continue);
        };
        let reason = finding.reason();
        finding.report(ctx);
        Ok(RailAction::abort(reason))
    }

    #[on(PostLlmCall, always)]
    async fn after_model(
        &self,
        request: &ModelCallInputs,
        response: &ModelResponse,
        ctx: &mut RailContext,
    ) -> Result<(), BudgetError> {
        let call = Call::Model { request, price: self.price(request) };
        let id = CallId::of(call.operation(), ctx);
        if ctx.run.update(|held: &mut Held| held.take_ended(&self.id, id)) {
            return self.count_fallbacks(call, (response.usage.as_ref(), 0), ctx).await;
        }
        self.report_cut(ctx);
        let cut = ctx.passed_limit().map(|_| usage_of_cut(request, response, &self.config.estimate));
        let used = if was_skipped(ctx) {
            Used::default()
        } else {
            let usage = response.usage.as_ref().filter(|usage| is_reported(usage));
            Used {
                calls: 1,
                usage,
                cut: cut.as_ref(),
                without_usage: Some(self.config.without_usage),
                ..Used::default()
            }
        };
        self.end(call, used, ctx).await
    }

    #[on(LlmError, always)]
    async fn model_failed(
        &self,
        request: &ModelCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
    ) -> Result<(), BudgetError> {
        self.fail(Call::Model { request, price: self.price(request) }, error, ctx).await
    }

    #[on(PreToolCall)]
    async fn before_tool(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, BudgetError> {
        let Some(finding) = self.begin(Call::Tool(call), ctx).await? else { return Ok(RailAction::Continue) };
        let reason = format!("{}. Do not repeat the call: finish with what you have.", finding.reason());
        finding.report(ctx);
        Ok(match self.config.on_refusal {
            OnRefusal::Skip => RailAction::skip(reason),
            OnRefusal::Abort => RailAction::abort(reason),
        })
    }

    #[on(PostToolCall, always)]
    async fn after_tool(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        ctx: &mut RailContext,
    ) -> Result<(), BudgetError> {
        let call = Call::Tool(call);
        let id = CallId::of(call.operation(), ctx);
        let bytes = output.content.len() as u64;
        if ctx.run.update(|held: &mut Held| held.take_ended(&self.id, id)) {
            return self.count_fallbacks(call, (None, bytes), ctx).await;
        }
        let used = if was_skipped(ctx) { Used::default() } else { Used { calls: 1, bytes, ..Used::default() } };
        self.end(call, used, ctx).await
    }

    #[on(ToolError, always)]
    async fn tool_failed(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
    ) -> Result<(), BudgetError> {
        self.fail(Call::Tool(call), error, ctx).await
    }

    /// Releases the counters of the run. A run that has gone on from a record may go on from it once more, so its counters stay
    /// until they expire.
    #[on(Finished, Error)]
    async fn ended(&self, ctx: &RailContext) -> Result<(), BudgetError> {
        if ctx.is_inner_run() || ctx.is_resumed() {
            return Ok(());
        }
        Ok(RunAmounts::release(GUARD, self.store.at(ctx), ctx).await?)
    }

    /// Dropping the holds settles them. Calls around an inner run go on, so its holds stay until the run around it ends.
    #[on(Dropped)]
    fn dropped(&self, _: &DroppedInputs, ctx: &RailContext) {
        if ctx.is_inner_run() {
            return;
        }
        drop(ctx.run.update(|held: &mut Held| held.end_all(&self.id)));
    }
}

makes!(Budgets, BudgetsConfig);

impl KitGuard for Budgets {
    type Config = BudgetsConfig;
    type Needs = GuardStore;

    fn make(config: BudgetsConfig, store: GuardStore) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_store(store))
    }
}
