//! One execution of a machine: its loop, and its beginning and end.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use exo_rails::{GuardSet, RunContext, ServesOperation, SharedExtensions};
use exo_rails_agent::Model;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tracing::Instrument;

use super::{Done, Executor, MachineError, Stopped};
use crate::contexts::Contexts;
use crate::history::{History, HistoryStep, Status, StepOutcome, TransitionType, format_time};
use crate::plan::{Plan, PlanNode, Urgency};
use crate::state::{Checkpoint, Live, MachineState, Path, PathStatus};
use crate::transition::Transition;

/// An execution of a machine. It can run step by step, or to the end.
///
/// ```
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::{Executor, Progress};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let machine = exo_rails_dygram::read("flow.dygram", "State a; State b; End c; a -> b -> c;").machine;
/// let executor = Executor::builder(&machine, "[]".parse::<ScriptedModel>()?).build()?;
/// let mut execution = executor.start();
/// while let Progress::Step(step) = execution.step().await? {
///     println!("{} -> {:?}", step.current_node, step.next_nodes);
/// }
/// assert_eq!(execution.state().history().steps.len(), 3);
/// # Ok(()) }
/// ```
pub struct Execution<'e, M, R> {
    pub(super) executor: &'e Executor<M, R>,
    pub(super) live: Arc<Live>,
    pub(super) ctx: RunContext,
}

/// The result of a call of [`Execution::step`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A path has taken this step.
    Step(Arc<HistoryStep>),
    /// The machine has ended.
    Ended,
}

