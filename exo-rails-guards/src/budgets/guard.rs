//! The guard.

use std::sync::Arc;
use std::time::Duration;

use exo_rails::message::{Message, Usage};
use exo_rails::prelude::*;
use exo_rails::{DroppedInputs, RailContext};

use super::config::{BudgetLimit, BudgetsConfig, Measure, Unit, UnknownPrice, Unreported};
use super::estimate::Expected;
use super::held::{CallId, Held, Hold, Operation, Part, Reserved, Reserving, difference};
use super::price::{Price, Prices, completion};
use crate::arguments::ToolName;
use crate::store::{Counter, GuardStore, MAX_AMOUNT, OverLimit, StateStore};
use crate::{ConfigError, Finding, OnRefusal, ScopeError, Severity, StoreError};

const GUARD: &str = "budgets";

/// Refuses model calls and tool calls for which a budget has no room.
///
/// A [limit](super::BudgetLimit) counts calls, tokens, costs, time or bytes, for a run, a session, a user, an agent or for all.
/// All limits of a call have room for it, or nothing is reserved.
///
/// - Before a call, the guard reserves what the call will probably use: see [`Estimate`](super::Estimate). So calls that run at
///   the same time, also in other processes with the same store, do not exceed the budget together.
/// - After the call, the real amount counts. Each attempt of a retry is a call.
/// - If the run is dropped or the call fails, its reserved amounts are free again. What counts then is the configuration's
///   [`interrupted`](super::BudgetsConfig::interrupted). If the process dies, they are free after
///   [`hold_for_ms`](super::BudgetsConfig::hold_for_ms).
///
/// A tool call without room is skipped, and the model reads the reason. A model call without room ends the run. The finding and
/// the reason have the name of the limit as rule, such as `budgets/day`. From 80 % of a limit, the model reads a warning once in a
/// run.
///
/// A store that fails, a missing user or a missing session is a fault, which ends the run. If the store fails after a call, the
/// next call of the run counts the amount first.
///
/// The priority is 40, so calls that other guards refuse reserve nothing.
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
    /// The names of the limits. A guard that replaces this one and has the same limits ends the calls that this one has begun.
    id: Arc<str>,
    store: GuardStore,
}

/// The reason why budgets could not decide.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The run has no user or no session.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A call that has a budget.
#[derive(Clone, Copy)]
enum Call<'c> {
    Model { request: &'c ModelCallInputs, price: Option<&'c Price> },
    Tool(&'c ToolCallInputs),
}

