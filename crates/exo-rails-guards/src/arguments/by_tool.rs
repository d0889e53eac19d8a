//! Settings of tools, by name or pattern.

use std::collections::{BTreeMap, HashMap};

use exo_rails_policy::{ConfigError, ToolPattern};
use exo_rails_text::spelling::folded;

/// Settings of tools. A name goes before a pattern, and a pattern with more fixed text before one with less. Names match in
/// every spelling.
#[derive(Debug)]
pub(crate) struct ByTool<T> {
    names: HashMap<String, T>,
    patterns: Vec<(ToolPattern, T)>,
}

impl<T> ByTool<T> {
    /// Reads the keys of the table `tools`.
    pub(crate) fn new(settings: impl IntoIterator<Item = (String, T)>) -> Result<Self, ConfigError> {
        let (mut names, mut patterns, mut keys) = (HashMap::new(), BTreeMap::new(), HashMap::new());
        for (key, value) in settings {
            // Otherwise the order of the spellings would decide silently.
            if let Some(other) = keys.insert(folded(&key).remove(0).into_owned(), key.clone()) {
                let message =
                    format!("this is the same tool as `tools.{other}`, in another spelling: remove one of them");
                return Err(ConfigError::new(message).in_key(format_args!("tools.{key}")));
            }
            let pattern = ToolPattern::new(key.as_str()).map_err(|error| error.in_key(format_args!("tools.{key}")))?;
            match pattern.folded_name() {
                Some(name) => drop(names.insert(name.to_owned(), value)),
                None => drop(patterns.insert((usize::MAX - pattern.fixed(), key), (pattern, value))),
            }
        }
        Ok(Self { names, patterns: patterns.into_values().collect() })
    }

    /// Returns the setting for a [reading](super::ToolName::readings) of a name.
    pub(crate) fn get(&self, reading: &str) -> Option<&T> {
        let pattern = || self.patterns.iter().find(|(pattern, _)| pattern.catches_reading(reading));
        self.names.get(reading).or_else(|| pattern().map(|(_, value)| value))
    }

    /// Returns a name that is not in the list.
    pub(crate) fn unknown_name(&self, known: &[&str]) -> Option<&str> {
        let known: Vec<_> = known.iter().map(|name| folded(name).remove(0)).collect();
        self.names.keys().filter(|name| !known.iter().any(|known| known == *name)).min().map(String::as_str)
    }
}
