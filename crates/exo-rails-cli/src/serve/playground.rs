//! The machine of the playground, and what a person does with it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::SystemTime;

use exo_rails::{CancellationToken, OperationError};
use exo_rails_agent::ScriptedModel;
use exo_rails_dygram::Machine;
use exo_rails_machine::{Checkpoint, MachineError, MachineState, Progress, StateSink};
use tokio::sync::watch;

use super::log::{Kind, Line, lines};
use super::snapshot::{ShownSettings, Snapshot};
use crate::arguments::{AnswerOptions, ServeOptions};
use crate::execution::{MachineExecutor, begin, builder};
use crate::failure::Failure;
use crate::model::{Chosen, named_by_environment};
use crate::rails::{AuditLog, MachineRails, StatusLine};
use crate::saved::{keep_turns, turns};
use crate::{questions, source};

/// A machine and its execution.
pub(super) struct Playground {
    options: ServeOptions,
    audit: AuditLog,
    inner: Mutex<Inner>,
    /// Changes whenever the page should show something new.
    changes: watch::Sender<u64>,
}

struct Inner {
    machine: Machine,
    state: Option<MachineState>,
    lines: Vec<Line>,
    /// The steps whose lines are in the log.
    shown_steps: usize,
    /// Changes when the log is cleared.
    generation: u64,
    running: Option<CancellationToken>,
    model: Option<String>,
    key: Option<String>,
}

/// What a page has received.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Received {
    generation: u64,
    lines: usize,
}

/// What a page should show now.
pub(super) struct News {
    pub(super) snapshot: Snapshot,
    pub(super) is_new_log: bool,
    pub(super) lines: Vec<Line>,
    pub(super) received: Received,
}

/// Why the playground refuses a command.
pub(super) type Refusal = String;

