//! Records a run so that the run can be resumed.

use exo_rails::message::Usage;
use exo_rails::{
    InvokeInputs, InvokeOutput, KeptValues, ModelResponse, OperationError, OperationErrorKind, RunContext, RunError,
    SuspendedResult, Tool,
};
use tokio::sync::Mutex;
use tracing::warn;

use super::SharedCheckpoints;
use super::failed::FailedRun;
use super::progress::Progress;
use super::suspended::{CallState, SuspendedRun, unresolved};

/// Records a run: in the checkpoints of its agent, and in the error of a run that ends suspended.
pub(super) struct Recorder<'a> {
    checkpoints: Option<&'a SharedCheckpoints>,
    kept: &'a KeptValues,
    /// The revision of the last record. The lock is held while a record is saved, so the records of parallel calls arrive
    /// in order.
    revision: Mutex<u64>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(checkpoints: Option<&'a SharedCheckpoints>, kept: &'a KeptValues) -> Self {
        Self { checkpoints, kept, revision: Mutex::default() }
    }

    /// Continues a suspended run. Returns the inputs of the run.
    ///
    /// # Errors
    /// Returns an error if the run cannot continue. The error has the unchanged `SuspendedRun`.
    pub(super) fn resume(
        &mut self,
        mut run: Box<SuspendedRun>,
        progress: &Progress,
        tools: &[Tool],
        ctx: &mut RunContext,
    ) -> Result<InvokeInputs, FailedRun> {
        if let Err(error) = self.check(&run, tools, ctx) {
            let so_far = Box::new(run.so_far.clone());
            return Err(FailedRun { error: error.into(), so_far, suspended: Some(run) });
        }
        for call in &mut run.calls {
            if let CallState::Unknown { .. } = call.state {
                call.state = CallState::Waiting;
            }
        }
        *self.revision.get_mut() = run.revision;
        let inputs = run.inputs.clone();
        progress.resume(*run);
        Ok(inputs)
    }

    fn check(&self, run: &SuspendedRun, tools: &[Tool], ctx: &mut RunContext) -> Result<(), OperationError> {
        let may_repeat = |name: &str| tools.iter().any(|tool| tool.name() == name && tool.is_idempotent());
        for (number, call) in run.calls.iter().enumerate() {
            if let CallState::Unknown { tool_name } = &call.state
                && !may_repeat(tool_name)
            {
                return Err(unresolved(number, &call.call));
            }
        }
        ctx.restore(run.context.clone(), self.kept).map_err(|error| {
            OperationError::new(OperationErrorKind::InvalidRequest, error.to_string()).with_source(error)
        })
    }

    /// Saves the run in its current state, if the agent has checkpoints.
    ///
    /// # Errors
    /// Returns an error if the checkpoints do not save the run.
    pub(super) async fn save(
        &self,
        progress: &Progress,
        used: impl FnOnce() -> Usage + Send,
        ctx: &RunContext,
    ) -> Result<(), OperationError> {
        let Some(SharedCheckpoints(checkpoints)) = self.checkpoints else { return Ok(()) };
        let mut revision = self.revision.lock().await;
        checkpoints.save(progress.suspended(ctx.save(self.kept)?, used(), *revision + 1)).await?;
        *revision += 1;
        Ok(())
    }

    /// Records the end of the run. Removes its checkpoint, or saves a last one if the run is suspended.
    pub(super) async fn end(
        &self,
        result: Result<InvokeOutput, RunError>,
        progress: &Progress,
        used: Usage,
        ctx: &RunContext,
    ) -> Result<InvokeOutput, FailedRun> {
        let error = match result {
            Ok(output) => {
                self.forget(ctx).await;
                return Ok(output);
            }
            Err(error) => error,
        };
        let so_far = Box::new(progress.so_far(used.clone()));
        if error.suspension().is_none() {
            self.forget(ctx).await;
            return Err(FailedRun { error, so_far, suspended: None });
        }
        progress.suspend(&error);
        let (error, suspended) = match self.suspended(progress, used, ctx).await {
            Err(unsaved) => (unsaved.into(), None),
            Ok((suspended, Ok(()))) => (error, Some(suspended)),
            Ok((suspended, Err(unsaved))) => (unsaved.into(), Some(suspended)),
        };
        Err(FailedRun { error, so_far, suspended: suspended.map(Box::new) })
    }

    /// Returns the suspended run, and the result of saving it in the checkpoints.
    ///
    /// # Errors
    /// Returns an error if the values of the run cannot be saved.
    async fn suspended(
        &self,
        progress: &Progress,
        used: Usage,
        ctx: &RunContext,
    ) -> Result<(SuspendedRun, Result<(), OperationError>), OperationError> {
        let context = ctx.save(self.kept)?;
        if !context.lost.is_empty() {
            warn!(run = context.run_id, lost = ?context.lost, "a suspended run continues without some of its values");
        }
        let mut revision = self.revision.lock().await;
        let mut run = progress.suspended(context, used, *revision);
        // The agent counts the usage of this answer when the run is resumed.
        if let Some(SuspendedResult::Response(ModelResponse { usage: Some(usage), .. })) = &run.result {
            run.context.usage = since(usage, &run.context.usage);
            run.so_far.usage = since(usage, &run.so_far.usage);
        }
        let Some(SharedCheckpoints(checkpoints)) = self.checkpoints else { return Ok((run, Ok(()))) };
        run.revision += 1;
        let saved = checkpoints.save(run.clone()).await;
        if saved.is_ok() {
            *revision = run.revision;
        }
        Ok((run, saved))
    }

    async fn forget(&self, ctx: &RunContext) {
        let Some(SharedCheckpoints(checkpoints)) = self.checkpoints else { return };
        let revision = *self.revision.lock().await;
        if revision > 0
            && let Err(error) = checkpoints.remove(ctx.run_id(), revision).await
        {
            warn!(run = ctx.run_id(), %error, "a run has ended, but its record could not be removed");
        }
    }
}

/// Returns the usage since `before`.
pub(super) fn since(before: &Usage, now: &Usage) -> Usage {
    Usage {
        prompt_tokens: now.prompt_tokens.saturating_sub(before.prompt_tokens),
        completion_tokens: now.completion_tokens.saturating_sub(before.completion_tokens),
        total_tokens: now.total_tokens.saturating_sub(before.total_tokens),
        ..Usage::default()
    }
}
