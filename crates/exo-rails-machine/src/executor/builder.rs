//! Building an executor.

use std::sync::Arc;
use std::time::SystemTime;

use exo_rails::{CancellationToken, GuardSet, KeptValues, NoRails, RailsMeet, ServesOperation, Tool};
use exo_rails_agent::{IntoGuardSet, Model};
use exo_rails_dygram::META_TOOLS;
use serde_json::Value;

use super::Executor;
use super::settings::{Limits, Settings};
use crate::definition::Definition;
use crate::history::HistoryStep;
use crate::plan::{Plan, PlanError};
use crate::state::{SharedSink, StateSink};
use crate::tools::names_of;
use crate::transition::Transition;

/// Builds an [`Executor`].
#[must_use = "a builder makes an executor with `build()`"]
pub struct ExecutorBuilder<M, R = NoRails> {
    definition: Definition,
    model: M,
    rails: R,
    settings: Settings,
}

/// Why an executor cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The machine cannot be executed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The flow of control has no such node.
    #[error("`{node}` is not a node of the machine's flow")]
    Node {
        /// The name.
        node: String,
    },
    /// A node has an edge to a tool node, and the program has no such tool.
    #[error(
        "`{node}` uses the tool `{tool}`, and the executor has none of this name: add it with `ExecutorBuilder::tool`"
    )]
    NoTool {
        /// The node.
        node: String,
        /// The tool.
        tool: String,
    },
    /// A tool of the program has the name of one that the machine makes.
    #[error("the machine makes a tool `{tool}` for `{node}`: rename the tool of the program")]
    ToolName {
        /// The node.
        node: String,
        /// The tool.
        tool: String,
    },
}

impl<M: Model + 'static> Executor<M> {
    /// Starts to build an executor for a [`Machine`](exo_rails_dygram::Machine) or a [`Definition`].
    pub fn builder(machine: impl Into<Definition>, model: M) -> ExecutorBuilder<M> {
        ExecutorBuilder::new(machine.into(), model)
    }
}

impl<M: Model + 'static> ExecutorBuilder<M> {
    fn new(definition: Definition, model: M) -> Self {
        Self { definition, model, rails: NoRails, settings: Settings::default() }
    }

    /// Guards the model calls, the tool calls and the [transitions](Transition) of the machine with this guard set.
    pub fn rails<S: GuardsMachine>(self, rails: S) -> ExecutorBuilder<M, S::Rails> {
        let Self { definition, model, settings, .. } = self;
        ExecutorBuilder { definition, model, rails: rails.into_rails(), settings }
    }
}

/// The argument of [`ExecutorBuilder::rails`]. Every guard set that guards [transitions](Transition) implements this trait and
/// returns itself.
///
/// An executor names the type of its guard set through this trait. So rustc reports another type once, at the argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not guard the transitions of a machine",
    label = "does not guard `Transition`",
    note = "a chain guards them with `#[chain(operations = [Transition])]`; a kit becomes a field of such a chain",
    note = "`RailManager`, `HookManager` and `NoRails` guard every operation"
)]
pub trait GuardsMachine {
    /// The guard set.
    type Rails: GuardSet + ServesOperation<Transition, Itself: Sized> + 'static;

    /// Returns the guard set.
    fn into_rails(self) -> Self::Rails;
}

// Without this attribute, the message would be about an operation that the guard set does not serve.
#[diagnostic::do_not_recommend]
impl<S: IntoGuardSet<GuardSet: ServesOperation<Transition, Itself: Sized> + 'static>> GuardsMachine for S {
    type Rails = S::GuardSet;

    fn into_rails(self) -> Self::Rails {
        self.into_guard_set()
    }
}

impl<M, R> ExecutorBuilder<M, R> {
    /// Gives the agents a tool. If the machine has a tool node with this name, or if a node of `machine!` names the tool in
    /// `uses`, only these nodes have the tool. Otherwise, all nodes have it.
    pub fn tool(mut self, tool: impl Into<Tool>) -> Self {
        let tool = tool.into();
        self.settings.tools.retain(|other| other.name() != tool.name());
        self.settings.tools.push(tool);
        self
    }

