//! The name that the author probably meant.

/// Returns the name that is most similar to `wrong`, if it is similar enough.
///
/// A name that differs only in case is the most similar. In other names, up to a third of the characters may differ, and always
/// one.
///
/// ```
/// use exo_rails_dygram::nearest;
///
/// assert_eq!(nearest("sumarize", ["summarize", "retry"]), Some("summarize"));
/// assert_eq!(nearest("Retry", ["summarize", "retry"]), Some("retry"));
/// assert_eq!(nearest("abort", ["summarize", "retry"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer names are not misspellings, and computing their distances would take long.
    const LONGEST: usize = 64;
    if wrong.len() > LONGEST {
        return None;
    }
    let allowed = (wrong.chars().count() / 3).max(1);
    let lowered = wrong.to_lowercase();
    let distance = |name: &str| {
        let is_same = name.to_lowercase() == lowered;
        if is_same { 0 } else { strsim::osa_distance(wrong, name) }
    };
    let close = |name: &&str| name.len().abs_diff(wrong.len()) <= 4 * allowed && *name != wrong;
    let near = names.into_iter().filter(close).map(|name| (distance(name), name));
    near.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}
