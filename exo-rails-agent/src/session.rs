//! Sessions: several runs of one conversation.

use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};

use exo_rails::message::Messages;
use exo_rails::{Guard, GuardSet, InvokeOutput, RunContext, RunError, SessionInfo, SharedExtensions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, AgentRun, FailedRun, IntoRun, RunEvent, RunFuture, RunStart, RunStream};
use crate::model::Model;

/// Several runs of an agent that belong together: they share a conversation, and the values in
/// [`ctx.session`](exo_rails::RunScope::session).
///
/// It begins with [`SessionStart`](exo_rails::events::SessionStart), where rails may refuse it, and ends with
/// [`SessionEnd`](exo_rails::events::SessionEnd). One that is dropped before its end is reported to the rails of
/// [`Dropped`](exo_rails::events::Dropped). `P` points to the agent: `&agent`, or an `Arc` for a session that outlives
/// the place where it began.
///
/// The conversation is what the runs give: their messages, as the rails have let them pass. A run that fails is not part of
/// it, unless the program [keeps](Self::keep) what it has done. Neither is a run that a rail answers: with a skip at
/// [`Start`](exo_rails::events::Start), or with [`abort_with`](exo_rails::RailAction::abort_with) at any event. What the user
/// said stays as unsaid, because the rail may have refused it. When the model is to know of such a run, the rail's answer
/// has the conversation in its [`messages`](exo_rails::InvokeOutput::messages).
///
/// ```
/// use exo_rails_agent::{Agent, Session};
/// use exo_rails::prelude::*;
/// use exo_rails::SessionInfo;
/// use exo_rails_agent::ScriptedModel;
///
/// #[rail(on = [SessionStart])]
/// fn only_named(session: &SessionInfo) -> Verdict {
///     Verdict::abort_if(session.id.is_empty(), "a session has a name")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[{ "say": "Hello, Ada." }, { "say": "You are Ada." }]"#.parse()?;
/// let agent = Agent::builder("support", model).rails(rail_chain![only_named]).build();
/// let mut session = Session::start(&agent, "s-1").await?;
/// session.run("I am Ada.").await?;
/// let answer = session.run("Who am I?").await?;
/// assert_eq!(answer.messages.len(), 4);
/// assert_eq!(session.end().await.turns, 2);
///
/// assert!(Session::start(&agent, "").await.is_err());
/// # Ok(()) }
/// ```
#[must_use = "end a session with `end()`, which calls the rails on `SessionEnd`"]
pub struct Session<P> {
    agent: P,
    info: SessionInfo,
    values: SharedExtensions,
    messages: Messages,
    cancellation: Option<CancellationToken>,
    has_ended: bool,
    /// [`report_dropped`](Self::report_dropped). `Drop` knows nothing of the agent, so this is looked up when the session
    /// begins.
    report_dropped: fn(&Self),
}

