//! The place where an agent saves its runs while they are under way.

use std::pin::Pin;

use exo_rails::OperationError;

use super::suspended::SuspendedRun;

/// A place, such as a directory or a table, where an agent saves its runs while they are under way. If the program ends
/// during a run, another program can resume the run from its record.
///
/// The agent saves a run before each tool runs, after each tool call, and when a rail suspends the run. No tool runs
/// before its record is saved. The agent removes the record when the run has ended. A run that calls no tool is saved
/// only if a rail suspends it, because nothing in such a run must happen at most once.
/// [`FileCheckpoints`](crate::FileCheckpoints) save runs in a directory.
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
/// Each record has the [name of its run](exo_rails::RunScope::run_id). The default names are random. If your program must find the
/// record of a certain run, such as the run of an order, set the name with
/// [`RunContext::with_run_id`](exo_rails::RunContext::with_run_id).
pub trait Checkpoints: Send + Sync {
    /// Saves the run, and replaces an earlier record of the run. When this method returns, the record must survive the
    /// end of the program.
    ///
    /// An implementation must reject a record that does not [follow](SuspendedRun::ensure_follows) the saved one. Two
    /// programs have then resumed the same run, and only one of them may continue. No other writer may come between this
    /// check and the write.
    ///
    /// # Errors
    /// Returns an error if the record is rejected or cannot be saved. The agent then does not run the tool, and the run
    /// ends with this error.
    fn save(&self, run: SuspendedRun) -> impl Future<Output = Result<(), OperationError>> + Send;

    /// Removes the record of the run with this name, because the run has ended. A record with another revision must stay:
    /// another program has resumed that run.
    ///
    /// # Errors
    /// Returns an error if the record cannot be removed. The agent reports the error in a `tracing` warning and keeps the
    /// result of the run.
    fn remove(&self, run_id: &str, revision: u64) -> impl Future<Output = Result<(), OperationError>> + Send;
}

type Saved<'a> = Pin<Box<dyn Future<Output = Result<(), OperationError>> + Send + 'a>>;

/// The methods of [`Checkpoints`] in a form for trait objects, so that an agent can have checkpoints of any type.
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
