//! The payloads of a compaction's events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::unknown_fields;
use crate::message::Messages;

/// The history to be compacted: the payload of [`PreCompaction`](crate::events::PreCompaction), and a part of the
/// payload of [`PostCompaction`](crate::events::PostCompaction).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionInputs {
    /// The history.
    pub messages: Messages,
    /// The number of tokens in the history, as the agent counts them.
    pub tokens: u64,
    /// The greatest number of tokens that the history may have.
    pub budget: u64,
    /// A hint for the code or model that compacts the history, for example a list of facts to keep. A rail may set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<CompactionInputs, _>")]
    pub extra: Map<String, Value>,
}

/// The compacted history: a part of the payload of [`PostCompaction`](crate::events::PostCompaction).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionOutput {
    /// The new history, with which the agent continues.
    pub messages: Messages,
    /// The number of removed messages.
    #[serde(default)]
    pub removed: usize,
    /// A summary of the removed messages, if the compaction wrote one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<CompactionOutput, _>")]
    pub extra: Map<String, Value>,
}
