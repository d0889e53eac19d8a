//! Parameter expansions of values that are known: `${f%.txt}`, `${path##*/}`, `${name:-default}`.

use crate::pattern::glob_plain;
use crate::word::mark;

/// Returns what an expansion makes of a value, or `None` if that is not known. The operator is what follows the name.
pub(super) fn expand(value: &str, operator: &str) -> Option<String> {
    if operator.is_empty() {
        return Some(value.to_owned());
    }
    let pattern = operator.trim_start_matches(['%', '#']);
    if pattern.contains(['?', '[', '\\', '\'', '"', '$', '`', '{', '~']) {
        return None;
    }
    match operator.split_at(operator.len() - pattern.len()).0 {
        "%" => without_end(value, pattern, false),
        "%%" => without_end(value, pattern, true),
        "#" => without_begin(value, pattern, false),
        "##" => without_begin(value, pattern, true),
        _ if value.is_empty() => None,
        _ if operator.starts_with([':', '-']) => {
            let default = operator.trim_start_matches(':').starts_with(['-', '?']);
            default.then(|| value.to_owned())
        }
        _ => replaced(value, operator.strip_prefix('/')?),
    }
}

fn without_end(value: &str, pattern: &str, longest: bool) -> Option<String> {
    let cuts = || value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let matches = |at: &usize| glob_plain(pattern, &value[*at..]);
    let cut = if longest { cuts().find(matches) } else { cuts().rev().find(matches) };
    // An unknown name of a file may end in the same way.
    let certain = !value.ends_with(mark::is);
    certain.then(|| value[..cut.unwrap_or(value.len())].to_owned())
}

fn without_begin(value: &str, pattern: &str, longest: bool) -> Option<String> {
    let cuts = || value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let matches = |at: &usize| glob_plain(pattern, &value[..*at]);
    let cut = if longest { cuts().rev().find(matches) } else { cuts().find(matches) };
    // What a pattern of names finds has no `/`.
    let certain = !mark::in_text(value) || pattern == "*/";
    certain.then(|| value[cut.unwrap_or(0)..].to_owned())
}

/// Replaces a plain text: `a/b` or `/a/b`.
fn replaced(value: &str, operator: &str) -> Option<String> {
    let (all, operator) = operator.strip_prefix('/').map_or((false, operator), |rest| (true, rest));
    let (old, new) = operator.split_once('/').unwrap_or((operator, ""));
    if old.is_empty()
        || old.starts_with(['#', '%'])
        || operator.contains('*')
        || new.contains('&')
        || mark::in_text(value)
    {
        return None;
    }
    Some(if all { value.replace(old, new) } else { value.replacen(old, new, 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_expanded_as_bash_expands_them() {
        let star = mark::STAR;
        let names = format!("src/{star}.txt");
        for (value, operator, expected) in [
            ("a.tar.gz", "%.gz", Some("a.tar".to_owned())),
            ("a.tar.gz", "%.*", Some("a.tar".to_owned())),
            ("a.tar.gz", "%%.*", Some("a".to_owned())),
            ("a.tar.gz", "%.zip", Some("a.tar.gz".to_owned())),
            ("x/y/z", "##*/", Some("z".to_owned())),
            ("x/y/z", "#*/", Some("y/z".to_owned())),
            ("x/y/z", "%/*", Some("x/y".to_owned())),
            ("3.11", "/./", Some("311".to_owned())),
            ("a.b.c", "//./-", Some("a-b-c".to_owned())),
            ("a", ":-b", Some("a".to_owned())),
            ("", ":-b", None),
            ("a", ":+b", None),
            ("a", ":0:1", None),
            ("a", "/#a/b", None),
            (&names, "%.txt", Some(format!("src/{star}"))),
            (&names, "##*/", Some(format!("{star}.txt"))),
            (&names, "#src", None),
            (&star.to_string(), "%.txt", None),
        ] {
            assert_eq!(expand(value, operator), expected, "{value} {operator}");
        }
    }
}
