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

/// A run of an agent with these rails, whose model replays this [script](ScriptedModel). It begins when it is awaited.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::testing;
///
/// /// No answer tells a key.
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
/// A script that is wrong is told by the first assertion, whatever it asserts.
pub fn run<'r, R: GuardSet + 'r>(rails: R, script: &str) -> ScriptedRun<'r, R> {
    let rails = Traced::new(rails);
    let trace = rails.trace().clone();
    let model = script.parse();
    let agent =
        model.map(|model: ScriptedModel| Agent::builder("testing", TracedModel::new(model, &trace)).rails(rails));
    let (input, ctx) = (InvokeInputs::new("hello"), RunContext::new("testing"));
    ScriptedRun { agent, trace, input, ctx, is_streamed: false, rails: PhantomData }
}

/// The agent of a [`ScriptedRun`], before it is built.
pub type ScriptedAgent<R> = AgentBuilder<TracedModel<ScriptedModel>, Traced<R>>;

/// A scripted run that is not yet done: made by [`run`].
#[must_use = "a run does nothing until it is awaited"]
pub struct ScriptedRun<'r, R> {
    agent: Result<ScriptedAgent<R>, ScriptError>,
    trace: Trace,
    input: InvokeInputs,
    ctx: RunContext,
    is_streamed: bool,
    // Rails may be borrowed: the future of the run lives as long as they do.
    rails: PhantomData<&'r ()>,
}

impl<R: GuardSet> ScriptedRun<'_, R> {
    /// What the user says; `hello` when it is not said.
    pub fn input(mut self, input: impl Into<InvokeInputs>) -> Self {
        self.input = input.into();
        self
    }

    /// Gives the agent a tool that returns this output whenever it is called.
    pub fn tool(self, name: &str, output: impl Into<ToolOutput>) -> Self {
        let output = output.into();
        self.prepared(name, move || Ok(output.clone()))
    }

    /// Gives the agent a tool that fails whenever it is called.
    pub fn failing_tool(self, name: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        self.prepared(name, move || Err(message.as_str().into()))
    }

    fn prepared(
        self,
        name: &str,
        result: impl Fn() -> Result<ToolOutput, OperationError> + Send + Sync + 'static,
    ) -> Self {
        let parameters = json!({ "type": "object" });
        self.tool_of(Tool::with_permit(
            name,
            "A tool of a test.",
            parameters,
            move |_call| std::future::ready(result()),
        ))
    }

    /// Gives the agent a tool of your own.
    pub fn tool_of(self, tool: impl Into<Tool>) -> Self {
        let tool = self.trace.tool(tool);
        self.agent(|agent| agent.tool(tool))
    }

    /// Changes the agent: its instructions, how many steps it may take, its compaction. A tool that is added here runs,
    /// but is not in the trace.
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

    /// The run is done in this context, which is then in [`Tested::ctx`].
    pub fn in_context(mut self, ctx: RunContext) -> Self {
        self.ctx = ctx;
        self
    }

    /// The answer is [streamed](Agent::stream).
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
