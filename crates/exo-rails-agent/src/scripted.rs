//! A model that replays a script, for tests, examples and demonstrations.

use std::collections::HashSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use exo_rails::message::{Message, Role, ToolCall, Usage};
use exo_rails::{
    ModelCallInputs, ModelDelta, ModelResponse, OperationError, OperationErrorKind, Permit, RunError, ToolCallDelta,
};
use futures_core::Stream;
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::Model;

/// A model that replays a script. Each call of the model returns the next turn.
///
/// A script is a JSON array of turns. A turn has a text, tool calls, both, or a failure:
///
/// ```
/// use exo_rails_agent::ScriptedModel;
///
/// let model: ScriptedModel = r#"[
///     { "say": "Let me look.", "call": [{ "tool": "read_file", "arguments": { "path": "a.txt" } }] },
///     { "fail": { "kind": "rate_limited", "message": "slow down", "status": 429, "retry_after": 0.5 } },
///     { "call": [{ "tool": "search", "raw_arguments": "{ this is no JSON" }] },
///     { "say": "Done.", "usage": { "prompt_tokens": 120, "completion_tokens": 8, "total_tokens": 128 } }
/// ]"#.parse()?;
/// assert_eq!(model.remaining(), 4);
///
/// let error = r#"[{ "said": "Done." }]"#.parse::<ScriptedModel>().unwrap_err();
/// assert_eq!(error.to_string(), "the script is wrong at line 1, column 9: unknown field `said`, expected one of `say`, `deltas`, `call`, `fail`, `usage`");
/// # Ok::<(), exo_rails_agent::ScriptError>(())
/// ```
///
/// If the answer is [streamed](Model::stream), a turn arrives as one piece. A turn with `deltas` instead of `say` arrives
/// in several pieces: first these pieces of its text, then each tool call, then the finish reason, then the usage. A call
/// that is not streamed returns the same answer at once. The answer of a turn with `deltas` and `fail` breaks off after
/// the pieces:
///
/// ```
/// use exo_rails_agent::ScriptedModel;
///
/// let model: ScriptedModel = r#"[
///     { "deltas": ["Let me ", "look."], "call": [{ "tool": "read_file", "arguments": { "path": "a.txt" } }] },
///     { "deltas": ["The file sa"], "fail": { "kind": "unavailable", "message": "the connection is lost" } }
/// ]"#.parse()?;
/// # Ok::<(), exo_rails_agent::ScriptError>(())
/// ```
///
/// A call after the last turn returns an [`OperationError`]. Clones of an `Arc` and all runs share the position in the
/// script, so use one script for one conversation.
#[derive(Debug)]
pub struct ScriptedModel {
    turns: Vec<Turn>,
    next: AtomicUsize,
}

/// One turn of a script.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "RawTurn")]
struct Turn {
    /// The pieces of the text in a streamed answer. `None` if the text arrives as a whole.
    deltas: Option<Vec<String>>,
    outcome: Result<ModelResponse, Failure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTurn {
    say: Option<String>,
    deltas: Option<Vec<String>>,
    #[serde(default)]
    call: Vec<ScriptedCall>,
    fail: Option<Failure>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    tool: String,
    id: Option<String>,
    arguments: Option<Value>,
    /// The arguments as text. A script can contain arguments that are not valid JSON.
    raw_arguments: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    kind: OperationErrorKind,
    message: String,
    status: Option<u16>,
    /// In seconds.
    retry_after: Option<f64>,
}

impl TryFrom<RawTurn> for Turn {
    type Error = &'static str;

