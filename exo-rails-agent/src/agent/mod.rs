//! A small agent: a model, tools, and a guard set around everything that they do.

mod checkpoints;
mod context;
mod failed;
mod file_checkpoints;
mod panics;
mod progress;
mod recorder;
mod run;
mod start;
mod streaming;
mod suspended;

use std::fmt;
use std::future::{Ready, ready};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::{GuardSet, InvokeOutput, KeptValues, NoRails, RunContext, Tool};
use serde_json::{Map, Value};

use crate::compaction::Compaction;
use crate::memory::{AgentMemory, Memory};
use crate::model::Model;

pub use checkpoints::Checkpoints;
use checkpoints::DynCheckpoints;
pub use failed::{FailedRun, RunSoFar};
pub use file_checkpoints::FileCheckpoints;
pub(crate) use run::AgentRun;
pub use start::{IntoRun, RunStart};
pub use streaming::{AskedCall, RunEvent, RunFuture, RunStream};
pub use suspended::{CallState, NotOpen, Resolution, SuspendedCall, SuspendedMemory, SuspendedRun};

/// How many steps an agent may take when its builder does not say.
const DEFAULT_MAX_STEPS: u32 = 20;

/// What a request has in fields of its own, or what its model says itself.
const NO_OPTIONS: [&str; 3] = ["messages", "tools", "stream"];

/// How many tool calls an answer may ask for when its builder does not say.
const DEFAULT_CALLS_PER_ANSWER: usize = 256;

/// How many tool calls a run may make when its builder does not say.
const DEFAULT_CALLS_PER_RUN: usize = 10_000;

/// How many tools run at once when its builder does not say.
const DEFAULT_PARALLEL_TOOLS: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// An agent: it asks the model, does what the model asks for with its tools, and asks again, until the model
/// answers without a tool call.
///
/// Its guard set is anything that implements [`GuardSet`]: a static chain, a
/// [`RailManager`](exo_rails::RailManager), a [`HookManager`](exo_rails::HookManager). Without one it behaves as if
/// this crate's events did not exist.
///
/// When a tool fails or does not exist, or its arguments make no sense, the model reads so, and may try something else: when
/// the rails of [`ToolError`](exo_rails::events::ToolError) let the error go on, it becomes the output of the call, and passes
/// the rails of [`PostToolCall`](exo_rails::events::PostToolCall) like any other. Everything else ends the run with
/// a [`FailedRun`], which has the [`RunError`](exo_rails::RunError) and what the run had done until then.
///
/// No tool runs for an answer that was [cut](exo_rails::ModelResponse::is_cut), because the arguments of its calls may be
/// incomplete: the rails see the calls, whose arguments are text, each call fails, and the model reads why.
///
/// The panic of a tool is an error of the tool, `the tool panicked: …`: it passes the rails of `ToolError`, the model reads it,
/// and the calls beside it go on. A rail that panics without `on_panic = "fault"` cancels the calls beside it, and its panic
/// goes through the run when they have ended. A program with `panic = "abort"` ends.
///
/// What a rail changes in the request of one model call is for that call; the conversation goes on without
/// the change.
///
/// The tool calls that one answer asks for run [at once](AgentBuilder::parallel_tools), each with its own pre and post
/// rails and in its own [context](exo_rails::RailContext::child). A skip or a retry is of one call. An error that ends the run in one
/// of them cancels the others: those that have not begun do not begin, rails that wait are dropped, tools that
/// have begun see their token cancelled, and the run waits until all have ended. Of several errors, that of the first call in the order of the answer is
/// returned, as it is.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, ScriptedModel};
/// use serde_json::{Value, json};
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_refunds(call: &ToolCallInputs) -> RailAction {
///     if call.tool_name == "refund" { RailAction::skip("a person has to do that") } else { RailAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "refund", "arguments": { "order": 7 } }] },
///     { "say": "I have asked a colleague." }
/// ]"#.parse()?;
/// let refund = Tool::new("refund", "Pays an order back.", json!({ "type": "object" }), |_: Value| async {
///     Ok::<_, OperationError>("paid back")
/// });
/// let agent = Agent::builder("support", model).tool(refund).rails(rail_chain![no_refunds]).build();
/// let answer = agent.run("I want my money back!").await?;
/// assert_eq!(answer.text, "I have asked a colleague.");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Agent<M, R = NoRails> {
    model: M,
    rails: R,
    settings: Settings,
}

