//! The conditions of a rule without its decision, for other guards.

use exo_rails::ToolCallInputs;
use exo_rails_policy::ConfigError;

use super::call::Call;
use super::rule::{Rule, RuleId};
use super::tools::Tools;
use crate::places::path::{Match, Places};
use exo_rails_policy::permissions::{PermissionRule, Source};

/// Compares calls with the conditions of a rule that asks: in all readings.
#[derive(Debug)]
pub(crate) struct CallMatcher {
    rule: Rule,
    tools: Tools,
    places: Places,
}

impl CallMatcher {
    pub(crate) fn new(rule: PermissionRule) -> Result<Self, ConfigError> {
        let id = RuleId { source: Source::Global, name: rule.name.clone().unwrap_or_default(), line: None, file: None };
        let (tools, places) = (Tools::new(std::collections::BTreeMap::new())?, Places::default());
        Ok(Self { rule: Rule::new(rule, id, &places)?, tools, places })
    }

    /// Returns whether the rule matches or may match the call.
    pub(crate) fn matches(&self, call: &ToolCallInputs) -> bool {
        self.rule.matches(&Call::new(call, &self.tools, &self.places)) > Match::No
    }
}
