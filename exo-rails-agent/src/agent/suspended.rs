//! Runs that wait: for somebody's decision, or because their program has ended.

use exo_rails::message::ToolCall;
use exo_rails::{
    InvokeInputs, OpenQuestion, OperationError, OperationErrorKind, SavedContext, SuspendedResult, ToolOutput,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::failed::RunSoFar;

/// A run that a [rail has suspended](exo_rails::RailAction::suspend), or that was under way when its program ended: the
/// conversation, the questions that wait for an answer, and the tool calls that have run.
///
/// It can be written as JSON. Every method that runs an agent resumes it, in this program or in another one:
/// [`agent.run(suspended)`](crate::Agent::run), `session.run(suspended)` and the streams. The run continues where it was.
///
/// - The rails of [`Start`](exo_rails::events::Start) are asked again, and so are all rails of the event that was suspended: they
///   see the answer, and nothing runs that they have not let pass. They see the inputs of the run as they left them before.
/// - Tool calls that have returned are not made again. A model's answer that waits for an approval is not asked for again,
///   except where the rail is on [`LlmChunk`](exo_rails::events::LlmChunk): no rail has seen all of the answer there, so
///   nothing of it is kept.
///
/// Whoever can write a record can answer its questions and say what tools returned: keep it where only the program writes.
///
/// Resume a run once. Two programs that resume the same `SuspendedRun` do the rest of it twice, unless
/// [`Checkpoints`](crate::Checkpoints) refuse the second.
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
    /// What the run was asked, as the rails of [`Start`](exo_rails::events::Start) have left it. It is empty when a rail skipped the
    /// run there, and another rail asks about the output.
    pub inputs: InvokeInputs,
    /// The context of the run: its name, its values, its answers.
    pub context: SavedContext,
    /// The conversation, the usage and the steps, without the tool calls of the step that is under way.
    pub so_far: RunSoFar,
    /// The tool calls of the step that is under way, in the order of the model's answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<SuspendedCall>,
    /// How many tool calls the model has asked for: `AgentBuilder::max_calls_per_run` counts them all.
    #[serde(default)]
    pub asked_calls: usize,
    /// What a rail on an event of the run or of a model call asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<OpenQuestion>,
    /// What this model call, or the run, had come to: see [`Suspension::result`](exo_rails::Suspension::result).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<SuspendedResult>,
    /// What the run has to do with the [`Memory`](crate::Memory) of the agent.
    #[serde(default, skip_serializing_if = "SuspendedMemory::is_default")]
    pub memory: SuspendedMemory,
    /// How many times the run was saved in [`Checkpoints`](crate::Checkpoints), this time included.
    #[serde(default)]
    pub revision: u64,
}

/// What a suspended run has to do with the [`Memory`](crate::Memory) of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuspendedMemory {
    /// Which messages of the run the memory has recalled, from 0: they are not part of the conversation that the run gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<usize>,
    /// Whether the answer that waits is to be stored.
    #[serde(default)]
    pub stores_answer: bool,
}

impl SuspendedMemory {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A tool call of the step that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SuspendedCall {
    /// The call, as the model has asked for it.
    pub call: ToolCall,
    /// Why the model's answer was cut, when it [was](exo_rails::ModelResponse::is_cut): then the call is not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<String>,
    /// How far it is.
    pub state: CallState,
}

/// How far a tool call is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallState {
    /// It has not begun.
    Waiting,
    /// A rail asks about it.
    Asked {
        /// What it asks.
        open: OpenQuestion,
        /// What the tool had come to, when the rail asks after the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Box<SuspendedResult>>,
    },
    /// It had begun, and its end is not recorded: the program ended, or the run was dropped, while the tool ran. Whether the
    /// tool did what it does is unknown.
    Unknown {
        /// The tool, which a rail may have chosen.
        tool_name: String,
    },
    /// Somebody has said what it returned: see [`Resolution`].
    Resolved(ToolOutput),
    /// It has returned, and its rails have let the output pass.
    Returned(ToolOutput),
}

