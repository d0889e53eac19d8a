//! Runs that fail, with what they have done.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use exo_rails::message::{Messages, Usage};
use exo_rails::{OperationError, RunError};
use serde::{Deserialize, Serialize};

use super::suspended::SuspendedRun;

/// A run that has failed: its error, and what the run had done until then.
///
/// `?` makes of it the [`RunError`] or the [`OperationError`] that a function returns. It derefs to the [`RunError`]: a function
/// that takes `&RunError` takes `&failed`.
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
    /// Why it failed. The error is as it was made: no wrapper hides which rail decided.
    pub error: RunError,
    /// What it had done until then.
    pub so_far: Box<RunSoFar>,
    /// What the run goes on with, when it has not failed but waits: a [rail has suspended it](exo_rails::RailAction::suspend).
    pub suspended: Option<Box<SuspendedRun>>,
}

/// What a run has done until it failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunSoFar {
    /// The conversation, as the rails have let it pass: empty when the run failed before its first step. Each tool call has
    /// an output. Where a call had none when the run failed, the output says so. An answer that the rails of
    /// [`Finished`](exo_rails::events::Finished) have refused is left out. The conversation can go on from here.
    #[serde(default)]
    pub messages: Messages,
    /// The tokens that all model calls have used together, also those whose answer a rail refused.
    #[serde(default)]
    pub usage: Usage,
    /// How many steps the run has begun, the last of which has failed.
    #[serde(default)]
    pub steps: u32,
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for FailedRun {
    // The text is that of the error, so its source is as well.
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
