//! Sessions: conversations of several runs.

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

/// A conversation of several runs of an agent. The runs also share the values in
/// [`ctx.session`](exo_rails::RunScope::session).
///
/// A session begins with [`SessionStart`](exo_rails::events::SessionStart), where rails may refuse it, and ends with
/// [`SessionEnd`](exo_rails::events::SessionEnd). If you drop a session without ending it, the rails of
/// [`Dropped`](exo_rails::events::Dropped) see that. `P` is a pointer to the agent: `&agent`, or an `Arc` for a session
/// that must outlive the function that began it.
///
/// Each run replaces the conversation with its own messages, as the rails let them pass. The conversation does not change
/// in these cases:
///
/// - The run fails, and the program does not [keep](Self::keep) what the run has done.
/// - A rail answers the run: with a skip at [`Start`](exo_rails::events::Start), or with
///   [`abort_with`](exo_rails::RailAction::abort_with) at any event. The rail may have refused the input of the user. If
///   the model should read about such a run, put the conversation into the
///   [`messages`](exo_rails::InvokeOutput::messages) of the rail's answer.
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
    /// The function [`report_dropped`](Self::report_dropped). `Drop` has no bounds on the agent, so the session stores
    /// the function when it begins.
    report_dropped: fn(&Self),
}

impl<P, M, R> Session<P>
where
    P: Deref<Target = Agent<M, R>> + Send + Sync,
    M: Model,
    R: GuardSet,
{
    /// Begins a session, if the rails of [`SessionStart`](exo_rails::events::SessionStart) allow it. To continue a saved
    /// session, call [`resume`](Self::resume).
    ///
    /// # Errors
    /// Returns an error if a rail aborts or faults.
    pub async fn start(agent: P, info: impl Into<SessionInfo>) -> Result<Self, RunError> {
        Self::resume(agent, SavedSession { info: info.into(), ..SavedSession::default() }).await
    }

    /// Continues a [saved](Self::save) session, if the rails of [`SessionStart`](exo_rails::events::SessionStart) allow
    /// it. These rails see the turns and the state of the session.
    ///
    /// If the agent has instructions, they replace the instructions at the beginning of the conversation. So an agent
    /// with new instructions can continue old conversations.
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
    /// Returns an error if a rail aborts or faults.
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
        session.agent.guard_set().start_session(&session.info, &mut ctx).await?;
        session.has_ended = false;
        Ok(session)
    }

    /// Begins another session with a copy of the conversation and the state. Later changes in one session do not affect
    /// the other.
    ///
    /// The rails of [`SessionStart`](exo_rails::events::SessionStart) run for the new session. The fork does not copy the
    /// typed values in [`values`](Self::values), so a rail that counts in them starts again. To count across forks, use
    /// the [state](SharedExtensions::state).
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
    /// Returns an error if a rail aborts or faults.
    pub async fn fork(&self, id: impl Into<String> + Send) -> Result<Self, RunError>
    where
        P: Clone,
    {
        let mut saved = self.save();
        saved.info.id = id.into();
        Self::resume(self.agent.clone(), saved).await
    }

    /// Runs the agent on this input, after the conversation so far, or resumes a [`SuspendedRun`](crate::SuspendedRun) of
    /// this session.
    ///
    /// # Errors
    /// Returns the errors of [`Agent::run`]. A failed run does not change the conversation: see [`keep`](Self::keep).
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

    /// Runs the agent like [`run`](Self::run), in the given context. The context can have a name for the run, values, and
    /// a token that cancels this run.
    ///
    /// The session puts its own name, values and turn into the context. If the context has no token, the run uses the
    /// token of the session. To cancel one run alone, give its context a [child](CancellationToken::child_token) of the
    /// session's token. The session's token cancels the child too.
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
    /// Returns the errors of [`run`](Self::run), and an error if the run is cancelled.
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

    /// Runs the agent like [`run`](Self::run), and [streams](Agent::stream) the run.
    pub fn stream<'a>(&'a mut self, input: impl IntoRun) -> RunStream<'a>
    where
        P: 'a,
    {
        Self::stream_owned(self, input)
    }

    /// Runs the agent like [`run_in`](Self::run_in), and [streams](Agent::stream) the run.
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

    /// Streams a run like [`stream`](Self::stream). The stream owns the session until the stream ends or is dropped, so a
    /// function can return the stream. A server that keeps each session in a lock can pass the locked session.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use exo_rails_agent::{Agent, RunStream, ScriptedModel, Session};
    /// use tokio::sync::Mutex;
    ///
    /// type Support = Session<Arc<Agent<ScriptedModel>>>;
    ///
    /// /// A handler of a server. The next request of the session waits until the stream of this request has ended.
    /// async fn answer(session: Arc<Mutex<Support>>, question: String) -> RunStream<'static> {
    ///     Session::stream_owned(session.lock_owned().await, question)
    /// }
    /// ```
    pub fn stream_owned<'a>(session: impl DerefMut<Target = Self> + Send + 'a, input: impl IntoRun) -> RunStream<'a>
    where
        Self: 'a,
    {
        let ctx = session.agent.context();
        Self::stream_owned_in(session, input, ctx)
    }

    /// Streams a run like [`stream_owned`](Self::stream_owned), in the given context. The stream owns the context.
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

    /// Streams a run like [`stream`](Self::stream), and ends the session with this run. The rails of
    /// [`SessionEnd`](exo_rails::events::SessionEnd) run before the stream ends. Use this method in a server that saves
    /// its sessions and resumes a session for each request. The last event of the stream has the conversation.
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

    /// Makes this context a context of the session.
    fn enter(&self, ctx: &mut RunContext) {
        let given = mem::replace(ctx, RunContext::new(self.agent.name()));
        *ctx = self.context_of(given);
    }

    /// Does one run of the session, in a context of the session.
    async fn turn(
        &mut self,
        mut start: RunStart,
        ctx: &mut RunContext,
        events: Option<Sender<RunEvent>>,
    ) -> Result<InvokeOutput, FailedRun> {
        // A resumed run has its own conversation, and the session counted it when it began.
        let is_new = if let RunStart::New(input) = &mut start {
            // If the input has a conversation, the run continues that one.
            if input.messages.is_empty() {
                input.messages.clone_from(&self.messages);
            }
            true
        } else {
            false
        };
        let result = AgentRun::new(&*self.agent, events).run(start, ctx).await;
        // The session counts the turn after the run, so a dropped run is not a turn.
        self.info.turns += u32::from(is_new);
        let output = result?;
        // The output of a run that a rail skipped has no messages. The conversation then stays as it was.
        if !output.messages.is_empty() {
            self.messages.clone_from(&output.messages);
        }
        Ok(output)
    }

    /// Replaces the conversation. If the agent has instructions, they replace the instructions at the beginning of the
    /// new conversation.
    pub fn set_messages(&mut self, messages: impl Into<Messages>) {
        let messages = messages.into();
        self.messages = if self.agent.has_instructions() { without_instructions(messages) } else { messages };
    }

    /// Ends the session, and calls the rails of [`SessionEnd`](exo_rails::events::SessionEnd).
    pub async fn end(mut self) -> SessionInfo {
        self.has_ended = true;
        let mut ctx = self.context();
        self.agent.guard_set().end_session(&self.info, &mut ctx).await;
        std::mem::take(&mut self.info)
    }

    /// Reports to the rails of `Dropped` that the session was dropped without an end.
    fn report_dropped(&self) {
        self.agent.guard_set().session_dropped(&mut self.context());
    }

    fn context(&self) -> RunContext {
        self.context_of(self.agent.context())
    }

    /// Returns this context as a context of the session.
    fn context_of(&self, ctx: RunContext) -> RunContext {
        let ctx = ctx.with_session(self.info.id.as_str(), self.values.clone(), self.info.turns);
        match &self.cancellation {
            Some(token) if ctx.cancellation().is_none() => ctx.with_cancellation(token.clone()),
            _ => ctx,
        }
    }
}

/// A session that can continue when the program runs again. [`Session::save`] makes a `SavedSession`, and
/// [`Session::resume`] continues the session.
///
/// You can serialize a `SavedSession` as JSON. It lacks the typed values of the session, because they can have any type.
/// [`KeptValues`](exo_rails::KeptValues) save the values of types that they know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    /// The name of the session and its number of runs.
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
    /// Sets a token that cancels the runs of the session.
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// Returns the name of the session and its number of runs.
    pub const fn info(&self) -> &SessionInfo {
        &self.info
    }

    /// Returns the values that the runs of the session share.
    pub const fn values(&self) -> &SharedExtensions {
        &self.values
    }

    /// Returns the conversation so far.
    #[must_use]
    pub const fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Adds the messages of a failed run to the conversation: the input of the user as the rails left it, the tool calls
    /// and their outputs. If the run failed before its first step, the conversation does not change.
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

    /// Returns a copy of the session, which you can [resume](Self::resume) when the program runs again.
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
