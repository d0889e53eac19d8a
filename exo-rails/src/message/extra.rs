//! Unknown fields of a type, which never replace its known fields.

use serde::Serializer;
use serde_json::{Map, Value};

/// A type whose unknown fields are in its `extra`.
pub(crate) trait KnownFields {
    /// The names of the known fields in JSON.
    const FIELDS: &'static [&'static str];

    /// Removes the entries that have the name of a known field.
    fn retain_unknown(extra: &mut Map<String, Value>) {
        extra.retain(|name, _| !Self::FIELDS.contains(&name.as_str()));
    }
}

/// Serializes the unknown fields of `T`. Skips an entry with the name of a known field, because a reader of the JSON
/// would read the entry instead of the field.
pub(crate) fn unknown_fields<T: KnownFields, S: Serializer>(
    extra: &Map<String, Value>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(extra.iter().filter(|(name, _)| !T::FIELDS.contains(&name.as_str())))
}
