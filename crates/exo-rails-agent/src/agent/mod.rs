//! A small agent: a model, tools, and a guard set around every call of them.

mod checkpoints;
mod context;
mod failed;
mod file_checkpoints;
mod panics;
mod progress;
mod recorder;
mod run;
mod so_far;
mod start;
mod streaming;
mod suspended;

use std::fmt;
use std::future::{Ready, ready};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::{GuardSet, InvokeOutput, KeptValues, NoRails, RailsMeet, RunContext, Tool};
use serde_json::{Map, Value};

use crate::compaction::Compaction;
use crate::memory::{AgentMemory, Memory};
use crate::model::Model;

pub use checkpoints::Checkpoints;
use checkpoints::DynCheckpoints;
pub use failed::FailedRun;
pub use file_checkpoints::FileCheckpoints;
pub(crate) use run::AgentRun;
pub use so_far::RunSoFar;
pub use start::{IntoRun, RunStart};
pub use streaming::{AskedCall, RunEvent, RunFuture, RunStream};
pub use suspended::{CallState, NotOpen, Resolution, SuspendedCall, SuspendedMemory, SuspendedRun};

/// The default of [`AgentBuilder::max_steps`].
const DEFAULT_MAX_STEPS: u32 = 20;

/// Names of options that [`AgentBuilder::option`] ignores. A request has its own fields for messages and tools, and the
/// model itself sets `stream`.
const NO_OPTIONS: [&str; 3] = ["messages", "tools", "stream"];

/// The default of [`AgentBuilder::max_calls_per_answer`].
const DEFAULT_CALLS_PER_ANSWER: usize = 256;

/// The default of [`AgentBuilder::max_calls_per_run`].
const DEFAULT_CALLS_PER_RUN: usize = 10_000;

/// The default of [`AgentBuilder::parallel_tools`].
const DEFAULT_PARALLEL_TOOLS: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// An agent: a model, tools and a guard set.
///
/// A run of an agent is a loop. The agent calls the model and runs the tools that the answer asks for. Then it calls the
/// model again, until an answer asks for no tool.
///
/// The guard set is any type that implements [`GuardSet`]: a chain, a [`RailManager`](exo_rails::RailManager), a
/// [`HookManager`](exo_rails::HookManager) or another one. Without a guard set, every event continues.
///
/// # Errors of tools
///
/// A tool call fails if the tool returns an error or does not exist, or if its arguments are wrong. The rails of
/// [`ToolError`](exo_rails::events::ToolError) see the error first. If they let the error pass, the text of the error
/// becomes the output of the call. The output passes the rails of [`PostToolCall`](exo_rails::events::PostToolCall), and
/// the model reads it and can try something else. Every other error that no rail rescues ends the run with a
/// [`FailedRun`]. A `FailedRun` has the [`RunError`](exo_rails::RunError) and everything that the run had done before.
///
/// If an answer was [cut](exo_rails::ModelResponse::is_cut), the arguments of its calls may be incomplete, so the agent
/// runs no tool for it. The rails still see the calls, with their arguments as text. Each call fails, and the model reads
/// the reason.
///
/// If a tool panics, its call fails with the error `the tool panicked: …`, and the other calls continue. The rails of
/// `ToolError` and the model see this error like any other. If a rail without `on_panic = "fault"` panics, the agent
/// cancels the other calls of the answer and waits until they have ended. Then the panic of the rail continues through
/// the run. With `panic = "abort"`, every panic ends the program.
///
/// # Changes by rails
///
/// If a rail changes the request of a model call, the change is only for this call. The conversation does not contain the
/// change.
///
/// # Parallel tool calls
///
/// The agent runs the tool calls of one answer [concurrently](AgentBuilder::parallel_tools). Each call has its own pre
/// rails and post rails, and its own [context](exo_rails::RailContext::child). A skip or a retry affects one call. An
/// error that ends the run cancels the other calls of the answer:
///
/// - Calls that have not begun do not begin.
/// - The agent drops rails that wait.
/// - Tools that have begun see a cancelled token.
///
/// The run waits until all calls have ended. Then it returns the error unchanged. If several calls have such an error,
/// the run returns the error of the first of them, in the order of the answer. A rail that suspends its call does not
/// cancel the others. The run is suspended if no call has an error that ends the run.
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

/// The settings that do not depend on the types of the model and the guard set.
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

/// The number of tool calls that the model may ask for.
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
    /// Begins an agent with this name and this model.
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

