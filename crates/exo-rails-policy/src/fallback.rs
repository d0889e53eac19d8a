//! The table `fallback`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::FailureKind;
use crate::table::Table;

/// The configuration of `Fallback`: which models and tools stand in for others. A file has only their names. The program says
/// how they are called.
///
/// ```
/// use exo_rails_policy::fallback::FallbackConfig;
///
/// let config: FallbackConfig = exo_rails_policy::from_toml(r#"
///     models = ["small"]
///     tools = { search_web = ["search_cache"] }
/// "#)?;
/// assert_eq!(config.tools["search_web"], ["search_cache"]);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FallbackConfig {
    /// The models that answer if a model call has failed, in the order in which the guard asks them.
    pub models: Vec<String>,
    /// The tools that run if a call of a tool has failed, in the order in which the guard tries them. The key is the exact name
    /// of the tool.
    pub tools: BTreeMap<String, Vec<String>>,
    /// The kinds of failures after which the guard tries the fallbacks. The default is all kinds except `invalid_request` and
    /// `denied`, because another service must not do what the first one has refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<FailureKind>>,
}

impl Table for FallbackConfig {
    const KEY: &'static str = "fallback";

    fn tools(&self) -> Vec<(String, &str)> {
        self.tools.keys().map(|tool| ("tools".to_owned(), tool.as_str())).collect()
    }
}
