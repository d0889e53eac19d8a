//! The texts in the arguments of a call and in the result of a tool.

use exo_rails_policy::PointerPattern;
use serde_json::Value;

use crate::arguments::{Search, Segment, Way, nested, place, step};
use crate::finding::Place;

/// Texts in texts beyond this depth are not read.
const DEPTH: usize = 4;

/// A text of a value.
#[derive(Debug)]
pub(super) struct Leaf<'v> {
    pub(super) text: &'v str,
    /// Whether it is a whole value and not the name of a field.
    pub(super) is_value: bool,
    /// Whether the text is inside of another text, which has been visited.
    pub(super) is_nested: bool,
    /// Whether the text is the name of an argument, which the schema of the tool says.
    pub(super) is_argument: bool,
    way: &'v Way<'v>,
    root: &'v str,
}

impl Leaf<'_> {
    /// Returns the place of the text. For a text in a text, it is the place of the outer one.
    pub(super) fn place(&self) -> Place {
        Place::pointer(format!("{}{}", self.root, place(self.way).pointer))
    }
}

/// Calls `visit` with each text at some places of a value: texts, numbers, names of fields, and what texts that contain JSON
/// have inside. Without places, it visits the whole value.
pub(super) fn each_leaf_at(value: &Value, places: &[PointerPattern], visit: &mut dyn FnMut(&Leaf<'_>)) {
    // A text that is not JSON has no places.
    if places.is_empty() || value.as_str().is_some_and(|text| nested(text).is_none()) {
        return leaves(value, "", 0, visit);
    }
    for pattern in places {
        pattern.each(value, &mut |way, value| leaves(value, &place(way).pointer, 0, visit));
    }
}

/// A loop, because a value made in code can be nested deeper than the stack allows.
fn leaves(value: &Value, root: &str, depth: usize, visit: &mut dyn FnMut(&Leaf<'_>)) {
    let mut open: Vec<(Way<'_>, &Value)> = vec![(None, value)];
    while let Some((way, value)) = open.pop() {
        let is_top = way.is_none() && root.is_empty() && depth == 0;
        let mut leaf = |text: &str, is_value: bool, way: &Way<'_>| {
            let is_argument = !is_value && is_top && way.is_some();
            visit(&Leaf { text, is_value, is_nested: depth > 0, is_argument, way, root });
        };
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => leaf(&number.to_string(), true, &way),
            Value::String(text) => {
                leaf(text, true, &way);
                if depth < DEPTH
                    && let Some(inner) = nested(text)
                {
                    let root = format!("{root}{}", place(&way).pointer);
                    // The places in the inner value are not those of the arguments.
                    leaves(&inner, &root, depth + 1, &mut |leaf| {
                        visit(&Leaf { way: &None, root: &root, ..*leaf });
                    });
                }
            }
            Value::Array(items) => {
                let items = items.iter().enumerate().rev();
                open.extend(items.map(|(index, item)| (Some(step(&way, Segment::Index(index))), item)));
            }
            Value::Object(fields) => {
                for (name, value) in fields.iter().rev() {
                    let way = Some(step(&way, Segment::Name(name)));
                    leaf(name, false, &way);
                    open.push((way, value));
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(value: &Value, places: &[&str]) -> Vec<String> {
        let places: Vec<_> = places.iter().map(|place| place.parse().unwrap()).collect();
        let mut found = Vec::new();
        each_leaf_at(value, &places, &mut |leaf| {
            found.push(format!("{}={}{}", leaf.place().pointer, leaf.text, if leaf.is_value { "" } else { "!" }));
        });
        found
    }

    #[test]
    fn each_text_and_name_has_its_pointer() {
        let value = json!({ "to": "a", "n": [1, true, "{\"x\": \"y\"}"] });
        assert_eq!(all(&value, &["/to"]), ["/to=a"]);
        assert_eq!(
            all(&value, &[]),
            ["/to=to!", "/n=n!", "/n/0=1", "/n/2={\"x\": \"y\"}", "/n/2=x!", "/n/2=y", "/to=a"]
        );
        assert_eq!(all(&json!("{\"to\": \"a\"}"), &["/to"]), ["=a"]);
        assert_eq!(all(&json!("to: a"), &["/to"]), ["=to: a"]);
    }
}
