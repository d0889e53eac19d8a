//! Messages that rails have for the model.

use super::{RunContext, RunScope};
use crate::message::Message;

/// What waits for the next model call of the run.
#[derive(Default)]
pub(super) struct Notices(pub(super) Vec<Message>);

impl RunScope {
    /// Gives the model a message before its next call in this run: a warning, or a hint from outside.
    ///
    /// The messages follow the conversation, in the order in which they came. They pass the rails of
    /// [`PreLlmCall`](crate::events::PreLlmCall) like all others. `Agent` keeps them in the conversation. In a custom loop,
    /// [`guard_llm_call`](crate::Guard::guard_llm_call) and [`guard_stream`](crate::Guard::guard_stream) add them to the
    /// request; the loop takes them before with [`RunContext::take_notices`], when it wants to keep them. A model call that
    /// a rail or a tool makes in a context of its own gets none of them.
    ///
    /// ```
    /// use exo_rails::message::Message;
    /// use exo_rails::prelude::*;
    ///
    /// #[rail(on = [PostToolCall])]
    /// fn warn(output: &ToolOutput, ctx: &RailContext) {
    ///     if output.content.contains("deprecated") {
    ///         ctx.notify_model(Message::system("Do not use this tool again."));
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
    /// let (rails, mut ctx) = (rail_chain![warn], RunContext::new("demo"));
    /// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("deprecated, but done")) };
    /// rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
    /// let model = |request: Permit<ModelCallInputs>| async move {
    ///     assert_eq!(request.messages[0].text(), "Do not use this tool again.");
    ///     Ok::<_, OperationError>(ModelResponse::text("I will not."))
    /// };
    /// rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
    /// # Ok(()) }
    /// ```
    pub fn notify_model(&self, message: Message) {
        self.run.update(|notices: &mut Notices| notices.0.push(message));
    }
}

impl RunContext {
    /// The messages that wait for the next model call: see [`notify_model`](RunScope::notify_model). They are delivered
    /// then; a loop that keeps its conversation adds them to it.
    ///
    /// ```
    /// use exo_rails::RunContext;
    /// use exo_rails::message::{Message, Messages};
    ///
    /// let (ctx, mut conversation) = (RunContext::new("demo"), Messages::default());
    /// ctx.notify_model(Message::system("Three steps are left."));
    /// conversation.extend(ctx.take_notices());
    /// assert_eq!(conversation[0].text(), "Three steps are left.");
    /// assert!(ctx.take_notices().is_empty());
    /// ```
    #[must_use = "these messages are delivered to the model by whoever takes them"]
    pub fn take_notices(&self) -> Vec<Message> {
        if self.is_nested() {
            return Vec::new();
        }
        self.run.remove::<Notices>().unwrap_or_default().0
    }
}
