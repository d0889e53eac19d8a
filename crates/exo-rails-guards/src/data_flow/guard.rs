//! The guard.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{MemoryQuery, OpenQuestion, RecalledMemory, RunScope};
use exo_rails_policy::{ConfigError, OnRefusal, Severity, ToolName, ToolPattern};
use serde::{Deserialize, Serialize};

use super::declared::Declared;
use super::marks::Form;
use super::state::{ALL, FlowState, Least};
use super::watched::{Hit, Watched};
use super::{DataFlowConfig, FlowScope, Sink, SinkDecision};
use crate::approval::{ApprovalRequest, AskError, Asker, IntoAsker, SuspendRun, is_approved, settle};
use crate::config::makes;
use crate::finding::{Finding, Place};
use crate::kit_guard::KitGuard;
use crate::limits::call_id::{Fallbacks, Operation};
use crate::limits::scope::ScopeError;
use crate::store::GuardStore;
use crate::store::StoreError;

pub(super) const GUARD: &str = "data_flow";

/// The name of the saved state of a run or session.
const SAVED: &str = "data_flow";

/// The name of what a saved run knows about the state of its session.
const LEARNED: &str = "data_flow.learned";

/// The origin of values in a run that goes on without its state.
pub(super) const LOST: &str = "the run before it went on";

/// Refuses tool calls with values that come from untrusted sources, in arguments that must not have them.
///
/// The configuration names *sources*, *sinks* and *sanitizers*. The result of a source is *tainted* with a label. The guard
/// follows the values of the result into the arguments of later calls. If one of them reaches a sink that does not accept the
/// label, the call does not run, unless a sanitizer has cleared this very value.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::{DataFlow, config};
/// use serde_json::json;
///
/// rail_chain! { struct Rails { data_flow: DataFlow } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let data_flow = DataFlow::new(config::from_toml(r#"
///     [[sources]]
///     tool = "fetch"
///     label = "web"
///
///     [[sinks]]
///     name = "recipient"
///     tool = "send_mail"
///     arguments = "/to"
///
///     [[sanitizers]]
///     tool = "check_address"
///     arguments = "/address"
/// "#)?)?;
/// let rails = Rails { data_flow };
/// let mut ctx = RunContext::new("desk");
/// let mut call = async |name, arguments, output: &'static str| {
///     let call = ToolCallInputs::new(name).with_arguments(arguments);
///     let tool = |_| async move { Ok::<_, OperationError>(ToolOutput::text(output)) };
///     rails.guard_tool_call(call, &mut ctx, tool).await.map(|output| output.content)
/// };
/// call("fetch", json!({ "url": "https://shop.example" }), "Questions? Write to Mallory <mallory@elsewhere.example>").await?;
/// assert_eq!(call("send_mail", json!({ "to": "ada@partner.example", "text": "Hello" }), "sent").await?, "sent");
/// assert!(call("send_mail", json!({ "to": "MALLORY@elsewhere.example", "text": "Hello" }), "sent").await?.ends_with(
///     "data_flow/recipient: an argument has a value from `fetch`, which has the label `web`. \
///      Ask the user to write the value, or first call `check_address` with it",
/// ));
/// call("check_address", json!({ "address": "mallory@elsewhere.example" }), "known since 2019").await?;
/// assert_eq!(call("send_mail", json!({ "to": "mallory@elsewhere.example", "text": "Hello" }), "sent").await?, "sent");
/// # Ok(()) }
/// ```
///
/// The page "Data flow" of the book lists the copies that the guard finds, and those that it does not find.
#[derive(Clone, Debug)]
pub struct DataFlow {
    pub(super) config: Arc<DataFlowConfig>,
    asker: Asker,
    pub(super) store: GuardStore,
}

