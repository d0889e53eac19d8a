//! The places of tables in a TOML text.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::error::position;
use crate::ConfigError;

/// The places of the tables at the top of a TOML text: the lines and columns of each. It is empty for a configuration in code.
#[derive(Debug, Default)]
pub(crate) struct Sections(BTreeMap<String, Vec<(usize, usize)>>);

impl Sections {
    /// Finds the tables. Finds none if the text is not TOML.
    pub(crate) fn of(text: &str) -> Self {
        let Ok(tables) = DeTable::parse(text) else { return Self::default() };
        let places = tables.get_ref().iter().map(|(key, table)| {
            let starts = match table.get_ref() {
                DeValue::Array(tables) => tables.iter().map(|table| table.span().start).collect(),
                _ => vec![key.span().start],
            };
            (key.get_ref().to_string(), starts.into_iter().map(|start| position(text, start)).collect())
        });
        Self(places.collect())
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Adds the place of a table to an error that has none. `number` is the place of the table in a list.
    pub(crate) fn locate(&self, key: &str, number: usize, mut error: ConfigError) -> ConfigError {
        let place = self.0.get(key).and_then(|places| places.get(number).or(places.first()));
        error.position = error.position.or(place.copied());
        error
    }
}
