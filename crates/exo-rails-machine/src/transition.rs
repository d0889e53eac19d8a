//! Transitions as guarded operations.

use exo_rails::Operation;
use serde::{Deserialize, Serialize};

/// A transition that is about to happen. The rails on [`PreTransition`] see it, and may change it.
///
/// After the rails, the machine checks that it has such an edge, and that the condition of the edge is true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TransitionRequest {
    /// The number of the path.
    pub path: u64,
    /// The node that the path leaves.
    pub from: String,
    /// The target of the edge.
    pub to: String,
    /// The reason that the agent gave for its choice.
    pub reason: Option<String>,
    /// Whether the machine takes the edge by itself.
    pub is_automatic: bool,
}

impl TransitionRequest {
    /// Makes a request, for tests of rails.
    #[must_use]
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { path: 0, from: from.into(), to: to.into(), reason: None, is_automatic: false }
    }
}

/// A transition that the rails have allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TransitionRecord {
    /// The node that the path leaves.
    pub from: String,
    /// The target of the edge.
    pub to: String,
}

impl TransitionRecord {
    /// Makes a record.
    #[must_use]
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into() }
    }
}

/// The operation in which a path goes from one node to another. Its events are [`PreTransition`], [`PostTransition`] and
/// [`TransitionError`].
///
/// - A rail that skips a transition refuses it. If the agent chose the transition, the agent reads why, and may choose another
///   edge. If the transition is automatic, the path fails.
/// - A rail that aborts stops the machine.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::{Executor, PreTransition, Transition, TransitionRecord, TransitionRequest};
///
/// #[rail(priority = 10, on = [PreTransition])]
/// fn no_deploy(request: &TransitionRequest) -> RailAction<TransitionRecord> {
///     if request.to == "deploy" { RailAction::skip("it is Friday") } else { RailAction::Continue }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = "Task plan { prompt: \"Plan\"; } End deploy; End wait; plan -> deploy, wait;";
/// let machine = exo_rails_dygram::read("flow.dygram", file).into_result()?;
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "transition_to_deploy", "arguments": { "reason": "ready" } }] },
///     { "call": [{ "tool": "transition_to_wait", "arguments": { "reason": "not today" } }] }
/// ]"#.parse()?;
/// let rails = rail_chain![#[chain(operations = [Transition])] no_deploy];
/// let done = Executor::builder(&machine, model).rails(rails).build()?.run().await?;
/// assert_eq!(done.ended_at, ["wait"]);
/// # Ok(()) }
/// ```
#[derive(Operation)]
#[operation(inputs = TransitionRequest, output = TransitionRecord)]
pub struct Transition;
