//! JSON pointers with wildcards.

use exo_rails_policy::PointerPattern;
use exo_rails_policy::PointerSegment as Segment;
use exo_rails_text::codes;
use exo_rails_text::spelling::{folded, readings};
use serde_json::Value;

use super::json::{DEPTH, nested};
use super::step::{Segment as At, Way, step};

/// Finds the values at a place.
pub(crate) trait Search {
    /// Returns the values that are exactly at the place.
    fn exact<'v>(&self, value: &'v Value) -> Vec<&'v Value>;

    /// Calls `visit` with each value that may be meant by the place, and the way to it. For a value in a text that contains
    /// JSON, it is the way to the text.
    fn each(&self, value: &Value, visit: &mut dyn FnMut(&Way<'_>, &Value));
}

impl Search for PointerPattern {
    fn exact<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        let mut found = vec![value];
        for segment in self.segments() {
            found = found.into_iter().flat_map(|value| children(segment, value)).collect();
        }
        found
    }

    fn each(&self, value: &Value, visit: &mut dyn FnMut(&Way<'_>, &Value)) {
        each_below(None, value, self.segments(), 0, visit);
    }
}

/// Returns the children of a value with exactly this name or index.
fn children<'v>(segment: &Segment, value: &'v Value) -> Vec<&'v Value> {
    match (value, segment) {
        (Value::Object(fields), Segment::Any) => fields.values().collect(),
        (Value::Object(fields), Segment::Name(name)) => fields.get(name).into_iter().collect(),
        (Value::Array(items), Segment::Any) => items.iter().collect(),
        (Value::Array(items), Segment::Name(name)) => index(items, name).map(|(_, item)| item).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn may_be(segment: &Segment, name: &str) -> bool {
    match segment {
        Segment::Name(wanted) => wanted == name || is_spelling(name, wanted),
        Segment::Any => true,
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
                let fields = fields.iter().filter(|(name, _)| may_be(first, name)).rev();
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
    if name.is_ascii() && wanted.is_ascii() && codes::is_plain(name) {
        return name.trim().eq_ignore_ascii_case(wanted);
    }
    let wanted = folded(wanted);
    readings(name).iter().any(|name| wanted.contains(name))
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
    fn a_pattern_searches_a_deeply_nested_value_without_recursion() {
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
