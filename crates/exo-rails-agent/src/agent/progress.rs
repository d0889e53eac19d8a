//! The progress of an attempt of a run.

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use exo_rails::message::{Message, Messages, ToolCall, Usage};
use exo_rails::{
    HookPoint, InvokeInputs, InvokeOutput, ModelResponse, OpenQuestion, OperationError, RunError, SavedContext,
    SuspendedResult, ToolOutput,
};

use super::so_far::RunSoFar;
use super::suspended::{CallState, SuspendedCall, SuspendedMemory, SuspendedRun};

/// The output that the model reads for a call that had not returned when its run ended.
const NO_OUTPUT: &str = "The run ended before this call returned.";

/// The progress of an attempt of a run. The tool calls of the attempt share it.
// The list of messages has no other owner, so a push copies no pointers.
#[derive(Default)]
pub(super) struct Progress {
    state: Mutex<State>,
    /// The number of tool calls that the model has asked for, in all attempts. Includes the calls before the run was
    /// suspended.
    asked_calls: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The inputs of the run. They are empty until the rails of `Start` have let them pass.
    inputs: InvokeInputs,
    /// The conversation, without the calls of the current step.
    messages: Messages,
    steps: u32,
    /// Whether the last message is the answer of the run.
    has_answered: bool,
    calls: Vec<Call>,
    /// Whether the next attempt continues where the run was suspended.
    is_resumed: bool,
    /// The question of a rail on an event of the run or of a model call.
    question: Option<OpenQuestion>,
    /// The recorded result of the operation that was suspended. The run takes it when it repeats the operation.
    recorded: Option<SuspendedResult>,
    memory: MemoryState,
}

/// The state of an attempt that concerns the memory of the agent.
#[derive(Default)]
struct MemoryState {
    /// Whether the messages contain something that the memory recalled.
    has_recalled: bool,
    /// The last attempt of the model call that asked the model in this step.
    asked: Option<u32>,
    /// Whether the memory will store the answer, if the rails of `Finished` let the answer pass.
    stores_answer: bool,
}

struct Call {
    asked_for: ToolCall,
    /// The reason why the answer with this call was cut.
    cut_by: Option<String>,
    state: CallState,
    /// The recorded result of the tool. The resumed call takes it and does not run the tool.
    recorded: Option<SuspendedResult>,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts tool calls that the model asks for. Returns the number of calls in the run so far.
    pub(super) fn count_asked_calls(&self, calls: usize) -> usize {
        self.asked_calls.fetch_add(calls, Ordering::Relaxed).saturating_add(calls)
    }

    /// Continues where the run was suspended.
    pub(super) fn resume(&self, run: SuspendedRun) {
        self.asked_calls.store(run.asked_calls, Ordering::Relaxed);
        let calls = run.calls.into_iter().map(|SuspendedCall { call, cut_by, state }| {
            let recorded = match &state {
                CallState::Asked { result, .. } => result.as_deref().cloned(),
                CallState::Resolved(output) => Some(SuspendedResult::Output(output.clone())),
                _ => None,
            };
            Call { asked_for: call, cut_by, state, recorded }
        });
        let (mut messages, memory) = (run.so_far.messages, run.memory);
        let has_recalled = !memory.recalled.is_empty();
        for at in memory.recalled {
            if let Some(message) = messages.get_mut(at) {
                message.is_recalled = true;
            }
        }
        *self.lock() = State {
            inputs: run.inputs,
            messages,
            steps: run.so_far.steps,
            has_answered: false,
            calls: calls.collect(),
            is_resumed: true,
            question: None,
            recorded: run.result,
            memory: MemoryState { has_recalled, asked: None, stores_answer: memory.stores_answer },
        };
    }

    /// Begins an attempt with these inputs. Clears the progress, unless the run was suspended. For a suspended run,
    /// returns the step in which to continue.
    pub(super) fn begin(&self, inputs: &InvokeInputs) -> Option<u32> {
        let mut state = self.lock();
        state.inputs.clone_from(inputs);
        let has_output = matches!(state.recorded, Some(SuspendedResult::Finished(_)));
        // A run that was suspended before its first step begins with that step.
        if mem::take(&mut state.is_resumed) && (state.steps > 0 || has_output) {
            return Some(state.steps.saturating_sub(1));
        }
        *state = State { inputs: mem::take(&mut state.inputs), ..State::default() };
        None
    }

