//! The payload of a session's events.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extra::unknown_fields;

/// A session: the payload of [`SessionStart`](crate::events::SessionStart) and
/// [`SessionEnd`](crate::events::SessionEnd).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// The name of the session.
    pub id: String,
    /// The number of runs that the session has had.
    #[serde(default)]
    pub turns: u32,
    /// Additional fields.
    #[serde(flatten, serialize_with = "unknown_fields::<SessionInfo, _>")]
    pub extra: Map<String, Value>,
}

impl SessionInfo {
    /// Makes a session with this name, before its first run.
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
