//! Where the matches of a rule may begin.

use std::borrow::Cow;

/// Where the matches of a rule may begin.
pub(crate) enum Starts {
    /// At these texts, in lower case. One of them begins each match.
    Texts {
        texts: Texts,
        /// Whether a match only begins after a character that is not part of a word.
        after_word: bool,
    },
    /// Where the function finds a place.
    Found(FindStart),
    /// Anywhere, or at the borders of words.
    Anywhere {
        /// Whether a match only begins at the border of a word.
        at_word: bool,
    },
}

/// Texts of this crate, or of a configuration.
pub(crate) enum Texts {
    BuiltIn(&'static [&'static str]),
    Own(Vec<String>),
}

impl Texts {
    /// Calls `each` with each text.
    pub(super) fn for_each(&self, mut each: impl FnMut(Cow<'static, str>)) {
        match self {
            Self::BuiltIn(texts) => texts.iter().for_each(|text| each(Cow::Borrowed(text))),
            Self::Own(texts) => texts.iter().for_each(|text| each(Cow::Owned(text.clone()))),
        }
    }
}

/// Returns the first place from a byte on where a match may begin. The answer about a place must not depend on where the search
/// began, apart from the character before it.
pub(crate) type FindStart = fn(text: &str, from: usize) -> Start;

/// A place where a match may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// A match may begin here.
    At(usize),
    /// A match may begin here if more text follows. If none follows, no match begins here or later.
    Short(usize),
    /// The text that follows this place decides where a match begins.
    Open(usize),
    /// No match begins in the text.
    None,
}