impl<P, M, R> Session<P>
where
    P: Deref<Target = Agent<M, R>> + Send + Sync,
    M: Model,
    R: GuardSet,
{
    /// Begins a session, when the rails of [`SessionStart`](exo_rails::events::SessionStart) let it. One that goes on is
    /// [resumed](Self::resume).
    ///
    /// # Errors
    /// When a rail aborts or faults.
    pub async fn start(agent: P, info: impl Into<SessionInfo>) -> Result<Self, RunError> {
        Self::resume(agent, SavedSession { info: info.into(), ..SavedSession::default() }).await
    }

    /// Goes on with a session that was [saved](Self::save), when the rails of
    /// [`SessionStart`](exo_rails::events::SessionStart) let it: they see its turns and its state.
    ///
    /// When the agent has instructions, they take the place of those that the conversation began with: so an agent with new
    /// instructions goes on with old conversations.
    ///
    /// ```
    /// use exo_rails_agent::{Agent, SavedSession, ScriptedModel, Session};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "Hello, Ada." }, { "say": "You are Ada." }]"#.parse()?;
    /// let agent = Agent::builder("support", model).instructions("Be kind.").build();
    /// let mut session = Session::start(&agent, "s-1").await?;
    /// session.run("I am Ada.").await?;
    /// let kept = serde_json::to_string(&session.save())?;
    /// session.end().await;
    ///
    /// // Later, after a restart of the program.
    /// let saved: SavedSession = serde_json::from_str(&kept)?;
    /// let mut session = Session::resume(&agent, saved).await?;
    /// assert_eq!(session.run("Who am I?").await?.text, "You are Ada.");
    /// assert_eq!(session.end().await.turns, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail aborts or faults.
    pub async fn resume(agent: P, saved: SavedSession) -> Result<Self, RunError> {
        let SavedSession { info, messages, state } = saved;
        let values = SharedExtensions::default();
        values.state().restore(state);
        let mut session = Self {
            agent,
            info,
            values,
            messages: Messages::new(),
            cancellation: None,
            has_ended: true,
            report_dropped: Self::report_dropped,
        };
        session.set_messages(messages);
        let mut ctx = session.context();
        session.agent.rails().start_session(&session.info, &mut ctx).await?;
        session.has_ended = false;
        Ok(session)
    }

    /// Begins another session with the conversation and the state of this one. From then on, each has its own.
    ///
    /// The rails of [`SessionStart`](exo_rails::events::SessionStart) are asked. The typed values in
    /// [`values`](Self::values) are not copied, so what a rail counts in them begins anew; what is to be counted across forks
    /// belongs in the [state](SharedExtensions::state).
    ///
    /// ```
    /// use exo_rails_agent::{Agent, ScriptedModel, Session};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "A poem?" }, { "say": "Roses …" }, { "say": "Once …" }]"#.parse()?;
    /// let agent = Agent::builder("writer", model).build();
    /// let mut poem = Session::start(&agent, "s-1").await?;
    /// poem.run("Write something.").await?;
    /// let mut story = poem.fork("s-2").await?;
    /// poem.run("Yes, a poem.").await?;
    /// assert_eq!(story.run("No, a story.").await?.messages.len(), 4);
    /// # poem.end().await; story.end().await;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When a rail aborts or faults.
    pub async fn fork(&self, id: impl Into<String> + Send) -> Result<Self, RunError>
    where
        P: Clone,
    {
        let mut saved = self.save();
        saved.info.id = id.into();
        Self::resume(self.agent.clone(), saved).await
    }

    /// Runs the agent on this input, after the conversation so far; or resumes a
    /// [`SuspendedRun`](crate::SuspendedRun) of this session.
    ///
    /// # Errors
    /// Those of [`Agent::run`]. The run is then not part of the conversation: see [`keep`](Self::keep).
    pub fn run<'a>(&'a mut self, input: impl IntoRun) -> RunFuture<'a>
    where
        P: 'a,
    {
        let start = input.into_run();
        Box::pin(async move {
            let mut ctx = self.context();
            self.turn(start, &mut ctx, None).await
        })
    }

    /// The same in a given context: with a run name, values, and a token that cancels this run.
    ///
    /// The context becomes one of the session: of its name, its values and its turn. The session's own token is for runs
    /// whose context has none; a [child](CancellationToken::child_token) of it cancels one run, and is cancelled with the
    /// session.
    ///
    /// ```
    /// use exo_rails::RunContext;
    /// use exo_rails_agent::{Agent, ScriptedModel, Session};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[{ "say": "Hello, Ada." }]"#.parse()?;
    /// let agent = Agent::builder("support", model).build();
    /// let mut session = Session::start(&agent, "s-1").await?;
    /// let mut ctx = RunContext::new("support").with_run_id("request-7");
    /// session.run_in("I am Ada.", &mut ctx).await?;
    /// assert_eq!((ctx.run_id(), ctx.session_id(), ctx.turn()), ("request-7", Some("s-1"), 0));
    /// # session.end().await;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and when the run is cancelled.
    pub fn run_in<'a>(&'a mut self, input: impl IntoRun, ctx: &'a mut RunContext) -> RunFuture<'a>
    where
        P: 'a,
    {
        let start = input.into_run();
        Box::pin(async move {
            self.enter(ctx);
            self.turn(start, ctx, None).await
        })
    }

    /// The same as [`run`](Self::run), [streamed](Agent::stream).
    pub fn stream<'a>(&'a mut self, input: impl IntoRun) -> RunStream<'a>
    where
        P: 'a,
    {
        Self::stream_owned(self, input)
    }

    /// The same as [`run_in`](Self::run_in), [streamed](Agent::stream).
    pub fn stream_in<'a>(&'a mut self, input: impl IntoRun, ctx: &'a mut RunContext) -> RunStream<'a>
    where
        P: 'a,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move {
            self.enter(ctx);
            self.turn(input, ctx, Some(events)).await
        })
    }

    /// The same as [`stream`](Self::stream), with a session that the stream owns until it ends or is dropped: a locked one,
    /// in a server that keeps its sessions. The stream can leave the place where it began.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use exo_rails_agent::{Agent, RunStream, ScriptedModel, Session};
    /// use tokio::sync::Mutex;
    ///
    /// type Support = Session<Arc<Agent<ScriptedModel>>>;
    ///
    /// /// A handler of a server. The next request of the session waits until the stream of this one has ended.
    /// async fn answer(session: Arc<Mutex<Support>>, question: String) -> RunStream<'static> {
    ///     Session::stream_owned(session.lock_owned().await, question)
    /// }
    /// ```
    pub fn stream_owned<'a>(session: impl DerefMut<Target = Self> + Send + 'a, input: impl IntoRun) -> RunStream<'a>
    where
        Self: 'a,
    {
        let ctx = RunContext::new(session.agent.name());
        Self::stream_owned_in(session, input, ctx)
    }

    /// The same in a given context, which the stream owns as well.
    pub fn stream_owned_in<'a>(
        mut session: impl DerefMut<Target = Self> + Send + 'a,
        input: impl IntoRun,
        ctx: RunContext,
    ) -> RunStream<'a>
    where
        Self: 'a,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move {
            let mut ctx = session.context_of(ctx);
            session.turn(input, &mut ctx, Some(events)).await
        })
    }

    /// The same as [`stream`](Self::stream), for a session that ends with this run: the rails of
    /// [`SessionEnd`](exo_rails::events::SessionEnd) run before the stream ends. A server that saves its sessions
    /// resumes one for each request; the last event of the stream has the conversation.
    pub fn into_stream<'a>(mut self, input: impl IntoRun) -> RunStream<'a>
    where
        Self: 'a,
    {
        let input = input.into_run();
        RunStream::new(move |events| async move {
            let mut ctx = self.context();
            let result = self.turn(input, &mut ctx, Some(events)).await;
            self.end().await;
            result
        })
    }

    /// Makes this context one of the session.
    fn enter(&self, ctx: &mut RunContext) {
        let given = mem::replace(ctx, RunContext::new(self.agent.name()));
        *ctx = self.context_of(given);
    }

    /// One run of the session, in a context of it.
    async fn turn(
        &mut self,
        mut start: RunStart,
        ctx: &mut RunContext,
        events: Option<Sender<RunEvent>>,
    ) -> Result<InvokeOutput, FailedRun> {
        // A run that goes on has its conversation, and was counted when it began.
        let is_new = if let RunStart::New(input) = &mut start {
            // A conversation that the input brings with it is the one that goes on.
            if input.messages.is_empty() {
                input.messages.clone_from(&self.messages);
            }
            true
        } else {
            false
        };
        let result = AgentRun::new(&*self.agent, events).run(start, ctx).await;
        // Behind the run: one that is dropped is not a turn.
        self.info.turns += u32::from(is_new);
        let output = result?;
        // A run that a rail has skipped has none, and nothing of it is kept.
        if !output.messages.is_empty() {
            self.messages.clone_from(&output.messages);
        }
        Ok(output)
    }

    /// Puts a conversation in the place of the one so far. When the agent has instructions, they take the place of those
    /// that it begins with.
    pub fn set_messages(&mut self, messages: impl Into<Messages>) {
        let messages = messages.into();
        self.messages = if self.agent.has_instructions() { without_instructions(messages) } else { messages };
    }

    /// Ends the session, and tells the rails of [`SessionEnd`](exo_rails::events::SessionEnd).
    pub async fn end(mut self) -> SessionInfo {
        self.has_ended = true;
        let mut ctx = self.context();
        self.agent.rails().end_session(&self.info, &mut ctx).await;
        std::mem::take(&mut self.info)
    }

    /// Reports to the rails of `Dropped` that nobody has ended the session.
    fn report_dropped(&self) {
        self.agent.rails().session_dropped(&mut self.context());
    }

    fn context(&self) -> RunContext {
        self.context_of(self.agent.context())
    }

    /// This context as one of the session.
    fn context_of(&self, ctx: RunContext) -> RunContext {
        let ctx = ctx.with_session(self.info.id.as_str(), self.values.clone(), self.info.turns);
        match &self.cancellation {
            Some(token) if ctx.cancellation().is_none() => ctx.with_cancellation(token.clone()),
            _ => ctx,
        }
    }
}

