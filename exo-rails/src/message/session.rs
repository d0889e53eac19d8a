//! What is known of a session: carried by its events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::unknown_fields;

/// A session: carried by [`SessionStart`](crate::events::SessionStart) and [`SessionEnd`](crate::events::SessionEnd).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// Its name.
    pub id: String,
    /// How many runs it has had.
    #[serde(default)]
    pub turns: u32,
    /// Whatever else belongs to it.
    #[serde(flatten, serialize_with = "unknown_fields::<SessionInfo, _>")]
    pub extra: Map<String, Value>,
}

impl SessionInfo {
    /// A session of this name, before its first run.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }
}

impl From<&str> for SessionInfo {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<String> for SessionInfo {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}
