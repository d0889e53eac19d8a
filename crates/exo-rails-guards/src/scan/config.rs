//! Rules as data, in the form of gitleaks.

use exo_rails_policy::ConfigError;
use exo_rails_policy::secrets::{AllowlistConfig, RuleConfig};
use serde::Deserialize;

use super::rule::Rule;
use crate::config::Sections;

/// A file of gitleaks: rules, and allowlists for all of them.
///
/// The keys `title`, `minVersion` and `extend` are accepted. Of `extend`, `useDefault` and `disabledRules` have no effect: list
/// rules in the key `except` of the guard instead.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(crate) struct RuleFile {
    #[serde(rename = "title")]
    _title: serde::de::IgnoredAny,
    #[serde(rename = "description")]
    _description: serde::de::IgnoredAny,
    #[serde(rename = "minVersion")]
    _min_version: serde::de::IgnoredAny,
    #[serde(rename = "extend")]
    _extend: serde::de::IgnoredAny,
    rules: Vec<RuleConfig>,
    allowlists: Vec<AllowlistConfig>,
    allowlist: Option<AllowlistConfig>,
}

impl RuleFile {
    /// Reads the rules of a file, and compiles them.
    pub(crate) fn read(text: &str) -> Result<Vec<Rule>, ConfigError> {
        let sections = Sections::parse(text)?;
        let Self { rules, allowlists, allowlist, .. } = sections.read()?;
        let for_all: Vec<_> = allowlists.into_iter().chain(allowlist).collect();
        let compiled = rules.into_iter().enumerate().map(|(number, mut rule)| {
            let is_for = |list: &&AllowlistConfig| list.target_rules.is_empty() || list.target_rules.contains(&rule.id);
            let more: Vec<_> = for_all.iter().filter(is_for).cloned().collect();
            rule.allowlists.extend(more);
            Rule::new(rule).map_err(|error| sections.locate("rules", number, error))
        });
        compiled.filter_map(Result::transpose).collect()
    }
}
