//! The messages that a run gives to its model, and the messages that it gives to its memory.

use exo_rails::events::{ContextAssembled, ContextOverflow, Error, Suspended};
use exo_rails::facts::HasRails;
use exo_rails::message::{Message, Messages};
use exo_rails::{
    ContextInputs, Decision, Ending, GuardSet, HookPoint, InvokeInputs, InvokeOutput, MemoryEntry, OperationError,
    RunContext, RunError, Serves,
};
use serde_json::Map;

use super::run::AgentRun;
use crate::compaction::{Compaction, estimated_tokens};
use crate::model::Model;

impl<M: Model, R: GuardSet> AgentRun<'_, M, R> {
    /// Assembles the first messages of an attempt: the instructions, the conversation, the recalled memory, the input.
    /// Returns the first step.
    pub(super) async fn assemble(&self, run: &InvokeInputs, ctx: &mut RunContext) -> Result<u32, RunError> {
        let (rails, mut messages) = (&self.agent.rails, self.first_messages(run));
        let recalled = self.agent.settings.memory.recall(run, rails, ctx).await?;
        let has_recalled = recalled.is_some();
        if let Some(recalled) = recalled {
            // The recalled memory comes directly before the input. Everything before it is the same in each turn, so
            // servers of models can cache it.
            messages.insert(messages.len() - 1, recalled);
        }
        if Serves::<ContextAssembled>::fact::<HasRails>(rails) {
            let (before, mut context) = (messages.clone(), self.context(messages));
            if let Decision::Abort(abort) = rails.dispatch::<ContextAssembled>(&mut context, ctx).await? {
                return Err(abort.into());
            }
            messages = left_by(HookPoint::ContextAssembled, context, &before)?;
        }
        self.progress.assembled(messages, has_recalled);
        Ok(0)
    }

    /// Calls the rails of `ContextOverflow` if the messages have more tokens than the budget allows.
    pub(super) async fn check_overflow(&self, ctx: &mut RunContext) -> Result<(), RunError> {
        let (rails, Some(budget)) = (&self.agent.rails, self.budget()) else { return Ok(()) };
        if !Serves::<ContextOverflow>::fact::<HasRails>(rails) {
            return Ok(());
        }
        let mut context = self.context(self.progress.messages());
        if context.tokens > budget {
            let before = context.messages.clone();
            if let Decision::Abort(abort) = rails.dispatch::<ContextOverflow>(&mut context, ctx).await? {
                return Err(abort.into());
            }
            self.progress.set_messages(left_by(HookPoint::ContextOverflow, context, &before)?);
        }
        Ok(())
    }

    fn budget(&self) -> Option<u64> {
        self.agent.settings.context_budget.or_else(|| self.agent.settings.compaction.as_ref().map(Compaction::budget))
    }

    fn context(&self, messages: Messages) -> ContextInputs {
        let compaction = self.agent.settings.compaction.as_ref();
        let tokens = compaction.map_or_else(|| estimated_tokens(&messages), |compaction| compaction.tokens(&messages));
        ContextInputs { messages, tokens, budget: self.budget(), extra: Map::new() }
    }

    /// Notes whether the memory will store the answer, if the rails of `Finished` let the answer pass.
    pub(super) fn note_answer(&self, ctx: &RunContext) {
        // If a rail answered before the model was asked, the rail may have refused the input.
        let was_asked = ctx.substituted_by().is_none() || self.progress.asked() == Some(ctx.attempt());
        self.progress.set_stores_answer(self.agent.settings.memory.is_some() && was_asked);
    }

    /// Stores the input and the answer of a run that has ended with an answer of the model.
    pub(super) async fn remember(
        &self,
        result: Result<InvokeOutput, RunError>,
        ctx: &mut RunContext,
    ) -> Result<InvokeOutput, RunError> {
        let output = result?;
        // The memory stores neither the answer of a rail nor an empty answer.
        if !self.progress.stores_answer() || ctx.substituted_by().is_some() || output.text.is_empty() {
            return Ok(output);
        }
        let run = self.progress.inputs();
        let (input, answer) = (Message::user(run.input.clone()), Message::assistant(output.text.as_str()));
        let entry = MemoryEntry::exchange(input, answer);
        match self.agent.settings.memory.store(entry, &self.agent.rails, &mut ctx.child()).await {
            Ok(()) => Ok(output),
            Err(error) => self.not_stored(&run, output, self.with_cost(error), ctx).await,
        }
    }

    /// Ends a run whose answer was not stored. Returns the answer of a rail that ended the run with one, or the error.
    async fn not_stored(
        &self,
        run: &InvokeInputs,
        output: InvokeOutput,
        mut error: RunError,
        ctx: &mut RunContext,
    ) -> Result<InvokeOutput, RunError> {
        if let RunError::Abort(abort) = &mut error {
            match abort.ending.take().map(|ending| *ending) {
                Some(Ending::Answer(answer)) => return Ok(answer),
                ending => abort.ending = ending.map(Box::new),
            }
        }
        let rails = &self.agent.rails;
        let outcome = if let Some(question) = error.open_question() {
            self.progress.wait_with(output);
            rails.dispatch::<Suspended>((run, &question), ctx).await.map(drop)
        } else {
            self.progress.finish(output.messages);
            rails.dispatch::<Error>((run, &error), ctx).await.map(drop)
        };
        if let Err(fault) = outcome {
            tracing::warn!(%fault, "the rails at the end of the run have faulted");
        }
        Err(error)
    }
}

/// Returns the messages that the rails of this event have left.
///
/// # Errors
/// Returns an error if the rails have torn a tool call from its output.
fn left_by(event: HookPoint, context: ContextInputs, before: &Messages) -> Result<Messages, RunError> {
    match context.messages.torn_since(before) {
        Some(torn) => Err(OperationError::torn_at(event, &torn).into()),
        None => Ok(context.messages),
    }
}