    /// Gives the agents several tools, such as a set that `tools!` makes. See [`tool`](Self::tool).
    pub fn tools<T: Into<Tool>>(self, tools: impl IntoIterator<Item = T>) -> Self {
        tools.into_iter().fold(self, Self::tool)
    }

    /// Ends the machine when a path enters this node and it is the visit with the number `visit`, counted from 1. Other paths
    /// finish the steps that they have begun, and take no more steps.
    pub fn until(mut self, node: impl Into<String>, visit: u32) -> Self {
        self.settings.until = Some((node.into(), visit.max(1)));
        self
    }

    /// Starts at this node, instead of at the [first nodes](exo_rails_dygram::Machine::starts) of the machine.
    pub fn start_at(mut self, node: impl Into<String>) -> Self {
        self.settings.start = Some(node.into());
        self
    }

    /// Changes the limits.
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.settings.limits);
        self
    }

    /// Saves the state in this sink, and keeps the states at nodes with `@checkpoint` there. By default, nothing is saved.
    pub fn save_to(mut self, sink: impl StateSink + 'static) -> Self {
        self.settings.sink = Some(SharedSink::new(sink));
        self
    }

    /// Calls a function after each step.
    pub fn on_step(mut self, call: impl Fn(&HistoryStep) + Send + Sync + 'static) -> Self {
        self.settings.on_step = Some(Arc::new(call));
        self
    }

    /// Sets the clock for the times in the history. By default, this is the system clock.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.settings.clock = Arc::new(clock);
        self
    }

    /// Sets a token that can cancel the machine.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.settings.cancellation = Some(token);
        self
    }

    /// Keeps values of rails in the saved state. See [`KeptValues`].
    pub fn kept_values(mut self, kept: KeptValues) -> Self {
        self.settings.kept = kept;
        self
    }

    /// Adds an option, such as `temperature`, to each request to the model.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.options.insert(name.into(), value.into());
        self
    }

    /// Requires that the guard set [meets](exo_rails::Meets) `P`. Otherwise, the program does not compile. Call it after
    /// [`rails`](ExecutorBuilder::rails).
    pub fn requires<P>(self) -> Self
    where
        R: RailsMeet<P>,
    {
        self
    }

    /// Builds the executor.
    ///
    /// # Errors
    ///
    /// If the machine cannot be executed, or if the tools that it names do not fit the tools of the program.
    pub fn build(self) -> Result<Executor<M, R>, BuildError>
    where
        M: Model + 'static,
        R: GuardSet + ServesOperation<Transition, Itself: Sized> + 'static,
    {
        let plan = Plan::of(&self.definition)?;
        let settings = self.settings;
        let named = settings.start.iter().chain(settings.until.as_ref().map(|(node, _)| node));
        if let Some(node) = named.into_iter().find(|node| plan.node(node).is_none()) {
            return Err(BuildError::Node { node: node.clone() });
        }
        check_tools(&plan, &settings.tools)?;
        Ok(Executor { plan: Arc::new(plan), model: Arc::new(self.model), rails: Arc::new(self.rails), settings })
    }
}

/// Checks that nodes have the tools that they use, and that no tool has the name of one that the machine makes.
fn check_tools(plan: &Plan, tools: &[Tool]) -> Result<(), BuildError> {
    // An agent may construct the tools that are missing.
    let may_construct = plan.nodes().any(|node| node.is_meta);
    for node in plan.nodes() {
        let is_missing = |name: &&String| {
            !may_construct && tools.iter().all(|tool| tool.name() != **name) && !plan.describes_tool(name)
        };
        if let Some(tool) = node.tools.iter().find(is_missing) {
            return Err(BuildError::NoTool { node: node.path.clone(), tool: tool.clone() });
        }
        let meta = META_TOOLS.iter().filter(|_| node.is_meta).map(|name| (*name).to_owned());
        if let Some(tool) =
            names_of(node).into_iter().chain(meta).find(|name| tools.iter().any(|tool| tool.name() == name))
        {
            return Err(BuildError::ToolName { node: node.path.clone(), tool });
        }
    }
    Ok(())
}

impl<M, R> std::fmt::Debug for ExecutorBuilder<M, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExecutorBuilder").field("machine", &self.definition.machine().title).finish_non_exhaustive()
    }
}
