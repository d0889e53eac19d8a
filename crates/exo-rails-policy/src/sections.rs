//! The places of tables, keys and values in a TOML text.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use crate::ConfigError;
use crate::error::position;

/// A TOML text that is read once: its values, and their places. A configuration in code has none.
///
/// ```
/// use exo_rails_policy::Sections;
/// use exo_rails_policy::risk::RiskConfig;
///
/// let sections = Sections::parse("[risk]\nthreshold = 200")?;
/// assert!(sections.contains("risk") && !sections.contains("sizes"));
///
/// let error = exo_rails_policy::ConfigError::new("200 is more than the largest score").in_key("threshold").in_key("risk");
/// let error = sections.locate("risk", 0, error);
/// assert_eq!(error.to_string(), "line 2, column 13: `risk`: `threshold`: 200 is more than the largest score");
/// # Ok::<(), exo_rails_policy::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sections<'t> {
    text: &'t str,
    tables: DeTable<'t>,
}

impl<'t> Sections<'t> {
    /// Reads a text.
    ///
    /// # Errors
    /// Returns an error with the line and the column if the text is not TOML.
    pub fn parse(text: &'t str) -> Result<Self, ConfigError> {
        let tables = DeTable::parse(text).map_err(|error| ConfigError::of_toml(&error, text))?;
        Ok(Self { text, tables: tables.into_inner() })
    }

    /// Returns the text as a configuration.
    ///
    /// # Errors
    /// Returns the errors of [`from_toml`](crate::from_toml).
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        let tables = Spanned::new(0..self.text.len(), self.tables.clone());
        T::deserialize(Deserializer::from(tables)).map_err(|error| ConfigError::of_toml(&error, self.text))
    }

    /// Returns whether the text has a table or another value with this key.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        get(&self.tables, key).is_some()
    }

    /// Returns the lines of the items of a list, from 1. `path` is the keys of the list, the outermost first.
    #[must_use]
    pub fn lines_of(&self, path: &[&str]) -> Option<Vec<usize>> {
        let (last, outer) = path.split_last()?;
        let table = outer.iter().try_fold(&self.tables, |table, key| get(table, key)?.value.as_table())?;
        let items = get(table, last)?.value.as_array()?;
        let (mut line, mut counted) = (1, 0);
        let lines = items.iter().map(|item| {
            // The items are in the order of the text, so each line is counted once.
            let start = item.span().start;
            line += self.text.get(counted..start).unwrap_or_default().matches('\n').count();
            counted = start;
            line
        });
        Some(lines.collect())
    }

    /// Adds a place to an error without a place: the place of the innermost of its keys that the text contains. `number` is the
    /// index of the table in a list of tables.
    #[must_use]
    pub fn locate(&self, key: &str, number: usize, mut error: ConfigError) -> ConfigError {
        let place = || {
            let mut node = get(&self.tables, key)?;
            if let DeValue::Array(tables) = node.value {
                node = tables.get(number).map_or(node, Node::of);
            }
            let keys = error.keys().skip_while(|outer| *outer == key);
            Some(position(self.text, keys.fold(node, Node::inside).start))
        };
        error.position = error.position.or_else(place);
        error
    }
}

/// A value with its place.
#[derive(Clone, Copy)]
struct Node<'v, 't> {
    value: &'v DeValue<'t>,
    start: usize,
}

impl<'v, 't> Node<'v, 't> {
    fn of(value: &'v Spanned<DeValue<'t>>) -> Self {
        Self { value: value.get_ref(), start: value.span().start }
    }

    /// Returns the innermost value on the way to a key such as `limits[2].most`, `tools.search` or `rules.no-deletion.tool`.
    fn inside(self, key: &str) -> Self {
        let (mut node, mut rest) = (self, key);
        while !rest.is_empty() {
            let Some((next, behind)) = node.step(rest) else { break };
            (node, rest) = (next, behind.trim_start_matches('.'));
        }
        node
    }

    /// Goes one step. Returns the rest of the key.
    fn step(self, key: &str) -> Option<(Self, &str)> {
        match self.value {
            DeValue::Table(table) => {
                // A name may have dots and brackets.
                let end = key.find(['.', '[']).unwrap_or(key.len());
                let found = |(name, behind)| Some((get(table, name)?, behind));
                [(key, ""), key.split_at(end)].into_iter().find_map(found)
            }
            DeValue::Array(items) => match key.strip_prefix('[').and_then(|key| key.split_once(']')) {
                Some((number, behind)) => Some((Node::of(items.get(number.parse::<usize>().ok()?)?), behind)),
                None => items.iter().find_map(|item| {
                    let DeValue::Table(table) = item.get_ref() else { return None };
                    let name = get(table, "name")?.value.as_str()?;
                    let behind = key.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
                    Some((Node::of(item), behind))
                }),
            },
            _ => None,
        }
    }
}

/// Returns a value of a table. The place of a table is that of its name, and the place of another value is its own.
fn get<'v, 't>(table: &'v DeTable<'t>, name: &str) -> Option<Node<'v, 't>> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    let is_table = match value.get_ref() {
        DeValue::Table(_) => true,
        DeValue::Array(items) => items.iter().any(|item| item.get_ref().is_table()),
        _ => false,
    };
    Some(Node { value: value.get_ref(), start: if is_table { key.span().start } else { value.span().start } })
}
