//! Patterns that rails search for in a streamed answer.

#[cfg(feature = "regex")]
mod regex;

use std::ops::{Deref, Range};
use std::sync::{Arc, LazyLock};

/// A pattern that [`StreamWindow::replace`](crate::StreamWindow::replace) and [`find`](crate::StreamWindow::find)
/// search for.
///
/// A pattern reports its matches. In a text that continues, it also reports the place from which a match may still
/// begin or grow. The window holds back only the text after this place.
///
/// The library implements the trait for these types:
///
/// | pattern | matches |
/// |---|---|
/// | `str`, `&str`, `String` | this text; the empty text matches nowhere |
/// | `char`, a closure of `char` to `bool` | one character |
/// | a slice, array or `Vec` of patterns | a match of one of them; if several begin at one place, the longest |
/// | `regex::Regex`, with the feature `regex` | a match of the regex that is not empty |
/// | `LazyLock` and `Arc` of a pattern | a match of the pattern |
///
/// Write the flags of a regex into its text: `(?i)key`. The library cannot read flags that a `RegexBuilder` has set. A
/// regex with such flags holds back the whole answer, because the library does not know where a match may begin. The
/// first search for a regex builds an automaton, which takes a millisecond, or ten and more with Unicode classes like
/// `\w`. The library keeps the automaton.
///
/// Implement the trait for a search that these types cannot express:
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{Excerpt, Pattern, Search};
///
/// /// The number of a card: 16 digits, of which the last is a checksum.
/// struct CardNumber;
///
/// impl Pattern for CardNumber {
///     type Found = ();
///
///     fn search(&self, excerpt: Excerpt<'_>) -> Search {
///         let mut from = excerpt.from;
///         while let Some(skipped) = excerpt.text[from..].find(|char: char| char.is_ascii_digit()) {
///             let start = from + skipped;
///             let digits = excerpt.text[start..].bytes().take(16).take_while(u8::is_ascii_digit).count();
///             if start + digits == excerpt.text.len() && digits < 16 && !excerpt.is_last {
///                 return Search::Undecided { from: start };
///             }
///             if digits == 16 && is_valid(&excerpt.text[start..start + 16]) {
///                 return Search::Match(start..start + 16, ());
///             }
///             from = start + 1;
///         }
///         Search::Nothing
///     }
/// }
///
/// /// The formula of Luhn.
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
    note = "a pattern is a `str`, a `String`, a `char`, a closure from `char` to `bool`, a list of patterns, or a `regex::Regex` with the feature `regex`"
)]
pub trait Pattern {
    /// What the search knows about a match, beside its place. [`replace_with`](crate::StreamWindow::replace_with) provides it to the
    /// rail that replaces the match. For most patterns, it is `()`.
    type Found;

    /// Searches for the first match in `excerpt.text` that begins at `excerpt.from` or later.
    ///
    /// If the text continues, a match must not depend on the text that follows. Return [`Search::Undecided`] if more
    /// text could make the match longer, or could complete an earlier match.
    fn search(&self, excerpt: Excerpt<'_>) -> Search<Self::Found>;

    /// Calls `each` with all matches from [`Excerpt::from`] on, in their order. Returns the place from which only more text can
    /// decide, like [`Search::Undecided`].
    ///
    /// By default, it searches again after each match. Implement it for a search that finds all matches at once.
    ///
    /// ```
    /// use exo_rails::{Excerpt, Pattern};
    ///
    /// let mut places = Vec::new();
    /// let undecided = "ab".search_all(Excerpt::new("ab, ab, a", false), &mut |place, ()| places.push(place));
    /// assert_eq!((places, undecided), (vec![0..2, 4..6], Some(8)));
    /// ```
    fn search_all(&self, mut excerpt: Excerpt<'_>, each: &mut dyn FnMut(Range<usize>, Self::Found)) -> Option<usize> {
        loop {
            match self.search(excerpt).within(excerpt) {
                Search::Match(place, found) => {
                    excerpt.from = place.end;
                    each(place, found);
                }
                Search::Undecided { from } => return Some(from),
                Search::Nothing => return None,
            }
        }
    }

    /// Returns the number of characters that the search needs before [`Excerpt::from`], at most 64. The default is one, which is
    /// enough for the `\b` of a regex.
    fn context(&self) -> usize {
        1
    }
}

/// A text in which a [`Pattern`] searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt<'t> {
    /// The text. The part before [`from`](Self::from) is context for patterns such as the `\b` of a regex. It has as many
    /// characters as the pattern [asks for](Pattern::context), and fewer at the beginning of the answer.
    pub text: &'t str,
    /// The start of the search, in bytes.
    pub from: usize,
    /// Whether the answer ends with this text. If it does, the window treats [`Search::Undecided`] as
    /// [`Search::Nothing`].
    pub is_last: bool,
    /// The number of characters in the longest match: the `window` of the rail, or [`usize::MAX`] if the rail has none.
    /// A pattern need not wait for a match that is longer.
    pub longest: usize,
}

impl<'t> Excerpt<'t> {
    /// Makes an excerpt with the whole text, searched from its beginning.
    #[must_use]
    pub const fn new(text: &'t str, is_last: bool) -> Self {
        Self { text, from: 0, is_last, longest: usize::MAX }
    }
}

/// The result of a [`Pattern`]'s search. `F` is what the search knows about a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search<F = ()> {
    /// The text has no match, and no match begins in it.
    Nothing,
    /// The first match, in bytes, and what the search knows about it. The text that follows cannot change the match.
    Match(Range<usize>, F),
    /// A match begins or may begin at this place, and the text that follows decides. No match begins earlier.
    Undecided {
        /// The place, in bytes.
        from: usize,
    },
}

