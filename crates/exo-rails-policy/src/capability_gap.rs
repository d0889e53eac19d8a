//! The table `capability_gap`.

use serde::{Deserialize, Serialize};

use crate::AfterFeedback;
use crate::builder::setters;
use crate::table::Table;

/// The configuration of `CapabilityGap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CapabilityGapConfig {
    /// What happens to a call of a tool that does not exist. The default is `feedback`.
    pub action: GapAction,
    /// Names of tools that exist, beside those of the model's request.
    pub tools: Vec<String>,
    /// The tools to which [`GapAction::Repair`] may turn a call. Only tools whose repeated calls have the effect of one call
    /// belong here.
    pub idempotent: Vec<String>,
    /// How often in a run the model reads the nearest names. The default is 8.
    pub max_feedback: u32,
    /// What happens after that. The default is `skip`.
    pub after_feedback: AfterFeedback,
}

impl Default for CapabilityGapConfig {
    fn default() -> Self {
        Self {
            action: GapAction::default(),
            tools: Vec::new(),
            idempotent: Vec::new(),
            max_feedback: 8,
            after_feedback: AfterFeedback::default(),
        }
    }
}

/// What happens to a call of a tool that does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapAction {
    /// The call is skipped, and the model reads the nearest names.
    #[default]
    Feedback,
    /// The call becomes a call of the tool that the name means. The name must mean exactly one tool: only case, separators,
    /// plurals and the name space may differ. This tool must be one of the [idempotent](CapabilityGapConfig::idempotent)
    /// tools. Otherwise the call is skipped, as with [`Feedback`](Self::Feedback).
    ///
    /// If both names have a name space, it must be the same: a call of `gitlab.search` never becomes `github.search`.
    Repair,
    /// The run ends.
    Abort,
}

setters!(CapabilityGapConfig {
    action: GapAction,
    tools: [String],
    idempotent: [String],
    max_feedback: u32,
    after_feedback: AfterFeedback,
});

impl Table for CapabilityGapConfig {
    const KEY: &'static str = "capability_gap";

    fn tools(&self) -> Vec<(String, &str)> {
        let tools = self.tools.iter().map(|tool| ("tools".to_owned(), tool.as_str()));
        let idempotent = self.idempotent.iter().map(|tool| ("idempotent".to_owned(), tool.as_str()));
        tools.chain(idempotent).collect()
    }
}