/// Why the guard cannot decide.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// The saved state of the run or session cannot be read.
    #[error("the saved state `data_flow` cannot be read: {0}")]
    Saved(#[source] serde_json::Error),
    /// The run has no session.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The person could not be asked.
    #[error(transparent)]
    Ask(#[from] AskError),
}

/// From how many events of the run the guard has learned: a value of the run. A state of the session that has learned from fewer
/// events is an older one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Learned {
    count: u64,
    /// Whether the state of the session was compared with the count, since the run has begun or goes on.
    #[serde(skip)]
    is_compared: bool,
}

/// Returns whether a run that goes on must bring its state. A guard in shadow saves nothing, and refuses nothing.
fn is_without_state(ctx: &RunScope) -> bool {
    ctx.is_resumed() && !ctx.is_shadow()
}

/// A tainted value in a sink.
struct Tainted {
    finding: Finding,
    /// The labels and the values that an approval clears.
    values: Vec<String>,
}

impl DataFlow {
    /// Makes the guard.
    ///
    /// # Errors
    /// Returns an error that names the key if there is no sink or no label, if a label is unknown, or if a length is too small.
    pub fn new(config: DataFlowConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self { config: Arc::new(config), asker: SuspendRun.into(), store: GuardStore::default() })
    }

    /// Sets the store for a configuration with [`keep_in_store`](field@DataFlowConfig::keep_in_store). The default is a store in
    /// memory, for this guard and its clones.
    #[must_use]
    pub fn with_store(mut self, store: impl Into<GuardStore>) -> Self {
        self.store = store.into();
        self
    }

    /// Sets how people are asked.
    #[must_use]
    pub fn with_asker(mut self, asker: impl IntoAsker) -> Self {
        self.asker = asker.into_asker();
        self
    }

    pub(super) fn least(&self) -> Least {
        Least { telling: self.config.passage_chars, common: self.config.common_passage_chars }
    }

    /// Changes the state of the run or session. The state of a run is saved with each record of the run. If a run or a session
    /// goes on without its state, or with an older one, every value may be tainted.
    pub(super) fn with<R>(&self, ctx: &RunScope, change: impl FnOnce(&mut FlowState) -> R) -> Result<R, FlowError> {
        match self.config.scope {
            FlowScope::Run => ctx.run.update_kept(SAVED, |state: &mut FlowState| {
                if state.form.is_none() {
                    self.begin(state, is_without_state(ctx));
                }
                change(state)
            }),
            FlowScope::Session => {
                self.read_session(ctx)?;
                Ok(ctx.session.update(change))
            }
        }
        .map_err(FlowError::Saved)
    }

    fn begin(&self, state: &mut FlowState, is_lost: bool) {
        state.form(self.config.passage_chars, self.config.value_chars);
        if self.config.keep_in_store {
            // The store may have the state.
            state.is_lost = is_lost;
        } else if is_lost {
            state.taint_all(LOST, &self.config.all_labels());
        }
    }

    /// Reads the saved state of the session, and compares it with what the run has learned.
    fn read_session(&self, ctx: &RunScope) -> Result<(), FlowError> {
        if !ctx.session.update(|state: &mut FlowState| state.form.is_some()) {
            let saved = ctx.session.state().get(SAVED).map(serde_json::from_value::<FlowState>).transpose();
            let saved = saved.map_err(FlowError::Saved)?;
            ctx.session.update(|state: &mut FlowState| {
                if state.form.is_none() {
                    let is_lost = saved.is_none() && is_without_state(ctx);
                    *state = saved.unwrap_or_default();
                    self.begin(state, is_lost);
                }
            });
        }
        let learned = ctx.run.update_kept(LEARNED, |learned: &mut Learned| learned.clone());
        let learned = learned.map_err(FlowError::Saved)?;
        if learned.is_compared {
            return Ok(());
        }
        let known = ctx.session.update(|state: &mut FlowState| {
            let known = state.learned_in(ctx.run_id());
            // A store has the newest state.
            if !self.config.keep_in_store && is_without_state(ctx) && (known == 0 || known < learned.count) {
                state.taint_all(LOST, &self.config.all_labels());
            }
            known
        });
        let compared = |learned: &mut Learned| *learned = Learned { count: known, is_compared: true };
        ctx.run.update_kept(LEARNED, compared).map_err(FlowError::Saved)
    }

    /// Notes that the guard learns from an event of the run. The run notes it first, so that a state without what the guard
    /// has learned is recognised.
    fn begin_learning(&self, ctx: &RunScope) -> Result<(), FlowError> {
        if self.config.scope == FlowScope::Run {
            return Ok(());
        }
        self.read_session(ctx)?;
        ctx.run.update_kept(LEARNED, |learned: &mut Learned| learned.count += 1).map_err(FlowError::Saved)
    }

    /// Notes that the session has what the guard has learned from an event.
    fn end_learning(&self, ctx: &RunScope) -> Result<(), FlowError> {
        match self.config.scope {
            FlowScope::Run => Ok(()),
            FlowScope::Session => self.with(ctx, |state| state.learn_in(ctx.run_id())),
        }
    }

    pub(super) fn form(&self, ctx: &RunScope) -> Result<Form, FlowError> {
        self.with(ctx, |state| state.form(self.config.passage_chars, self.config.value_chars))
    }

    /// Returns the hashes of the trusted values.
    pub(super) fn known(&self, form: Form) -> Vec<(u64, usize)> {
        let of = |value: &String| {
            let folded = form.fold(value);
            let length = folded.characters.len();
            (folded.hash(0..length), length)
        };
        self.config.trusted_values.iter().map(of).filter(|(_, length)| *length > 0).collect()
    }

    /// Returns the origins that taint every value that nobody has written or cleared.
    pub(super) fn everything(&self, state: &mut FlowState, labels: u64) -> u64 {
        let mut origins = state.full();
        if self.config.coarse {
            origins |= state.origins_of(ALL);
        }
        origins & state.origins_of(labels)
    }

    /// Saves the state with the session.
    fn save(&self, ctx: &RunScope) -> Result<(), FlowError> {
        if self.config.keep_in_store || self.config.scope == FlowScope::Run {
            return Ok(());
        }
        let saved = self.with(ctx, |state| serde_json::to_value(&*state))?.map_err(FlowError::Saved)?;
        ctx.session.state().set(SAVED, saved);
        Ok(())
    }

    /// Returns the tainted values of a call in one sink.
    fn check(
        &self,
        number: usize,
        sink: &Sink,
        call: &ToolCallInputs,
        ctx: &RunScope,
    ) -> Result<Option<Tainted>, FlowError> {
        let form = self.form(ctx)?;
        let watched = Watched::new(&call.arguments, &sink.arguments);
        let folded = watched.folded(form);
        let known = self.known(form);
        let found = self.with(ctx, |state| {
            let labels = if sink.labels.is_empty() { ALL } else { state.labels(&sink.labels) };
            let everything = self.everything(state, labels);
            let mut hits = watched.find(&folded, state, self.least(), everything, &known);
            let refused = state.origins_of(labels);
            hits.retain_mut(|hit| {
                hit.origins &= refused;
                hit.origins != 0
            });
            let origins = hits.first().map(|hit| {
                state
                    .origins(hit.origins)
                    .map(|(source, label)| (source.to_owned(), label.to_owned()))
                    .collect::<Vec<_>>()
            });
            origins.map(|origins| (hits, origins))
        })?;
        let Some((hits, origins)) = found else { return Ok(None) };
        let place = hits.first().map_or_else(Place::default, |hit| watched.place(hit));
        let values = hits.iter().filter_map(|hit: &Hit| watched.value(hit)).map(str::to_owned).collect();
        let finding = self.finding(number, sink, &origins).at(place);
        Ok(Some(Tainted { finding, values }))
    }

    fn finding(&self, number: usize, sink: &Sink, origins: &[(String, String)]) -> Finding {
        let (source, label) = origins.first().map_or(("", ""), |(source, label)| (source, label));
        let mut message = format!("an argument has a value from `{source}`, which has the label `{label}`");
        if let Some(because) = &sink.because {
            message.push_str(": ");
            message.push_str(because);
        }
        message.push_str(". Ask the user to write the value");
        let of_label = |labels: &[String]| labels.is_empty() || labels.iter().any(|known| known == label);
        let sanitizers = self.config.sanitizers.iter().filter(|sanitizer| of_label(&sanitizer.labels));
        let tools: Vec<String> =
            sanitizers.flat_map(|sanitizer| &sanitizer.tool).map(|tool| format!("`{tool}`")).collect();
        if !tools.is_empty() {
            message.push_str(", or first call ");
            message.push_str(&tools.join(" or "));
            message.push_str(" with it");
        }
        let severity = if sink.decision == SinkDecision::Report { Severity::Medium } else { Severity::High };
        Finding::new(GUARD, sink.name.clone().unwrap_or_else(|| format!("sink-{}", number + 1)), severity, message)
    }

    async fn decide(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, FlowError> {
        let name = ToolName::new(&call.tool_name);
        let config = Arc::clone(&self.config);
        let is_it = |(_, sink): &(usize, &Sink)| sink.tool.iter().any(|tool: &ToolPattern| tool.catches(&name));
        let mut sinks = config.sinks.iter().enumerate().filter(is_it).peekable();
        if sinks.peek().is_none() {
            return Ok(RailAction::Continue);
        }
        self.pull(ctx).await?;
        if self.with(ctx, |state| state.is_clean())? {
            return Ok(RailAction::Continue);
        }
        let mut asks = Vec::new();
        for (number, sink) in sinks {
            let Some(tainted) = self.check(number, sink, call, ctx)? else { continue };
            match sink.decision {
                SinkDecision::Report => tainted.finding.report(ctx),
                SinkDecision::Ask => asks.push((sink, tainted)),
                SinkDecision::Refuse => {
                    let reason = tainted.finding.reason();
                    tainted.finding.report(ctx);
                    return Ok(match config.on_refusal {
                        OnRefusal::Skip => RailAction::skip(reason),
                        OnRefusal::Abort => RailAction::abort(reason),
                    });
                }
            }
        }
        for (sink, tainted) in asks {
            let is_clear = is_approved(call, ctx);
            if !is_clear && let Some(action) = self.ask(&tainted.finding, call, ctx).await? {
                return Ok(action);
            }
            if sink.approval_clears {
                self.with(ctx, |state| {
                    let labels = if sink.labels.is_empty() { ALL } else { state.labels(&sink.labels) };
                    for value in &tainted.values {
                        state.clear_value(value, labels);
                    }
                })?;
            }
        }
        Ok(RailAction::Continue)
    }

    async fn ask(
        &self,
        finding: &Finding,
        call: &ToolCallInputs,
        ctx: &mut RailContext,
    ) -> Result<Option<RailAction>, FlowError> {
        finding.clone().report(ctx);
        let request = ApprovalRequest::new(GUARD, finding.rule.clone(), call, finding.message.clone(), ctx);
        Ok(settle(&self.asker, &request, call, ctx).await?.stops())
    }
}

