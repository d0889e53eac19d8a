//! What a compaction is given and yields: carried by its events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::unknown_fields;
use crate::message::Messages;

/// A history that is to be made shorter: carried by [`PreCompaction`](crate::events::PreCompaction) and
/// [`PostCompaction`](crate::events::PostCompaction).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionInputs {
    /// The history.
    pub messages: Messages,
    /// How many tokens it has, as the agent counts them.
    pub tokens: u64,
    /// How many tokens it may have.
    pub budget: u64,
    /// What whoever compacts is to know: what must be kept, say. A rail may write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whatever else belongs to it.
    #[serde(flatten, serialize_with = "unknown_fields::<CompactionInputs, _>")]
    pub extra: Map<String, Value>,
}

/// The shorter history: carried by [`PostCompaction`](crate::events::PostCompaction).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionOutput {
    /// The history that goes on.
    pub messages: Messages,
    /// How many messages are gone.
    #[serde(default)]
    pub removed: usize,
    /// What they said, in short, where that was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Whatever else belongs to it.
    #[serde(flatten, serialize_with = "unknown_fields::<CompactionOutput, _>")]
    pub extra: Map<String, Value>,
}
