//! What a model is about to read: carried by the events of the context.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Messages;
use super::extra::unknown_fields;

/// What a model is about to read: carried by [`ContextAssembled`](crate::events::ContextAssembled) and
/// [`ContextOverflow`](crate::events::ContextOverflow). What their rails change stays changed for the whole run.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::ContextInputs;
/// use exo_rails::message::Message;
///
/// /// The model always knows what day it is.
/// #[rail(on = [ContextAssembled])]
/// fn date(context: &mut ContextInputs) {
///     context.messages.insert(0, Message::system("Today is Monday."));
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextInputs {
    /// The messages.
    pub messages: Messages,
    /// How many tokens they have, as the agent counts them: without the tools. Nobody counts again when a rail changes the
    /// messages.
    pub tokens: u64,
    /// How many tokens they may have, when there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// Whatever else belongs to it.
    #[serde(flatten, serialize_with = "unknown_fields::<ContextInputs, _>")]
    pub extra: Map<String, Value>,
}
