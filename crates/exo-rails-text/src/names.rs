//! Names in messages: the most similar one, and lists of names.

/// Returns the name that is most similar to `name`, if one is similar enough to be meant. Upper and lower case are the same.
///
/// ```
/// use exo_rails_text::names::nearest;
///
/// assert_eq!(nearest("max_deph", &["max_depth", "max_calls"]), Some("max_depth"));
/// assert_eq!(nearest("colour", &["max_depth", "max_calls"]), None);
/// ```
#[must_use]
pub fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let name = name.to_lowercase();
    let scored = known.iter().map(|known| (strsim::jaro_winkler(&name, &known.to_lowercase()), *known));
    scored.filter(|(score, _)| *score > 0.8).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, known)| known)
}

/// Returns the names in backticks, with commas.
///
/// ```
/// assert_eq!(exo_rails_text::names::quoted(&["a", "b"]), "`a`, `b`");
/// ```
#[must_use]
pub fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
