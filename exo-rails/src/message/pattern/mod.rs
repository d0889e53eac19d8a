//! What rails look for in a streamed answer.

#[cfg(feature = "regex")]
mod regex;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// What [`StreamWindow::replace`](crate::StreamWindow::replace) and [`find`](crate::StreamWindow::find) look for.
///
/// A pattern says more than where it matches: of a text that goes on, it says from where on a match may still begin or
/// grow. Only that end of the text is held back.
///
/// These are patterns:
///
/// | pattern | matches |
/// |---|---|
/// | `str`, `&str`, `String` | this text; the empty text matches nowhere |
/// | `char`, a closure of `char` to `bool` | one character |
/// | a slice, array or `Vec` of patterns | what one of them matches; of several at one place, the longest match |
/// | `regex::Regex`, with the feature `regex` | the regex, but no empty match |
/// | `LazyLock` and `Arc` of a pattern | what the pattern matches |
///
/// Write the flags of a regex into its text: `(?i)key`. Those that only a `RegexBuilder` knows cannot be read. A regex that has
/// some holds back the whole answer, because nothing says where its match may begin. The first search for a regex builds its
/// automaton, which takes a millisecond, and ten or more with Unicode classes like `\w`. The automaton is kept.
///
/// Implement it for what none of these can express:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{Excerpt, Pattern, Search};
///
/// /// The number of a card: 16 digits, the last of which checks the others.
/// struct CardNumber;
///
/// impl Pattern for CardNumber {
///     fn search(&self, excerpt: Excerpt<'_>) -> Search {
///         let mut from = excerpt.from;
///         while let Some(skipped) = excerpt.text[from..].find(|char: char| char.is_ascii_digit()) {
///             let start = from + skipped;
///             let digits = excerpt.text[start..].bytes().take(16).take_while(u8::is_ascii_digit).count();
///             if start + digits == excerpt.text.len() && digits < 16 && !excerpt.is_last {
///                 return Search::Undecided { from: start };
///             }
///             if digits == 16 && is_valid(&excerpt.text[start..start + 16]) {
///                 return Search::Match(start..start + 16);
///             }
///             from = start + 1;
///         }
///         Search::Nothing
///     }
/// }
///
/// /// Luhn's formula.
/// fn is_valid(number: &str) -> bool {
///     let digits = number.bytes().rev().map(|byte| u32::from(byte - b'0'));
///     let doubled = |(i, digit)| if i % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 };
///     digits.enumerate().map(doubled).sum::<u32>() % 10 == 0
/// }
///
/// let mut window = StreamWindow::new("card 4111111111111111, order 4111111111111112", true);
/// assert_eq!(window.replace(&CardNumber, "[card]"), 1);
/// assert_eq!(window.text, "card [card], order 4111111111111112");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pattern",
    label = "not a pattern",
    note = "patterns are `str`, `String`, `char`, closures of `char` to `bool`, slices, arrays and `Vec`s of patterns, and with the feature `regex` also `regex::Regex`"
)]
pub trait Pattern {
    /// Searches for the first match in `excerpt.text` that begins at `excerpt.from` or later.
    ///
    /// A match in a text that goes on must not depend on what follows: when more text could make it longer, or make an
    /// earlier one, the answer is [`Search::Undecided`].
    fn search(&self, excerpt: Excerpt<'_>) -> Search;
}

/// A text in which a [`Pattern`] searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt<'t> {
    /// The text. What is before [`from`](Self::from) is only there to be looked at, as `\b` of a regex does: one character,
    /// or nothing where the answer begins.
    pub text: &'t str,
    /// Where the search begins, in bytes.
    pub from: usize,
    /// Whether the answer ends with this text. Then nothing is undecided.
    pub is_last: bool,
    /// How many characters the longest match has: the `window` of the rail, or [`usize::MAX`] when it has none. A pattern
    /// need not wait longer for a match to become whole.
    pub longest: usize,
}