// The bounds are at the methods. At the block, rustc would not say what a guard set is.
impl<M: Model, R> Agent<M, R> {
    /// Runs the agent on this input, or resumes a [`SuspendedRun`].
    ///
    /// # Errors
    /// Returns an error in each of these cases:
    ///
    /// - A rail aborts or suspends the run, faults, or has used up its retries.
    /// - The model fails, and no rail rescues the call.
    /// - The memory or the compaction fails.
    /// - The run exceeds a limit of the builder: on steps, or on tool calls.
    /// - The run cannot be saved in its checkpoints.
    ///
    /// The error in the [`FailedRun`] is the original error. The `FailedRun` also has everything that the run had done
    /// before the error.
    pub fn run(&self, input: impl IntoRun) -> RunFuture<'_>
    where
        R: GuardSet,
    {
        let start = input.into_run();
        Box::pin(async move { AgentRun::new(self, None).run(start, &mut self.context()).await })
    }

    /// Runs the agent in the given context. The context can have a session, a name for the run, and a cancellation token.
    ///
    /// # Errors
    /// Returns the errors of [`run`](Self::run), and an error if the run is cancelled.
    pub fn run_in<'a>(&'a self, input: impl IntoRun, ctx: &'a mut RunContext) -> RunFuture<'a>
    where
        R: GuardSet,
    {
        let start = input.into_run();
        Box::pin(async move { AgentRun::new(self, None).run(start, ctx).await })
    }

