//! What an attempt of a run has done.

use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use exo_rails::message::{Message, Messages, ToolCall, Usage};
use exo_rails::{
    HookPoint, InvokeInputs, InvokeOutput, ModelResponse, OpenQuestion, OperationError, RunError, SavedContext,
    SuspendedResult, ToolOutput,
};

use super::failed::RunSoFar;
use super::suspended::{CallState, SuspendedCall, SuspendedMemory, SuspendedRun};

/// What the model reads in the place of an output that a run did not wait for.
const NO_OUTPUT: &str = "The run ended before this call returned.";

/// What an attempt of a run has done: shared with its tool calls.
// Nobody else has its list of messages, so a push copies no pointers.
#[derive(Default)]
pub(super) struct Progress {
    state: Mutex<State>,
    /// How many tool calls the model has asked for, in all attempts, also before the run was suspended.
    asked_calls: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// Empty until the rails of `Start` have let them pass.
    inputs: InvokeInputs,
    /// The conversation, without the calls of the step that is under way.
    messages: Messages,
    steps: u32,
    /// Whether the last message is the answer.
    has_answered: bool,
    calls: Vec<Call>,
    /// Whether the next attempt goes on where the run was suspended.
    is_resumed: bool,
    /// What a rail on an event of the run or of a model call asks.
    question: Option<OpenQuestion>,
    /// What this operation had come to, until it is done with it.
    recorded: Option<SuspendedResult>,
    memory: MemoryState,
}

/// What an attempt has to do with the memory of the agent.
#[derive(Default)]
struct MemoryState {
    /// Whether something is among the messages that the memory has recalled.
    has_recalled: bool,
    /// The attempt in which the model was asked last in this step.
    asked: Option<u32>,
    /// Whether the memory is to store the answer, when the rails of `Finished` have let it pass.
    stores_answer: bool,
}

struct Call {
    asked_for: ToolCall,
    /// Why the answer that it is part of was cut.
    cut_by: Option<String>,
    state: CallState,
    /// What the tool had come to, until it is called with it.
    recorded: Option<SuspendedResult>,
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts tool calls that the model asks for: how many there are in the run by now.
    pub(super) fn count_asked_calls(&self, calls: usize) -> usize {
        self.asked_calls.fetch_add(calls, Ordering::Relaxed).saturating_add(calls)
    }

    /// Goes on where the run was suspended.
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

    /// Begins an attempt with these inputs: without messages, or where it was suspended. Returns the step where it was.
    pub(super) fn begin(&self, inputs: &InvokeInputs) -> Option<u32> {
        let mut state = self.lock();
        state.inputs.clone_from(inputs);
        let has_output = matches!(state.recorded, Some(SuspendedResult::Finished(_)));
        // A run that was suspended before its first step begins with it.
        if mem::take(&mut state.is_resumed) && (state.steps > 0 || has_output) {
            return Some(state.steps.saturating_sub(1));
        }
        *state = State { inputs: mem::take(&mut state.inputs), ..State::default() };
        None
    }

    /// The inputs of the run, as its rails have left them.
    pub(super) fn inputs(&self) -> InvokeInputs {
        self.lock().inputs.clone()
    }

    /// What the model reads first.
    pub(super) fn assembled(&self, messages: Messages, has_recalled: bool) {
        let mut state = self.lock();
        (state.messages, state.memory.has_recalled) = (messages, has_recalled);
    }

    /// The model is asked in this attempt of its call.
    pub(super) fn set_asked(&self, attempt: u32) {
        self.lock().memory.asked = Some(attempt);
    }

    /// The attempt in which the model was asked last in this step.
    pub(super) fn asked(&self) -> Option<u32> {
        self.lock().memory.asked
    }

    pub(super) fn set_stores_answer(&self, stores_answer: bool) {
        self.lock().memory.stores_answer = stores_answer;
    }

    /// Whether the memory is to store the answer.
    pub(super) fn stores_answer(&self) -> bool {
        self.lock().memory.stores_answer
    }

    /// A run that waits until its answer may be stored goes on with this output.
    pub(super) fn wait_with(&self, output: InvokeOutput) {
        self.lock().recorded = Some(SuspendedResult::Finished(output));
    }

