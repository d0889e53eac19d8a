//! The table `tool_schemas`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::AfterFeedback;
use crate::builder::setters;
use crate::table::Table;

/// The configuration of `ToolSchemas`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSchemasConfig {
    /// Schemas by the names of the tools. They replace those of the model's request.
    pub schemas: BTreeMap<String, Value>,
    /// Whether a `format` such as `date-time` is checked. By default, the draft of a schema decides: up to draft 7 it is, and
    /// in later drafts it only explains.
    pub check_formats: bool,
    /// How often in a run the model reads what is wrong. The default is 8.
    pub max_feedback: u32,
    /// What happens after that. The default is `skip`.
    pub after_feedback: AfterFeedback,
}

impl Default for ToolSchemasConfig {
    fn default() -> Self {
        Self {
            schemas: BTreeMap::new(),
            check_formats: false,
            max_feedback: 8,
            after_feedback: AfterFeedback::default(),
        }
    }
}

setters!(ToolSchemasConfig { check_formats: bool, max_feedback: u32, after_feedback: AfterFeedback });

impl ToolSchemasConfig {
    /// Adds a schema to [`schemas`](Self::schemas).
    #[must_use]
    pub fn schema(mut self, tool: impl Into<String>, schema: impl Into<Value>) -> Self {
        self.schemas.insert(tool.into(), schema.into());
        self
    }
}

impl Table for ToolSchemasConfig {
    const KEY: &'static str = "tool_schemas";

    fn tools(&self) -> Vec<(String, &str)> {
        self.schemas.keys().map(|tool| ("schemas".to_owned(), tool.as_str())).collect()
    }
}
