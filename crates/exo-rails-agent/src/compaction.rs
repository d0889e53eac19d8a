//! Compaction: an agent shortens a history that exceeds its budget.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use exo_rails::message::{Message, Messages, Role};
use exo_rails::{
    CompactionInputs, CompactionOutput, Guard, GuardSet, OperationError, OperationErrorKind, Permit, RunContext,
    RunError, telemetry,
};
use tracing::Instrument;

/// Shortens a history. A compactor is the strategy of a [`Compaction`].
///
/// [`KeepNewest`] is a compactor. So is an async function or closure that takes the permit, for example one that asks a
/// model for a summary.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a compactor",
    label = "not a compactor",
    note = "a compactor is `KeepNewest`, or an async function or closure that takes a `Permit<CompactionInputs>` and returns `Result<CompactionOutput, OperationError>`"
)]
pub trait Compactor: Send + Sync {
    /// Shortens this history.
    ///
    /// # Errors
    /// Returns an error if the compactor cannot shorten the history. The run then ends. The run also ends with an error
    /// if the shorter history has no message, or has lost a tool call and kept its output, or the reverse.
    fn compact(
        &self,
        history: Permit<CompactionInputs>,
    ) -> impl Future<Output = Result<CompactionOutput, OperationError>> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, Fut> Compactor for F
where
    F: FnOnce(Permit<CompactionInputs>) -> Fut + Clone + Send + Sync,
    Fut: Future<Output = Result<CompactionOutput, OperationError>> + Send,
{
    fn compact(
        &self,
        history: Permit<CompactionInputs>,
    ) -> impl Future<Output = Result<CompactionOutput, OperationError>> + Send {
        self.clone()(history)
    }
}

/// Estimates the number of tokens of messages. [`Compaction`] uses this function by default. Each message counts one
/// token for four bytes of its text and its tool calls, and four more tokens. The function knows nothing about the model,
/// and its result can easily be wrong by a third.
///
/// ```
/// use exo_rails::message::{Message, Messages};
/// use exo_rails_agent::estimated_tokens;
///
/// assert_eq!(estimated_tokens(&Messages::from([Message::user("Where is my order?")])), 9);
/// ```
#[must_use]
pub fn estimated_tokens(messages: &Messages) -> u64 {
    let bytes = |message: &Message| {
        let calls = message.tool_calls.iter().map(|call| call.function.name.len() + call.function.arguments.len());
        message.text().len() + calls.sum::<usize>()
    };
    messages.iter().map(|message| bytes(message).div_ceil(4) as u64 + 4).sum()
}

type Counter = Arc<dyn Fn(&Messages) -> u64 + Send + Sync>;

/// A compactor that keeps the newest messages within the budget.
///
/// It always keeps the instructions at the beginning, the last message of the user and the newest message, even if they
/// exceed the budget. It fills the rest of the budget with older messages, from the newest on.
///
/// A tool call and its outputs stay together: the compactor keeps all of them or none. An earlier turn is kept only from its
/// beginning: the compactor never keeps the end of a turn without the message of the user.
///
/// ```
/// use exo_rails_agent::KeepNewest;
/// use exo_rails::message::{Message, Messages};
///
/// let history = Messages::from([
///     Message::system("You help customers."),
///     Message::user("Hello!"),
///     Message::assistant("Hello! What can I do for you?"),
///     Message::user("Where is my order?"),
/// ]);
/// let kept = KeepNewest::default().of(&history, 20);
/// assert_eq!(kept, [history[0].clone(), history[3].clone()]);
/// ```
#[derive(Clone)]
pub struct KeepNewest {
    counter: Counter,
}

impl Default for KeepNewest {
    fn default() -> Self {
        Self { counter: Arc::new(estimated_tokens) }
    }
}

impl KeepNewest {
    /// Makes a compactor that counts tokens with this function.
    #[must_use]
    pub fn counting(counter: impl Fn(&Messages) -> u64 + Send + Sync + 'static) -> Self {
        Self { counter: Arc::new(counter) }
    }