    /// Makes this the conversation of a run whose answer the rails have let pass.
    pub(super) fn finish(&self, messages: Messages) {
        let mut state = self.lock();
        (state.messages, state.has_answered) = (messages, false);
    }

    /// The output of the run, when a rail has suspended the run after it.
    pub(super) fn take_output(&self) -> Option<InvokeOutput> {
        match self.lock().recorded.take_if(|recorded| matches!(recorded, SuspendedResult::Finished(_)))? {
            SuspendedResult::Finished(output) => Some(output),
            _ => None,
        }
    }

    /// What the model has answered, when a rail has suspended the run after it.
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

    /// The conversation that goes on: without what the memory has recalled.
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

    /// Whether the calls of a step are under way.
    pub(super) fn has_calls(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    /// The calls of an answer, which may have been cut.
    pub(super) fn begin_calls(&self, answer: ModelResponse) {
        let cut_by = if answer.is_cut() { answer.finish_reason } else { None };
        let waiting = |asked_for| Call { asked_for, cut_by: cut_by.clone(), state: CallState::Waiting, recorded: None };
        self.lock().calls = answer.message.tool_calls.into_iter().map(waiting).collect();
    }

    /// Why the answer that this call is part of was cut: then the call is not made.
    pub(super) fn cut_by(&self, number: usize) -> Option<String> {
        self.lock().calls.get(number)?.cut_by.clone()
    }

    /// The calls that have not returned yet, with their numbers.
    pub(super) fn open_calls(&self) -> Vec<(usize, ToolCall)> {
        let state = self.lock();
        let open = state.calls.iter().enumerate().filter(|(_, call)| !matches!(call.state, CallState::Returned(_)));
        open.map(|(number, call)| (number, call.asked_for.clone())).collect()
    }

    /// What the tool of this call has come to, when a rail has suspended the run after it or somebody has said it.
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

    /// Keeps what a rail asks about this call, when it has ended with a question.
    pub(super) fn suspend_call(&self, number: usize, error: &RunError) {
        let mut state = self.lock();
        let (Some((open, result)), Some(call)) = (asked(error), state.calls.get_mut(number)) else { return };
        // What the tool has come to stays, when a rail before it asks in a run that goes on.
        let result = result.or_else(|| call.recorded.take());
        call.state = CallState::Asked { open, result: result.map(Box::new) };
    }

    /// The calls of the step have returned: their outputs become part of the conversation.
    pub(super) fn end_calls(&self) {
        let mut state = self.lock();
        let calls = mem::take(&mut state.calls);
        state.messages.extend(outputs(&calls));
    }

    /// Keeps what a rail on an event of the run or of a model call asks.
    pub(super) fn suspend(&self, error: &RunError) {
        let Some((open, result)) = asked(error) else { return };
        if matches!(open.question.event, HookPoint::PreToolCall | HookPoint::PostToolCall | HookPoint::ToolError) {
            return;
        }
        let mut state = self.lock();
        state.question = Some(open);
        match result {
            Some(SuspendedResult::Start(inputs)) => state.inputs = inputs,
            Some(result) => state.recorded = Some(result),
            // What the operation had come to stays, when a rail before it asks in a run that goes on.
            None => {}
        }
    }

    /// What the run has done by now, for a run that fails. Each call has an output.
    pub(super) fn so_far(&self, usage: Usage) -> RunSoFar {
        let state = self.lock();
        let mut messages = state.without_recalled(state.messages());
        messages.extend(outputs(&state.calls));
        RunSoFar { messages, usage, steps: state.steps }
    }

    /// What the run goes on with.
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

    /// The conversation, without an answer that the rails of `Finished` have not let pass.
    fn messages(&self) -> Messages {
        let mut messages = self.messages.clone();
        if self.has_answered {
            messages.pop();
        }
        messages
    }
}

/// The question with which a run or a call has ended, and what the operation had come to.
fn asked(error: &RunError) -> Option<(OpenQuestion, Option<SuspendedResult>)> {
    Some((error.open_question()?, error.suspension()?.result.as_deref().cloned()))
}

/// What the model reads of these calls.
fn outputs(calls: &[Call]) -> impl Iterator<Item = Message> {
    calls.iter().map(|call| {
        let output = match &call.state {
            CallState::Returned(output) => output.content.clone(),
            _ => NO_OUTPUT.to_owned(),
        };
        Message::tool(&call.asked_for.id, output)
    })
}
