//! A scripted run.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;

use exo_rails::testing::{Tested, Trace, Traced};
use exo_rails::{
    GuardSet, InvokeInputs, InvokeOutput, OperationError, OperationErrorKind, RunContext, RunError, StreamPiece, Tool,
    ToolOutput,
};
use serde_json::json;

use super::traced_model::TracedModel;
use crate::agent::{Agent, AgentBuilder, RunEvent};
use crate::scripted::{ScriptError, ScriptedModel};

/// Runs an agent with these rails. The model of the agent replays this [script](ScriptedModel). The run begins when you
/// await it.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::testing;
///
/// /// No answer contains a key.
/// #[rail(on = [LlmChunk])]
/// fn redact(window: &mut StreamWindow) {
///     window.replace("sk-live-4711", "[key]");
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let script = r#"[{ "deltas": ["Use sk-l", "ive-4711 for it."] }]"#;
/// let run = testing::run(rail_chain![redact], script).streamed().await;
/// run.assert_output("Use [key] for it.").assert_streamed(["Use ", "[key] for it."]);
/// # }
/// ```
///
/// If the script is wrong, the first assertion fails and reports the mistake, whatever it asserts.
pub fn run<'r, R: GuardSet + 'r>(rails: R, script: &str) -> ScriptedRun<'r, R> {
    let rails = Traced::new(rails);
    let trace = rails.trace().clone();
    let model = script.parse();
    let agent =
        model.map(|model: ScriptedModel| Agent::builder("testing", TracedModel::new(model, &trace)).rails(rails));
    let (input, ctx) = (InvokeInputs::new("hello"), RunContext::new("testing"));
    ScriptedRun { agent, trace, input, ctx, is_streamed: false, rails: PhantomData }
}

/// The builder of the agent of a [`ScriptedRun`].
pub type ScriptedAgent<R> = AgentBuilder<TracedModel<ScriptedModel>, Traced<R>>;

/// A scripted run that has not begun: see [`run`].
#[must_use = "a run does nothing until it is awaited"]
pub struct ScriptedRun<'r, R> {
    agent: Result<ScriptedAgent<R>, ScriptError>,
    trace: Trace,
    input: InvokeInputs,
    ctx: RunContext,
    is_streamed: bool,
    // Rails may be borrowed, so the future of the run must not outlive them.
    rails: PhantomData<&'r ()>,
}

impl<R: GuardSet> ScriptedRun<'_, R> {
    /// Sets the input of the user. The default is `hello`.
    pub fn input(mut self, input: impl Into<InvokeInputs>) -> Self {
        self.input = input.into();
        self
    }

    /// Gives the agent a tool. Every call of the tool returns this output.
    pub fn tool(self, name: &str, output: impl Into<ToolOutput>) -> Self {
        let output = output.into();
        self.prepared(name, move || Ok(output.clone()))
    }

    /// Gives the agent a tool. Every call of the tool fails.
    pub fn failing_tool(self, name: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        self.prepared(name, move || Err(message.as_str().into()))
    }

    fn prepared(
        self,
        name: &str,
        result: impl FnOnce() -> Result<ToolOutput, OperationError> + Clone + Send + Sync + 'static,
    ) -> Self {
        let parameters = json!({ "type": "object" });
        self.tool_of(Tool::with_permit(name, "A tool of a test.", parameters, async move |_call| result()))
    }

    /// Gives the agent a custom tool.
    pub fn tool_of(self, tool: impl Into<Tool>) -> Self {
        let tool = self.trace.tool(tool);
        self.agent(|agent| agent.tool(tool))
    }

    /// Changes the builder of the agent, for example its instructions, its limit on steps or its compaction. A tool that
    /// you add here runs, but the trace does not record it.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::NoRails;
    /// use exo_rails_agent::testing;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let run = testing::run(NoRails, r#"[{ "call": [{ "tool": "search" }] }]"#).tool("search", "nothing");
    /// run.agent(|agent| agent.max_steps(1)).await.assert_failed("1 steps without an answer");
    /// # }
    /// ```
    pub fn agent(mut self, change: impl FnOnce(ScriptedAgent<R>) -> ScriptedAgent<R>) -> Self {
        self.agent = self.agent.map(change);
        self
    }

    /// Sets the context of the run. After the run, [`Tested::ctx`] has this context.
    pub fn in_context(mut self, ctx: RunContext) -> Self {
        self.ctx = ctx;
        self
    }

    /// [Streams](Agent::stream) the run.
    pub fn streamed(mut self) -> Self {
        self.is_streamed = true;
        self
    }

    async fn finish(self) -> Tested<InvokeOutput> {
        let Self { agent, trace, input, mut ctx, is_streamed, .. } = self;
        let result = match agent {
            Err(error) => {
                trace.unusable(error.to_string());
                Err(OperationError::new(OperationErrorKind::InvalidRequest, error.to_string()).into())
            }
            Ok(agent) if is_streamed => stream(&agent.build(), input, &mut ctx, &trace).await,
            Ok(agent) => agent.build().run_in(input, &mut ctx).await.map_err(|failed| failed.error),
        };
        Tested::new(result, ctx, trace)
    }
}

async fn stream<R: GuardSet>(
    agent: &Agent<TracedModel<ScriptedModel>, Traced<R>>,
    input: InvokeInputs,
    ctx: &mut RunContext,
    trace: &Trace,
) -> Result<InvokeOutput, RunError> {
    let mut events = agent.stream_in(input, ctx);
    loop {
        match events.next().await {
            Some(Ok(RunEvent::Finished(output))) => return Ok(*output),
            Some(Ok(RunEvent::Text(text))) => trace.streamed(StreamPiece::Text(text)),
            Some(Ok(RunEvent::Restart)) => trace.streamed(StreamPiece::Restart),
            Some(Ok(event)) => trace.note(format!("the stream reports {event:?}")),
            Some(Err(failed)) => return Err(failed.error),
            None => return Err(OperationError::from("the stream ended without an end of the run").into()),
        }
    }
}

impl<'r, R: GuardSet + 'r> IntoFuture for ScriptedRun<'r, R> {
    type Output = Tested<InvokeOutput>;
    type IntoFuture = Pin<Box<dyn Future<Output = Tested<InvokeOutput>> + Send + 'r>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.finish())
    }
}

impl<R> fmt::Debug for ScriptedRun<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedRun").field("input", &self.input).finish_non_exhaustive()
    }
}
