//! Keys that consist of parts.

/// Makes a key from parts, with `/` between them.
///
/// Different parts always make different keys, even if a part comes from a user and contains `/`. The function replaces `~`
/// with `~0`, `/` with `~1` and `:` with `~2` in each part.
///
/// ```
/// use exo_rails_store::key;
///
/// assert_eq!(key(["budget", "tokens", "ada"]), "budget/tokens/ada");
/// assert_eq!(key(["budget", "tokens/ada"]), "budget/tokens~1ada");
/// ```
#[must_use]
pub fn key<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut key = String::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            key.push('/');
        }
        escape(part, &mut key);
    }
    key
}

fn escape(part: &str, key: &mut String) {
    for character in part.chars() {
        match character {
            '~' => key.push_str("~0"),
            '/' => key.push_str("~1"),
            ':' => key.push_str("~2"),
            other => key.push(other),
        }
    }
}
