//! Words of commands, and what is known about them before they run.

use std::ops::Range;

/// The characters that stand for something unknown in the value of a word. Unicode reserves them for use inside a program
/// ("noncharacters"), and the lexer refuses them in its input.
pub(super) mod mark {
    /// A part that is not known, and is a part of one word: `"$x"`.
    pub(crate) const UNKNOWN: char = '\u{FDD0}';
    /// A part that is not known, and may become several words or none: `$x`.
    pub(crate) const SPLITS: char = '\u{FDD1}';
    /// The unquoted `*`.
    pub(crate) const STAR: char = '\u{FDD2}';
    /// The unquoted `?`.
    pub(crate) const ANY: char = '\u{FDD3}';
    /// The unquoted `[` of a pattern.
    pub(crate) const CLASS: char = '\u{FDD4}';
    /// The home directory: `~`, `$HOME`.
    pub(crate) const HOME: char = '\u{FDD5}';
    /// The working directory: `$PWD`.
    pub(crate) const PWD: char = '\u{FDD6}';
    /// The directory of temporary files: `$TMPDIR`.
    pub(crate) const TEMP: char = '\u{FDD7}';
    /// A number, or a name that means nothing to rules: `$?`, `$(nproc)`.
    pub(crate) const NUMBER: char = '\u{FDDE}';
    /// The unquoted `{`, `,` and `}` of a brace expansion. No finished word has them.
    pub(crate) const OPEN: char = '\u{FDD8}';
    pub(crate) const COMMA: char = '\u{FDD9}';
    pub(crate) const CLOSE: char = '\u{FDDA}';
    /// A variable between double quotes, and one without: its name follows, what `${…}` does to it, and [`END`]. Words of
    /// commands do not have these.
    pub(crate) const VARIABLE: char = '\u{FDDB}';
    pub(crate) const SPLITTING_VARIABLE: char = '\u{FDDC}';
    pub(crate) const END: char = '\u{FDDD}';

    /// Returns whether a character is a mark.
    pub(crate) const fn is(c: char) -> bool {
        matches!(c, '\u{FDD0}'..='\u{FDEF}')
    }

    /// Returns whether something in a text is not known, other than the directories that have marks, numbers and patterns.
    pub(crate) fn is_open(text: &str) -> bool {
        !text.is_ascii() && text.contains([UNKNOWN, SPLITS])
    }

    /// Returns whether a text has a mark. The bytes of all marks begin with `EF B7`.
    pub(crate) fn in_text(text: &str) -> bool {
        !text.is_ascii() && text.contains(is)
    }
}

/// A word of a command: the program's name or an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub(super) value: String,
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

impl Word {
    pub(super) fn new(value: impl Into<String>, range: Range<usize>) -> Self {
        Self { value: value.into(), range, quoted: false }
    }

    /// Returns the value that the program gets, if the text of the command decides it alone.
    ///
    /// A word with a variable, a substitution or a pattern has no value before the command runs.
    ///
    /// ```
    /// use exo_rails_shell::ShellRules;
    ///
    /// let verdict = ShellRules::default().judge(r#"r\m -f "old file" $other"#);
    /// let words: Vec<_> = verdict.commands[0].words.iter().map(|word| word.value()).collect();
    /// assert_eq!(words, [Some("rm"), Some("-f"), Some("old file"), None]);
    /// ```
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.is_literal().then_some(self.value.as_str())
    }

    /// Returns whether the text of the command decides the value alone.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        !mark::in_text(&self.value)
    }

    /// Returns the bytes of the command that the word comes from.
    ///
    /// Words of a command inside a word, such as `rm` in `sh -c "rm x"`, have the bytes of that word if a shell would read
    /// the text differently after it removes the quotes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    pub(super) fn splits(&self) -> bool {
        !self.value.is_ascii() && self.value.contains(mark::SPLITS)
    }

    /// Returns whether nothing is known about how the word begins.
    pub(super) fn may_begin_with_dash(&self) -> bool {
        match self.value.chars().next() {
            None => false,
            Some('-' | mark::UNKNOWN) => true,
            // A pattern with a name in it finds files that have the name. An option with such a rest is not one.
            Some(mark::STAR | mark::ANY | mark::CLASS) => self.splits() || self.value.chars().all(mark::is),
            Some(_) => self.splits(),
        }
    }
}

/// Returns the name of a program without its directory.
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