impl<'t> Excerpt<'t> {
    /// All of a text, to search in it from its beginning.
    #[must_use]
    pub const fn new(text: &'t str, is_last: bool) -> Self {
        Self { text, from: 0, is_last, longest: usize::MAX }
    }
}

/// What a [`Pattern`] has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// No match, and none begins in this text.
    Nothing,
    /// The first match, in bytes. What follows the text does not change it.
    Match(Range<usize>),
    /// A match may begin here, or has begun, and what follows the text decides. No match begins earlier.
    Undecided {
        /// Where it begins, in bytes.
        from: usize,
    },
}

impl Pattern for str {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        let Excerpt { text, from, is_last, .. } = excerpt;
        if self.is_empty() {
            return Search::Nothing;
        }
        if let Some(at) = text[from..].find(self) {
            return Search::Match(from + at..from + at + self.len());
        }
        // The longest end of the text that the pattern begins with.
        let first = text.ceil_char_boundary((text.len() + 1).saturating_sub(self.len()).max(from));
        let mut ends = text[first..].char_indices().map(|(at, _)| first + at);
        match ends.find(|at| self.starts_with(&text[*at..])) {
            Some(from) if !is_last => Search::Undecided { from },
            _ => Search::Nothing,
        }
    }
}

impl Pattern for &str {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (**self).search(excerpt)
    }
}

impl Pattern for String {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        self.as_str().search(excerpt)
    }
}

impl Pattern for char {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (|char| char == *self).search(excerpt)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(char) -> bool> Pattern for F {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        let mut chars = excerpt.text[excerpt.from..].char_indices();
        match chars.find(|(_, char)| self(*char)) {
            Some((at, char)) => Search::Match(excerpt.from + at..excerpt.from + at + char.len_utf8()),
            None => Search::Nothing,
        }
    }
}

/// How far a list looks at first, in bytes.
const NEAR: usize = 4096;

impl<P: Pattern> Pattern for [P] {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        // All of its patterns look at what is near before one looks further: the next match of each may be far away, and is
        // searched again for each match of the others.
        let mut far = NEAR;
        loop {
            let end = excerpt.text.floor_char_boundary(excerpt.from.saturating_add(far));
            if end == excerpt.text.len() {
                return first(self, excerpt);
            }
            let near = Excerpt { text: &excerpt.text[..end], is_last: false, ..excerpt };
            if let found @ Search::Match(_) = first(self, near) {
                return found;
            }
            far = far.saturating_mul(2);
        }
    }
}

/// What is found first: of several matches at one place the longest.
fn first<P: Pattern>(patterns: &[P], excerpt: Excerpt<'_>) -> Search {
    let (mut found, mut undecided): (Option<Range<usize>>, Option<usize>) = (None, None);
    for pattern in patterns {
        match pattern.search(excerpt) {
            Search::Nothing => {}
            Search::Match(range) => {
                let rank = |range: &Range<usize>| (range.start, std::cmp::Reverse(range.end));
                found = Some(found.filter(|found| rank(found) <= rank(&range)).unwrap_or(range));
            }
            Search::Undecided { from } => undecided = Some(undecided.map_or(from, |earlier| earlier.min(from))),
        }
    }
    match (found, undecided) {
        (Some(range), undecided) if undecided.is_none_or(|from| from > range.start) => Search::Match(range),
        (_, Some(from)) => Search::Undecided { from },
        _ => Search::Nothing,
    }
}

impl<P: Pattern, const N: usize> Pattern for [P; N] {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        self.as_slice().search(excerpt)
    }
}

impl<P: Pattern> Pattern for Vec<P> {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        self.as_slice().search(excerpt)
    }
}

impl<P: Pattern> Pattern for LazyLock<P> {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (**self).search(excerpt)
    }
}

impl<P: Pattern + ?Sized> Pattern for Arc<P> {
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (**self).search(excerpt)
    }
}
