//! Rules of this crate, as constants.

use super::rule::Judge;
use super::starts::{FindStart, Starts, Texts};

/// A rule of this crate. It says what a rule of a configuration says: see [`RuleConfig`](super::RuleConfig).
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) id: &'static str,
    pub(crate) description: &'static str,
    pub(crate) regex: &'static str,
    /// Words of which the match must contain one, in lower case.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) entropy: Option<f64>,
    /// Secrets that are none.
    pub(crate) except: &'static [Except],
    /// Whether a match that nothing else excludes is a secret.
    pub(crate) judge: Option<Judge>,
    /// Finds the places where a match may begin, if no text begins all matches.
    pub(crate) starts: Option<FindStart>,
}

/// Where the matches of a rule begin. It follows from the regex, and stands beside it, so that a guard knows it before it has read the
/// regex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    /// At these texts, in lower case.
    With(&'static [&'static str]),
    /// The same, after a character that is not part of a word.
    WordWith(&'static [&'static str]),
    /// Anywhere.
    Anywhere,
    /// At the border of a word.
    AtBorder,
}

/// Reasons why a match of a rule is not a secret. One of them is enough.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Except {
    /// Whether the regexes search in the match. Otherwise, they search in the secret.
    pub(crate) is_about_match: bool,
    pub(crate) regexes: &'static [&'static str],
    /// The secret contains one of these words, in any case.
    pub(crate) stopwords: &'static [&'static str],
}

impl BuiltIn {
    /// What most rules have.
    pub(crate) const NONE: Self = Self {
        id: "",
        description: "",
        regex: "",
        keywords: &[],
        entropy: None,
        except: &[],
        judge: None,
        starts: None,
    };
}

impl Begins {
    /// Returns the texts.
    #[cfg(test)]
    pub(crate) const fn texts(self) -> &'static [&'static str] {
        match self {
            Self::With(texts) | Self::WordWith(texts) => texts,
            Self::Anywhere | Self::AtBorder => &[],
        }
    }

    pub(super) const fn starts(self) -> Starts {
        match self {
            Self::With(texts) => Starts::Texts { texts: Texts::BuiltIn(texts), after_word: false },
            Self::WordWith(texts) => Starts::Texts { texts: Texts::BuiltIn(texts), after_word: true },
            Self::Anywhere => Starts::Anywhere { at_word: false },
            Self::AtBorder => Starts::Anywhere { at_word: true },
        }
    }
}

impl Except {
    /// The secret has a match of one of these regexes.
    pub(crate) const fn secret(regexes: &'static [&'static str]) -> Self {
        Self { is_about_match: false, regexes, stopwords: &[] }
    }

    /// The match has a match of one of these regexes.
    pub(crate) const fn whole(regexes: &'static [&'static str]) -> Self {
        Self { is_about_match: true, regexes, stopwords: &[] }
    }

    /// Also: the secret contains one of these words, in any case.
    pub(crate) const fn stopwords(mut self, stopwords: &'static [&'static str]) -> Self {
        self.stopwords = stopwords;
        self
    }
}
