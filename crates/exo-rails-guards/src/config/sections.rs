//! The places of tables, keys and values in a TOML text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::position;
use crate::ConfigError;

/// The places in a TOML text. A configuration in code has none.
#[derive(Debug, Default)]
pub(crate) struct Sections<'t> {
    text: &'t str,
    tables: DeTable<'t>,
}

impl<'t> Sections<'t> {
    /// Reads the places. Finds none if the text is not TOML.
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, tables: DeTable::parse(text).map(Spanned::into_inner).unwrap_or_default() }
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        get(&self.tables, key).is_some()
    }

    /// Adds a place to an error without a place: the place of the innermost of its keys that the text contains. `number` is the
    /// index of the table in a list of tables.
    pub(crate) fn locate(&self, key: &str, number: usize, mut error: ConfigError) -> ConfigError {
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