    fn try_from(raw: RawTurn) -> Result<Self, Self::Error> {
        let RawTurn { say, deltas, call, fail, usage } = raw;
        let said = match (say, &deltas) {
            (Some(_), Some(_)) => return Err("a turn has `say` or `deltas`, not both"),
            (None, Some(deltas)) if fail.is_none() => (!deltas.is_empty()).then(|| deltas.concat()),
            (say, _) => say,
        };
        let outcome = match (said, fail) {
            (None, Some(failure)) if call.is_empty() && usage.is_none() => Err(failure.check()?),
            (_, Some(_)) => return Err("a turn that fails has nothing beside `fail` but `deltas`"),
            (None, None) if call.is_empty() => {
                return Err("a turn has `say` or `deltas`, `call`, both of them, or `fail`");
            }
            (said, None) => Ok(answer(said, call, usage)?),
        };
        Ok(Self { deltas, outcome })
    }
}

impl Turn {
    /// Returns the pieces of the turn.
    fn stream(&self) -> Vec<Result<ModelDelta, OperationError>> {
        let pieces = self.deltas.iter().flatten().cloned().map(ModelDelta::Text);
        let rest = match (&self.outcome, &self.deltas) {
            (Ok(response), Some(_)) => after_text(response).into_iter().map(Ok).collect(),
            (Ok(response), None) => vec![Ok(ModelDelta::Response(Box::new(response.clone())))],
            (Err(failure), _) => vec![Err(failure.to_error())],
        };
        pieces.map(Ok).chain(rest).collect()
    }
}

/// Returns the pieces of an answer that follow its text.
fn after_text(response: &ModelResponse) -> Vec<ModelDelta> {
    let calls = response.message.tool_calls.iter().enumerate().map(|(index, call)| {
        ModelDelta::ToolCall(ToolCallDelta {
            id: Some(call.id.clone()),
            name: Some(call.function.name.clone()),
            arguments: call.function.arguments.clone(),
            ..ToolCallDelta::at(index)
        })
    });
    let finish = response.finish_reason.clone().map(ModelDelta::Finish);
    calls.chain(finish).chain(response.usage.clone().map(ModelDelta::Usage)).collect()
}

fn answer(say: Option<String>, call: Vec<ScriptedCall>, usage: Option<Usage>) -> Result<ModelResponse, &'static str> {
    let tool_calls = call.into_iter().map(ScriptedCall::into_tool_call).collect::<Result<Vec<_>, _>>()?;
    let reason = if tool_calls.is_empty() { "stop" } else { "tool_calls" };
    let message = Message { role: Role::Assistant, content: say.map(Into::into), tool_calls, ..Message::default() };
    Ok(ModelResponse { message, finish_reason: Some(reason.to_owned()), usage, extra: Map::new() })
}

impl ScriptedCall {
    fn into_tool_call(self) -> Result<ToolCall, &'static str> {
        let mut call = ToolCall::new(self.id.unwrap_or_default(), self.tool, &Value::Object(Map::new()));
        match (self.arguments, self.raw_arguments) {
            (Some(_), Some(_)) => return Err("a call has `arguments` or `raw_arguments`, not both"),
            (Some(arguments), None) => call.function.arguments = arguments.to_string(),
            (None, Some(raw)) => call.function.arguments = raw,
            (None, None) => {}
        }
        Ok(call)
    }
}

impl Failure {
    fn check(self) -> Result<Self, &'static str> {
        match self.retry_after.map(Duration::try_from_secs_f64) {
            Some(Err(_)) => Err("`retry_after` is a number of seconds, not negative"),
            _ => Ok(self),
        }
    }

    fn to_error(&self) -> OperationError {
        let mut error = OperationError::new(self.kind, self.message.clone());
        error.status = self.status;
        error.retry_after = self.retry_after.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        error
    }
}

/// Lets a program that returns the errors of its runs use `?` on a script.
impl From<ScriptError> for RunError {
    fn from(error: ScriptError) -> Self {
        OperationError::new(OperationErrorKind::Other, error.to_string()).with_source(error).into()
    }
}

/// A script file cannot be read, or a text is not a script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("cannot read the script {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: std::io::Error,
    },
    /// The text is not a script.
    #[error("the script{} is wrong at line {line}, column {column}: {message}", shown(path.as_ref()))]
    Malformed {
        /// The file, if the script comes from a file.
        path: Option<PathBuf>,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The mistake.
        message: String,
    },
}