impl<'e, M, R> Execution<'e, M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    pub(super) fn begin(executor: &'e Executor<M, R>) -> Self {
        let plan = &executor.plan;
        let ctx = RunContext::new(plan.title());
        let mut state = MachineState {
            run_id: ctx.run_id().to_owned(),
            definition: plan.machine().to_string(),
            is_changed: false,
            contexts: plan.first_values(),
            paths: Vec::new(),
            round: Vec::new(),
            steps: 0,
            runs: 0,
            visits: std::collections::BTreeMap::new(),
            errors: Vec::new(),
            conversations: std::collections::BTreeMap::new(),
            tools: Vec::new(),
            context: None,
            history: History::begin(plan.title(), (executor.settings.clock)()),
            program_values: serde_json::Map::new(),
        };
        let starts = executor.settings.start.as_ref().map_or(plan.starts(), std::slice::from_ref);
        for start in starts {
            state.add_path(plan.entered(start), None, 0, None);
        }
        Self::of(executor, state, Arc::clone(plan))
    }

    fn of(executor: &'e Executor<M, R>, state: MachineState, plan: Arc<Plan>) -> Self {
        let ctx = RunContext::new(plan.title()).with_run_id(state.run_id.as_str()).with_session(
            state.run_id.as_str(),
            SharedExtensions::default(),
            0,
        );
        let ctx = match &executor.settings.cancellation {
            Some(token) => ctx.with_cancellation(token.clone()),
            None => ctx,
        };
        Self { executor, live: Arc::new(Live::new(state, plan)), ctx }
    }

    pub(super) fn resume(executor: &'e Executor<M, R>, mut state: MachineState) -> Result<Self, MachineError> {
        if state.status() == Status::Completed {
            return Err(MachineError::HasEnded);
        }
        let other = |problem: String| MachineError::OtherMachine { problem };
        let plan = if state.is_changed {
            let machine = exo_rails_dygram::read("state", &state.definition).into_result();
            let machine = machine.map_err(|report| other(report.to_string()))?;
            Arc::new(executor.plan.changed(&machine).map_err(|error| other(error.to_string()))?)
        } else {
            if state.definition != executor.plan.machine().to_string() {
                return Err(other("its definition is not the one of the executor".to_owned()));
            }
            Arc::clone(&executor.plan)
        };
        if let Some(damage) = state.damage() {
            return Err(other(damage));
        }
        if let Some(path) = state.paths.iter().find(|path| plan.node(&path.node).is_none()) {
            return Err(other(format!("it is at `{}`, and the machine has no such node", path.node)));
        }
        state.settle_calls();
        state.history.status = Status::Running;
        state.history.end_time = None;
        let saved = state.take_context();
        // Rails ask again, unless their questions have answers.
        state.paths.iter_mut().for_each(|path| path.question = None);
        let mut execution = Self::of(executor, state, plan);
        if let Some(saved) = saved {
            execution.ctx.restore(saved, &executor.settings.kept).map_err(|error| other(error.to_string()))?;
        }
        Ok(execution)
    }

    /// Runs the machine to its end.
    ///
    /// # Errors
    ///
    /// If the machine stops before its end. The error contains the state.
    pub async fn run(self) -> Result<Done, Stopped> {
        if let Err(error) = self.ensure_not_stopped() {
            return Err(Stopped { error, state: Box::new(self.into_state()) });
        }
        let limit = self.executor.settings.limits.time;
        let result = Self::within_time(limit, Box::pin(self.drive())).await;
        let finished = self.finish(result).await;
        let state = self.into_state();
        if let Err(error) = finished {
            return Err(Stopped { error, state: Box::new(state) });
        }
        let ended = state.paths.iter().filter(|path| path.status == PathStatus::Ended);
        // A path that waited for others ended where they did.
        let is_of = |path: &Path, id: u64| path.parent == Some(id) && path.status == PathStatus::Ended;
        let waited = |id: u64| state.paths.iter().any(|path| is_of(path, id));
        let ended_at = ended.filter(|path| !waited(path.id)).map(|path| path.node.clone()).collect();
        Ok(Done { ended_at, history: state.history.clone(), state })
    }

    /// Takes one step of one path.
    ///
    /// # Errors
    ///
    /// If the machine stops before its end.
    pub async fn step(&mut self) -> Result<Progress, MachineError> {
        if self.live.with(|state, _| state.status()) == Status::Completed {
            return Ok(Progress::Ended);
        }
        self.ensure_not_stopped()?;
        let before = self.live.with(|state, _| state.history.steps.len());
        let limit = self.executor.settings.limits.time;
        let result = Self::within_time(limit, Box::pin(self.drive_one())).await;
        let has_ended = matches!(result, Ok(true));
        if has_ended || result.is_err() {
            self.finish(result.map(drop)).await?;
        }
        let step = self.live.with(|state, _| state.history.steps.get(before).cloned());
        Ok(step.map_or(Progress::Ended, Progress::Step))
    }

    /// Returns a copy of the state.
    #[must_use]
    pub fn state(&self) -> MachineState {
        let mut state = self.live.snapshot();
        state.context = self.ctx.save(&self.executor.settings.kept).ok();
        state
    }

    /// Returns the state, without a copy unless a tool still has it.
    fn into_state(self) -> MachineState {
        let Self { live, ctx, executor } = self;
        let mut state = Arc::try_unwrap(live).map_or_else(|live| live.snapshot(), Live::into_state);
        state.context = ctx.save(&executor.settings.kept).ok();
        state
    }

    /// Changes the contexts. Programs may call this between two steps.
    pub fn change_contexts(&mut self, change: impl FnOnce(&mut Contexts)) {
        self.live.with(|state, _| change(&mut state.contexts));
    }

    /// Stops the execution. Its state can be resumed.
    pub async fn stop(self) -> MachineState {
        // The program stops it, and has the state, also if it cannot be saved.
        drop(self.finish(Err(MachineError::Cancelled)).await);
        self.into_state()
    }

    /// Awaits steps for as long as the limit allows. They are in a box, because the futures of programs that run machines would
    /// otherwise be too deep for the compiler.
    // An `AsyncFnOnce` would be simpler, but its future could not be spawned on a runtime with several threads.
    async fn within_time<T>(
        limit: Option<Duration>,
        steps: impl Future<Output = Result<T, MachineError>> + Send,
    ) -> Result<T, MachineError> {
        let Some(limit) = limit else { return steps.await };
        let result = tokio::time::timeout(limit, steps).await;
        result.unwrap_or(Err(MachineError::TimeLimit { seconds: limit.as_secs_f64() }))
    }

    /// Checks that no step has stopped the execution. The error of the step must not become an end.
    fn ensure_not_stopped(&self) -> Result<(), MachineError> {
        match self.live.with(|state, _| state.status()) {
            Status::Running | Status::Completed => Ok(()),
            Status::Suspended | Status::Error | Status::Stopped => Err(MachineError::HasStopped),
        }
    }

    async fn drive(&self) -> Result<(), MachineError> {
        loop {
            let batch = self.next_paths(usize::MAX)?;
            if batch.is_empty() {
                return self.end();
            }
            self.step_paths(&batch).await?;
        }
    }

    /// Takes one step. Returns whether the machine has ended.
    async fn drive_one(&self) -> Result<bool, MachineError> {
        let batch = self.next_paths(1)?;
        if batch.is_empty() {
            return self.end().map(|()| true);
        }
        self.step_paths(&batch).await?;
        if self.has_ended() {
            return self.end().map(|()| true);
        }
        Ok(false)
    }

    /// Returns the paths that go on: those whose steps are under way, or else those at nodes with `@eager` first, then those of
    /// a higher priority, and then those that have waited longest. Paths at nodes with `@lazy` go on when no others can.
    fn next_paths(&self, most: usize) -> Result<Vec<u64>, MachineError> {
        if self.ctx.is_cancelled() && !self.has_ended() {
            return Err(MachineError::Cancelled);
        }
        Ok(self.live.with(|state, plan| {
            if state.status() != Status::Running {
                return Vec::new();
            }
            let is_active = |id: &u64| state.path(*id).is_some_and(|path| path.status == PathStatus::Active);
            let under_way: Vec<_> = state.round.iter().copied().filter(is_active).take(most).collect();
            if !under_way.is_empty() {
                return under_way;
            }
            let active = state.paths.iter().filter(|path| path.status == PathStatus::Active);
            let mut active: Vec<_> = active.collect();
            if let [path] = active.as_slice() {
                let id = path.id;
                state.round = vec![id];
                return vec![id];
            }
            let urgency = |path: &Path| plan.node(&path.node).map(|node| node.urgency).unwrap_or_default();
            active.sort_by_key(|path| (urgency(path), Reverse(path.priority), path.last_step, path.id));
            if active.iter().any(|path| urgency(path) != Urgency::Lazy) {
                active.retain(|path| urgency(path) != Urgency::Lazy);
            }
            // A conversation has one turn at a time.
            let mut agents = Vec::new();
            active.retain(|path| {
                let agent = plan.node(&path.node).and_then(|node| node.agent.as_ref());
                let is_free = agent.is_none_or(|agent| !agents.contains(&agent));
                agents.extend(agent);
                is_free
            });
            state.round = active.iter().take(most.min(plan.concurrency)).map(|path| path.id).collect();
            state.round.clone()
        }))
    }

    /// Takes a step of each of these paths, at the same time.
    async fn step_paths(&self, paths: &[u64]) -> Result<(), MachineError> {
        match paths {
            [path] => self.step_path(*path).await,
            paths => self.step_together(paths).await,
        }
    }

    /// Takes a step of several paths. If one of them comes to the node of `until`, the others finish their steps, and their
    /// failures and questions do not matter.
    async fn step_together(&self, paths: &[u64]) -> Result<(), MachineError> {
        let mut running: FuturesUnordered<_> = paths.iter().map(|path| self.step_path(*path)).collect();
        let mut suspended = None;
        while let Some(result) = running.next().await {
            match result {
                Err(_) if self.has_ended() => {}
                Err(error @ MachineError::Suspended { .. }) => drop(suspended.get_or_insert(error)),
                result => result?,
            }
        }
        suspended.filter(|_| !self.has_ended()).map_or(Ok(()), Err)
    }

    fn has_ended(&self) -> bool {
        self.live.with(|state, _| state.status()) == Status::Completed
    }

    async fn step_path(&self, id: u64) -> Result<(), MachineError> {
        let Some(node) = self.enter(id)? else { return Ok(()) };
        if self.live.with(|state, _| state.path(id).is_some_and(Path::is_leaving)) {
            self.compensate(id, &node).await?;
            self.live.with(|state, _| state.round.retain(|other| *other != id));
            return self.save().await;
        }
        self.keep_checkpoint(id, &node).await?;
        let span = tracing::info_span!("machine_step", node = node.path, path = id);
        match self.work(id, &node).instrument(span).await {
            Ok(next) => self.apply(id, &node, next)?,
            Err(error) => self.failed(id, &node, error)?,
        }
        self.live.with(|state, _| state.round.retain(|other| *other != id));
        self.save().await
    }

    /// Counts the visit of a node. Returns the node, or `None` if the machine ends here.
    fn enter(&self, id: u64) -> Result<Option<Arc<PlanNode>>, MachineError> {
        let limits = self.executor.settings.limits;
        let until = self.executor.settings.until.as_ref();
        let (node, is_last) = self.live.with(|state, plan| {
            let at = state.path(id).map(|path| path.node.as_str()).unwrap_or_default();
            let Some(node) = plan.node(at).cloned() else {
                return Err(MachineError::OtherMachine { problem: format!("it has no node `{at}`") });
            };
            if state.path(id).is_some_and(|path| path.has_entered) {
                return Ok((node, false));
            }
            let visits = state.visits(&node.path).saturating_add(1);
            let is_last = until.is_some_and(|(until, visit)| *until == node.path && visits >= *visit);
            if !is_last && visits > limits.visits {
                return Err(MachineError::VisitLimit { node: node.path.clone(), limit: limits.visits });
            }
            if !is_last && state.steps >= limits.steps {
                return Err(MachineError::StepLimit { limit: limits.steps });
            }
            match state.visits.get_mut(&node.path) {
                Some(count) => *count = visits,
                None => drop(state.visits.insert(node.path.clone(), visits)),
            }
            state.steps = state.steps.saturating_add(1);
            let steps = state.steps;
            if let Some(path) = state.path_mut(id) {
                (path.has_entered, path.last_step) = (true, steps);
                path.needs_checkpoint = node.is_checkpoint && !is_last;
            }
            Ok((node, is_last))
        })?;
        if is_last {
            self.end_at(id, &node);
        }
        Ok((!is_last).then_some(node))
    }

    /// Ends the machine at the node of `until`.
    fn end_at(&self, id: u64, node: &PlanNode) {
        self.record(id, node, Vec::new(), StepOutcome::Ended, TransitionType::Automated, None);
        self.live.with(|state, _| {
            if let Some(path) = state.path_mut(id) {
                path.status = PathStatus::Ended;
            }
            state.history.status = Status::Completed;
        });
    }

    /// Checks why no path can go on: one has come to the node of `until`, all have ended, or they wait for each other.
    fn end(&self) -> Result<(), MachineError> {
        self.live.with(|state, _| {
            if state.status() == Status::Completed {
                for path in state.paths.iter_mut().filter(|path| !path.status.is_over()) {
                    path.status = PathStatus::Merged;
                }
                return Ok(());
            }
            let waiting = state.paths.iter().filter_map(|path| match &path.status {
                PathStatus::Waiting { barrier, .. } => Some(barrier.clone()),
                _ => None,
            });
            let barriers: Vec<_> = waiting.collect();
            if !barriers.is_empty() {
                return Err(MachineError::Deadlock { barriers });
            }
            if state.paths.iter().any(|path| path.status == PathStatus::Ended) {
                Ok(())
            } else {
                Err(MachineError::AllFailed { errors: state.errors.clone() })
            }
        })
    }

    async fn finish(&self, result: Result<(), MachineError>) -> Result<(), MachineError> {
        let status = match &result {
            Ok(()) => Status::Completed,
            Err(MachineError::Suspended { .. }) => Status::Suspended,
            Err(MachineError::Cancelled | MachineError::TimeLimit { .. }) => Status::Stopped,
            Err(_) => Status::Error,
        };
        let now = (self.executor.settings.clock)();
        self.live.with(|state, _| {
            state.history.status = status;
            state.history.end_time = Some(format_time(now));
        });
        let saved = self.save().await;
        result.and(saved)
    }

    /// Keeps the checkpoint of a visit, if there is one to keep.
    async fn keep_checkpoint(&self, id: u64, node: &PlanNode) -> Result<(), MachineError> {
        let is_needed = || self.live.with(|state, _| state.path(id).is_some_and(|path| path.needs_checkpoint));
        if !node.is_checkpoint || !is_needed() {
            return Ok(());
        }
        let kept = |state: &mut MachineState| {
            if let Some(path) = state.path_mut(id) {
                path.needs_checkpoint = false;
            }
        };
        if let Some(sink) = &self.executor.settings.sink {
            let mut state = self.state();
            // An execution that continues from the checkpoint does not keep it again.
            kept(&mut state);
            let checkpoint = Checkpoint { node: node.path.clone(), visit: state.visits(&node.path), state };
            sink.keep(checkpoint).await.map_err(MachineError::NotSaved)?;
        }
        self.live.with(|state, _| kept(state));
        Ok(())
    }

    /// Saves the state.
    pub(super) async fn save(&self) -> Result<(), MachineError> {
        match &self.executor.settings.sink {
            Some(sink) => sink.save(self.state()).await.map_err(MachineError::NotSaved),
            None => Ok(()),
        }
    }

    /// Adds a step to the history, with what the agent did.
    pub(super) fn record(
        &self,
        id: u64,
        node: &PlanNode,
        next_nodes: Vec<String>,
        outcome: StepOutcome,
        transition_type: TransitionType,
        reason: Option<String>,
    ) {
        let now = (self.executor.settings.clock)();
        let step = self.live.with(|state, plan| {
            let taken = state.path_mut(id).map(|path| {
                let visit = path.visit.take().or(path.failed_visit.take());
                (visit, std::mem::take(&mut path.failures), std::mem::take(&mut path.started))
            });
            let (visit, failures, started_paths) = taken.unwrap_or_default();
            let mut step = HistoryStep {
                step_number: state.history.steps.len() as u64 + 1,
                path: id,
                current_node: node.path.clone(),
                next_nodes,
                started_paths,
                transition_type,
                outcome,
                reason,
                agent_invocation: None,
                mutations: Vec::new(),
                writes: Vec::new(),
                taken_back: Vec::new(),
                errors: failures,
                timestamp: format_time(now),
            };
            if let Some(visit) = visit {
                state.note_writes(id, step.step_number, &visit.writes);
                visit.record_in(&mut step);
            }
            step.taken_back = state.undo(id, plan, outcome);
            let shown = self.executor.settings.on_step.is_some().then(|| step.clone());
            state.history.add(step);
            shown
        });
        if let (Some(on_step), Some(step)) = (&self.executor.settings.on_step, step) {
            on_step(&step);
        }
    }
}

impl<M, R> std::fmt::Debug for Execution<'_, M, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execution").field("executor", self.executor).finish_non_exhaustive()
    }
}
