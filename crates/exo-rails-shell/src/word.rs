//! Marks for what is not known about a word before its command runs.

/// The characters that stand for something unknown in the value of a word. Unicode reserves them for use inside a program
/// ("noncharacters"), and a text that has them is refused.
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

    /// Returns whether a character is a mark.
    pub(crate) const fn is(c: char) -> bool {
        matches!(c, '\u{FDD0}'..='\u{FDEF}')
    }

    /// Returns whether a text has a mark. The bytes of all marks begin with `EF B7`.
    pub(crate) fn in_text(text: &str) -> bool {
        !text.is_ascii() && text.contains(is)
    }
}

/// Returns the name of a program without its directory.
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns a value as people read it.
pub(crate) fn shown(value: &str) -> String {
    if !mark::in_text(value) {
        return value.to_owned();
    }
    let mut text = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            mark::HOME => text.push('~'),
            mark::PWD => text.push('.'),
            mark::TEMP => text.push_str("$TMPDIR"),
            mark::STAR => text.push('*'),
            mark::ANY => text.push('?'),
            mark::CLASS => text.push('['),
            c if mark::is(c) => text.push('…'),
            c => text.push(c),
        }
    }
    text
}

/// Returns an object with marks for what is not known, so that patterns can be compared with it.
pub(crate) fn marked(object: &str) -> String {
    let mark_of = |c| match c {
        '…' => mark::UNKNOWN,
        '*' => mark::STAR,
        '?' => mark::ANY,
        c => c,
    };
    object.chars().map(mark_of).collect()
}