/// What is the same for an agent of any model and guard set.
#[derive(Clone, Debug)]
struct Settings {
    name: Arc<str>,
    tools: Vec<Tool>,
    instructions: Option<String>,
    options: Map<String, Value>,
    max_steps: u32,
    max_calls: MaxCalls,
    max_retries: Option<u32>,
    max_retry_delay: Option<Duration>,
    parallel_tools: NonZeroUsize,
    compaction: Option<Compaction>,
    kept_values: KeptValues,
    checkpoints: Option<SharedCheckpoints>,
    context_budget: Option<u64>,
    memory: AgentMemory,
}

/// How many tool calls the model may ask for.
#[derive(Clone, Copy, Debug)]
struct MaxCalls {
    per_answer: usize,
    per_run: usize,
}

#[derive(Clone)]
struct SharedCheckpoints(Arc<dyn DynCheckpoints>);

impl fmt::Debug for SharedCheckpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints").finish_non_exhaustive()
    }
}

impl<M: Model> Agent<M> {
    /// Begins an agent of this name with this model.
    pub fn builder(name: impl Into<Arc<str>>, model: M) -> AgentBuilder<M> {
        let settings = Settings {
            name: name.into(),
            tools: Vec::new(),
            instructions: None,
            options: Map::new(),
            max_steps: DEFAULT_MAX_STEPS,
            max_calls: MaxCalls { per_answer: DEFAULT_CALLS_PER_ANSWER, per_run: DEFAULT_CALLS_PER_RUN },
            max_retries: None,
            max_retry_delay: None,
            parallel_tools: DEFAULT_PARALLEL_TOOLS,
            compaction: None,
            kept_values: KeptValues::new(),
            checkpoints: None,
            context_budget: None,
            memory: AgentMemory::default(),
        };
        AgentBuilder(Self { model, rails: NoRails, settings })
    }
}

impl<M: Model, R: GuardSet> Agent<M, R> {
    /// Runs the agent on this input, or resumes a [`SuspendedRun`].
    ///
    /// # Errors
    /// When a rail aborts, faults or has used up its retries, when the model fails and no rail rescues the
    /// call, or when the agent takes more steps than it may. The [`FailedRun`] has the error as it was made, and what the
    /// run had done until then.
    pub fn run(&self, input: impl IntoRun) -> RunFuture<'_> {
        let start = input.into_run();
        Box::pin(async move { AgentRun::new(self, None).run(start, &mut self.context()).await })
    }

    /// Runs the agent in a given context: with a session, a run name, a cancellation token.
    ///
    /// # Errors
    /// As [`run`](Self::run), and when the run is cancelled.
    pub fn run_in<'a>(&'a self, input: impl IntoRun, ctx: &'a mut RunContext) -> RunFuture<'a> {
        let start = input.into_run();
        Box::pin(async move { AgentRun::new(self, None).run(start, ctx).await })
    }

    /// Runs the agent on this input, and tells what happens as it happens: the text of the answer in pieces, each when
    /// the rails have let it leave.
    ///
    /// The rails and their decisions are those of [`run`](Self::run); the model is asked to
    /// [stream](Model::stream). The stream ends with [`RunEvent::Finished`] or with the error of the run. It does nothing
    /// unless it is polled, and dropping it drops the run.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::{Agent, RunEvent, ScriptedModel};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "It is on its way." }]"#.parse()?;
    /// let agent = Agent::builder("support", model).build();
    /// let (mut events, mut text) = (agent.stream("Where is my order?"), String::new());
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         RunEvent::Text(piece) => text += &piece,
    ///         RunEvent::Finished(output) => assert_eq!(output.text, text),
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(text, "It is on its way.");
    /// # Ok(()) }
    /// ```
    pub fn stream(&self, input: impl IntoRun) -> RunStream<'_> {
        let input = input.into_run();
        RunStream::new(move |events| async move {
            let mut ctx = self.context();
            AgentRun::new(self, Some(events)).run(input, &mut ctx).await
        })
    }

    /// The same in a given context.
    pub fn stream_in<'a>(&'a self, input: impl IntoRun, ctx: &'a mut RunContext) -> RunStream<'a> {
        let input = input.into_run();
        RunStream::new(move |events| async move { AgentRun::new(self, Some(events)).run(input, ctx).await })
    }

    /// The same as [`stream`](Self::stream), with an agent that the stream owns: it lives as long as it is polled, for
    /// handlers that return it, such as `Sse::new(…)` of axum.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use exo_rails_agent::{Agent, RunStream, ScriptedModel};
    ///
    /// /// A handler of a server.
    /// async fn answer(agent: Arc<Agent<ScriptedModel>>, question: String) -> RunStream<'static> {
    ///     agent.into_stream(question)
    /// }
    /// ```
    pub fn into_stream<'a>(self: Arc<Self>, input: impl IntoRun) -> RunStream<'a>
    where
        Self: 'a,
    {
        let ctx = self.context();
        self.into_stream_in(input, ctx)
    }

    /// The same in a given context, which the stream owns as well. Its values and its token are shared with clones of
    /// their handles that the program keeps.
    pub fn into_stream_in<'a>(self: Arc<Self>, input: impl IntoRun, mut ctx: RunContext) -> RunStream<'a>
    where
        Self: 'a,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move { AgentRun::new(&*self, Some(events)).run(input, &mut ctx).await })
    }

    /// A context for a new run.
    pub(crate) fn context(&self) -> RunContext {
        let ctx = RunContext::new(Arc::clone(&self.settings.name));
        let ctx = match self.settings.max_retries {
            None => ctx,
            Some(retries) => ctx.with_max_retries(retries),
        };
        match self.settings.max_retry_delay {
            None => ctx,
            Some(delay) => ctx.with_max_retry_delay(delay),
        }
    }

    /// The guard set.
    pub const fn rails(&self) -> &R {
        &self.rails
    }

    pub(crate) const fn has_instructions(&self) -> bool {
        self.settings.instructions.is_some()
    }

    /// The name of the agent.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.settings.name
    }
}