    /// Returns the inputs of the run, as its rails left them.
    pub(super) fn inputs(&self) -> InvokeInputs {
        self.lock().inputs.clone()
    }

    /// Sets the messages that the model reads first.
    pub(super) fn assembled(&self, messages: Messages, has_recalled: bool) {
        let mut state = self.lock();
        (state.messages, state.memory.has_recalled) = (messages, has_recalled);
    }

    /// Notes that this attempt of the model call asks the model.
    pub(super) fn set_asked(&self, attempt: u32) {
        self.lock().memory.asked = Some(attempt);
    }

    /// Returns the last attempt of the model call that asked the model in this step.
    pub(super) fn asked(&self) -> Option<u32> {
        self.lock().memory.asked
    }

    pub(super) fn set_stores_answer(&self, stores_answer: bool) {
        self.lock().memory.stores_answer = stores_answer;
    }

    /// Returns `true` if the memory will store the answer.
    pub(super) fn stores_answer(&self) -> bool {
        self.lock().memory.stores_answer
    }

    /// Records the output of a run that is suspended before its answer is stored. The resumed run continues with this
    /// output.
    pub(super) fn wait_with(&self, output: InvokeOutput) {
        self.lock().recorded = Some(SuspendedResult::Finished(output));
    }

    /// Sets the conversation of a run whose answer the rails have let pass.
    pub(super) fn finish(&self, messages: Messages) {
        let mut state = self.lock();
        (state.messages, state.has_answered) = (messages, false);
    }

    /// Takes the output of the run, if a rail suspended the run after the output.
    pub(super) fn take_output(&self) -> Option<InvokeOutput> {
        match self.lock().recorded.take_if(|recorded| matches!(recorded, SuspendedResult::Finished(_)))? {
            SuspendedResult::Finished(output) => Some(output),
            _ => None,
        }
    }

    /// Takes the answer of the model, if a rail suspended the run after the answer.
    pub(super) fn take_response(&self) -> Option<Result<ModelResponse, OperationError>> {
        match self.lock().recorded.take()? {
            SuspendedResult::Response(response) => Some(Ok(response)),
            SuspendedResult::Failure(failure) => Some(Err(failure.into())),
            _ => None,
        }
    }

    pub(super) fn steps(&self) -> u32 {
        self.lock().steps
    }

    pub(super) fn set_steps(&self, steps: u32) {
        let mut state = self.lock();
        (state.steps, state.memory.asked) = (steps, None);
    }

    pub(super) fn messages(&self) -> Messages {
        self.lock().messages.clone()
    }

    /// Returns the conversation that later runs continue. The conversation does not contain recalled memory.
    pub(super) fn conversation(&self) -> Messages {
        let state = self.lock();
        state.without_recalled(state.messages.clone())
    }

    pub(super) fn set_messages(&self, messages: Messages) {
        self.lock().messages = messages;
    }

    pub(super) fn add(&self, messages: Vec<Message>) {
        self.lock().messages.extend(messages);
    }

    pub(super) fn add_response(&self, message: Message) {
        let mut state = self.lock();
        state.has_answered = message.tool_calls.is_empty();
        state.messages.push(message);
    }