/// What to do about an [unknown](CallState::Unknown) tool call: see [`SuspendedRun::resolve`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// It is made again: it has not happened, or may happen twice.
    Repeat,
    /// It has happened, and this is what it returned. The output passes the rails.
    Returned(ToolOutput),
    /// It is not made again. The model reads that it is unknown whether the call has happened.
    TellModel,
}

/// An answer or a resolution is for nothing that the run waits for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotOpen {
    /// No question has this id.
    #[error("the run does not ask the question `{id}`; it asks {}", listed(open))]
    Question {
        /// The id.
        id: String,
        /// The ids of the questions without an answer.
        open: Vec<String>,
    },
    /// The call with this number is not unknown.
    #[error("the run knows whether the tool call {number} has happened; it does not know this of {}", listed(unknown))]
    Call {
        /// The number.
        number: usize,
        /// The numbers of the calls of which it is unknown.
        unknown: Vec<usize>,
    },
}

fn listed<T: std::fmt::Display>(items: &[T]) -> String {
    let items: Vec<_> = items.iter().map(|item| format!("`{item}`")).collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

impl SuspendedRun {
    /// For [`Checkpoints`](crate::Checkpoints): checks that this record is the next after the one that is saved for the run,
    /// whose revision is `saved`.
    ///
    /// # Errors
    /// When there is a record of another run of this name, or when somebody else has resumed the run from the same record.
    pub fn ensure_follows(&self, saved: Option<u64>) -> Result<(), OperationError> {
        let (run_id, revision) = (&self.context.run_id, self.revision);
        let message = match saved {
            _ if saved.unwrap_or_default() + 1 == revision => return Ok(()),
            Some(saved) if revision == 1 => format!(
                "a run with the name `{run_id}` is saved already, with revision {saved}: resume it, or give the new run \
                 another name with `RunContext::with_run_id`"
            ),
            None => format!(
                "the run `{run_id}` has ended, or was resumed somewhere else: revision {} of it is not saved any more",
                revision.saturating_sub(1)
            ),
            Some(saved) => format!(
                "the run `{run_id}` was resumed somewhere else: this is revision {revision}, and the saved revision is {saved}"
            ),
        };
        Err(OperationError::new(OperationErrorKind::Denied, message))
    }

    /// The questions that have no answer yet. A run that is resumed while there are some suspends itself again.
    pub fn questions(&self) -> impl Iterator<Item = &OpenQuestion> {
        let of_calls = self.calls.iter().filter_map(|call| match &call.state {
            CallState::Asked { open, .. } => Some(open),
            _ => None,
        });
        let is_open = |open: &&OpenQuestion| !self.context.answers.iter().any(|(asked, _)| *asked == open.question);
        self.question.iter().chain(of_calls).filter(is_open)
    }

    /// Answers the question with this [id](exo_rails::Question::id). The rail reads it with
    /// [`answer_to`](exo_rails::RailContext::answer_to).
    ///
    /// # Errors
    /// When the run does not ask this question, or has an answer to it.
    pub fn answer(&mut self, id: &str, answer: impl Into<Value>) -> Result<(), NotOpen> {
        let Some(open) = self.questions().find(|open| open.question.id() == id) else {
            let open = self.questions().map(|open| open.question.id()).collect();
            return Err(NotOpen::Question { id: id.to_owned(), open });
        };
        let question = open.question.clone();
        self.context.answers.push((question, answer.into()));
        Ok(())
    }

    /// The [unknown](CallState::Unknown) tool calls, with their numbers. Those of a tool that is
    /// [idempotent](exo_rails::Tool::idempotent) are repeated when the run is resumed; the others must be
    /// [resolved](Self::resolve) first.
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
    /// When the call with this number is not unknown.
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

/// Why a run with this call is not resumed.
pub(super) fn unresolved(number: usize, call: &ToolCall) -> OperationError {
    let message = format!(
        "it is unknown whether the tool call {number}, of `{}`, has happened: resolve it with `SuspendedRun::resolve`, and \
         resume the run then",
        call.function.name
    );
    OperationError::new(OperationErrorKind::InvalidRequest, message)
}
