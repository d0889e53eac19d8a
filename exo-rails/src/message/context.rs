//! The payload of the events about a model's context.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Messages;
use super::extra::unknown_fields;

/// The messages for the next model call: the payload of [`ContextAssembled`](crate::events::ContextAssembled) and
/// [`ContextOverflow`](crate::events::ContextOverflow). Changes by their rails last for the whole run. If a rail removes a tool
/// call and keeps its output, or the reverse, the run fails before it calls the model.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::ContextInputs;
/// use exo_rails::message::Message;
///
/// /// Tells the model the date.
/// #[rail(on = [ContextAssembled])]
/// fn date(context: &mut ContextInputs) {
///     context.messages.insert(0, Message::system("Today is Monday."));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextInputs {
    /// The messages.
    pub messages: Messages,
    /// The number of tokens in the messages, as the agent counts them, without the tools. The agent does not count
    /// again after a rail changes the messages.
    pub tokens: u64,
    /// The greatest number of tokens that the messages may have, if there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<ContextInputs, _>")]
    pub extra: Map<String, Value>,
}