    /// Returns `true` if the current step has calls.
    pub(super) fn has_calls(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    /// Begins the calls of an answer. The answer may have been cut.
    pub(super) fn begin_calls(&self, answer: ModelResponse) {
        let cut_by = if answer.is_cut() { answer.finish_reason } else { None };
        let waiting = |asked_for| Call { asked_for, cut_by: cut_by.clone(), state: CallState::Waiting, recorded: None };
        self.lock().calls = answer.message.tool_calls.into_iter().map(waiting).collect();
    }

    /// Returns the reason why the answer with this call was cut. The agent does not make such a call.
    pub(super) fn cut_by(&self, number: usize) -> Option<String> {
        self.lock().calls.get(number)?.cut_by.clone()
    }

    /// Returns the calls that have not returned yet, with their numbers.
    pub(super) fn open_calls(&self) -> Vec<(usize, ToolCall)> {
        let state = self.lock();
        let open = state.calls.iter().enumerate().filter(|(_, call)| !matches!(call.state, CallState::Returned(_)));
        open.map(|(number, call)| (number, call.asked_for.clone())).collect()
    }

    /// Takes the recorded result of this call. A rail suspended the run after the tool had returned, or the caller has
    /// resolved the call.
    pub(super) fn take_output_of(&self, number: usize) -> Option<Result<ToolOutput, OperationError>> {
        match self.lock().calls.get_mut(number)?.recorded.take()? {
            SuspendedResult::Output(output) => Some(Ok(output)),
            SuspendedResult::Failure(failure) => Some(Err(failure.into())),
            _ => None,
        }
    }

    pub(super) fn set_call(&self, number: usize, state: CallState) {
        if let Some(call) = self.lock().calls.get_mut(number) {
            call.state = state;
        }
    }

    /// Records the question of a rail about this call, if the error is a question.
    pub(super) fn suspend_call(&self, number: usize, error: &RunError) {
        let mut state = self.lock();
        let (Some((open, result)), Some(call)) = (asked(error), state.calls.get_mut(number)) else { return };
        // In a resumed run, an earlier rail may ask before the call takes the recorded result. The result is kept.
        let result = result.or_else(|| call.recorded.take());
        call.state = CallState::Asked { open, result: result.map(Box::new) };
    }

    /// Ends the calls of the step, which have all returned. Their outputs become part of the conversation.
    pub(super) fn end_calls(&self) {
        let mut state = self.lock();
        let calls = mem::take(&mut state.calls);
        state.messages.extend(outputs(&calls));
    }

    /// Records the question of a rail on an event of the run or of a model call.
    pub(super) fn suspend(&self, error: &RunError) {
        let Some((open, result)) = asked(error) else { return };
        // The questions about calls are in the records of the calls.
        let of_calls = [HookPoint::PreToolCall, HookPoint::PostToolCall, HookPoint::ToolError];
        if of_calls.iter().any(|point| point.name() == open.question.event) {
            return;
        }
        let mut state = self.lock();
        state.question = Some(open);
        match result {
            Some(SuspendedResult::Start(inputs)) => state.inputs = inputs,
            Some(result) => state.recorded = Some(result),
            // In a resumed run, an earlier rail may ask before the operation takes the recorded result. The result is
            // kept.
            None => {}
        }
    }

    /// Returns the progress of a run that fails. Each call has an output.
    pub(super) fn so_far(&self, usage: Usage) -> RunSoFar {
        let state = self.lock();
        let mut messages = state.without_recalled(state.messages());
        messages.extend(outputs(&state.calls));
        RunSoFar { messages, usage, steps: state.steps }
    }

    /// Returns the record from which the run can be resumed.
    pub(super) fn suspended(&self, context: SavedContext, usage: Usage, revision: u64) -> SuspendedRun {
        let state = self.lock();
        let call = |call: &Call| SuspendedCall {
            call: call.asked_for.clone(),
            cut_by: call.cut_by.clone(),
            state: call.state.clone(),
        };
        let messages = state.messages();
        let recalled = messages.iter().enumerate().filter(|(_, message)| message.is_recalled).map(|(at, _)| at);
        let memory = SuspendedMemory { recalled: recalled.collect(), stores_answer: state.memory.stores_answer };
        SuspendedRun {
            inputs: state.inputs.clone(),
            context,
            so_far: RunSoFar { messages, usage, steps: state.steps },
            memory,
            calls: state.calls.iter().map(call).collect(),
            asked_calls: self.asked_calls.load(Ordering::Relaxed),
            question: state.question.clone(),
            result: state.recorded.clone(),
            revision,
        }
    }
}

impl State {
    fn without_recalled(&self, mut messages: Messages) -> Messages {
        if self.memory.has_recalled {
            messages.retain(|message| !message.is_recalled);
        }
        messages
    }

    /// Returns the conversation. If the rails of `Finished` have not let the answer pass, the conversation lacks the
    /// answer.
    fn messages(&self) -> Messages {
        let mut messages = self.messages.clone();
        if self.has_answered {
            messages.pop();
        }
        messages
    }
}

/// Returns the question in the error of a run or of a call, and the result of the operation.
fn asked(error: &RunError) -> Option<(OpenQuestion, Option<SuspendedResult>)> {
    Some((error.open_question()?, error.suspension()?.result.as_deref().cloned()))
}

/// Returns the messages with the outputs of these calls.
fn outputs(calls: &[Call]) -> impl Iterator<Item = Message> {
    calls.iter().map(|call| {
        let output = match &call.state {
            CallState::Returned(output) => output.content.clone(),
            _ => NO_OUTPUT.to_owned(),
        };
        Message::tool(&call.asked_for.id, output)
    })
}
