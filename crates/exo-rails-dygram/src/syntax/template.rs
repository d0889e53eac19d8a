//! Templates in texts: `{{plan.title}}`.

use super::is_name;
use crate::diagnostic::Span;

/// A template such as `{{a.b}}` in a text.
///
/// ```
/// use exo_rails_dygram::syntax::holes;
///
/// let text = "Summarize {{input.data}}.";
/// let found = holes(text);
/// assert_eq!(found[0].path, ["input", "data"]);
/// assert_eq!(found[0].span.of(text), "{{input.data}}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The names between the braces.
    pub path: Vec<String>,
    /// The bytes in the text, with the braces.
    pub span: Span,
}

/// Finds the templates in a text.
///
/// A template contains only names with dots between them. Other braces, such as braces in JSON, are plain text.
#[must_use]
pub fn holes(text: &str) -> Vec<Hole> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("{{")).map(|open| at + open) {
        let inside = text.get(open + 2..).unwrap_or_default();
        let length = inside.find(['{', '}']).unwrap_or(inside.len());
        let path: Vec<String> = inside.get(..length).unwrap_or_default().trim().split('.').map(str::to_owned).collect();
        let is_closed = inside.get(length..).is_some_and(|end| end.starts_with("}}"));
        if is_closed && path.iter().all(|name| is_name(name)) {
            found.push(Hole { path, span: Span::new(open, open + length + 4) });
            at = open + length + 4;
        } else {
            at = open + 1;
        }
    }
    found
}

/// Finds the templates in a text whose braces at the end are missing, such as `{{plan.title}`. A text with other parts
/// between the braces is not a template.
pub(crate) fn unclosed(text: &str) -> Vec<Hole> {
    let mut found = Vec::new();
    for (open, _) in text.match_indices("{{") {
        let inside = text.get(open + 2..).unwrap_or_default();
        let length = inside.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c))).unwrap_or(inside.len());
        let (name, end) = inside.split_at(length);
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        let is_open = end.is_empty() || (end.starts_with('}') && !end.starts_with("}}"));
        if is_open && path.iter().all(|name| is_name(name)) {
            found.push(Hole { path, span: Span::new(open, open + 2 + length) });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_in_double_braces_are_templates() {
        let cases: [(&str, &[&str]); 7] = [
            ("{{a}} and {{ b.c }}", &["a", "b.c"]),
            ("{{{a}}}", &["a"]),
            (r#"{"x":{"y":{}}}"#, &[]),
            ("{{a b}} {{}} {{.}}", &[]),
            ("{{a", &[]),
            ("{{a}", &[]),
            ("é{{b}}", &["b"]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = holes(text).iter().map(|hole| hole.path.join(".")).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn templates_without_their_end_are_found() {
        let cases: [(&str, &[&str]); 6] = [
            ("{{a", &["a"]),
            ("{{a.b} and {{c}}", &["a.b"]),
            ("{{a}} {{ {{b}", &["b"]),
            (r#"{{"a": {}}"#, &[]),
            ("{{a b}", &[]),
            ("{{a:1} {a} }}", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = unclosed(text).iter().map(|hole| hole.path.join(".")).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
