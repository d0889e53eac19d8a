//! Where the runs of an agent are saved while they go on.

use std::pin::Pin;

use exo_rails::OperationError;

use super::suspended::SuspendedRun;

/// Where the runs of an agent are saved while they go on: a directory, a table, so that a run is resumed when its program has
/// ended in the middle of it.
///
/// A run is saved before each tool runs, after each tool call, and when a rail suspends it. A tool does not run before the
/// record is saved. When the run has ended, it is removed. A run that calls no tool is not saved: there is nothing in it that
/// must not be done twice. [`FileCheckpoints`](crate::FileCheckpoints) save them in a directory.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
///
/// use exo_rails::OperationError;
/// use exo_rails_agent::{Agent, Checkpoints, ScriptedModel, SuspendedRun};
///
/// #[derive(Clone, Default)]
/// struct InMemory(Arc<Mutex<HashMap<String, SuspendedRun>>>);
///
/// impl Checkpoints for InMemory {
///     async fn save(&self, run: SuspendedRun) -> Result<(), OperationError> {
///         let mut runs = self.0.lock().unwrap();
///         let saved = runs.get(&run.context.run_id).map(|saved| saved.revision);
///         run.ensure_follows(saved)?;
///         runs.insert(run.context.run_id.clone(), run);
///         Ok(())
///     }
///
///     async fn remove(&self, run_id: &str, revision: u64) -> Result<(), OperationError> {
///         let mut runs = self.0.lock().unwrap();
///         if runs.get(run_id).is_some_and(|saved| saved.revision == revision) {
///             runs.remove(run_id);
///         }
///         Ok(())
///     }
/// }
///
/// # fn f(model: ScriptedModel) {
/// let agent = Agent::builder("support", model).checkpoints(InMemory::default()).build();
/// # let _ = agent; }
/// ```
///
/// A record has the [name of its run](exo_rails::RunScope::run_id). The default names are unique in one process only. A program
/// that resumes runs of an earlier process sets its own names with
/// [`RunContext::with_run_id`](exo_rails::RunContext::with_run_id).
pub trait Checkpoints: Send + Sync {
    /// Saves the run, in the place of an earlier record of it. When it returns, the record must be where it survives the
    /// program.
    ///
    /// It refuses a record that does not [follow](SuspendedRun::ensure_follows) the one that is there. Then the run was resumed
    /// twice, and one of the two must not go on. Between this check and the writing, nobody else may write.
    ///
    /// # Errors
    /// When it cannot: the tool is not run, and the run ends with this error.
    fn save(&self, run: SuspendedRun) -> impl Future<Output = Result<(), OperationError>> + Send;

    /// Removes the record of the run with this name, because the run has ended. A record of another revision stays: it is of
    /// somebody else who has resumed the run.
    ///
    /// # Errors
    /// When it cannot. The result of the run stays what it is, and a `tracing` warning says so.
    fn remove(&self, run_id: &str, revision: u64) -> impl Future<Output = Result<(), OperationError>> + Send;
}

type Saved<'a> = Pin<Box<dyn Future<Output = Result<(), OperationError>> + Send + 'a>>;

/// Checkpoints whose type the agent does not name.
pub(super) trait DynCheckpoints: Send + Sync {
    fn save(&self, run: SuspendedRun) -> Saved<'_>;
    fn remove<'a>(&'a self, run_id: &'a str, revision: u64) -> Saved<'a>;
}

impl<C: Checkpoints> DynCheckpoints for C {
    fn save(&self, run: SuspendedRun) -> Saved<'_> {
        Box::pin(Checkpoints::save(self, run))
    }

    fn remove<'a>(&'a self, run_id: &'a str, revision: u64) -> Saved<'a> {
        Box::pin(Checkpoints::remove(self, run_id, revision))
    }
}