#[rail(priority = 16, name = "data_flow")]
impl DataFlow {
    /// Reads the user's input and the conversation before it.
    #[on(Start)]
    async fn learn_input(&self, run: &InvokeInputs, ctx: &RailContext) -> Result<(), FlowError> {
        self.pull(ctx).await?;
        self.begin_learning(ctx)?;
        if ctx.is_inner_run() {
            self.learn_task(run, ctx)?;
        } else {
            self.with(ctx, FlowState::begin_with_input)?;
            self.learn_messages(&run.messages, true, ctx)?;
            self.learn_words(&run.input.text(), "the user's input", self.config.user_input.as_deref(), ctx)?;
        }
        self.end_learning(ctx)?;
        self.push(ctx).await
    }

    /// Reads recalled memories.
    #[on(MemoryRecalled)]
    async fn learn_memory(
        &self,
        _query: &MemoryQuery,
        memory: &RecalledMemory,
        ctx: &RailContext,
    ) -> Result<(), FlowError> {
        let Some(label) = &self.config.memory else { return Ok(()) };
        self.pull(ctx).await?;
        self.begin_learning(ctx)?;
        memory.items.iter().try_for_each(|item| self.learn_words(&item.text, "the memory", Some(label), ctx))?;
        self.end_learning(ctx)?;
        self.push(ctx).await
    }

