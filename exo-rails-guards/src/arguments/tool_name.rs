//! Patterns of tool names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A pattern of tool names: a name in which `*` stands for any text, such as `fs_*`.
///
/// ```
/// use exo_rails_guards::ToolPattern;
///
/// let pattern = ToolPattern::new("fs_*_file");
/// assert!(pattern.matches("fs_read_file") && !pattern.matches("fs_list"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolPattern(String);

impl ToolPattern {
    /// Makes a pattern.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Tells whether the pattern matches the name of a tool.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let Some((start, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut name) = name.strip_prefix(start) else { return false };
        let Some((middle, end)) = rest.rsplit_once('*') else { return name.ends_with(rest) };
        // The first place is always good enough, because any text may follow.
        for part in middle.split('*') {
            let Some(at) = name.find(part) else { return false };
            name = &name[at + part.len()..];
        }
        name.ends_with(end)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