/// Makes an [`Agent`]: see [`Agent::builder`].
#[must_use = "a builder makes an agent with `build()`"]
#[derive(Clone, Debug)]
pub struct AgentBuilder<M, R = NoRails>(Agent<M, R>);

// Without bounds: `Agent::builder` and `rails` have held them, and what they refuse is not refused again.
impl<M, R> AgentBuilder<M, R> {
    /// Gives the agent a tool; one of the same name is replaced.
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        let tool = tool.into();
        self.0.settings.tools.retain(|other| other.name() != tool.name());
        self.0.settings.tools.push(tool);
        self
    }

    /// Gives the agent several tools: a list, or a [`ToolSet`](exo_rails::ToolSet).
    pub fn tools(self, tools: impl IntoIterator<Item: Into<Tool>>) -> Self {
        tools.into_iter().fold(self, Self::tool)
    }

    /// The instructions that the model reads first, unless the conversation that a run continues begins with
    /// instructions. In a [session that goes on](crate::Session::resume), the agent's instructions take the place of those
    /// that the conversation began with.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.0.settings.instructions = Some(instructions.into());
        self
    }

    /// An option of every request to the model, such as `temperature`. `model` is the model of the requests, as
    /// [`ModelCallInputs::model`](exo_rails::ModelCallInputs::model).
    ///
    /// The messages and the tools are never options, because rails look at them in their own fields: options named `messages`,
    /// `tools` and `stream` are left out.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::{Agent, ScriptedModel};
    ///
    /// #[rail(on = [PreLlmCall])]
    /// fn see(request: &ModelCallInputs) {
    ///     assert_eq!(request.extra.keys().collect::<Vec<_>>(), ["temperature"]);
    ///     assert_eq!(request.model.as_deref(), Some("small"));
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "Hello" }]"#.parse()?;
    /// let agent = Agent::builder("support", model).option("temperature", 0).option("model", "small").option("messages", "unseen");
    /// agent.rails(rail_chain![see]).build().run("Hello").await?;
    /// # Ok(()) }
    /// ```
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let name = name.into();
        if !NO_OPTIONS.contains(&name.as_str()) {
            self.0.settings.options.insert(name, value.into());
        }
        self
    }

    /// How many steps a run may take (20 when it is not said): model calls with the tool calls they ask for.
    /// One more, and the run fails with [`RunError::StepLimit`](exo_rails::RunError::StepLimit).
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.0.settings.max_steps = steps;
        self
    }

    /// How many tool calls one answer of the model may ask for (256 when it is not said). With more, none of them is made,
    /// and the run fails with an [`OperationError`](exo_rails::OperationError) of the kind `InvalidResponse`.
    ///
    /// ```
    /// use exo_rails_agent::{Agent, ScriptedModel};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "call": [{ "tool": "search" }, { "tool": "search" }] }]"#.parse()?;
    /// let agent = Agent::builder("support", model).max_calls_per_answer(1).build();
    /// let failed = agent.run("Where is my order?").await.unwrap_err();
    /// assert!(failed.error.to_string().starts_with("the model asks for 2 tool calls in one answer, and the limit is 1"));
    /// # Ok(()) }
    /// ```
    pub fn max_calls_per_answer(mut self, calls: usize) -> Self {
        self.0.settings.max_calls.per_answer = calls;
        self
    }

    /// How many tool calls a run may make in all its attempts (10,000 when it is not said). Before one more, the run
    /// fails as for [`max_calls_per_answer`](Self::max_calls_per_answer). A run that is resumed goes on counting.
    pub fn max_calls_per_run(mut self, calls: usize) -> Self {
        self.0.settings.max_calls.per_run = calls;
        self
    }

    /// How many retries all operations of a run may have together, in the contexts that the agent makes: see
    /// [`RunContext::with_max_retries`], also for those that are given to it. Without it, each rail has its own limit for each
    /// operation.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.0.settings.max_retries = Some(retries);
        self
    }

    /// The longest delay of a retry (5 minutes when it is not said), in the contexts that the agent makes: see
    /// [`RunContext::with_max_retry_delay`], also for those that are given to it.
    pub fn max_retry_delay(mut self, max_delay: Duration) -> Self {
        self.0.settings.max_retry_delay = Some(max_delay);
        self
    }

    /// How many of the tool calls that one answer asks for run at once (8 when it is not said); with 1, they run one
    /// after the other.
    pub fn parallel_tools(mut self, tools: NonZeroUsize) -> Self {
        self.0.settings.parallel_tools = tools;
        self
    }

    /// What is done when the history outgrows its budget; without it, the history only grows.
    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.0.settings.compaction = Some(compaction);
        self
    }

    /// The types of the values in [`ctx.run`](exo_rails::RunScope::run) that are saved with a suspended run. Without them, what
    /// rails count in types of their own begins anew when the run is resumed.
    pub fn kept_values(mut self, kept: KeptValues) -> Self {
        self.0.settings.kept_values = kept;
        self
    }

    /// Saves the runs here while they go on, so that they are resumed when the program has ended in the middle of them.
    pub fn checkpoints(mut self, checkpoints: impl Checkpoints + 'static) -> Self {
        self.0.settings.checkpoints = Some(SharedCheckpoints(Arc::new(checkpoints)));
        self
    }

    /// How many tokens the model may read at most. The rails of [`ContextAssembled`](exo_rails::events::ContextAssembled)
    /// see it; with more tokens, those of [`ContextOverflow`](exo_rails::events::ContextOverflow) are asked before the model is
    /// called, and may abort the run or shorten the messages. Otherwise the messages are sent as they are.
    ///
    /// When it is not said, it is the budget of the [compaction](Self::compaction). A compaction over less tokens makes the
    /// history shorter before there are too many. Tokens are counted as the compaction counts them, or
    /// [estimated](crate::estimated_tokens) where there is none; those of the tools are not counted.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::ContextInputs;
    /// use exo_rails_agent::{Agent, ScriptedModel};
    ///
    /// #[rail(on = [ContextOverflow])]
    /// fn refuse(context: &ContextInputs) -> Verdict {
    ///     Verdict::abort(format!("{} tokens are too many", context.tokens))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "Gladly." }]"#.parse()?;
    /// let agent = Agent::builder("support", model).rails(rail_chain![refuse]).context_budget(100).build();
    /// assert_eq!(agent.run("Help me.").await?.text, "Gladly.");
    /// assert!(agent.run("a word and another ".repeat(40)).await.is_err());
    /// # Ok(()) }
    /// ```
    pub fn context_budget(mut self, tokens: u64) -> Self {
        self.0.settings.context_budget = Some(tokens);
        self
    }

    /// Gives the agent a [`Memory`]. The model reads what the memory recalls before the input, and the memory stores what was said.
    pub fn memory(mut self, memory: impl Memory + 'static) -> Self {
        self.0.settings.memory.set(memory);
        self
    }

    /// How many items the memory may recall for a run (5 when it is not said). More are left out.
    pub fn recall_limit(mut self, items: usize) -> Self {
        self.0.settings.memory.limit = items;
        self
    }

    /// Lets a run go on when the memory fails: nothing is recalled or stored then, and a `tracing` warning says why.
    /// Otherwise the run fails with the error of the memory.
    ///
    /// It is for failures of the memory only: what rails decide about it stays decided.
    pub fn ignore_memory_failures(mut self) -> Self {
        self.0.settings.memory.ignores_failures = true;
        self
    }

    /// The agent.
    pub fn build(self) -> Agent<M, R> {
        self.0
    }
}

