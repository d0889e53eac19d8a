//! The smallest parts of a text.

use super::Arrow;
use crate::diagnostic::Span;

/// A part of a text. White space is between tokens, and comments are tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name, such as `plan`. Keywords are names too.
    Name,
    /// `#name`
    External,
    /// `12`, `0.5`, `1e3`
    Number,
    /// A text in double or single quotes. It may have several lines.
    Text,
    /// `// …`
    LineComment,
    /// `/* … */`
    BlockComment,
    /// An arrow, or the end of one with a label.
    Arrow(Arrow),
    /// `<--label-->`, `<--label->` or `<--label>`
    LabelledBoth,
    /// `-`, `--` or `=`: what comes before the label of this arrow.
    LabelStart(Arrow),
    /// `{ } [ ] ( ) < > : ; , . @ ? | #`
    Punctuation(char),
    /// A text without a closing quote. It ends with its line.
    UnclosedText,
    /// `/* …` without an end.
    UnclosedComment,
    /// A character that no token begins with.
    Unknown,
    /// The end of the text.
    End,
}

impl TokenKind {
    pub(crate) fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment | Self::UnclosedComment)
    }

    /// Returns whether an arrow begins with this token.
    pub(crate) fn begins_arrow(self) -> bool {
        matches!(self, Self::Arrow(_) | Self::LabelledBoth | Self::LabelStart(_))
    }
}

/// Returns whether a character can be in a name.
pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns whether a text is a name: ASCII letters, digits and `_`, and no digit at the start.
pub(crate) fn is_name(text: &str) -> bool {
    text.chars().all(is_word) && text.chars().next().is_some_and(|first| !first.is_ascii_digit())
}

/// Returns whether a name begins an import or the head of a file.
pub(crate) fn is_keyword(text: &str) -> bool {
    matches!(text, "machine" | "import")
}
