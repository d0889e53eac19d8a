//! Executes machines.

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

use crate::definition::Definition;
use crate::history::History;
use crate::plan::Plan;
use crate::state::MachineState;
use crate::transition::Transition;
pub use error::MachineError;
pub use execution::{Execution, Progress};
use settings::Settings;
pub use settings::{BuildError, ExecutorBuilder, Limits};

/// Executes a machine with a model and rails.
///
/// Deterministic steps happen by themselves. Where a decision is needed, the agent decides, with the tools and the data that the
/// node has.
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
    /// Why.
    #[source]
    pub error: MachineError,
    /// The state. If the machine is suspended, it can be resumed.
    pub state: Box<MachineState>,
}

// A program whose `main` returns the error prints this. The state would be pages.
impl std::fmt::Debug for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stopped").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<M: Model + 'static> Executor<M> {
    /// Begins an executor of a machine: of a [`Machine`](exo_rails_dygram::Machine), or of a [`Definition`].
    pub fn builder(machine: impl Into<Definition>, model: M) -> ExecutorBuilder<M> {
        ExecutorBuilder::new(machine.into(), model)
    }
}

impl<M, R> Executor<M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    /// Runs the machine to its end.
    ///
    /// # Errors
    ///
    /// If the machine stops before its end. The error has the state.
    pub async fn run(&self) -> Result<Done, Stopped> {
        self.start().run().await
    }

    /// Begins an execution, for steps one by one.
    #[must_use]
    pub fn start(&self) -> Execution<'_, M, R> {
        Execution::begin(self)
    }

    /// Continues an execution from its saved state, perhaps in another process.
    ///
    /// A tool call that had begun and whose end was not saved is unknown: the execution is then suspended, unless the tool is
    /// [idempotent](exo_rails::Tool::idempotent). [Resolve](exo_rails_agent::SuspendedRun::resolve) such calls in the
    /// [runs](MachineState::suspended_runs) of the state first. Give the [answers](MachineState::answer) to the questions of rails
    /// first, too. A rail whose question has no answer suspends the machine again.
    ///
    /// # Errors
    ///
    /// If the state is of another machine, or has ended.
    pub fn resume(&self, state: MachineState) -> Result<Execution<'_, M, R>, MachineError> {
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