    /// Returns the messages that the compactor keeps within this budget.
    #[must_use]
    pub fn of(&self, messages: &Messages, budget: u64) -> Messages {
        let instructions = 0..messages.iter().take_while(|message| message.is_instructions()).count();
        let groups = groups(messages, instructions.end);
        let count = |part: &Range<usize>| {
            let mut counted = Messages::new();
            counted.extend_from(messages, part.clone());
            (self.counter)(&counted)
        };
        let from_the_user = |group: &Range<usize>| messages[group.start].role == Role::User;
        let asked = groups.iter().rposition(from_the_user);
        let newest = groups.len().saturating_sub(1);
        let mut room = budget.saturating_sub(count(&instructions));
        let mut kept = vec![false; groups.len()];
        // The messages that must be kept come first. Older messages share the rest of the budget, from the newest on.
        for at in asked.into_iter().chain([newest]).filter(|at| *at < groups.len()) {
            room = room.saturating_sub(if kept[at] { 0 } else { count(&groups[at]) });
            kept[at] = true;
        }
        for at in (0..groups.len()).rev().filter(|at| Some(*at) != asked && *at != newest) {
            let tokens = count(&groups[at]);
            if tokens > room {
                break;
            }
            room -= tokens;
            kept[at] = true;
        }
        // An earlier turn must begin with the user's message. An answer alone has no meaning, and some models reject a
        // conversation that begins with an answer.
        let before = asked.unwrap_or_default();
        let begun = (0..before).find(|at| kept[*at] && from_the_user(&groups[*at])).unwrap_or(before);
        if kept.contains(&false) {
            kept[..begun].fill(false);
        }
        let kept = groups.into_iter().zip(kept).filter_map(|(group, kept)| kept.then_some(group));
        let mut shorter = Messages::new();
        [instructions].into_iter().chain(kept).for_each(|part| shorter.extend_from(messages, part));
        shorter
    }
}

/// Groups the messages from here on, as ranges. A group is a message with tool calls, their outputs, and all messages
/// between them. Every other message is a group of its own.
fn groups(messages: &Messages, from: usize) -> Vec<Range<usize>> {
    let places = Places::of(messages);
    let mut groups = Vec::new();
    let mut start = from;
    while start < messages.len() {
        let outputs = messages.iter().skip(start + 1).take_while(|message| message.role == Role::Tool).count();
        let (mut at, mut end) = (start, start + 1 + outputs);
        // A message between a call and its output may have calls too.
        while at < end {
            let outputs = messages[at].tool_calls.iter().filter_map(|call| places.output_of(&call.id, at));
            end = outputs.fold(end, |end, output| end.max(output + 1));
            at += 1;
        }
        groups.push(start..end);
        start = end;
    }
    groups
}

/// The indices of the calls and outputs of each id. Some models reuse their ids in each turn.
#[derive(Default)]
struct Places<'m> {
    calls: HashMap<&'m str, Vec<usize>>,
    outputs: HashMap<&'m str, Vec<usize>>,
}

impl<'m> Places<'m> {
    fn of(messages: &'m Messages) -> Self {
        let mut places = Self::default();
        for (at, message) in messages.iter().enumerate() {
            for call in &message.tool_calls {
                places.calls.entry(&call.id).or_default().push(at);
            }
            if let Some(call) = &message.tool_call_id {
                places.outputs.entry(call).or_default().push(at);
            }
        }
        places
    }

    /// Returns the index of the output of the call that is made at `at`.
    fn output_of(&self, id: &str, at: usize) -> Option<usize> {
        let output = next_after(self.outputs.get(id)?, at)?;
        let is_of_another =
            self.calls.get(id).and_then(|calls| next_after(calls, at)).is_some_and(|call| call < output);
        (!is_of_another).then_some(output)
    }
}

/// Returns the first of these places after `at`.
fn next_after(places: &[usize], at: usize) -> Option<usize> {
    places.get(places.partition_point(|place| *place <= at)).copied()
}

impl Compactor for KeepNewest {
    async fn compact(&self, history: Permit<CompactionInputs>) -> Result<CompactionOutput, OperationError> {
        let messages = self.of(&history.messages, history.budget);
        let removed = history.messages.len() - messages.len();
        Ok(CompactionOutput { messages, removed, ..CompactionOutput::default() })
    }
}

impl fmt::Debug for KeepNewest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeepNewest").finish_non_exhaustive()
    }
}

