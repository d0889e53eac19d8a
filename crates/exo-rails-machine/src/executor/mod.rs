//! Executes machines.

mod builder;
mod choice;
mod error;
mod execution;
mod failure;
mod flow;
mod rails;
mod settings;
mod suspension;
mod visit;

use std::sync::Arc;

use exo_rails::{GuardSet, NoRails, ServesOperation};
use exo_rails_agent::Model;

use crate::history::History;
use crate::plan::Plan;
use crate::state::MachineState;
use crate::transition::Transition;
pub use builder::{BuildError, ExecutorBuilder, GuardsMachine};
pub use error::MachineError;
pub use execution::{Execution, Progress};
pub use settings::Limits;
use settings::Settings;

/// Executes a machine with a model and rails.
///
/// The executor takes the steps that need no decision. At the other steps, the agent decides. It has only the tools and the
/// data of the current node.
///
/// ```
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::Executor;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = r#"
///     Context job { text<string>: "Tea is hot."; words<integer>: 0; }
///     State idle; Task count { prompt: "Count the words."; } End done;
///     idle -> count; count -> done, idle;
///     count -read: text-> job; count -write: words-> job;
/// "#;
/// let machine = exo_rails_dygram::read("flow.dygram", file).into_result()?;
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "read_job" }] },
///     { "call": [{ "tool": "write_job", "arguments": { "field": "words", "value": 3 } }] },
///     { "call": [{ "tool": "transition_to_done", "arguments": { "reason": "counted" } }] }
/// ]"#.parse()?;
/// let done = Executor::builder(&machine, model).build()?.run().await?;
/// assert_eq!(done.ended_at, ["done"]);
/// assert_eq!(done.state.contexts().get("job", "words"), Some(&3.into()));
/// # Ok(()) }
/// ```
pub struct Executor<M, R = NoRails> {
    plan: Arc<Plan>,
    model: Arc<M>,
    rails: Arc<R>,
    settings: Settings,
}

/// A machine that has ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Done {
    /// The nodes at which paths ended, in the order of the paths.
    pub ended_at: Vec<String>,
    /// What happened.
    pub history: History,
    /// The state at the end.
    pub state: MachineState,
}

/// A machine that has stopped before its end.
#[derive(thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct Stopped {
    /// Why the machine stopped.
    #[source]
    pub error: MachineError,
    /// The state. [`Executor::resume`] continues it.
    pub state: Box<MachineState>,
}

// A program whose `main` returns the error prints this. The state would be pages.
impl std::fmt::Debug for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stopped").field("error", &self.error).finish_non_exhaustive()
    }
}

// The bounds are at the methods. At the block, rustc would not say what the guard set lacks.
impl<M, R> Executor<M, R> {
    /// Runs the machine to its end.
    ///
    /// # Errors
    ///
    /// If the machine stops before its end. The error contains the state.
    pub async fn run(&self) -> Result<Done, Stopped>
    where
        M: Model + 'static,
        R: GuardSet + ServesOperation<Transition, Itself: Sized> + 'static,
    {
        self.start().run().await
    }

    /// Starts an execution. The program can then take its steps one by one.
    #[must_use]
    pub fn start(&self) -> Execution<'_, M, R>
    where
        M: Model + 'static,
        R: GuardSet + ServesOperation<Transition, Itself: Sized> + 'static,
    {
        Execution::begin(self)
    }

    /// Continues an execution from its saved state, in the same process or in another one.
    ///
    /// Before you call this method:
    ///
    /// - [Answer](MachineState::answer) the questions of rails. A rail whose question has no answer suspends the machine again.
    /// - [Resolve](exo_rails_agent::SuspendedRun::resolve) the unknown tool calls in the
    ///   [suspended runs](MachineState::suspended_runs). A call is unknown if it began and its end was not saved. An unknown
    ///   call suspends the machine again, unless the tool is [idempotent](exo_rails::Tool::idempotent).
    ///
    /// # Errors
    ///
    /// If the state belongs to another machine or is damaged, or if the execution has ended.
    pub fn resume(&self, state: MachineState) -> Result<Execution<'_, M, R>, MachineError>
    where
        M: Model + 'static,
        R: GuardSet + ServesOperation<Transition, Itself: Sized> + 'static,
    {
        Execution::resume(self, state)
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl<M, R> std::fmt::Debug for Executor<M, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executor").field("title", &self.plan.title()).finish_non_exhaustive()
    }
}