// The methods of an agent, so that a forgotten `build()` is reported with what to write. They return types without bounds:
// of an `impl Future`, rustc reports a bound of the method again at the call and at its `.await`.
#[doc(hidden)]
impl<M, R> AgentBuilder<M, R> {
    pub fn run<I>(&self, _: I) -> Ready<Result<InvokeOutput, FailedRun>>
    where
        Self: IsBuilt,
    {
        ready(Ok(InvokeOutput::default()))
    }

    pub fn run_in<I>(&self, _: I, _: &mut RunContext) -> Ready<Result<InvokeOutput, FailedRun>>
    where
        Self: IsBuilt,
    {
        ready(Ok(InvokeOutput::default()))
    }

    pub fn stream<I>(&self, _: I) -> RunStream<'_>
    where
        Self: IsBuilt,
    {
        RunStream::new(|_| ready(Ok(InvokeOutput::default())))
    }

    pub fn stream_in<'a, I>(&'a self, _: I, _: &'a mut RunContext) -> RunStream<'a>
    where
        Self: IsBuilt,
    {
        RunStream::new(|_| ready(Ok(InvokeOutput::default())))
    }
}

/// What can run. Nothing implements it: an agent has its own methods.
#[diagnostic::on_unimplemented(
    message = "the agent is not built yet: `build()` is missing",
    label = "a builder cannot run",
    note = "write `.build()` after the last call of the builder: `Agent::builder(\"support\", model).rails(rails).build()`"
)]
pub trait IsBuilt {}