    /// Runs the agent on this input and returns a stream of the events of the run. The text of the answer arrives in
    /// pieces. A piece arrives when the rails have let it pass.
    ///
    /// The stream calls the same rails as [`run`](Self::run), and acts on their decisions in the same way. The agent asks
    /// the model to [stream](Model::stream) its answers. The stream ends with [`RunEvent::Finished`] or with the error of
    /// the run. A stream does nothing unless you poll it. Dropping the stream drops the run.
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
    pub fn stream(&self, input: impl IntoRun) -> RunStream<'_>
    where
        R: GuardSet,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move {
            let mut ctx = self.context();
            AgentRun::new(self, Some(events)).run(input, &mut ctx).await
        })
    }

    /// Streams a run like [`stream`](Self::stream), in the given context.
    pub fn stream_in<'a>(&'a self, input: impl IntoRun, ctx: &'a mut RunContext) -> RunStream<'a>
    where
        R: GuardSet,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move { AgentRun::new(self, Some(events)).run(input, ctx).await })
    }

    /// Streams a run like [`stream`](Self::stream), with a stream that owns the agent. A handler can return such a
    /// stream, for example in `Sse::new(…)` of axum.
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
        R: GuardSet,
    {
        let ctx = self.context();
        self.into_stream_in(input, ctx)
    }

    /// Streams a run like [`into_stream`](Self::into_stream), in the given context. The stream owns the context. The
    /// program can keep clones of the handles to its values and its token, and they refer to the same values and token.
    pub fn into_stream_in<'a>(self: Arc<Self>, input: impl IntoRun, mut ctx: RunContext) -> RunStream<'a>
    where
        Self: 'a,
        R: GuardSet,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move { AgentRun::new(&*self, Some(events)).run(input, &mut ctx).await })
    }

    /// Makes the context of a new run.
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

    /// The guard set of the agent.
    pub const fn guard_set(&self) -> &R {
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

/// A builder of an [`Agent`]: see [`Agent::builder`].
#[must_use = "a builder makes an agent with `build()`"]
#[derive(Clone, Debug)]
pub struct AgentBuilder<M, R = NoRails>(Agent<M, R>);

// This block has no bounds. `Agent::builder` and `rails` check them, and rustc would report a type that they reject a
// second time here.
impl<M, R> AgentBuilder<M, R> {
    /// Gives the agent a tool. The tool replaces an earlier tool of the same name.
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        let tool = tool.into();
        self.0.settings.tools.retain(|other| other.name() != tool.name());
        self.0.settings.tools.push(tool);
        self
    }

    /// Gives the agent several tools: a list or a [`ToolSet`](exo_rails::ToolSet).
    pub fn tools(self, tools: impl IntoTools) -> Self {
        tools.into_tools().fold(self, Self::tool)
    }

    /// Sets the instructions that the model reads first. If a run continues a conversation that begins with instructions,
    /// the agent does not add its own. In a [resumed session](crate::Session::resume), the instructions of the agent
    /// replace the instructions at the beginning of the conversation.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.0.settings.instructions = Some(instructions.into());
        self
    }

    /// Sets an option of every request to the model, such as `temperature`. The option `model` becomes
    /// [`ModelCallInputs::model`](exo_rails::ModelCallInputs::model).
    ///
    /// The builder ignores options named `messages`, `tools` and `stream`. Rails read the messages and the tools in the
    /// fields of the request, so options must not replace these fields.
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

    /// Sets how many steps a run may take. A step is a model call and the tool calls that its answer asks for. The
    /// default is 20. A run that needs another step fails with [`RunError::StepLimit`](exo_rails::RunError::StepLimit).
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.0.settings.max_steps = steps;
        self
    }

    /// Sets how many tool calls one answer of the model may ask for. The default is 256. If an answer asks for more, the
    /// agent makes none of its calls, and the run fails with an [`OperationError`](exo_rails::OperationError) of the kind
    /// `InvalidResponse`.
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

    /// Sets how many tool calls the model may ask for in all attempts of a run together. The default is 10,000. If an
    /// answer exceeds the limit, the run fails in the same way as for
    /// [`max_calls_per_answer`](Self::max_calls_per_answer). A resumed run continues the count.
    pub fn max_calls_per_run(mut self, calls: usize) -> Self {
        self.0.settings.max_calls.per_run = calls;
        self
    }

    /// Sets how many retries all operations of a run may have together: see [`RunContext::with_max_retries`]. By default,
    /// only the limit of each rail for each operation applies. The setting affects the contexts that the agent makes. For
    /// a context that you pass to the agent, call `with_max_retries` yourself.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.0.settings.max_retries = Some(retries);
        self
    }

    /// Sets the longest delay of a retry: see [`RunContext::with_max_retry_delay`]. The default is 5 minutes. The setting
    /// affects the contexts that the agent makes. For a context that you pass to the agent, call `with_max_retry_delay`
    /// yourself.
    pub fn max_retry_delay(mut self, max_delay: Duration) -> Self {
        self.0.settings.max_retry_delay = Some(max_delay);
        self
    }

    /// Sets how many tool calls of one answer run at the same time. The default is 8. With 1, the calls run one after the
    /// other.
    pub fn parallel_tools(mut self, tools: NonZeroUsize) -> Self {
        self.0.settings.parallel_tools = tools;
        self
    }

    /// Sets how the agent shortens a history that exceeds its budget. Without a compaction, the history only grows.
    pub fn compaction(mut self, compaction: Compaction) -> Self {
        self.0.settings.compaction = Some(compaction);
        self
    }

    /// Sets which types of values in [`ctx.run`](exo_rails::RunScope::run) are saved with a suspended run. Values of
    /// other types are lost, so a rail that counts in such a value starts again when the run is resumed.
    pub fn kept_values(mut self, kept: KeptValues) -> Self {
        self.0.settings.kept_values = kept;
        self
    }

    /// Sets where the agent saves its runs while they are under way. If the program ends during a run, the run can be
    /// resumed from its record.
    pub fn checkpoints(mut self, checkpoints: impl Checkpoints + 'static) -> Self {
        self.0.settings.checkpoints = Some(SharedCheckpoints(Arc::new(checkpoints)));
        self
    }

    /// Sets how many tokens the model may read. The rails of [`ContextAssembled`](exo_rails::events::ContextAssembled)
    /// see this budget. If the messages have more tokens, the agent calls the rails of
    /// [`ContextOverflow`](exo_rails::events::ContextOverflow) before the model. These rails can abort the run or shorten
    /// the messages. If no rail does, the agent sends the messages unchanged.
    ///
    /// The default is the budget of the [compaction](Self::compaction). To shorten the history before the budget
    /// overflows, use a compaction with a smaller budget. The agent counts tokens with the counter of the compaction.
    /// Without a compaction, it [estimates](crate::estimated_tokens) them. The count does not include the tools.
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

    /// Gives the agent a [`Memory`]. The memory recalls items, which the model reads before the input, and stores the
    /// input and the answer of each run.
    pub fn memory(mut self, memory: impl Memory + 'static) -> Self {
        self.0.settings.memory.set(memory);
        self
    }

    /// Sets how many items the memory may recall for a run. The default is 5. The agent drops all further items.
    pub fn recall_limit(mut self, items: usize) -> Self {
        self.0.settings.memory.limit = items;
        self
    }

    /// Lets a run continue if the memory fails. The agent then recalls or stores nothing, and reports the failure in a
    /// `tracing` warning. By default, the run fails with the error of the memory.
    ///
    /// The setting affects only failures of the memory. The decisions of rails about the memory still apply.
    pub fn ignore_memory_failures(mut self) -> Self {
        self.0.settings.memory.ignores_failures = true;
        self
    }

    /// Requires that the guard set [meets](exo_rails::Meets) `P`. Otherwise, the program does not compile. Call it after
    /// [`rails`](AgentBuilder::rails).
    ///
    /// A tool of an agent takes a permit without a [proof](exo_rails::Proving). So check the guard set of the whole agent here.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::chain_requirements;
    /// use exo_rails_agent::{Agent, ScriptedModel};
    ///
    /// #[rail(priority = 10, on = [PreToolCall])]
    /// fn permission_check(call: &ToolCallInputs) -> Verdict {
    ///     Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
    /// }
    ///
    /// chain_requirements! { pub struct Company { require(permission_check on PreToolCall) } }
    ///
    /// rail_chain! {
    ///     #[chain(requirements = Company)]
    ///     struct SupportRails { permission_check }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "Hello!" }]"#.parse()?;
    /// let agent = Agent::builder("support", model).rails(SupportRails).requires::<Company>().build();
    /// # let _ = agent;
    /// # Ok(()) }
    /// ```
    pub fn requires<P>(self) -> Self
    where
        R: RailsMeet<P>,
    {
        self
    }

    /// Returns the agent.
    pub fn build(self) -> Agent<M, R> {
        self.0
    }
}

