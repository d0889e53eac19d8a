//! Runs that wait for a decision, or whose program has ended.

use exo_rails::message::ToolCall;
use exo_rails::{
    InvokeInputs, OpenQuestion, OperationError, OperationErrorKind, SavedContext, SuspendedResult, ToolOutput,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::so_far::RunSoFar;

/// A run that can be resumed: a [rail has suspended it](exo_rails::RailAction::suspend), or its program ended during the
/// run. A `SuspendedRun` has the conversation, the open questions, and the tool calls that have run.
///
/// You can serialize a `SuspendedRun` as JSON. Every method that runs an agent also resumes a run:
/// [`agent.run(suspended)`](crate::Agent::run), `session.run(suspended)` and the methods that stream. The same program or
/// another one can resume the run. The run continues where it was suspended:
///
/// - The rails of [`Start`](exo_rails::events::Start) run again, with the inputs as they left them before.
/// - All rails of the event that was suspended run again, and see the answer. The run continues only if they let it.
/// - Tool calls that have returned do not run again.
/// - If the answer of a model waits for an approval, the agent does not call the model again. A rail on
///   [`LlmChunk`](exo_rails::events::LlmChunk) is an exception: it sees only a part of the answer, so the library does
///   not keep that answer.
///
/// Anyone who can write a record can answer its questions and choose what its tools returned. Keep the record where only
/// your program can write.
///
/// Resume a run once. If two programs resume the same `SuspendedRun`, both do the rest of the run, unless
/// [`Checkpoints`](crate::Checkpoints) reject the second program.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, ScriptedModel, SuspendedRun};
/// use serde_json::{Value, json};
///
/// #[rail(priority = 20, on = [PreToolCall])]
/// fn approval(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, serde_json::Error> {
///     let question = ctx.question("approve the refund").with_data(&call.arguments);
///     Ok(match ctx.answer_to(&question)? {
///         None => RailAction::suspend(question),
///         Some(true) => RailAction::Continue,
///         Some(false) => RailAction::skip("a person has refused the refund"),
///     })
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[
///     { "call": [{ "tool": "refund", "arguments": { "order": 7 } }] },
///     { "say": "The money is on its way." }
/// ]"#.parse()?;
/// let refund = Tool::new("refund", "Pays an order back.", json!({}), |_: Value| async { Ok::<_, OperationError>("paid") });
/// let agent = Agent::builder("support", model).tool(refund).rails(rail_chain![approval]).build();
///
/// let failed = agent.run("I want my money back!").await.unwrap_err();
/// let stored = serde_json::to_string(&failed.suspended)?;
///
/// // Days later, perhaps in another process.
/// let mut suspended: SuspendedRun = serde_json::from_str(&stored)?;
/// let open = suspended.questions().next().unwrap();
/// assert_eq!((open.question.text.as_str(), &open.question.data), ("approve the refund", &json!({ "order": 7 })));
/// let id = open.question.id();
/// suspended.answer(&id, true)?;
/// assert_eq!(agent.run(suspended).await?.text, "The money is on its way.");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuspendedRun {
    /// The inputs of the run, as the rails of [`Start`](exo_rails::events::Start) left them. The inputs are empty if a
    /// rail skipped the run at `Start` and another rail asks about the output.
    pub inputs: InvokeInputs,
    /// The context of the run: its name, values and answers.
    pub context: SavedContext,
    /// The conversation, the usage and the number of steps. The tool calls of the current step are in `calls`.
    pub so_far: RunSoFar,
    /// The tool calls of the current step, in the order of the model's answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<SuspendedCall>,
    /// The number of tool calls that the model has asked for. `AgentBuilder::max_calls_per_run` limits this number.
    #[serde(default)]
    pub asked_calls: usize,
    /// The question of a rail on an event of the run or of a model call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OpenQuestion>,
    /// The result of the model call or of the run, if the rail asks after it: see
    /// [`Suspension::result`](exo_rails::Suspension::result).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<SuspendedResult>,
    /// The state of the run that concerns the [`Memory`](crate::Memory) of the agent.
    #[serde(default, skip_serializing_if = "SuspendedMemory::is_default")]
    pub memory: SuspendedMemory,
    /// The number of times that [`Checkpoints`](crate::Checkpoints) have saved the run, including this record.
    #[serde(default)]
    pub revision: u64,
}

/// The state of a suspended run that concerns the [`Memory`](crate::Memory) of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuspendedMemory {
    /// The indices of the messages that the memory recalled, counted from 0. The output of the run does not contain these
    /// messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<usize>,
    /// Whether the memory will store the answer that waits.
    #[serde(default)]
    pub stores_answer: bool,
}

