//! The table `risk`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::condition::ArgumentCondition;
use crate::list::one_or_many;
use crate::permission::Caution;
use crate::table::Table;

/// The configuration of the guard `RiskScore`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RiskConfig {
    /// The score at which a person must agree, in points from 0 to 100. A higher score needs a person too. Default: 70.
    pub threshold: u8,
    /// What the guard does with a call whose score is at least the threshold: [`Caution::Ask`] asks a person, and
    /// [`Caution::Deny`] skips the call. Default: [`Caution::Ask`].
    pub above: Caution,
    /// Facts about tools. A key is a name or a glob: see [`ToolPattern`](crate::ToolPattern). Other spellings of a name match
    /// too. If several keys match, a name wins over a glob, and a glob with more fixed text wins over one with less.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolRisk>,
    /// Additional points for calls with certain arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<RiskAddition>,
}

impl Default for RiskConfig {
    fn default() -> Self {
        Self { threshold: 70, above: Caution::Ask, tools: BTreeMap::new(), additions: Vec::new() }
    }
}

/// Facts about a tool, on which the score of its calls depends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolRisk {
    /// Whether the tool can do harm that nobody can undo. Default: `false`.
    pub dangerous: bool,
    /// The category of the tool. By default, the guard knows the categories of usual names, such as `bash`. All other tools
    /// have [`RiskCategory::Other`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<RiskCategory>,
    /// Whether the tool uses the network. Default: `true` for usual names of such tools, and otherwise `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<bool>,
    /// Whether the tool writes files. Default: `true` for usual names of such tools, and otherwise `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filesystem_write: Option<bool>,
    /// Additional points. The number can be negative. Default: 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub add: i16,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(points: &i16) -> bool {
    *points == 0
}

/// The kind of a tool, for its `RiskScore`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskCategory {
    /// Runs commands. 30 points.
    Shell,
    /// Sends requests. 20 points.
    Network,
    /// Runs another agent. 15 points.
    Agent,
    /// Works with files. 10 points.
    Filesystem,
    /// Starts a workflow with several steps. 10 points.
    Workflow,
    /// Searches. No points.
    Search,
    /// Reads or writes the memory of the agent. No points.
    Memory,
    /// Looks up documents. No points.
    Knowledge,
    /// Anything else. 5 points.
    #[default]
    Other,
}

impl RiskCategory {
    /// Returns the points of the category.
    #[must_use]
    pub const fn points(self) -> i16 {
        match self {
            Self::Shell => 30,
            Self::Network => 20,
            Self::Agent => 15,
            Self::Filesystem | Self::Workflow => 10,
            Self::Search | Self::Memory | Self::Knowledge => 0,
            Self::Other => 5,
        }
    }
}

/// Additional points for calls with certain arguments. The conditions match like those of a rule that asks:
/// the guard checks them in all readings of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskAddition {
    /// The tools: names, or globs. In a configuration, one text or a list. Other spellings of the names match too.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<String>,
    /// Conditions about arguments. A key is the name of an argument, or a JSON pointer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, ArgumentCondition>,
    /// The points, which may be negative.
    pub points: i16,
    /// The reason for the points. People read it when the guard asks, and the model reads it when the guard refuses.
    pub because: String,
}

impl Table for RiskConfig {
    const KEY: &'static str = "risk";
}
