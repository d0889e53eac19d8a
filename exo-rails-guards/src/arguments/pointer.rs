//! JSON pointers with wildcards.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::step::{Segment, Way, step};
use crate::ConfigError;

/// A JSON pointer ([RFC 6901]) in which the segment `*` stands for any name or index.
///
/// ```
/// use exo_rails_guards::PointerPattern;
///
/// // The paths in `{ "files": [{ "path": "a.txt" }, { "path": "b.txt" }] }`.
/// let pattern: PointerPattern = "/files/*/path".parse()?;
/// assert_eq!(pattern.to_string(), "/files/*/path");
///
/// let error = "path".parse::<PointerPattern>().unwrap_err();
/// assert_eq!(error.to_string(), "the pointer `path` must begin with `/`: write `/path`");
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
///
/// The empty pointer is the whole value.
///
/// [RFC 6901]: https://www.rfc-editor.org/rfc/rfc6901
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PointerPattern {
    segments: Vec<String>,
}

impl PointerPattern {
    /// Returns the values that the pattern points at, each with the way to it.
    pub(crate) fn find<'v>(&self, value: &'v Value) -> Vec<(Way<'v>, &'v Value)> {
        let mut found = vec![(None, value)];
        for segment in &self.segments {
            found = found.iter().flat_map(|(way, value)| children(way, value, segment)).collect();
        }
        found
    }
}

/// Returns the children of a value that a segment selects.
fn children<'v>(way: &Way<'v>, value: &'v Value, segment: &str) -> Vec<(Way<'v>, &'v Value)> {
    let name = |(name, value): (&'v String, &'v Value)| (Some(step(way, Segment::Name(name))), value);
    let index = |(index, value): (usize, &'v Value)| (Some(step(way, Segment::Index(index))), value);
    match value {
        Value::Object(fields) if segment == "*" => fields.iter().map(name).collect(),
        Value::Object(fields) => fields.get_key_value(segment).map(name).into_iter().collect(),
        Value::Array(items) if segment == "*" => items.iter().enumerate().map(index).collect(),
        Value::Array(items) => {
            let item = segment.parse().ok().and_then(|at: usize| Some((at, items.get(at)?)));
            item.map(index).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Escapes a name for a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl std::str::FromStr for PointerPattern {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        if text.is_empty() {
            return Ok(Self { segments: Vec::new() });
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err(ConfigError::new(format!("the pointer `{text}` must begin with `/`: write `/{text}`")));
        };
        let segments = rest.split('/').map(|segment| segment.replace("~1", "/").replace("~0", "~"));
        Ok(Self { segments: segments.collect() })
    }
}

impl TryFrom<String> for PointerPattern {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<PointerPattern> for String {
    fn from(pattern: PointerPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for PointerPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments.iter().try_for_each(|segment| write!(f, "/{}", escaped(segment)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::super::step::place;
    use super::*;
    use serde_json::json;

    #[test]
    fn wildcards_select_names_and_indices() {
        let value = json!({ "a": [{ "p": 1 }, { "p": 2 }], "b": { "x/y": { "p": 3 } }, "*": 4 });
        let found = |pattern: &str| {
            let pattern: PointerPattern = pattern.parse().unwrap();
            pattern.find(&value).iter().map(|(way, value)| format!("{}={value}", place(way))).collect::<Vec<_>>()
        };
        assert_eq!(found("/a/*/p"), ["/a/0/p=1", "/a/1/p=2"]);
        assert_eq!(found("/a/1/p"), ["/a/1/p=2"]);
        assert_eq!(found("/b/x~1y/p"), ["/b/x~1y/p=3"]);
        assert_eq!(found("/*/*/p").len(), 3);
        assert_eq!(found("/a/p"), [""; 0]);
        assert_eq!(found("").len(), 1);
    }
}
