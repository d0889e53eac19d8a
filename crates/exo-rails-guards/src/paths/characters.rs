//! Characters that look like others, and invisible characters.

use exo_rails_text::invisible::{is_invisible, is_shaping};
use unicode_normalization::UnicodeNormalization;

use crate::hidden::Scan;

/// Tells whether a path has a character that people do not see. Joiners and variation selectors are allowed where emoji and scripts
/// need them.
pub(super) fn has_invisible(text: &str) -> bool {
    let is_hidden = |c| matches!(c, '\u{2028}' | '\u{2029}') || (is_invisible(c) && !is_shaping(c));
    text.chars().any(is_hidden) || !Scan::of(text).removed().is_empty()
}

/// Returns the character that another one can be mistaken for, if it is a separator or a dot.
///
/// Compatibility normalization covers the wide and the small forms. The private characters stand for separators in
/// percent-encodings that some servers decode (`%uEFC8`, `%uF025`).
fn look_alike(character: char) -> char {
    match character {
        '\u{2044}' | '\u{2215}' | '\u{29F8}' | '\u{2571}' | '\u{27CB}' | '\u{1735}' | '\u{338}' | '\u{337}'
        | '\u{EFC8}' | '\u{F025}' | '\u{2216}' | '\u{29F5}' | '\u{29F9}' | '\u{27CD}' | '\u{2572}' | '\u{20E5}'
        | '\u{FE68}' | '\u{F026}' => '/',
        '\u{3002}' | '\u{FF61}' | '\u{06D4}' | '\u{0701}' | '\u{0702}' | '\u{A60E}' | '\u{10A50}' | '\u{1D16D}' => '.',
        other => other,
    }
}

/// Replaces look-alikes of separators and dots, and writes the other characters in their compatibility form.
pub(super) fn without_look_alikes(text: &str) -> String {
    text.chars().map(look_alike).nfkc().map(look_alike).collect()
}

/// Returns a name in the form in which names are compared: the same for all spellings that some file system takes for the
/// same file.
pub(super) fn comparable(text: &str, case_sensitive: bool) -> String {
    // HFS+ ignores the joiners, and Windows ignores dots and spaces at the end of a name.
    let text = text.nfkc().filter(|character| !is_invisible(*character));
    let text: String = if case_sensitive { text.collect() } else { text.flat_map(char::to_lowercase).nfkc().collect() };
    text.split('/').map(|name| name.trim_end_matches(['.', ' '])).collect::<Vec<_>>().join("/")
}