impl<M> AgentBuilder<M> {
    /// Guards the agent with this guard set.
    ///
    /// An agent has one: several chains are listed in one chain, or registered with one
    /// [`HookManager`](exo_rails::HookManager). A second call does not compile.
    ///
    /// ```compile_fail,E0599
    /// use exo_rails::prelude::*;
    /// # use exo_rails_agent::{Agent, ScriptedModel};
    /// # #[rail(on = [Start])] fn log() {}
    /// # #[rail(on = [PreToolCall])] fn permission() {}
    /// # let model: ScriptedModel = "[]".parse().unwrap();
    /// Agent::builder("support", model).rails(rail_chain![log]).rails(rail_chain![permission]);
    /// ```
    pub fn rails<S: IntoGuardSet>(self, rails: S) -> AgentBuilder<M, S::GuardSet> {
        let rails = rails.into_guard_set();
        let Agent { model, rails: NoRails, settings } = self.0;
        AgentBuilder(Agent { model, rails, settings })
    }
}

/// What an agent is guarded with: every guard set, as itself.
///
/// An agent names the type of its guard set through this trait. For a type that is not a guard set, rustc reports one error,
/// and not one more for each use of the agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard set",
    label = "not a guard set",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` holds one that is chosen at run time",
    note = "to make a guard set of one rail, write `rail_chain![my_rail]`"
)]
pub trait IntoGuardSet<Impl = ()> {
    /// The guard set.
    type GuardSet: GuardSet;

    /// The guard set.
    fn into_guard_set(self) -> Self::GuardSet;
}

#[diagnostic::do_not_recommend]
impl<R: GuardSet> IntoGuardSet for R {
    type GuardSet = Self;

    fn into_guard_set(self) -> Self {
        self
    }
}

/// Nothing implements it: with a second implementation that never holds, rustc reports that the type is not a guard set, and
/// not which of the events it does not serve.
pub trait Decoy {}

/// See [`Decoy`].
#[diagnostic::do_not_recommend]
impl<R: GuardSet, Impl: Decoy> IntoGuardSet<Impl> for R {
    type GuardSet = Self;

    fn into_guard_set(self) -> Self {
        self
    }
}
