//! Messages from rails to the model.

use super::{RunContext, RunScope};
use crate::message::Message;

/// The messages for the next model call of the run.
#[derive(Default)]
pub(super) struct Notices(pub(super) Vec<Message>);

impl RunScope {
    /// Adds a message before the next model call of this run, such as a warning or a hint from outside.
    ///
    /// The messages follow the conversation, in the order of these calls. They pass through the rails of
    /// [`PreLlmCall`](crate::events::PreLlmCall) like all other messages. `Agent` keeps them in the conversation.
    ///
    /// In a custom loop, [`guard_llm_call`](crate::Guard::guard_llm_call) and
    /// [`guard_stream`](crate::Guard::guard_stream) add the messages to the request. A loop that wants to keep them in
    /// its conversation calls [`RunContext::take_notices`] before. A model call of a rail or a tool, with its own
    /// context, does not receive them.
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
    /// Takes the messages that wait for the next model call: see [`notify_model`](RunScope::notify_model). The guard
    /// then does not add them to the request, so add them to your conversation.
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
    #[must_use = "the caller must deliver these messages to the model"]
    pub fn take_notices(&self) -> Vec<Message> {
        if self.is_nested() {
            return Vec::new();
        }
        self.run.remove::<Notices>().unwrap_or_default().0
    }
}