// These methods have the names of the methods of an agent, so rustc reports a forgotten `build()` with the correct code.
// They return types without bounds. For a method that returns `impl Future`, rustc would report the bound again at the
// call and at its `.await`.
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

// These methods have the names of the methods of a builder, so that rustc says that the agent is already built.
#[doc(hidden)]
impl<M, R> Agent<M, R> {
    #[must_use]
    pub fn rails<I>(self, _: I) -> Self
    where
        Self: IsNotBuilt,
    {
        self
    }

    #[must_use]
    pub fn tool<I>(self, _: I) -> Self
    where
        Self: IsNotBuilt,
    {
        self
    }

    #[must_use]
    pub fn tools<I>(self, _: I) -> Self
    where
        Self: IsNotBuilt,
    {
        self
    }

    #[must_use]
    pub fn instructions<I>(self, _: I) -> Self
    where
        Self: IsNotBuilt,
    {
        self
    }
}

/// A type that can change. No type implements this trait: a builder has its own methods.
#[diagnostic::on_unimplemented(
    message = "the agent is built, and cannot change any more",
    label = "only a builder has this method",
    note = "`agent.guard_set()` returns its guard set",
    note = "write `.build()` after the last call of the builder: `Agent::builder(\"support\", model).rails(rails).build()`"
)]
pub trait IsNotBuilt {}

/// A type that can run. No type implements this trait: an agent has its own methods.
#[diagnostic::on_unimplemented(
    message = "the agent is not built yet: `build()` is missing",
    label = "a builder cannot run",
    note = "write `.build()` after the last call of the builder: `Agent::builder(\"support\", model).rails(rails).build()`"
)]
pub trait IsBuilt {}

impl<M> AgentBuilder<M> {
    /// Guards the agent with this guard set.
    ///
    /// An agent has one guard set. To use several chains, list them in one chain, or register them with one
    /// [`HookManager`](exo_rails::HookManager). A second call of this method does not compile.
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

/// The argument of [`AgentBuilder::rails`]. Every guard set implements this trait and returns itself.
///
/// An agent names the type of its guard set through this trait. For a type that is not a guard set, rustc then reports
/// one error. Otherwise, it would report one more error for each use of the agent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a guard set",
    label = "not a guard set",
    note = "guard sets are chains made by `rail_chain!`, `RailManager`, `LiveRails`, `HookManager` and `NoRails`; a `DynGuardSet` holds one that is chosen at run time",
    note = "to make a guard set of one rail, write `rail_chain![my_rail]`",
    note = "a chain with `#[chain(needs = […])]` is a part of another chain: list it in a chain whose rails provide the values"
)]
pub trait IntoGuardSet<Impl = ()> {
    /// The guard set.
    type GuardSet: GuardSet;

    /// Returns the guard set.
    fn into_guard_set(self) -> Self::GuardSet;
}

#[diagnostic::do_not_recommend]
impl<R: GuardSet> IntoGuardSet for R {
    type GuardSet = Self;

    fn into_guard_set(self) -> Self {
        self
    }
}

/// The argument of [`AgentBuilder::tools`]: a list of tools, or a [`ToolSet`](exo_rails::ToolSet).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tools",
    label = "not a list of tools",
    note = "for one tool, write `.tool(search)`; for several, write `.tools([search, order])`"
)]
pub trait IntoTools<Impl = ()> {
    /// Returns the tools.
    fn into_tools(self) -> impl Iterator<Item = Tool>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<Tool>>> IntoTools for I {
    fn into_tools(self) -> impl Iterator<Item = Tool> {
        self.into_iter().map(Into::into)
    }
}

/// See [`Decoy`].
#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Into<Tool>>, Impl: Decoy> IntoTools<Impl> for I {
    fn into_tools(self) -> impl Iterator<Item = Tool> {
        self.into_iter().map(Into::into)
    }
}

/// A trait that no type implements. [`IntoGuardSet`] has a second implementation for types with this trait. With two
/// implementations, rustc reports that a type is not a guard set. With one, it would report which events the type does
/// not serve.
pub trait Decoy {}

/// See [`Decoy`].
#[diagnostic::do_not_recommend]
impl<R: GuardSet, Impl: Decoy> IntoGuardSet<Impl> for R {
    type GuardSet = Self;

    fn into_guard_set(self) -> Self {
        self
    }
}