impl SuspendedMemory {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A tool call of the current step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuspendedCall {
    /// The call, as the model asked for it.
    pub call: ToolCall,
    /// The reason why the model's answer was cut, if it [was](exo_rails::ModelResponse::is_cut). The agent does not make
    /// such a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<String>,
    /// The state of the call.
    pub state: CallState,
}

/// The state of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallState {
    /// The call has not begun.
    Waiting,
    /// A rail asks a question about the call.
    Asked {
        /// The question.
        open: OpenQuestion,
        /// The result of the tool, if the rail asks after the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Box<SuspendedResult>>,
    },
    /// The call began, and the record has no end of it. The program ended while the tool ran, or the run was dropped. The
    /// library does not know whether the tool has done its work.
    Unknown {
        /// The name of the tool. A rail may have chosen the tool.
        tool_name: String,
    },
    /// The caller has set the output of the call: see [`Resolution`].
    Resolved(ToolOutput),
    /// The tool has returned, and the rails have let the output pass.
    Returned(ToolOutput),
}

/// How to resolve an [unknown](CallState::Unknown) tool call: see [`SuspendedRun::resolve`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// Make the call again. Choose this if the call has not happened, or if it may happen twice.
    Repeat,
    /// Do not make the call again, because it has happened and returned this output. The output passes the rails.
    Returned(ToolOutput),
    /// Do not make the call again. The model reads that it is unknown whether the call has happened.
    TellModel,
}

/// An answer or a resolution does not match anything that the run waits for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotOpen {
    /// No question with this id is open.
    #[error("no question `{id}` is open; the open questions are {}", listed(open))]
    Question {
        /// The id in the call of [`answer`](SuspendedRun::answer).
        id: String,
        /// The ids of the open questions.
        open: Vec<String>,
    },
    /// The tool call with this number is not [unknown](CallState::Unknown).
    #[error("the tool call {number} is not unknown; the unknown calls are {}", listed(unknown))]
    Call {
        /// The number in the call of [`resolve`](SuspendedRun::resolve).
        number: usize,
        /// The numbers of the unknown calls.
        unknown: Vec<usize>,
    },
}

