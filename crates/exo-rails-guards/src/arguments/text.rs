//! All texts in a value, with their places and names.

use serde_json::Value;

use super::step::{Segment, Way, place, step};
use crate::finding::Place;

/// A text in the arguments of a tool call.
#[derive(Debug)]
pub(crate) struct Text<'v> {
    way: Way<'v>,
    /// The name of the field that has the text, also if lists are between them.
    #[cfg_attr(not(any(feature = "paths", feature = "urls")), allow(dead_code, reason = "only these guards need it"))]
    pub(crate) name: Option<&'v str>,
    /// Whether the text is the name of a field.
    #[cfg_attr(not(feature = "urls"), expect(dead_code, reason = "only the guard of URLs needs it"))]
    pub(crate) is_field: bool,
    /// The text.
    pub(crate) content: &'v str,
}

impl Text<'_> {
    /// Returns the place of the text. For the name of a field, it is the place of the field.
    pub(crate) fn place(&self) -> Place {
        place(&self.way)
    }
}

/// Returns all texts in a value, including the names of fields. A loop, because a value made in code can be nested deeper
/// than the stack allows.
pub(crate) fn texts<'v>(way: &Way<'v>, value: &'v Value) -> Vec<Text<'v>> {
    let (mut found, mut open) = (Vec::new(), vec![(way.clone(), None, value)]);
    while let Some((way, name, value)) = open.pop() {
        match value {
            Value::String(text) => found.push(Text { way, name, is_field: false, content: text }),
            Value::Array(items) => {
                let items = items.iter().enumerate().rev();
                open.extend(items.map(|(index, item)| (Some(step(&way, Segment::Index(index))), name, item)));
            }
            Value::Object(fields) => {
                for (field, value) in fields.iter().rev() {
                    let way = Some(step(&way, Segment::Name(field)));
                    found.push(Text { way: way.clone(), name, is_field: true, content: field });
                    open.push((way, Some(field), value));
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(any(feature = "paths", feature = "urls"))]
/// Returns the values at a place that may have one value, a list of values, or nothing.
pub(crate) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        value => std::slice::from_ref(value),
    }
}

#[cfg(any(feature = "paths", feature = "urls"))]
/// Returns the last word of a name in lower case: `path` in `file_path`, `filePath` and `File-Path`.
pub(crate) fn last_word(name: &str) -> String {
    split_last_word(name).1.to_lowercase()
}

/// Returns the words of a name in lower case, the last one first: `file` and `copy` in `copy_file`.
#[cfg(feature = "paths")]
pub(crate) fn words(name: &str) -> impl Iterator<Item = String> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let (before, word) = split_last_word(rest);
        rest = before;
        (!word.is_empty()).then(|| word.to_lowercase())
    })
}

#[cfg(any(feature = "paths", feature = "urls"))]
/// Returns the last word of a name, and the text before it.
fn split_last_word(name: &str) -> (&str, &str) {
    let name = name.trim_end_matches(|character: char| !character.is_alphabetic());
    let start = name.char_indices().rev().scan(None, |next: &mut Option<char>, (at, character)| {
        // `URL` and `PATH` are one word. In `filePath`, the word begins at its capital letter.
        let ends = !character.is_alphabetic() || (character.is_lowercase() && next.is_some_and(char::is_uppercase));
        *next = Some(character);
        (!ends).then_some(at)
    });
    name.split_at(start.last().unwrap_or(name.len()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;
    use serde_json::json;

    #[cfg(any(feature = "paths", feature = "urls"))]
    #[test]
    fn the_last_word_of_a_name_is_found_in_every_style() {
        for name in ["path", "PATH", "file_path", "filePath", "File-Path", "path2", "path_", "the.path", "größePath"]
        {
            assert_eq!(last_word(name), "path", "{name}");
        }
        for (name, word) in [("", ""), ("1", ""), ("xpath", "xpath"), ("baseURL", "url"), ("HTTPSite", "httpsite")] {
            assert_eq!(last_word(name), word, "{name}");
        }
    }

    #[cfg(feature = "paths")]
    #[test]
    fn the_words_of_a_name_are_found_in_every_style() {
        for name in ["copy_file", "copyFile", "CopyFile", "copy-file", "_copy.file_2"] {
            assert_eq!(words(name).collect::<Vec<_>>(), ["file", "copy"], "{name}");
        }
        assert_eq!(words("mcp__fs__İMoveIt7").collect::<Vec<_>>(), ["it", "i\u{307}move", "fs", "mcp"]);
        assert_eq!(words("").count() + words("_7").count(), 0);
    }

    #[test]
    fn each_text_has_its_pointer_and_the_name_of_its_field() {
        let value = json!({ "files": ["a", ["b"]], "map": { "x/y": "c" } });
        let found = texts(&None, &value);
        let at = |text: &str| {
            let found = found.iter().find(|found| found.content == text).unwrap();
            (found.place().pointer, found.name)
        };
        assert_eq!(at("a"), ("/files/0".into(), Some("files")));
        assert_eq!(at("b"), ("/files/1/0".into(), Some("files")));
        assert_eq!(at("c"), ("/map/x~1y".into(), Some("x/y")));
        assert_eq!(at("x/y"), ("/map/x~1y".into(), Some("map")));
    }
}
