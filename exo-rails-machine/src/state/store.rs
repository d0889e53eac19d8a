//! Where states are saved.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use exo_rails::{OperationError, OperationErrorKind};

use super::MachineState;

/// A place where an executor saves its state.
///
/// The executor saves it after each step, before each tool runs, and after each tool call. No tool runs before its record is
/// saved, so a call that has begun is never forgotten.
pub trait StateSink: Send + Sync {
    /// Saves the state. When this method returns, the record must survive the end of the program.
    ///
    /// # Errors
    ///
    /// If the state cannot be saved. The machine then stops with this error.
    fn save(&self, state: MachineState) -> impl Future<Output = Result<(), OperationError>> + Send;
}

type Saved<'a> = Pin<Box<dyn Future<Output = Result<(), OperationError>> + Send + 'a>>;

trait DynSink: Send + Sync {
    fn save_boxed(&self, state: MachineState) -> Saved<'_>;
}

impl<S: StateSink> DynSink for S {
    fn save_boxed(&self, state: MachineState) -> Saved<'_> {
        Box::pin(self.save(state))
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
}

/// Saves states in a file of JSON. A crash leaves the old state or the new one, and never a part.
#[derive(Clone, Debug)]
pub struct StateFile(PathBuf);

impl StateFile {
    /// Saves in this file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Reads the saved state. Returns `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has no state.
    pub fn load(&self) -> Result<Option<MachineState>, OperationError> {
        match std::fs::read(&self.0) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(&self.0, &error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&self.0, &error)),
        }
    }

    fn write(&self, state: &MachineState) -> std::io::Result<()> {
        let mut name = self.0.clone().into_os_string();
        name.push(".new");
        let mut file = std::fs::File::create(&name)?;
        file.write_all(&serde_json::to_vec(state)?)?;
        file.sync_all()?;
        std::fs::rename(&name, &self.0)
    }
}

impl StateSink for StateFile {
    async fn save(&self, state: MachineState) -> Result<(), OperationError> {
        self.write(&state).map_err(|error| failed(&self.0, &error))
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> OperationError {
    OperationError::new(OperationErrorKind::Other, format!("the state of the machine in `{}`: {error}", path.display()))
}