impl Playground {
    pub(super) fn new(options: &ServeOptions) -> Result<Self, Failure> {
        let machine = source::machine(&options.run.file, &options.run.source)?;
        let inner = Inner {
            machine,
            state: None,
            lines: Vec::new(),
            shown_steps: 0,
            generation: 1,
            running: None,
            model: options.run.model.model.clone().or_else(named_by_environment),
            key: None,
        };
        let playground = Self {
            options: options.clone(),
            audit: AuditLog::default(),
            inner: Mutex::new(inner),
            changes: watch::Sender::new(0),
        };
        // A mistake in the options should not wait for the first step.
        playground.executor(None, Shown { playground: Weak::new(), script: None })?;
        Ok(playground)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|version| *version += 1);
    }

    /// Waits for changes.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        let mut changes = self.changes.subscribe();
        changes.mark_changed();
        changes
    }

    /// Returns what a page has not received yet.
    pub(super) fn news(&self, received: Received) -> News {
        let mut inner = self.lock();
        let is_new_log = received.generation != inner.generation;
        let from = if is_new_log { 0 } else { received.lines };
        let lines = inner.lines.get(from..).unwrap_or_default().to_vec();
        let received = Received { generation: inner.generation, lines: inner.lines.len() };
        let settings = ShownSettings {
            model: inner.model.clone().unwrap_or_default(),
            has_key: inner.key.is_some(),
            is_scripted: self.options.run.model.script.is_some(),
        };
        let is_running = inner.running.is_some();
        let Inner { machine, state, .. } = &mut *inner;
        let snapshot = Snapshot::new(machine, state.as_mut(), is_running, settings);
        News { snapshot, is_new_log, lines, received }
    }

    /// Shows a state that the executor has saved.
    fn show(&self, state: MachineState) {
        let mut inner = self.lock();
        let new: Vec<_> = state.history().steps.iter().skip(inner.shown_steps).flat_map(|step| lines(step)).collect();
        inner.lines.extend(new);
        inner.shown_steps = state.history().steps.len();
        inner.state = Some(state);
        drop(inner);
        self.changed();
    }

    fn say(&self, kind: Kind, text: impl Into<String>) {
        let time = exo_rails_machine::format_time(SystemTime::now());
        self.lock().lines.push(Line { time, kind, text: text.into() });
        self.changed();
    }

    /// Begins to take steps: all, or one.
    pub(super) fn go(self: &Arc<Self>, only_one: bool) -> Result<(), Refusal> {
        let token = CancellationToken::new();
        let state = {
            let mut inner = self.lock();
            if inner.running.is_some() {
                return Err("the machine is running".to_owned());
            }
            let has_ended =
                inner.state.as_ref().is_some_and(|state| state.status() == exo_rails_machine::Status::Completed);
            if has_ended {
                return Err("the machine has ended: reset it first".to_owned());
            }
            inner.running = Some(token.clone());
            inner.state.clone()
        };
        self.say(Kind::Command, if only_one { "step" } else { "execute" });
        let playground = Arc::clone(self);
        tokio::spawn(async move {
            let result = playground.run(state, &token, only_one).await;
            playground.lock().running = None;
            match result {
                Ok(None) => playground.changed(),
                Ok(Some((kind, end))) => playground.say(kind, end),
                Err(error) => playground.say(Kind::Error, error),
            }
        });
        Ok(())
    }

    /// Takes steps. Returns what the log says about the end.
    async fn run(
        self: &Arc<Self>,
        state: Option<MachineState>,
        token: &CancellationToken,
        only_one: bool,
    ) -> Result<Option<(Kind, &'static str)>, String> {
        let executor = self.prepare(state.as_ref(), token).map_err(|failure| failure.to_string())?;
        let mut execution = begin(&executor, &self.options.run, state).map_err(|failure| failure.to_string())?;
        let result = if only_one {
            let result = execution.step().await;
            let has_ended = execution.state().nodes().next().is_none();
            // The last step ends the machine, and the next call finds that out.
            let result = if has_ended && result.is_ok() { execution.step().await } else { result };
            result.map(|progress| progress == Progress::Ended)
        } else {
            execution.run().await.map(|_| true).map_err(|stopped| stopped.error)
        };
        match result {
            Ok(has_ended) => Ok(has_ended.then_some((Kind::End, "completed"))),
            Err(MachineError::Cancelled) => Ok(Some((Kind::Command, "stopped"))),
            Err(MachineError::Suspended { .. }) => Ok(Some((Kind::Command, "waits for a person"))),
            Err(error) => Err(error.to_string()),
        }
    }

    fn prepare(
        self: &Arc<Self>,
        state: Option<&MachineState>,
        token: &CancellationToken,
    ) -> Result<MachineExecutor, Failure> {
        let chosen = self.model(state)?;
        let shown = Shown { playground: Arc::downgrade(self), script: chosen.script.clone() };
        self.executor_with(chosen, shown, Some(token))
    }

    fn model(&self, state: Option<&MachineState>) -> Result<Chosen, Failure> {
        let options = &self.options.run.model;
        if options.script.is_some() {
            return Chosen::by(options, turns(state));
        }
        let (model, key) = {
            let inner = self.lock();
            (inner.model.clone(), inner.key.clone())
        };
        Chosen::live(model, key)
    }

    fn executor(&self, state: Option<&MachineState>, shown: Shown) -> Result<MachineExecutor, Failure> {
        let chosen = self.model(state)?;
        self.executor_with(chosen, shown, None)
    }

    fn executor_with(
        &self,
        chosen: Chosen,
        shown: Shown,
        token: Option<&CancellationToken>,
    ) -> Result<MachineExecutor, Failure> {
        let run = &self.options.run;
        let rails = MachineRails::read(run.policy.as_deref(), StatusLine::hidden(), &self.audit)?;
        let machine = self.lock().machine.clone();
        let builder = builder(&machine, chosen.model, rails, run)?.save_to(shown);
        let builder = match token {
            Some(token) => builder.cancellation(token.clone()),
            None => builder,
        };
        builder.build().map_err(|error| Failure::of_file(&run.file, error))
    }

    /// Stops after what is under way.
    pub(super) fn stop(&self) -> Result<(), Refusal> {
        let inner = self.lock();
        let token = inner.running.as_ref().ok_or_else(|| "the machine is not running".to_owned())?;
        token.cancel();
        Ok(())
    }

    /// Forgets the execution and the log, and reads the file again.
    pub(super) fn reset(&self) -> Result<(), Refusal> {
        let run = &self.options.run;
        let machine = source::machine(&run.file, &run.source).map_err(|failure| failure.to_string())?;
        let mut inner = self.lock();
        if inner.running.is_some() {
            return Err("the machine is running: stop it first".to_owned());
        }
        inner.machine = machine;
        inner.state = None;
        inner.lines.clear();
        inner.shown_steps = 0;
        inner.generation += 1;
        drop(inner);
        self.changed();
        Ok(())
    }

    /// Chooses another live model. An empty key keeps the one that is set.
    pub(super) fn choose(&self, model: &str, key: String) -> Result<(), Refusal> {
        if self.options.run.model.script.is_some() {
            return Err("the model is a script: serve the machine without `--script` to choose another".to_owned());
        }
        let known = self.lock().key.clone();
        let key = if key.is_empty() { known } else { Some(key) };
        let model = Some(model.trim().to_owned()).filter(|model| !model.is_empty());
        Chosen::live(model.clone(), key.clone()).map_err(|failure| failure.to_string())?;
        let mut inner = self.lock();
        (inner.model, inner.key) = (model, key);
        drop(inner);
        self.say(Kind::Command, "settings saved");
        Ok(())
    }

    /// Answers what a suspended machine waits for. The next step goes on.
    pub(super) fn answer(&self, answers: &AnswerOptions) -> Result<(), Refusal> {
        let mut inner = self.lock();
        if inner.running.is_some() {
            return Err("the machine is running".to_owned());
        }
        let state = inner.state.as_mut().ok_or_else(|| "the machine waits for nothing".to_owned())?;
        questions::answer(state, answers).map_err(|failure| failure.to_string())?;
        drop(inner);
        self.say(Kind::Command, "answered");
        Ok(())
    }
}

/// Shows each saved state in the playground.
struct Shown {
    playground: Weak<Playground>,
    script: Option<Arc<ScriptedModel>>,
}

impl StateSink for Shown {
    async fn save(&self, mut state: MachineState) -> Result<(), OperationError> {
        keep_turns(&mut state, self.script.as_deref());
        if let Some(playground) = self.playground.upgrade() {
            playground.show(state);
        }
        Ok(())
    }

    /// The page saves nothing.
    async fn keep(&self, _: Checkpoint) -> Result<(), OperationError> {
        Ok(())
    }
}
