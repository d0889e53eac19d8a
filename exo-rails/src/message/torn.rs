//! Finds tool calls and outputs that have lost each other.

use super::Messages;

/// A tool call without its output, or an output without its call. Servers of models refuse a conversation with one.
///
/// ```
/// use exo_rails::message::{Message, Messages, TornCall};
///
/// let shortened = Messages::from([Message::user("And now?"), Message::tool("call_1", "12 °C")]);
/// let torn = shortened.torn_calls();
/// assert_eq!(torn, [TornCall::NoCall { id: "call_1".into() }]);
/// assert_eq!(torn[0].to_string(), "the output of the tool call `call_1` has no call before it");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TornCall {
    /// An output without its call.
    #[error("the output of the tool call `{id}` has no call before it")]
    NoCall {
        /// The id of the call.
        id: String,
    },
    /// A call without its output.
    #[error("the tool call `{id}` has no output after it")]
    NoOutput {
        /// The id of the call.
        id: String,
    },
}

impl Messages {
    /// Returns the tool calls and outputs that have lost each other, in the order of the messages. First come the outputs
    /// without their call, and then the calls without their output. Other messages may stand between a call and its output.
    ///
    /// See the example at [`TornCall`].
    #[must_use]
    pub fn torn_calls(&self) -> Vec<TornCall> {
        // Some models reuse their ids in each turn, so each output belongs to one open call.
        let (mut open, mut torn) = (Vec::new(), Vec::new());
        for message in self {
            match &message.tool_call_id {
                Some(id) => match open.iter().position(|call| *call == id) {
                    Some(at) => drop(open.remove(at)),
                    None => torn.push(TornCall::NoCall { id: id.clone() }),
                },
                None => open.extend(message.tool_calls.iter().map(|call| &call.id)),
            }
        }
        torn.extend(open.into_iter().map(|id| TornCall::NoOutput { id: id.clone() }));
        torn
    }

    /// Returns the first tool call or output that has lost the other one since `before`.
    ///
    /// The library reports it after the rails that may change a conversation: those of `PreLlmCall`, `ContextAssembled` and
    /// `ContextOverflow`, and a compaction. Use it in your own agent loop.
    ///
    /// ```
    /// use exo_rails::message::{Message, Messages, ToolCall};
    /// use serde_json::json;
    ///
    /// let mut asked = Message::assistant("I look it up.");
    /// asked.tool_calls.push(ToolCall::new("call_1", "weather", &json!({ "city": "Bern" })));
    /// let before = Messages::from([Message::user("And now?"), asked, Message::tool("call_1", "12 °C")]);
    ///
    /// let mut after = before.clone();
    /// after.drain(..2);
    /// assert!(after.torn_since(&before).is_some());
    /// after.clear();
    /// assert!(after.torn_since(&before).is_none());
    /// ```
    #[must_use]
    pub fn torn_since(&self, before: &Self) -> Option<TornCall> {
        let torn = if self == before { Vec::new() } else { self.torn_calls() };
        if torn.is_empty() {
            return None;
        }
        let known = before.torn_calls();
        torn.into_iter().find(|torn| !known.contains(torn))
    }
}