impl<F> Search<F> {
    /// Checks a result of a pattern. A result outside of the text counts as undecided.
    fn within(self, excerpt: Excerpt<'_>) -> Self {
        let Excerpt { text, from, is_last, .. } = excerpt;
        let is_place = |at: usize| at >= from && text.is_char_boundary(at);
        match self {
            Self::Match(place, _) if place.is_empty() || !is_place(place.start) || !is_place(place.end) => {
                Self::Undecided { from }.within(excerpt)
            }
            Self::Undecided { .. } if is_last => Self::Nothing,
            Self::Undecided { from: at } if !is_place(at) => Self::Undecided { from },
            found => found,
        }
    }
}

/// A match of a [`Pattern`], for the rail that replaces it. You can use it like a `str`: the text that matches.
///
/// ```
/// use exo_rails::prelude::*;
///
/// let mut window = StreamWindow::new("Call 555-0172.", true);
/// window.replace_with("555-0172", |number| format!("…{}", &number[6..]));
/// assert_eq!(window.text, "Call …72.");
/// ```
#[derive(Debug)]
pub struct PatternMatch<'t, F = ()> {
    /// The text that matches.
    pub text: &'t str,
    /// What the search knows about it.
    pub found: F,
}

impl<F> Deref for PatternMatch<'_, F> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text
    }
}

impl Pattern for str {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        let Excerpt { text, from, is_last, .. } = excerpt;
        if self.is_empty() {
            return Search::Nothing;
        }
        if let Some(at) = text[from..].find(self) {
            return Search::Match(from + at..from + at + self.len(), ());
        }
        // Finds the longest end of the text that is also a beginning of the pattern.
        let first = text.ceil_char_boundary((text.len() + 1).saturating_sub(self.len()).max(from));
        let mut ends = text[first..].char_indices().map(|(at, _)| first + at);
        match ends.find(|at| self.starts_with(&text[*at..])) {
            Some(from) if !is_last => Search::Undecided { from },
            _ => Search::Nothing,
        }
    }
}

impl Pattern for &str {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (**self).search(excerpt)
    }
}

impl Pattern for String {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        self.as_str().search(excerpt)
    }
}

impl Pattern for char {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (|char| char == *self).search(excerpt)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(char) -> bool> Pattern for F {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        let mut chars = excerpt.text[excerpt.from..].char_indices();
        match chars.find(|(_, char)| self(*char)) {
            Some((at, char)) => Search::Match(excerpt.from + at..excerpt.from + at + char.len_utf8(), ()),
            None => Search::Nothing,
        }
    }
}

/// The number of bytes in which the patterns of a list search first.
const NEAR: usize = 4096;

impl<P: Pattern> Pattern for [P] {
    type Found = P::Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<P::Found> {
        // All patterns search the near text before one of them searches further. The next match of a pattern may be far
        // away, and the pattern searches for it again after each match of another pattern.
        let mut far = NEAR;
        loop {
            let end = excerpt.text.floor_char_boundary(excerpt.from.saturating_add(far));
            if end == excerpt.text.len() {
                return first(self, excerpt);
            }
            let near = Excerpt { text: &excerpt.text[..end], is_last: false, ..excerpt };
            if let found @ Search::Match(..) = first(self, near) {
                return found;
            }
            far = far.saturating_mul(2);
        }
    }

    fn context(&self) -> usize {
        self.iter().map(Pattern::context).max().unwrap_or_default()
    }
}

/// Returns the first match of several patterns. If several matches begin at one place, returns the longest.
fn first<P: Pattern>(patterns: &[P], excerpt: Excerpt<'_>) -> Search<P::Found> {
    let (mut found, mut undecided): (Option<(Range<usize>, _)>, Option<usize>) = (None, None);
    for pattern in patterns {
        match pattern.search(excerpt) {
            Search::Nothing => {}
            Search::Match(place, known) => {
                let rank = |place: &Range<usize>| (place.start, std::cmp::Reverse(place.end));
                found = Some(found.filter(|(found, _)| rank(found) <= rank(&place)).unwrap_or((place, known)));
            }
            Search::Undecided { from } => undecided = Some(undecided.map_or(from, |earlier| earlier.min(from))),
        }
    }
    match (found, undecided) {
        (Some((place, known)), undecided) if undecided.is_none_or(|from| from > place.start) => {
            Search::Match(place, known)
        }
        (_, Some(from)) => Search::Undecided { from },
        _ => Search::Nothing,
    }
}

impl<P: Pattern, const N: usize> Pattern for [P; N] {
    type Found = P::Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<P::Found> {
        self.as_slice().search(excerpt)
    }

    fn context(&self) -> usize {
        self.as_slice().context()
    }
}

impl<P: Pattern> Pattern for Vec<P> {
    type Found = P::Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<P::Found> {
        self.as_slice().search(excerpt)
    }

    fn context(&self) -> usize {
        self.as_slice().context()
    }
}

impl<P: Pattern> Pattern for LazyLock<P> {
    type Found = P::Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<P::Found> {
        (**self).search(excerpt)
    }

    fn context(&self) -> usize {
        (**self).context()
    }
}

impl<P: Pattern + ?Sized> Pattern for Arc<P> {
    type Found = P::Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<P::Found> {
        (**self).search(excerpt)
    }

    fn context(&self) -> usize {
        (**self).context()
    }
}
