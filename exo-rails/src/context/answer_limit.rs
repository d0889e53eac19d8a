//! The most that a rail allows of a streamed answer.

use super::RailContext;

/// The most that a streamed answer may have, in bytes: see [`RailContext::limit_answer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnswerLimit {
    /// Of the text.
    Text(u64),
    /// Of the arguments of each tool call.
    Arguments(u64),
    /// Of everything together: text, reasoning, and names and arguments of tool calls.
    All(u64),
}

/// The limits of an answer, and the one that it has passed.
#[derive(Debug, Default)]
pub(super) struct AnswerLimits {
    text: Option<u64>,
    arguments: Option<u64>,
    all: Option<u64>,
    passed: Option<AnswerLimit>,
}

impl RailContext {
    /// Limits the answer of the model call that begins, if the answer is streamed. The smallest limit of all rails holds.
    ///
    /// The guard reads no more of the stream when the answer has passed a limit. It delivers the text up to the limit, and the
    /// `finish_reason` becomes `length`, so the answer [is cut](crate::ModelResponse::is_cut) and an agent runs none of its
    /// tool calls. The rails of [`PostLlmCall`](crate::events::PostLlmCall) see the limit in
    /// [`passed_limit`](Self::passed_limit), and decide what happens.
    ///
    /// Call it in a rail on [`PreLlmCall`](crate::events::PreLlmCall). A limit holds for one attempt. An answer that is not
    /// streamed has arrived as a whole, so no limit holds for it. The limit of a rail in shadow has no effect.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails::{AnswerLimit, ModelDelta};
    /// use futures_util::stream;
    ///
    /// #[rail(on = [PreLlmCall])]
    /// fn short(request: &ModelCallInputs, ctx: &mut RailContext) {
    ///     ctx.limit_answer(AnswerLimit::Text(4));
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let endless = |_| stream::repeat_with(|| Ok::<_, OperationError>(ModelDelta::Text("ha".to_owned())));
    /// let answer = rail_chain![short]
    ///     .guard_stream(ModelCallInputs::default(), &mut RunContext::new("demo"), endless, async |_| ())
    ///     .await?;
    /// assert_eq!((answer.message.text().as_ref(), answer.is_cut()), ("haha", true));
    /// # Ok(()) }
    /// ```
    #[cold]
    pub fn limit_answer(&mut self, limit: AnswerLimit) {
        let limits = self.answer_limits.get_or_insert_default();
        let (place, bytes) = match limit {
            AnswerLimit::Text(bytes) => (&mut limits.text, bytes),
            AnswerLimit::Arguments(bytes) => (&mut limits.arguments, bytes),
            AnswerLimit::All(bytes) => (&mut limits.all, bytes),
        };
        *place = Some(place.map_or(bytes, |least| least.min(bytes)));
    }

    /// Returns the limit that the streamed answer has passed. The rest of the answer was not read.
    #[must_use]
    pub fn passed_limit(&self) -> Option<AnswerLimit> {
        self.answer_limits.as_ref()?.passed
    }

    /// Returns the most bytes of the text, of the arguments of a call, and of all together, if there are limits.
    pub(crate) fn answer_limits(&self) -> Option<[u64; 3]> {
        let AnswerLimits { text, arguments, all, .. } = **self.answer_limits.as_ref()?;
        Some([text, arguments, all].map(|limit| limit.unwrap_or(u64::MAX)))
    }

    pub(crate) fn set_passed_limit(&mut self, limit: AnswerLimit) {
        self.answer_limits.get_or_insert_default().passed = Some(limit);
    }
}
