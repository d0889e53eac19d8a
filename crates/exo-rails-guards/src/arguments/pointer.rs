//! JSON pointers with wildcards.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{DEPTH, nested};
use super::spelling::folded;
use super::step::{Segment as At, Way, step};
use crate::ConfigError;

/// The place of arguments: the name of an argument, or a JSON pointer ([RFC 6901]) in which the segment `*` stands for any
/// name or index. All guards name arguments in this way. The empty pointer is the whole value.
///
/// ```
/// use exo_rails_guards::PointerPattern;
///
/// // The paths in `{ "files": [{ "path": "a.txt" }, { "path": "b.txt" }] }`.
/// let pattern: PointerPattern = "/files/*/path".parse()?;
/// assert_eq!(pattern.to_string(), "/files/*/path");
///
/// let name: PointerPattern = "path".parse()?;
/// assert_eq!(name, "/path".parse()?);
///
/// let error = "request/url".parse::<PointerPattern>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`request/url` is neither a name nor a pointer: write `/request/url`, or `/request~1url` for an argument with this name",
/// );
/// # Ok::<(), exo_rails_guards::ConfigError>(())
/// ```
///
/// A rule that lets something happen looks at exactly this place. A rule that stops or checks something also looks at other
/// spellings of the names (case, spaces, invisible characters, look-alikes), at each item of a list in the place of an
/// object, and in texts that contain JSON.
///
/// [RFC 6901]: https://www.rfc-editor.org/rfc/rfc6901
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PointerPattern {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Segment {
    Any,
    Name(String),
}

impl PointerPattern {
    /// Makes the place of an argument with this name.
    pub(crate) fn name(name: &str) -> Self {
        Self { segments: vec![Segment::Name(name.to_owned())] }
    }

    /// Returns the values that are exactly at the place.
    pub(crate) fn exact<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for segment in &self.segments {
            found = found.into_iter().flat_map(|value| segment.children(value)).collect();
        }
        found
    }

    /// Calls `visit` with each value that may be meant by the place, and the way to it. For a value in a text that contains
    /// JSON, it is the way to the text.
    pub(crate) fn each(&self, value: &Value, visit: &mut dyn FnMut(&Way<'_>, &Value)) {
        each_below(None, value, &self.segments, 0, visit);
    }
}

impl Segment {
    /// Returns the children of a value with exactly this name or index.
    fn children<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (value, self) {
            (Value::Object(fields), Self::Any) => fields.values().collect(),
            (Value::Object(fields), Self::Name(name)) => fields.get(name).into_iter().collect(),
            (Value::Array(items), Self::Any) => items.iter().collect(),
            (Value::Array(items), Self::Name(name)) => index(items, name).map(|(_, item)| item).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn may_be(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Name(wanted) => wanted == name || is_spelling(name, wanted),
        }
    }
}

fn index<'v>(items: &'v [Value], name: &str) -> Option<(usize, &'v Value)> {
    let index = name.parse().ok()?;
    items.get(index).map(|item| (index, item))
}

