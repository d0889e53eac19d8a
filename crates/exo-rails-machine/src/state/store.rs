//! Where states are saved.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use exo_rails::{OperationError, OperationErrorKind};
use serde::{Deserialize, Serialize};

use super::MachineState;

/// A place where an executor saves its state.
///
/// The executor saves its state after each step, before each tool runs, and after each tool call. A tool runs only after its
/// call is saved, so no started call is lost.
///
/// [`StateFile`] saves states in files. The sink in this example keeps only the checkpoints, in memory:
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use exo_rails::OperationError;
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::{Checkpoint, Executor, MachineState, StateSink};
///
/// #[derive(Clone, Default)]
/// struct InMemory(Arc<Mutex<Vec<Checkpoint>>>);
///
/// impl StateSink for InMemory {
///     async fn save(&self, _: MachineState) -> Result<(), OperationError> {
///         Ok(())
///     }
///
///     async fn keep(&self, checkpoint: Checkpoint) -> Result<(), OperationError> {
///         self.0.lock().unwrap().push(checkpoint);
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = "State plan; State pay @checkpoint; End done; plan -> pay -> done;";
/// let machine = exo_rails_dygram::read("flow.dygram", file).machine;
/// let kept = InMemory::default();
/// let executor = Executor::builder(&machine, "[]".parse::<ScriptedModel>()?).save_to(kept.clone()).build()?;
/// executor.run().await?;
///
/// // Go back to the time when the machine entered `pay`.
/// let checkpoint = kept.0.lock().unwrap().remove(0);
/// assert_eq!((checkpoint.node.as_str(), checkpoint.visit), ("pay", 1));
/// let done = executor.resume(checkpoint.state)?.run().await?;
/// assert_eq!(done.ended_at, ["done"]);
/// # Ok(()) }
/// ```
pub trait StateSink: Send + Sync {
    /// Saves the state, and replaces the previous one. When this method returns, the saved state must survive the end of the
    /// program.
    ///
    /// # Errors
    ///
    /// If the state cannot be saved. The machine then stops with this error.
    fn save(&self, state: MachineState) -> impl Future<Output = Result<(), OperationError>> + Send;

    /// Keeps the state at a node with `@checkpoint`. Later states must not replace it.
    ///
    /// # Errors
    ///
    /// If the state cannot be kept. The machine then stops with this error.
    fn keep(&self, checkpoint: Checkpoint) -> impl Future<Output = Result<(), OperationError>> + Send;
}

/// The state at the time when a path entered a node with `@checkpoint`, before the work there.
///
/// To go back to it, give its state to [`Executor::resume`](crate::Executor::resume).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The path of the node.
    pub node: String,
    /// The number of this visit of the node, counted from 1.
    pub visit: u32,
    /// The state.
    pub state: MachineState,
}

type Saved<'a> = Pin<Box<dyn Future<Output = Result<(), OperationError>> + Send + 'a>>;

trait DynSink: Send + Sync {
    fn save_boxed(&self, state: MachineState) -> Saved<'_>;
    fn keep_boxed(&self, checkpoint: Checkpoint) -> Saved<'_>;
}

impl<S: StateSink> DynSink for S {
    fn save_boxed(&self, state: MachineState) -> Saved<'_> {
        Box::pin(self.save(state))
    }

    fn keep_boxed(&self, checkpoint: Checkpoint) -> Saved<'_> {
        Box::pin(self.keep(checkpoint))
    }
}

/// A sink of any type.
#[derive(Clone)]
pub(crate) struct SharedSink(Arc<dyn DynSink>);

impl SharedSink {
    pub(crate) fn new(sink: impl StateSink + 'static) -> Self {
        Self(Arc::new(sink))
    }

    pub(crate) async fn save(&self, state: MachineState) -> Result<(), OperationError> {
        self.0.save_boxed(state).await
    }

    pub(crate) async fn keep(&self, checkpoint: Checkpoint) -> Result<(), OperationError> {
        self.0.keep_boxed(checkpoint).await
    }
}

/// Saves states in a JSON file. After a crash, the file contains the old state or the new one, and never only a part.
///
/// Each checkpoint is in its own file in the same directory. If the file is `flow.state.json`, the checkpoint of the second
/// visit of `review.draft` is in `flow.state.review.draft.2.json`.
#[derive(Clone, Debug)]
pub struct StateFile(PathBuf);

impl StateFile {
    /// Makes a sink that saves in this file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Reads the saved state. Returns `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or does not contain a state.
    pub fn load(&self) -> Result<Option<MachineState>, OperationError> {
        match std::fs::read(&self.0) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(&self.0, &error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&self.0, &error)),
        }
    }

    /// Returns the path of the file for a checkpoint.
    #[must_use]
    pub fn of_checkpoint(&self, node: &str, visit: u32) -> PathBuf {
        let stem = self.0.file_stem().unwrap_or_default().to_string_lossy();
        self.0.with_file_name(format!("{stem}.{node}.{visit}.json"))
    }
}

fn write(path: &Path, state: &MachineState) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let mut file = std::fs::File::create(&name)?;
    file.write_all(&serde_json::to_vec(state)?)?;
    file.sync_all()?;
    std::fs::rename(&name, path)
}

impl StateSink for StateFile {
    async fn save(&self, state: MachineState) -> Result<(), OperationError> {
        write(&self.0, &state).map_err(|error| failed(&self.0, &error))
    }

    async fn keep(&self, Checkpoint { node, visit, state }: Checkpoint) -> Result<(), OperationError> {
        let path = self.of_checkpoint(&node, visit);
        write(&path, &state).map_err(|error| failed(&path, &error))
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> OperationError {
    OperationError::new(OperationErrorKind::Other, format!("the state of the machine in `{}`: {error}", path.display()))
}
