//! Matching with an answer for what is not known yet.

use super::word::mark;

/// Whether something holds, as far as a command shows before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    No,
    /// It depends on something that is not known; a word is still one word.
    Maybe,
    /// It depends on a part that may become any words.
    MaybeWords,
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

    /// Both hold. Of two that may hold, the less known decides.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, other) => other,
            (this, Self::Yes) => this,
            (this, other) => this.max(other),
        }
    }
}

/// Longer texts with unknown parts may match any pattern.
const COMPARED: usize = 512;

/// Matches a text with a pattern in which `*` is any characters.
pub(super) fn glob(pattern: &str, text: &str) -> Holds {
    if glob_plain(pattern, text) {
        return Holds::Yes;
    }
    if !mark::in_text(text) {
        return Holds::No;
    }
    if text.len() > COMPARED || may_glob(&pattern.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>()) {
        if text.contains(mark::SPLITS) { Holds::MaybeWords } else { Holds::Maybe }
    } else {
        Holds::No
    }
}

/// Matches byte by byte, with a way back to the last `*` only.
fn glob_plain(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
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

/// Returns whether a text with unknown parts can match: a table of both, in which an unknown part is any characters.
fn may_glob(pattern: &[char], text: &[char]) -> bool {
    let free = |c: char| matches!(c, mark::UNKNOWN | mark::SPLITS | mark::STAR | mark::ANY | mark::CLASS);
    let mut row: Vec<bool> = vec![false; pattern.len() + 1];
    row[0] = true;
    for p in 0..pattern.len() {
        row[p + 1] = row[p] && pattern[p] == '*';
    }
    for &c in text {
        let mut next = vec![false; pattern.len() + 1];
        if free(c) {
            // Any part of the pattern from a place that was reached.
            let mut reached = false;
            for p in 0..=pattern.len() {
                reached |= row[p];
                next[p] = reached;
            }
        } else {
            for p in 0..pattern.len() {
                next[p + 1] = (row[p] && pattern[p] == c) || (pattern[p] == '*' && (next[p] || row[p + 1]));
            }
            if pattern.first() == Some(&'*') {
                next[0] = false;
            }
        }
        for p in 0..pattern.len() {
            if next[p] && pattern[p] == '*' {
                next[p + 1] = true;
            }
        }
        row = next;
    }
    row[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_match_or_do_not() {
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
            ("x", mark::SPLITS.to_string(), Holds::MaybeWords),
        ] {
            assert_eq!(glob(pattern, &text), expected, "{pattern} {text}");
        }
    }
}
