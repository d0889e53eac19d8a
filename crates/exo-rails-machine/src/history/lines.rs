//! The history as JSON Lines, while the machine runs.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::HistoryStep;

/// Writes each step of a history as a line of JSON.
///
/// ```
/// use std::sync::Arc;
///
/// use exo_rails_agent::ScriptedModel;
/// use exo_rails_machine::{Executor, JsonLines};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let machine = exo_rails_dygram::read("flow.dygram", "State a; State b; End c; a -> b -> c;").machine;
/// let lines = Arc::new(JsonLines::new(Vec::new()));
/// let log = Arc::clone(&lines);
/// let model: ScriptedModel = "[]".parse()?;
/// let executor = Executor::builder(&machine, model).on_step(move |step| drop(log.write(step))).build()?;
/// executor.run().await?;
/// drop(executor);
/// let text = String::from_utf8(Arc::into_inner(lines).expect("the executor is gone").into_inner())?;
/// assert_eq!(text.lines().count(), 3);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct JsonLines<W>(Mutex<W>);

impl<W: Write> JsonLines<W> {
    /// Makes a log that writes to this writer. It flushes the writer after each line.
    pub const fn new(writer: W) -> Self {
        Self(Mutex::new(writer))
    }

    /// Writes a step.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write(&self, step: &HistoryStep) -> io::Result<()> {
        let mut line = serde_json::to_vec(step)?;
        line.push(b'\n');
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(&line)?;
        writer.flush()
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
