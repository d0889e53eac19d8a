//! Why a machine stops.

use exo_rails::{OperationError, OperationErrorKind, RunError};

use crate::conditions::ConditionError;

/// Why a machine stops before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A condition cannot be evaluated.
    #[error("`{node}` cannot be left by its edge to `{target}`: {error}")]
    Condition {
        /// The node.
        node: String,
        /// The target of the edge.
        target: String,
        /// What is wrong.
        #[source]
        error: ConditionError,
    },
    /// The conditions of all edges of a node are false.
    #[error("`{node}` has no edge that can be taken: the conditions of all its edges are false: {}", conditions.join(", "))]
    NoWay {
        /// The node.
        node: String,
        /// The conditions.
        conditions: Vec<String>,
    },
    /// The agent ended its work without a choice, even after reminders.
    #[error("the agent at `{node}` did not choose one of {}, although it was reminded {reminders} times", targets.join(", "))]
    NoDecision {
        /// The node.
        node: String,
        /// The targets.
        targets: Vec<String>,
        /// The number of reminders.
        reminders: u32,
    },
    /// A prompt reads a value that does not exist.
    #[error("the prompt of `{node}`: {problem}")]
    Prompt {
        /// The node.
        node: String,
        /// What is wrong.
        problem: String,
    },
    /// The value that `@map` names is not a list.
    #[error("`{node}` starts a path for each item of `{list}`, which is not a list: {problem}")]
    NotAList {
        /// The node.
        node: String,
        /// The name of the list.
        list: String,
        /// What it is instead.
        problem: String,
    },
    /// The work of the agent at a node took too long.
    #[error("the work at `{node}` took longer than {milliseconds} ms")]
    Timeout {
        /// The node.
        node: String,
        /// The limit.
        milliseconds: u128,
    },
    /// The run of an agent failed, a rail aborted it, or a rail refused an automatic transition.
    #[error("at `{node}`: {error}")]
    Run {
        /// The node.
        node: String,
        /// The error.
        #[source]
        error: RunError,
    },
    /// The machine has taken the most steps that it may take.
    #[error("the machine took {limit} steps, and may not take more: `Limits::steps` sets the limit")]
    StepLimit {
        /// The limit.
        limit: u64,
    },
    /// A node has had the most visits that it may have.
    #[error("`{node}` was visited {limit} times, and may not be visited again: `Limits::visits` sets the limit")]
    VisitLimit {
        /// The node.
        node: String,
        /// The limit.
        limit: u32,
    },
    /// The machine has exceeded its time limit.
    #[error("the machine took longer than {seconds} s: `Limits::time` sets the limit")]
    TimeLimit {
        /// The limit.
        seconds: f64,
    },
    /// Automatic steps have led back to the same node and nothing has changed, so they would never end.
    #[error("the machine would never leave this circle, because nothing changes in it: {}", nodes.join(" -> "))]
    EndlessLoop {
        /// The nodes, with the first one again at the end.
        nodes: Vec<String>,
    },
    /// All paths wait for each other.
    #[error("all paths wait for each other, at the barriers {}", barriers.join(", "))]
    Deadlock {
        /// The names of the barriers.
        barriers: Vec<String>,
    },
    /// A rail asks a question about the work of an agent or about a transition, or nobody knows whether a tool has run. Answer
    /// the [questions](crate::MachineState::questions), and resolve the calls in the
    /// [suspended runs](crate::MachineState::suspended_runs). Then resume the state.
    #[error("the machine waits at `{node}`: {error}")]
    Suspended {
        /// The node.
        node: String,
        /// Why.
        #[source]
        error: RunError,
    },
    /// The state could not be saved.
    #[error("the state could not be saved: {0}")]
    NotSaved(#[source] OperationError),
    /// The machine was cancelled.
    #[error("the machine was cancelled")]
    Cancelled,
    /// The state belongs to another machine, or is damaged.
    #[error("the state is of another machine: {problem}")]
    OtherMachine {
        /// What is wrong.
        problem: String,
    },
    /// The machine has ended already.
    #[error("the machine has ended")]
    HasEnded,
    /// The execution has stopped with an error before. Resume its state to continue.
    #[error("the execution has stopped: resume its state to go on")]
    HasStopped,
    /// All paths have failed.
    #[error("all paths have failed: {}", errors.join("; "))]
    AllFailed {
        /// The errors.
        errors: Vec<String>,
    },
}

impl MachineError {
    /// Returns whether the error is one of a path, so that the work may be repeated, or other paths may go on.
    ///
    /// The other errors are decisions of rails and of the program, limits, and mistakes of the whole machine.
    pub(crate) fn is_of_path(&self) -> bool {
        match self {
            Self::Run { error, .. } => matches!(
                error,
                RunError::Operation(_)
                    | RunError::RetriesExhausted(_)
                    | RunError::StepLimit { .. }
                    | RunError::TooDeep(_)
            ),
            Self::Condition { .. }
            | Self::NoWay { .. }
            | Self::NoDecision { .. }
            | Self::Prompt { .. }
            | Self::NotAList { .. }
            | Self::Timeout { .. } => true,
            _ => false,
        }
    }

    /// Returns the message for the prompts and the conditions of all nodes. The cause of a condition's error may have values
    /// that the nodes may not read.
    pub(crate) fn without_values(&self) -> String {
        match self {
            Self::Condition { node, target, error } => {
                format!("`{node}` cannot be left by its edge to `{target}`: `{}` cannot be evaluated", error.condition)
            }
            error => error.to_string(),
        }
    }

    /// Returns whether a further attempt of the work could help. A wrong key stays wrong.
    pub(crate) fn may_be_repeated(&self) -> bool {
        use OperationErrorKind::{Denied, InvalidRequest, NotFound};
        match self {
            Self::Run { error, .. } => {
                let failure = error.failure();
                !failure.is_some_and(|failure| matches!(failure.kind, Denied | InvalidRequest | NotFound))
            }
            Self::Timeout { .. } | Self::NoDecision { .. } => true,
            _ => false,
        }
    }
}