/// A loop, because a value made in code can be nested deeper than the stack allows.
fn each_below<'v>(
    way: Way<'v>,
    value: &'v Value,
    segments: &[Segment],
    depth: usize,
    visit: &mut dyn FnMut(&Way<'_>, &Value),
) {
    let child = |way: &Way<'v>, at: At<'v>| if depth == 0 { Some(step(way, at)) } else { way.clone() };
    let mut open = vec![(way, value, segments)];
    while let Some((way, value, segments)) = open.pop() {
        let Some((first, rest)) = segments.split_first() else {
            visit(&way, value);
            continue;
        };
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(name, _)| first.may_be(name)).rev();
                open.extend(fields.map(|(name, value)| (child(&way, At::Name(name)), value, rest)));
            }
            Value::Array(items) => {
                // Without a wildcard, a list is in the place of an object: each item may be meant.
                let then = if *first == Segment::Any { rest } else { segments };
                let all = items.iter().enumerate().rev();
                open.extend(all.map(|(index, item)| (child(&way, At::Index(index)), item, then)));
                if let Segment::Name(name) = first
                    && let Some((index, item)) = index(items, name)
                {
                    open.push((child(&way, At::Index(index)), item, rest));
                }
            }
            Value::String(text) if depth < DEPTH => {
                if let Some(value) = nested(text) {
                    each_below(way, &value, segments, depth + 1, visit);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether a name is another spelling of a name that a rule has.
fn is_spelling(name: &str, wanted: &str) -> bool {
    if name.is_ascii() && wanted.is_ascii() {
        return name.trim().eq_ignore_ascii_case(wanted);
    }
    let wanted = folded(wanted);
    folded(name).iter().any(|name| wanted.contains(name))
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
            if text.contains('/') {
                return Err(ConfigError::new(format!(
                    "`{text}` is neither a name nor a pointer: write `/{text}`, or `/{}` for an argument with this name",
                    escaped(text),
                )));
            }
            return Ok(if text == "*" { Self { segments: vec![Segment::Any] } } else { Self::name(text) });
        };
        let segments = rest.split('/').map(|segment| match segment {
            "*" => Segment::Any,
            name => Segment::Name(name.replace("~1", "/").replace("~0", "~")),
        });
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
        self.segments.iter().try_for_each(|segment| match segment {
            Segment::Any => f.write_str("/*"),
            Segment::Name(name) => write!(f, "/{}", escaped(name)),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::super::step::place;
    use super::*;
    use serde_json::json;

    fn each(value: &Value, pattern: &str) -> Vec<String> {
        let mut found = Vec::new();
        let pattern: PointerPattern = pattern.parse().unwrap();
        pattern.each(value, &mut |way, value| found.push(format!("{}={value}", place(way))));
        found
    }

    #[test]
    fn wildcards_select_names_and_indices() {
        let value = json!({ "a": [{ "p": 1 }, { "p": 2 }], "b": { "x/y": { "p": 3 } }, "*": 4 });
        for (pattern, expected) in [
            ("/a/*/p", vec!["/a/0/p=1", "/a/1/p=2"]),
            ("/a/1/p", vec!["/a/1/p=2"]),
            ("/b/x~1y/p", vec!["/b/x~1y/p=3"]),
            ("/*/*/p", vec!["/a/0/p=1", "/a/1/p=2", "/b/x~1y/p=3"]),
            ("*", vec!["/*=4", r#"/a=[{"p":1},{"p":2}]"#, r#"/b={"x/y":{"p":3}}"#]),
        ] {
            assert_eq!(each(&value, pattern), expected, "{pattern}");
            let pattern: PointerPattern = pattern.parse().unwrap();
            let exact: Vec<_> = pattern.exact(&value).iter().map(ToString::to_string).collect();
            let values: Vec<_> = expected.iter().map(|found| found.split_once('=').unwrap().1).collect();
            assert_eq!(exact, values, "{pattern}");
        }
        assert_eq!(each(&value, "").len(), 1);
        let in_list: PointerPattern = "/a/p".parse().unwrap();
        assert!(in_list.exact(&value).is_empty());
        assert_eq!(each(&value, "/a/p"), ["/a/0/p=1", "/a/1/p=2"]);
    }

    #[test]
    fn a_place_is_found_in_every_spelling() {
        for (root, at) in [
            (json!({ "path": "/etc" }), "/path"),
            (json!({ "Path": "/etc" }), "/Path"),
            (json!({ " path ": "/etc" }), "/ path "),
            (json!({ "pаth": "/etc" }), "/pаth"),
            (json!([{ "path": "/etc" }]), "/0/path"),
            (json!([[{ "path": "/etc" }]]), "/0/0/path"),
            (json!("{\"path\": \"/etc\"}"), "/"),
            (json!("\"{\\\"path\\\": \\\"/etc\\\"}\""), "/"),
        ] {
            assert_eq!(each(&root, "path"), [format!("{at}=\"/etc\"")], "{root}");
        }
        assert_eq!(each(&json!("{\"path\": \"a\", \"path\": \"/etc\"}"), "path"), [r#"/=["a","/etc"]"#]);
        assert_eq!(each(&json!({ "a": { "b/c": 1 } }), "/a/b~1c"), ["/a/b~1c=1"]);
        assert_eq!(each(&json!({ "a": "{\"b\": [1, 2]}" }), "/a/b/*"), ["/a=1", "/a=2"]);
    }

    #[test]
    fn a_deep_value_is_no_problem() {
        let mut value = json!({ "p": 1 });
        for _ in 0..100_000 {
            value = Value::Array(vec![value]);
        }
        let mut found = 0;
        "p".parse::<PointerPattern>().unwrap().each(&value, &mut |_, _| found += 1);
        assert_eq!(found, 1);
        std::mem::forget(value); // To drop it needs as much of the stack.
    }
}
