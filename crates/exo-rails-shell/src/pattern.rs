//! Matching with an answer for what is not known yet.

use super::word::mark;

/// Whether something holds, as far as a command shows before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    No,
    /// It depends on something that is not known.
    Maybe,
    Yes,
}

impl Holds {
    pub(super) fn any(all: impl IntoIterator<Item = Self>) -> Self {
        let mut best = Self::No;
        for holds in all {
            best = best.max(holds);
            if best == Self::Yes {
                break;
            }
        }
        best
    }

    /// Both hold.
    pub(super) fn and(self, other: Self) -> Self {
        self.min(other)
    }
}

/// Longer texts with unknown parts may match any pattern.
const COMPARED: usize = 512;

/// Which answers a caller has a use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of them.
    All,
    /// Only [`Holds::Yes`]; all others are [`Holds::No`].
    OnlyYes,
}

/// Which ASCII characters a text has, and whether a part of it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letters(u128);

impl Letters {
    /// The bit of marks. No command has the character 0.
    const MARKED: u128 = 1;

    pub(super) fn of(text: &str) -> Self {
        let letters = text.bytes().filter(u8::is_ascii).fold(0, |letters, byte| letters | 1 << byte);
        let marked = !text.is_ascii() && mark::in_text(text);
        Self(if marked { letters | Self::MARKED } else { letters & !Self::MARKED })
    }

    pub(super) fn marked(self) -> bool {
        self.0 & Self::MARKED != 0
    }

    fn contain(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A pattern that is compared with many texts. Most texts lack a character of it.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    letters: Letters,
    /// It describes an option with its value, or an assignment.
    pub(super) valued: bool,
}

impl Pattern {
    pub(super) fn new(text: String) -> Self {
        let Letters(letters) = Letters::of(&text);
        let letters = Letters(letters & !(1 << b'*' | 1 << b'?' | Letters::MARKED));
        let valued = text.starts_with('-') && text.contains(['*', '='])
            || text.find('=').is_some_and(|at| !text[..at].contains('*') || at == 1);
        Self { text, letters, valued }
    }

    /// Matches a text, as [`glob`] does.
    pub(super) fn matches(&self, text: &str, letters: Letters, wanted: Wanted) -> Holds {
        if !letters.contain(self.letters) && (wanted == Wanted::OnlyYes || !letters.marked()) {
            return Holds::No;
        }
        glob(&self.text, text, wanted)
    }

    /// Returns whether a text matches, whatever its marks are.
    pub(super) fn matches_plain(&self, text: &str, letters: Letters) -> bool {
        letters.contain(self.letters) && glob_plain(&self.text, text)
    }
}

/// Matches a text with a pattern in which `*` is any characters and `?` is one.
pub(super) fn glob(pattern: &str, text: &str, wanted: Wanted) -> Holds {
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
    if wanted == Wanted::OnlyYes || !mark::in_text(text) {
        return Holds::No;
    }
    let too_long = text.len() > COMPARED || pattern.len() > 127;
    if too_long || may_glob(pattern.as_bytes(), text) { Holds::Maybe } else { Holds::No }
}

/// Matches byte by byte, with a way back to the last `*` only.
pub(super) fn glob_plain(pattern: &str, text: &str) -> bool {
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
    while let Some(c) = chars.next() {
        if name(c) && chars.peek() != Some(&mark::STAR) {
            if c == mark::CLASS {
                // The characters of `[…]`.
                let _ = chars.by_ref().find(|c| *c == ']');
            }
            for (place, byte) in pattern.iter().enumerate() {
                if *byte != b'/' && reached & (1 << place) != 0 {
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
            assert_eq!(glob(pattern, text, Wanted::All) == Holds::Yes, expected, "{pattern} {text}");
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
            assert_eq!(glob(pattern, &text, Wanted::All), expected, "{pattern} {text}");
        }
    }
}
