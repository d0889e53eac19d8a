//! Tables: what all configurations of guards have in common.

use crate::ToolPattern;

/// The configuration of a guard: a table of the policy file.
///
/// ```
/// use exo_rails_policy::retry::RetryConfig;
/// use exo_rails_policy::{Table, from_toml};
///
/// let retry: RetryConfig = from_toml("idempotent = 'search_*'")?;
/// assert_eq!(RetryConfig::KEY, "retry");
/// assert_eq!(retry.tools(), [("idempotent".to_owned(), "search_*")]);
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
pub trait Table {
    /// The key of the table.
    const KEY: &'static str;

    /// Returns the tools that the table names, each with its key.
    fn tools(&self) -> Vec<(String, &str)> {
        Vec::new()
    }

    /// Returns the names that no other table with this key may have, because they would share their counts.
    fn limit_names(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// Returns names of tools with one key.
pub(crate) fn named<'t>(key: &str, tools: impl IntoIterator<Item = &'t ToolPattern>) -> Vec<(String, &'t str)> {
    tools.into_iter().map(|tool| (key.to_owned(), tool.as_str())).collect()
}