fn listed<T: std::fmt::Display>(items: &[T]) -> String {
    let items: Vec<_> = items.iter().map(|item| format!("`{item}`")).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

impl SuspendedRun {
    /// Checks that this record is the next one after the saved record. An implementation of
    /// [`Checkpoints`](crate::Checkpoints) calls this method with the revision of the saved record, or with `None` if
    /// there is none.
    ///
    /// # Errors
    /// Returns an error if the saved record is of another run with the same name, or if another program has resumed the
    /// run from the same record.
    pub fn ensure_follows(&self, saved: Option<u64>) -> Result<(), OperationError> {
        let (run_id, revision) = (&self.context.run_id, self.revision);
        let message = match saved {
            _ if saved.unwrap_or_default() + 1 == revision => return Ok(()),
            Some(saved) if revision == 1 => format!(
                "a run with the name `{run_id}` is saved already, with revision {saved}: resume it, or give the new run \
                 another name with `RunContext::with_run_id`"
            ),
            None => format!(
                "the run `{run_id}` has ended, or was resumed somewhere else: revision {} is no longer saved",
                revision.saturating_sub(1)
            ),
            Some(saved) => format!(
                "the run `{run_id}` was resumed somewhere else: this is revision {revision}, and the saved revision is {saved}"
            ),
        };
        Err(OperationError::new(OperationErrorKind::Denied, message))
    }

    /// Returns the questions that have no answer yet. If you resume a run that has open questions, the run suspends
    /// itself again.
    pub fn questions(&self) -> impl Iterator<Item = &OpenQuestion> {
        let of_calls = self.calls.iter().filter_map(|call| match &call.state {
            CallState::Asked { open, .. } => Some(open),
            _ => None,
        });
        let is_open = |open: &&OpenQuestion| !self.context.answers.iter().any(|(asked, _)| *asked == open.question);
        self.question.iter().chain(of_calls).filter(is_open)
    }

    /// Answers the question with this [id](exo_rails::Question::id). The rail reads the answer with
    /// [`answer_to`](exo_rails::RailContext::answer_to).
    ///
    /// # Errors
    /// Returns an error if the run does not ask this question, or if the question already has an answer.
    pub fn answer(&mut self, id: &str, answer: impl Into<Value>) -> Result<(), NotOpen> {
        let Some(open) = self.questions().find(|open| open.question.id() == id) else {
            let open = self.questions().map(|open| open.question.id()).collect();
            return Err(NotOpen::Question { id: id.to_owned(), open });
        };
        let question = open.question.clone();
        self.context.answers.push((question, answer.into()));
        Ok(())
    }

    /// Returns the [unknown](CallState::Unknown) tool calls with their numbers. A resumed run repeats the calls of an
    /// [idempotent](exo_rails::Tool::idempotent) tool. [Resolve](Self::resolve) the other calls before you resume the
    /// run.
    pub fn unknown_calls(&self) -> impl Iterator<Item = (usize, &ToolCall)> {
        let is_unknown = |(_, call): &(usize, &SuspendedCall)| matches!(call.state, CallState::Unknown { .. });
        self.calls.iter().enumerate().filter(is_unknown).map(|(number, call)| (number, &call.call))
    }

    /// Resolves an [unknown](CallState::Unknown) tool call.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::{Agent, Resolution, ScriptedModel, SuspendedRun};
    ///
    /// async fn pick_up(agent: &Agent<ScriptedModel>, mut run: SuspendedRun) -> Result<InvokeOutput, Box<dyn std::error::Error>> {
    ///     let unknown: Vec<_> = run.unknown_calls().map(|(number, call)| (number, call.clone())).collect();
    ///     for (number, call) in unknown {
    ///         let resolution = match was_paid(&call.function.arguments) {
    ///             Some(receipt) => Resolution::Returned(ToolOutput::text(receipt)),
    ///             None => Resolution::Repeat,
    ///         };
    ///         run.resolve(number, resolution)?;
    ///     }
    ///     Ok(agent.run(run).await?)
    /// }
    /// # fn was_paid(_: &str) -> Option<String> { None }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the call with this number is not unknown.
    pub fn resolve(&mut self, number: usize, resolution: Resolution) -> Result<(), NotOpen> {
        let unknown = self.calls.get_mut(number).filter(|call| matches!(call.state, CallState::Unknown { .. }));
        let Some(SuspendedCall { call, state, .. }) = unknown else {
            let unknown = self.unknown_calls().map(|(number, _)| number).collect();
            return Err(NotOpen::Call { number, unknown });
        };
        *state = match resolution {
            Resolution::Repeat => CallState::Waiting,
            Resolution::Returned(output) => CallState::Resolved(output),
            Resolution::TellModel => CallState::Resolved(ToolOutput::error(format!(
                "It is unknown whether this call of `{}` has happened: the program ended while it ran.",
                call.function.name
            ))),
        };
        Ok(())
    }
}

/// Returns the error for a run that cannot be resumed before this call is resolved.
pub(super) fn unresolved(number: usize, call: &ToolCall) -> OperationError {
    let message = format!(
        "it is unknown whether the tool call {number}, of `{}`, has happened: resolve it with `SuspendedRun::resolve`, and \
         resume the run then",
        call.function.name
    );
    OperationError::new(OperationErrorKind::InvalidRequest, message)
}
