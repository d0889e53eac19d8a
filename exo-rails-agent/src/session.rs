//! Sessions: several runs of one conversation.

use std::fmt;
use std::ops::Deref;

use exo_rails::message::{Message, Messages};
use exo_rails::{Guard, GuardSet, InvokeInputs, InvokeOutput, RunContext, RunError, SessionInfo, SharedExtensions};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, AgentRun, RunStream};
use crate::model::Model;

/// Several runs of an agent that belong together: they share a conversation, and the values in
/// [`ctx.session`](exo_rails::RunScope::session).
///
/// It begins with [`SessionStart`](exo_rails::events::SessionStart), where rails may refuse it, and ends with
/// [`SessionEnd`](exo_rails::events::SessionEnd). `P` points to the agent: `&agent`, or an `Arc` for a session that outlives
/// the place where it began.
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
#[must_use = "a session is ended with `end()`, which tells the rails of `SessionEnd`"]
pub struct Session<P> {
    agent: P,
    info: SessionInfo,
    values: SharedExtensions,
    messages: Messages,
    cancellation: Option<CancellationToken>,
    has_ended: bool,
}

impl<P, M, R> Session<P>
where
    P: Deref<Target = Agent<M, R>> + Send + Sync,
    M: Model,
    R: GuardSet,
{
    /// Begins a session, when the rails of [`SessionStart`](exo_rails::events::SessionStart) let it. One that goes on has
    /// its turns in the [`SessionInfo`], and its conversation is given back to it [afterwards](Self::set_messages).
    ///
    /// # Errors
    /// When a rail aborts or faults.
    pub async fn start(agent: P, info: impl Into<SessionInfo>) -> Result<Self, RunError> {
        let info = info.into();
        let mut session = Self {
            agent,
            info,
            values: SharedExtensions::default(),
            messages: Messages::new(),
            cancellation: None,
            has_ended: true,
        };
        let mut ctx = session.context();
        session.agent.rails().start_session(&session.info, &mut ctx).await?;
        session.has_ended = false;
        Ok(session)
    }

    /// Runs the agent on this input, after the conversation so far. A run that fails is not part of the conversation.
    ///
    /// # Errors
    /// Those of [`Agent::run`].
    pub async fn run(&mut self, input: impl Into<InvokeInputs> + Send) -> Result<InvokeOutput, RunError> {
        let inputs = self.inputs(input.into());
        let (mut ctx, said) = (self.next_turn(), inputs.input.clone());
        let output = AgentRun::new(&*self.agent, None).run(inputs, &mut ctx).await?;
        self.go_on(said, &output);
        Ok(output)
    }

    /// The same, [streamed](Agent::stream).
    pub fn stream<'a>(&'a mut self, input: impl Into<InvokeInputs> + Send) -> RunStream<'a>
    where
        P: 'a,
    {
        let inputs = self.inputs(input.into());
        let (mut ctx, said) = (self.next_turn(), inputs.input.clone());
        RunStream::new(move |events| async move {
            let output = AgentRun::new(&*self.agent, Some(events)).run(inputs, &mut ctx).await?;
            self.go_on(said, &output);
            Ok(output)
        })
    }

    /// Ends the session, and tells the rails of [`SessionEnd`](exo_rails::events::SessionEnd).
    pub async fn end(mut self) -> SessionInfo {
        self.has_ended = true;
        let mut ctx = self.context();
        self.agent.rails().end_session(&self.info, &mut ctx).await;
        std::mem::take(&mut self.info)
    }

    /// The input with the conversation before it, unless it has one of its own.
    fn inputs(&self, mut inputs: InvokeInputs) -> InvokeInputs {
        if inputs.messages.is_empty() {
            inputs.messages.clone_from(&self.messages);
        }
        inputs
    }

    fn next_turn(&mut self) -> RunContext {
        let ctx = self.context();
        self.info.turns += 1;
        ctx
    }

    fn context(&self) -> RunContext {
        let ctx = RunContext::new(self.agent.name()).with_session(
            self.info.id.as_str(),
            self.values.clone(),
            self.info.turns,
        );
        match &self.cancellation {
            Some(token) => ctx.with_cancellation(token.clone()),
            None => ctx,
        }
    }

    fn go_on(&mut self, said: exo_rails::message::Content, output: &InvokeOutput) {
        if output.messages.is_empty() {
            // A rail has answered.
            self.messages.extend([Message::user(said), Message::assistant(output.text.as_str())]);
        } else {
            self.messages.clone_from(&output.messages);
        }
    }
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

    /// Puts a conversation in the place of the one so far: one that was kept, say.
    pub fn set_messages(&mut self, messages: impl Into<Messages>) {
        self.messages = messages.into();
    }
}

impl<P> Drop for Session<P> {
    fn drop(&mut self) {
        if !self.has_ended {
            tracing::warn!(session = self.info.id, "a session was dropped without its end: no rail was told of it");
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