    /// Reads what is new in the conversation.
    #[on(PreLlmCall)]
    async fn learn_conversation(&self, call: &ModelCallInputs, ctx: &RailContext) -> Result<(), FlowError> {
        self.pull(ctx).await?;
        self.begin_learning(ctx)?;
        let has_input = self.with(ctx, |state| state.has_input)?;
        self.learn_messages(&call.messages, !has_input, ctx)?;
        self.learn_schemas(&call.tools, ctx)?;
        self.end_learning(ctx)?;
        self.push(ctx).await
    }

    /// Decides about a call.
    #[on(PreToolCall)]
    async fn check_call(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, FlowError> {
        if ctx.run.get::<Declared>().is_some() {
            self.pull(ctx).await?;
            self.begin_learning(ctx)?;
            self.learn_declared(ctx)?;
            self.end_learning(ctx)?;
            self.push(ctx).await?;
        }
        let action = self.decide(call, ctx).await?;
        // An approval can have cleared a value.
        self.push(ctx).await?;
        Ok(action)
    }

    /// Reads the result of a call.
    #[on(PostToolCall)]
    async fn learn_result(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        ctx: &RailContext,
    ) -> Result<(), FlowError> {
        self.pull(ctx).await?;
        self.begin_learning(ctx)?;
        self.learn_declared(ctx)?;
        let is_tools = ctx.substituted_by().is_none();
        // What the fallbacks of an earlier call with the same context have done does not count.
        let used = if is_tools { None } else { Fallbacks::of(Operation::Tool, ctx).used };
        self.learn_output(call, output, is_tools, used.as_deref(), ctx)?;
        self.end_learning(ctx)?;
        self.push(ctx).await
    }

    /// Reads the failure of a call.
    #[on(ToolError)]
    async fn learn_error(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &RailContext,
    ) -> Result<(), FlowError> {
        self.pull(ctx).await?;
        self.begin_learning(ctx)?;
        self.learn_failure(call, &error.to_string(), ctx)?;
        self.end_learning(ctx)?;
        self.push(ctx).await
    }

    /// Saves the state with the session.
    #[on(Suspended)]
    async fn save_suspended(&self, _question: &OpenQuestion, ctx: &RailContext) -> Result<(), FlowError> {
        self.pull(ctx).await?;
        self.begin_learning(ctx)?;
        self.learn_declared(ctx)?;
        self.end_learning(ctx)?;
        self.push(ctx).await?;
        self.save(ctx)
    }

    /// Saves the state with the session.
    #[on(Finished, Error)]
    async fn save_ended(&self, ctx: &RailContext) -> Result<(), FlowError> {
        self.push(ctx).await?;
        self.save(ctx)
    }
}

makes!(DataFlow, DataFlowConfig);

impl KitGuard for DataFlow {
    type Config = DataFlowConfig;
    type Needs = (Asker, GuardStore);

    const ASKS: bool = true;

    fn make(config: DataFlowConfig, (asker, store): (Asker, GuardStore)) -> Result<Self, ConfigError> {
        Ok(Self::new(config)?.with_asker(asker).with_store(store))
    }
}