/// The settings for the history of an [`Agent`](crate::Agent): a budget, a counter of tokens, and a strategy.
///
/// In each step, the agent counts the tokens of the messages before it calls the model. If there are more tokens than the
/// budget allows, the strategy shortens the messages. The rails of [`PreCompaction`](exo_rails::events::PreCompaction)
/// and [`PostCompaction`](exo_rails::events::PostCompaction) guard the compaction.
///
/// ```
/// use exo_rails_agent::{Agent, Compaction};
/// use exo_rails::message::Message;
/// use exo_rails::prelude::*;
/// use exo_rails::{CompactionInputs, CompactionOutput};
/// use exo_rails_agent::ScriptedModel;
///
/// /// Logs how many messages the compaction removed.
/// #[rail(on = [PostCompaction])]
/// fn log(before: &CompactionInputs, after: &CompactionOutput) {
///     println!("{} of {} messages are gone", after.removed, before.messages.len());
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model: ScriptedModel = r#"[{ "say": "Gladly." }]"#.parse()?;
/// let agent = Agent::builder("support", model).rails(rail_chain![log]).compaction(Compaction::over(100)).build();
/// let said = Message::user("a word and another ".repeat(40));
/// let output = agent.run(InvokeInputs { messages: [said].into(), ..InvokeInputs::new("Help me, please.") }).await?;
/// assert_eq!(output.messages.len(), 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Compaction {
    budget: u64,
    counter: Counter,
    strategy: Option<Arc<dyn DynCompactor>>,
}

impl Compaction {
    /// Makes a compaction of histories with more than `budget` tokens. By default, it [estimates](estimated_tokens) the
    /// tokens, and its strategy [keeps the newest messages](KeepNewest).
    #[must_use]
    pub fn over(budget: u64) -> Self {
        Self { budget, counter: Arc::new(estimated_tokens), strategy: None }
    }

    /// Counts tokens with this function, for example with a tokenizer of the model.
    #[must_use]
    pub fn with_counter(mut self, counter: impl Fn(&Messages) -> u64 + Send + Sync + 'static) -> Self {
        self.counter = Arc::new(counter);
        self
    }

    /// Shortens histories with this strategy.
    #[must_use]
    pub fn with_strategy(mut self, strategy: impl Compactor + 'static) -> Self {
        self.strategy = Some(Arc::new(strategy));
        self
    }

    /// The number of tokens that a history may have.
    pub(crate) const fn budget(&self) -> u64 {
        self.budget
    }

    /// Counts the tokens of these messages.
    pub(crate) fn tokens(&self, messages: &Messages) -> u64 {
        (self.counter)(messages)
    }

    /// Returns these messages, and shortens them if they exceed the budget.
    pub(crate) async fn of<R: GuardSet>(
        &self,
        messages: Messages,
        rails: &R,
        ctx: &mut RunContext,
    ) -> Result<Messages, RunError> {
        let (tokens, budget) = (self.tokens(&messages), self.budget);
        if tokens <= budget {
            return Ok(messages);
        }
        let before = messages.clone();
        let history = CompactionInputs { messages, tokens, budget, ..CompactionInputs::default() };
        let newest = KeepNewest { counter: Arc::clone(&self.counter) };
        let strategy: &dyn DynCompactor = self.strategy.as_deref().unwrap_or(&newest);
        let span = telemetry::compaction_span(ctx);
        let compact = |history| strategy.compact(history);
        let watch = telemetry::until_ended(&span, || None);
        let result = rails.guard_compaction(history, ctx, compact).instrument(span.clone()).await;
        watch.ended();
        telemetry::end(&span, ctx, &result);
        let shorter = result?.messages;
        if shorter.is_empty() {
            let message = "the compaction has left no message: a model cannot be called without one";
            return Err(OperationError::new(OperationErrorKind::InvalidResponse, message).into());
        }
        if let Some(torn) = shorter.torn_since(&before) {
            let message = format!("after the compaction, {torn}: keep both, or remove both");
            return Err(OperationError::new(OperationErrorKind::InvalidResponse, message).into());
        }
        Ok(shorter)
    }
}

impl fmt::Debug for Compaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compaction").field("budget", &self.budget).finish_non_exhaustive()
    }
}

type CompactorFuture<'a> = Pin<Box<dyn Future<Output = Result<CompactionOutput, OperationError>> + Send + 'a>>;

/// The methods of [`Compactor`] in a form for trait objects, so that an agent can have a compactor of any type.
trait DynCompactor: Send + Sync {
    fn compact(&self, history: Permit<CompactionInputs>) -> CompactorFuture<'_>;
}

impl<C: Compactor> DynCompactor for C {
    fn compact(&self, history: Permit<CompactionInputs>) -> CompactorFuture<'_> {
        Box::pin(Compactor::compact(self, history))
    }
}
