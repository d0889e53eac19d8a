//! Matching with an answer for what is not known yet.

use super::word::mark;

/// Whether something holds, as far as a command shows before it runs.
///
/// ```
/// use exo_rails_shell::Holds;
///
/// assert!(Holds::Yes > Holds::Maybe && Holds::Maybe > Holds::No);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// It does not hold.
    No,
    /// It depends on something that is not known.
    Maybe,
    /// It holds.
    Yes,
}

impl Holds {
    pub(crate) fn any(all: impl IntoIterator<Item = Self>) -> Self {
        let mut best = Self::No;
        for holds in all {
            best = best.max(holds);
            if best == Self::Yes {
                break;
            }
        }
        best
    }
}

/// Longer texts with unknown parts may match any pattern.
const COMPARED: usize = 512;

/// Matches a text with a pattern in which `*` is any characters and `?` is one.
pub(crate) fn glob(pattern: &str, text: &str) -> Holds {
    // Most patterns begin with another letter.
    let (first, begin) = (pattern.bytes().next(), text.bytes().next());
    if let (Some(first), Some(begin)) = (first, begin)
        && first != begin
        && begin.is_ascii()
        && !matches!(first, b'*' | b'?')
    {
        return Holds::No;
    }
    if glob_plain(pattern, text) {
        return Holds::Yes;
    }
    if !mark::in_text(text) {
        return Holds::No;
    }
    let too_long = text.len() > COMPARED || pattern.len() > 127;
    if too_long || may_glob(pattern.as_bytes(), text) { Holds::Maybe } else { Holds::No }
}

/// Returns whether a path with patterns of names, as bash reads `src/*.rs`, may find a path that a pattern describes.
///
/// In `names`, `*` and `?` are those of bash: they find no `/`, and no `.` at the start of a name. In `pattern`, `*` is any characters.
///
/// ```
/// use exo_rails_shell::may_find;
///
/// assert!(may_find("config/.e*", "*/.env") && may_find("/srv/k*/a.pem", "/srv/keys/*"));
/// assert!(!may_find("config/*", "*/.env") && !may_find("src/*.rs", "*/.env"));
/// ```
#[must_use]
pub fn may_find(names: &str, pattern: &str) -> bool {
    let marked: String = names
        .chars()
        .map(|c| match c {
            '*' => mark::STAR,
            '?' => mark::ANY,
            c => c,
        })
        .collect();
    pattern.len() > 127 || may_glob(pattern.as_bytes(), &marked)
}

/// Matches byte by byte, with a way back to the last `*` only.
pub(crate) fn glob_plain(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p).is_some_and(|byte| *byte == b'?' || *byte == text[t]) {
            p += 1;
            t += 1;
        } else if let Some((star_p, star_t)) = star {
            p = star_p + 1;
            t = star_t + 1;
            star = Some((star_p, star_t + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|b| *b == b'*')
}

/// Returns whether a text with unknown parts can match, if an unknown part is any characters. A bit of `reached` is a place in
/// the pattern.
fn may_glob(pattern: &[u8], text: &str) -> bool {
    let free = |c: char| matches!(c, mark::UNKNOWN | mark::SPLITS);
    // What a pattern of names finds has no `/`, other than that of `**`.
    let name = |c: char| matches!(c, mark::STAR | mark::ANY | mark::CLASS);
    let all = (2_u128 << pattern.len()).wrapping_sub(1);
    let stars = pattern.iter().enumerate().fold(0, |stars, (place, byte)| stars | u128::from(*byte == b'*') << place);
    let behind_stars = |mut reached: u128| {
        while (reached & stars) << 1 & !reached != 0 {
            reached |= (reached & stars) << 1;
        }
        reached
    };
    let mut reached = behind_stars(1);
    let mut buffer = [0; 4];
    let mut chars = text.chars().peekable();
    let mut before = '/';
    while let Some(c) = chars.next() {
        let begins_name = std::mem::replace(&mut before, c) == '/';
        if name(c) && chars.peek() != Some(&mark::STAR) {
            if c == mark::CLASS {
                // The characters of `[…]`.
                let _ = chars.by_ref().find(|c| *c == ']');
            }
            for (place, byte) in pattern.iter().enumerate() {
                // A name with a dot in front is found only by a pattern with a dot in front.
                let is_hidden = begins_name && *byte == b'.' && (place == 0 || pattern[place - 1] == b'/');
                if *byte != b'/' && !is_hidden && reached & (1 << place) != 0 {
                    reached |= 2 << place;
                }
            }
            continue;
        }
        if free(c) || name(c) {
            // Any part of the pattern behind the first place that is reached.
            let first = reached & reached.wrapping_neg();
            reached = all & !(first.wrapping_sub(1));
            continue;
        }
        for byte in c.encode_utf8(&mut buffer).bytes() {
            let mut next = 0;
            let mut left = reached;
            while left != 0 {
                let place = left.trailing_zeros() as usize;
                left &= left - 1;
                match pattern.get(place) {
                    Some(b'*') => next |= 1 << place,
                    Some(expected) if *expected == byte || *expected == b'?' => next |= 2 << place,
                    _ => {}
                }
            }
            reached = behind_stars(next);
        }
        if reached == 0 {
            return false;
        }
    }
    reached & (1 << pattern.len()) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_decides_about_texts_without_unknown_parts() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*b*c", "a1b2b3c", true),
            ("a*b", "a1c", false),
            ("", "", true),
            ("", "a", false),
            ("ab", "abc", false),
            ("*.pem", "x.pem", true),
        ] {
            assert_eq!(glob(pattern, text) == Holds::Yes, expected, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns_of_names_find_no_hidden_names_by_chance() {
        for (names, pattern, expected) in [
            ("*", ".env", false),
            (".*", ".env", true),
            ("config/*", "*/.env", false),
            ("config/.e?v", "*/.env", true),
            ("*/*.env", "*/a.env", true),
            ("*.txt", "*/.env", false),
            ("a*", "a.env", true),
        ] {
            assert_eq!(may_find(names, pattern), expected, "{names} {pattern}");
        }
    }

    #[test]
    fn unknown_parts_may_match() {
        let unknown = mark::UNKNOWN;
        for (pattern, text, expected) in [
            ("--force", format!("--{unknown}"), Holds::Maybe),
            ("--force", format!("src/{unknown}"), Holds::No),
            ("of=/dev/*", format!("of={unknown}"), Holds::Maybe),
            ("of=/dev/*", format!("of=/dev/{unknown}"), Holds::Yes),
            ("of=/dev/*", format!("if={unknown}"), Holds::No),
            ("a*c", format!("{unknown}b"), Holds::No),
            ("a*c", format!("{unknown}c"), Holds::Maybe),
            ("x", mark::SPLITS.to_string(), Holds::Maybe),
            ("*/.git/*", format!("{}.md", mark::STAR), Holds::No),
            ("*/.git/*", format!("{0}{0}/x", mark::STAR), Holds::Maybe),
            ("id_rsa", format!("id_rs{}ab]", mark::CLASS), Holds::Maybe),
            ("-1", mark::NUMBER.to_string(), Holds::No),
            ("a*c", format!("a{}c", mark::NUMBER), Holds::Yes),
        ] {
            assert_eq!(glob(pattern, &text), expected, "{pattern} {text}");
        }
    }
}