fn shown(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(" {}", path.display())).unwrap_or_default()
}

impl ScriptedModel {
    /// Reads a script from a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if its text is not a script. The error names the file. For a
    /// mistake in the script, the error also has the line and the column.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|error| ScriptError::Read { path: path.to_owned(), error })?;
        Self::parse(&text, Some(path))
    }

    fn parse(text: &str, path: Option<&Path>) -> Result<Self, ScriptError> {
        let mut turns: Vec<Turn> = serde_json::from_str(text).map_err(|error| ScriptError::Malformed {
            path: path.map(Path::to_owned),
            line: error.line(),
            column: error.column(),
            message: without_position(&error),
        })?;
        name_calls(&mut turns);
        Ok(Self { turns, next: AtomicUsize::new(0) })
    }

    /// The number of turns that are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.turns.len().saturating_sub(self.next.load(Ordering::Relaxed))
    }

    /// The number of turns that calls have taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.turns.len() - self.remaining()
    }

    /// Begins after this number of turns. A program that resumes a run uses this to continue its script.
    ///
    /// ```
    /// use exo_rails_agent::ScriptedModel;
    ///
    /// let model: ScriptedModel = r#"[{ "say": "one" }, { "say": "two" }]"#.parse()?;
    /// assert_eq!(model.skip_turns(1).remaining(), 1);
    /// # Ok::<(), exo_rails_agent::ScriptError>(())
    /// ```
    #[must_use]
    pub fn skip_turns(mut self, turns: usize) -> Self {
        self.next = AtomicUsize::new(turns);
        self
    }
}

/// Gives an id to every call of the script that has none.
fn name_calls(turns: &mut [Turn]) {
    let answers = turns.iter_mut().filter_map(|turn| turn.outcome.as_mut().ok());
    let mut calls: Vec<_> = answers.flat_map(|response| &mut response.message.tool_calls).collect();
    let given: HashSet<_> = calls.iter().map(|call| call.id.clone()).collect();
    for (i, call) in calls.iter_mut().enumerate().filter(|(_, call)| call.id.is_empty()) {
        // Takes the first name that no call of the script has. No other generated name begins with this place.
        let place = format!("call_{}", i + 1);
        let names = iter::once(place.clone()).chain((2..).map(|n| format!("{place}_{n}")));
        call.id = names.into_iter().find(|name| !given.contains(name)).unwrap_or(place);
    }
}

/// Returns the message of a JSON error without ` at line 1 column 2`. `ScriptError` adds the position itself.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&position).map_or(message.clone(), ToOwned::to_owned)
}

impl FromStr for ScriptedModel {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        Self::parse(text, None)
    }
}

impl ScriptedModel {
    fn next_turn(&self) -> Result<&Turn, OperationError> {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        self.turns.get(turn).ok_or_else(|| {
            let message = format!("the script has {} turns and this is call {}", self.turns.len(), turn + 1);
            OperationError::new(OperationErrorKind::Other, message)
        })
    }
}

impl Model for ScriptedModel {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        request.ensure_open()?;
        self.next_turn()?.outcome.clone().map_err(|failure| failure.to_error())
    }

    fn model_name(&self) -> Option<&str> {
        Some("scripted")
    }

    fn provider(&self) -> Option<&str> {
        Some("exo_rails")
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        // As in `call`, the model takes the turn only when it is asked: at the first poll of the stream.
        stream::try_unfold((request, None), move |(request, pieces)| async move {
            let mut pieces = if let Some(pieces) = pieces {
                pieces
            } else {
                request.ensure_open()?;
                self.next_turn()?.stream().into_iter()
            };
            Ok(pieces.next().transpose()?.map(|delta| (delta, (request, Some(pieces)))))
        })
    }
}
