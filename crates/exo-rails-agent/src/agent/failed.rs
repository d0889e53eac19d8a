//! Failed runs, with everything that they did before the error.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use exo_rails::{OperationError, RunError};

use super::so_far::RunSoFar;
use super::suspended::SuspendedRun;

/// A run that has failed or is suspended. It has the error, and everything that the run did before.
///
/// `?` converts a `FailedRun` into the [`RunError`] or the [`OperationError`] that a function returns. A `FailedRun`
/// derefs to the [`RunError`], so you can pass `&failed` to a function that takes `&RunError`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, ScriptedModel};
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "search" }], "usage": { "prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100 } },
///     { "fail": { "kind": "unavailable", "message": "the connection is lost" } }
/// ]"#.parse()?;
/// let search = Tool::new("search", "Finds orders.", json!({ "type": "object" }), |_: Value| async {
///     Ok::<_, OperationError>("order 7 is late")
/// });
/// let failed = Agent::builder("support", model).tool(search).build().run("Where is my order?").await.unwrap_err();
/// assert!(matches!(failed.error, RunError::Operation(_)));
/// assert_eq!((failed.so_far.steps, failed.so_far.usage.total_tokens), (2, 100));
/// assert_eq!(failed.so_far.messages.last().unwrap().text(), "order 7 is late");
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedRun {
    /// The error. It is the original error of the run, without a wrapper.
    pub error: RunError,
    /// Everything that the run did before the error.
    pub so_far: Box<RunSoFar>,
    /// The run to resume, if a [rail has suspended the run](exo_rails::RailAction::suspend). Also the run that you
    /// passed, if that run could not be resumed.
    pub suspended: Option<Box<SuspendedRun>>,
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for FailedRun {
    // The error has the same text as this type, so the source is the source of the error.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl Deref for FailedRun {
    type Target = RunError;

    fn deref(&self) -> &RunError {
        &self.error
    }
}

impl From<FailedRun> for RunError {
    fn from(failed: FailedRun) -> Self {
        failed.error
    }
}

impl From<FailedRun> for OperationError {
    fn from(failed: FailedRun) -> Self {
        failed.error.into()
    }
}