/// What a call has used.
#[derive(Clone, Copy, Default)]
struct Used<'c> {
    /// Whether the call was made.
    calls: u64,
    usage: Option<&'c Usage>,
    /// What counts without a usage.
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
    /// Returns an error that names the key if a limit has no name or the name of another one, if it counts nothing or allows
    /// nothing, or if a price is not one.
    pub fn new(config: BudgetsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let prices = Prices::new(&config.prices)?;
        let names: Vec<&str> = config.limits.iter().map(|limit| limit.name.as_str()).collect();
        let id = names.join("\n").into();
        Ok(Self { config, prices, id, store: GuardStore::default() })
    }

    /// Sets the store of the counts. The default is a store in memory, for this guard alone.
    #[must_use]
    pub fn with_store(mut self, store: GuardStore) -> Self {
        self.store = store;
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

    /// Settles what earlier calls have left behind.
    async fn settle_left(&self, id: CallId, ctx: &RailContext) -> Result<(), StoreError> {
        let left = ctx.run.update(|held: &mut Held| held.begin(&self.id, id, ctx.attempt()));
        let mut failed = None;
        for mut hold in left {
            if let Err(error) = hold.settle().await {
                ctx.run.update(|held: &mut Held| held.keep_unsettled(hold));
                failed = Some(error);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Returns the parts of a call: the limits that count it, and what it will use of them.
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
            });
        }
        Ok(parts)
    }

    fn counts_time(&self) -> bool {
        self.config.limits.iter().any(|limit| limit.of == Measure::WallTimeMs)
    }

    /// Returns what a call will probably use, and the least that it needs. `None` if it does not count. A budget that is used up
    /// has no room for any call, so the amounts are at least 1.
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
                price.largest_cost(tokens.prompt, tokens.completion),
                price.largest_cost(tokens.prompt, tokens.least_completion),
            ),
            _ => return None,
        };
        Some((amounts.0.max(1), amounts.1.max(1)))
    }

    /// Reserves the parts. A part whose amount is a guess takes what is left.
    async fn reserve(&self, store: &Arc<dyn StateStore>, parts: &mut [Part]) -> Reserved {
        let hold_for = Duration::from_millis(self.config.hold_for_ms);
        // Each round makes a part smaller. Calls of others can make that necessary more than once.
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

    /// Ends a call: its real amounts count.
    async fn end(&self, call: Call<'_>, mut used: Used<'_>, ctx: &RailContext) -> Result<(), BudgetError> {
        let id = CallId::of(call.operation(), ctx);
        let hold = ctx.run.update(|held: &mut Held| {
            if let Some(usage) = used.usage {
                held.claim(&self.id, usage);
            }
            held.end(&self.id, id)
        });
        let mut hold = match hold {
            Some(hold) => hold,
            // No rail of this guard has seen the beginning of the call. For example, another guard has replaced this one.
            None if used.calls > 0 => match self.unlimited(call, id, ctx).await? {
                Some(hold) => hold,
                None => return Ok(()),
            },
            None => return Ok(()),
        };
        if self.counts_time() {
            used.milliseconds = ctx.run.update(|held: &mut Held| held.elapsed(&self.id, true));
        }
        hold.set_used(used_amounts(&hold.parts, &call, used));
        if let Err(error) = hold.settle().await {
            ctx.run.update(|held: &mut Held| held.keep_unsettled(hold));
            return Err(error.into());
        }
        self.warn(&hold.parts, ctx).await
    }

    /// Begins a call without limits, to count it.
    async fn unlimited(&self, call: Call<'_>, id: CallId, ctx: &RailContext) -> Result<Option<Hold>, BudgetError> {
        let mut parts = self.parts(call, ctx)?;
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
    async fn warn(&self, parts: &[Part], ctx: &RailContext) -> Result<(), BudgetError> {
        let percent = u128::from(self.config.warn_at_percent);
        if percent == 0 {
            return Ok(());
        }
        for part in parts {
            let Counter { used, .. } = self.store.at(ctx).counter(&part.key).await?;
            let is_near = u128::from(used) * 100 >= u128::from(part.most) * percent;
            if is_near && ctx.run.update(|held: &mut Held| held.warn_once(&self.id, part.limit)) {
                ctx.notify_model(Message::system(self.warning(part, used)));
            }
        }
        Ok(())
    }

    fn warning(&self, part: &Part, used: u64) -> String {
        let limit = &self.config.limits[part.limit];
        let (used, most) = (part.measure.shown(used), part.measure.shown(part.most));
        let name = &limit.name;
        format!("The budget `{name}` is nearly used up: {used} of {most} per {}. Finish with what you have.", limit.per)
    }

    /// Ends a call that has failed. Its usage is what the run has counted and no response has reported.
    async fn fail(&self, call: Call<'_>, ctx: &RailContext) -> Result<(), BudgetError> {
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
        let used = Used { calls: 1, usage, without_usage: Some(self.config.interrupted), ..Used::default() };
        self.end(call, used, ctx).await
    }
}

/// Returns the amounts that a call has used, for each part.
fn used_amounts(parts: &[Part], call: &Call<'_>, used: Used<'_>) -> Vec<u64> {
    let amount = |part: &Part| {
        let price = match call {
            Call::Model { price, .. } => *price,
            Call::Tool(_) => None,
        };
        let reported = match (part.measure, used.usage) {
            (Measure::ModelCalls | Measure::ToolCalls, _) => return used.calls,
            (Measure::WallTimeMs, _) => return used.milliseconds,
            (Measure::OutputBytes, _) => return used.bytes,
            (Measure::PromptTokens, Some(usage)) => Some(usage.prompt_tokens),
            (Measure::CompletionTokens, Some(usage)) => Some(completion(usage)),
            (Measure::TotalTokens, Some(usage)) => Some(usage.prompt_tokens.saturating_add(completion(usage))),
            (Measure::Cost, Some(usage)) => price.map(|price| price.cost(usage)),
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

/// Returns whether a usage says anything. Some servers send zeros.
const fn is_reported(usage: &Usage) -> bool {
    usage.prompt_tokens > 0 || usage.completion_tokens > 0 || usage.total_tokens > 0
}

/// Returns whether a rail has skipped the call before this event.
fn was_skipped(ctx: &RailContext) -> bool {
    ctx.substituted_by().is_some() && ctx.elapsed().is_none()
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
        let Some(finding) = finding else { return Ok(RailAction::Continue) };
        let reason = finding.reason();
        finding.report(ctx);
        Ok(RailAction::abort(reason))
    }

    #[on(PostLlmCall, always)]
    async fn after_model(
        &self,
        request: &ModelCallInputs,
        response: &ModelResponse,
        ctx: &RailContext,
    ) -> Result<(), BudgetError> {
        let call = Call::Model { request, price: self.price(request) };
        let id = CallId::of(call.operation(), ctx);
        if ctx.run.update(|held: &mut Held| held.take_ended(&self.id, id)) {
            return Ok(());
        }
        let used = if was_skipped(ctx) {
            Used::default()
        } else {
            let usage = response.usage.as_ref().filter(|usage| is_reported(usage));
            Used { calls: 1, usage, without_usage: Some(self.config.without_usage), ..Used::default() }
        };
        self.end(call, used, ctx).await
    }

    #[on(LlmError, always)]
    async fn model_failed(&self, request: &ModelCallInputs, ctx: &RailContext) -> Result<(), BudgetError> {
        self.fail(Call::Model { request, price: self.price(request) }, ctx).await
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
        ctx: &RailContext,
    ) -> Result<(), BudgetError> {
        let call = Call::Tool(call);
        let id = CallId::of(call.operation(), ctx);
        if ctx.run.update(|held: &mut Held| held.take_ended(&self.id, id)) {
            return Ok(());
        }
        let bytes = output.content.len() as u64;
        let used = if was_skipped(ctx) { Used::default() } else { Used { calls: 1, bytes, ..Used::default() } };
        self.end(call, used, ctx).await
    }

    #[on(ToolError, always)]
    async fn tool_failed(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<(), BudgetError> {
        self.fail(Call::Tool(call), ctx).await
    }

    /// Dropping the holds settles them.
    #[on(Dropped)]
    fn dropped(&self, _: &DroppedInputs, ctx: &RailContext) {
        drop(ctx.run.update(|held: &mut Held| held.end_all(&self.id)));
    }
}
