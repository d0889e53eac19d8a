//! The table `approval`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::builder::setters;
use crate::condition::ArgumentCondition;
use crate::list::one_or_many;
use crate::table::Table;

/// The configuration of the guard `Approval`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ApprovalConfig {
    /// Which calls need an approval. The first rule that matches a call decides.
    pub rules: Vec<ApprovalRule>,
    /// The time for a reply, in milliseconds. Default: what the type that asks sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What happens if nobody replies in time: `deny` or `suspend`. Default: what the type that asks sets, usually `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// How long a person may let an approval be remembered, beside an approval of one call: `session`, `forever`. Default: both.
    pub remember: Vec<Remember>,
}

impl Default for ApprovalConfig {
    fn default() -> Self {
        let remember = vec![Remember::Session, Remember::Forever];
        Self { rules: Vec::new(), timeout_ms: None, on_timeout: None, remember }
    }
}

setters!(ApprovalConfig { rules: [ApprovalRule], remember: [Remember] });

impl ApprovalConfig {
    /// Sets [`timeout_ms`](field@Self::timeout_ms).
    #[must_use]
    pub const fn timeout_ms(mut self, milliseconds: u64) -> Self {
        self.timeout_ms = Some(milliseconds);
        self
    }

    /// Sets [`on_timeout`](field@Self::on_timeout).
    #[must_use]
    pub const fn on_timeout(mut self, on_timeout: OnTimeout) -> Self {
        self.on_timeout = Some(on_timeout);
        self
    }
}

/// Calls that need an approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// The name, for requests and findings. Default: `rule-1` and so on, by its place in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tools: names, or globs such as `mcp__github__*`. In a configuration, one text or a list. Other spellings match as
    /// well: case, spaces, invisible characters, look-alikes.
    #[serde(deserialize_with = "one_or_many")]
    pub tool: Vec<String>,
    /// Conditions about arguments. A key is the name of an argument, or a JSON pointer such as `/customer/id`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, ArgumentCondition>,
    /// Why a person must agree, for the person and for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The time for a reply, in milliseconds. Default: [`ApprovalConfig::timeout_ms`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What happens if nobody replies in time. Default: [`ApprovalConfig::on_timeout`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
    /// How long an approval may be remembered. Default: [`ApprovalConfig::remember`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Vec<Remember>>,
}

impl ApprovalRule {
    /// Makes a rule about all calls of a tool: a name or a glob.
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        Self {
            name: None,
            tool: vec![tool.into()],
            arguments: BTreeMap::new(),
            because: None,
            timeout_ms: None,
            on_timeout: None,
            remember: None,
        }
    }

    /// Adds a condition about an argument.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, condition: ArgumentCondition) -> Self {
        self.arguments.insert(name.into(), condition);
        self
    }

    /// Says why a person must agree.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.because = Some(reason.into());
        self
    }
}

impl From<&str> for ApprovalRule {
    fn from(tool: &str) -> Self {
        Self::new(tool)
    }
}

/// How long an approval is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Remember {
    /// Until the session ends.
    Session,
    /// Until somebody revokes it.
    Forever,
}

impl Remember {
    /// Returns all of them.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::Session, Self::Forever]
    }
}

/// What happens if nobody replies in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    /// The call does not run. The model reads that nobody replied.
    #[default]
    Deny,
    /// The run is suspended until somebody replies.
    Suspend,
}

impl Table for ApprovalConfig {
    const KEY: &'static str = "approval";

    fn tools(&self) -> Vec<(String, &str)> {
        let tools = self.rules.iter().flat_map(|rule| &rule.tool);
        tools.map(|tool| ("rules".to_owned(), tool.as_str())).collect()
    }
}
