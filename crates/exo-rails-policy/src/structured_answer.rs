//! The table `structured_answer`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::builder::setters;
use crate::table::Table;

/// The configuration of `StructuredAnswer`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StructuredAnswerConfig {
    /// The schema. The default accepts any JSON object.
    pub schema: Value,
    /// Whether a `format` such as `date-time` is checked. By default, the draft of the schema decides: up to draft 7 it is,
    /// and in later drafts it only explains.
    pub check_formats: bool,
    /// How often in a run the model is asked again. The default is 3.
    pub max_feedback: u32,
}

impl Default for StructuredAnswerConfig {
    fn default() -> Self {
        Self { schema: serde_json::json!({ "type": "object" }), check_formats: false, max_feedback: 3 }
    }
}

setters!(StructuredAnswerConfig { schema: Value, check_formats: bool, max_feedback: u32 });

impl Table for StructuredAnswerConfig {
    const KEY: &'static str = "structured_answer";
}