/// A session that continues when the program runs again. [`Session::save`] makes it, and [`Session::resume`] continues with it.
///
/// It can be written as JSON. The typed values of the session are not in it: they may be anything.
/// [`KeptValues`](exo_rails::KeptValues) save those whose types they know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    /// Its name and how many runs it has had.
    pub info: SessionInfo,
    /// The conversation.
    #[serde(default)]
    pub messages: Messages,
    /// The values in its [state](SharedExtensions::state).
    #[serde(default)]
    pub state: Map<String, Value>,
}

fn without_instructions(messages: Messages) -> Messages {
    let instructions = messages.iter().take_while(|message| message.is_instructions()).count();
    if instructions == 0 {
        return messages;
    }
    let mut others = Messages::new();
    others.extend_from(&messages, instructions..);
    others
}

impl<P> Session<P> {
    /// The same session, whose runs this token cancels.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// Its name and how many runs it has had.
    pub const fn info(&self) -> &SessionInfo {
        &self.info
    }

    /// What its runs share.
    pub const fn values(&self) -> &SharedExtensions {
        &self.values
    }

    /// The conversation so far.
    #[must_use]
    pub const fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Makes what a failed run has done part of the conversation: what the user said, as the rails have left it, the calls
    /// of tools and their outputs. A run that failed before its first step has done nothing, and changes nothing.
    ///
    /// ```
    /// use exo_rails_agent::{Agent, ScriptedModel, Session};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model: ScriptedModel = r#"[
    ///     { "fail": { "kind": "unavailable", "message": "the connection is lost" } },
    ///     { "say": "You are Ada." }
    /// ]"#.parse()?;
    /// let agent = Agent::builder("support", model).build();
    /// let mut session = Session::start(&agent, "s-1").await?;
    /// if let Err(failed) = session.run("I am Ada.").await {
    ///     session.keep(&failed);
    /// }
    /// assert_eq!(session.run("Who am I?").await?.messages.len(), 3);
    /// # session.end().await;
    /// # Ok(()) }
    /// ```
    pub fn keep(&mut self, failed: &FailedRun) {
        if !failed.so_far.messages.is_empty() {
            self.messages.clone_from(&failed.so_far.messages);
        }
    }

    /// The session as it is now, to be [resumed](Self::resume) when the program runs again.
    #[must_use]
    pub fn save(&self) -> SavedSession {
        SavedSession { info: self.info.clone(), messages: self.messages.clone(), state: self.values.state().snapshot() }
    }
}

impl<P> Drop for Session<P> {
    fn drop(&mut self) {
        if !self.has_ended {
            tracing::warn!(session = self.info.id, "a session was dropped without its end");
            (self.report_dropped)(self);
        }
    }
}

impl<P> fmt::Debug for Session<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("info", &self.info)
            .field("messages", &self.messages.len())
            .finish_non_exhaustive()
    }
}
