//! Texts as rules read them: exactly for rules that let something happen, and in all readings for rules that stop something.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::codes;
use crate::invisible::is_invisible;
use crate::look::{self, Kind, fold};
use crate::reading::Reading;

/// Returns whether a text is what it looks like: no invisible characters, no control characters, and no characters that
/// Unicode regards as variants of others.
///
/// ```
/// use exo_rails_text::spelling::is_plain;
///
/// assert!(is_plain("read_file") && is_plain("größe"));
/// assert!(!is_plain("read\u{200b}_file") && !is_plain("ｒead"));
/// ```
#[must_use]
pub fn is_plain(text: &str) -> bool {
    if text.is_ascii() {
        return !text.bytes().any(|byte| byte.is_ascii_control());
    }
    let visible = |c: char| !c.is_control() && !is_invisible(c) && (c == ' ' || !c.is_whitespace());
    text.chars().all(visible) && text.nfkc().eq(text.chars())
}

/// Returns the texts as which a program or a person may read `text`: lower case, without invisible characters and
/// look-alikes, with single spaces.
///
/// A few look-alikes are ambiguous, so there can be two texts. There is always at least one.
///
/// ```
/// use exo_rails_text::spelling::folded;
///
/// assert_eq!(folded("Delete_\u{200b}File"), ["delete_file"]);
/// // The first letter is a Cyrillic one, which looks like an `l` and like an `i`.
/// assert_eq!(folded("Іnbox"), ["lnbox", "inbox"]);
/// ```
#[must_use]
pub fn folded(text: &str) -> Vec<Cow<'_, str>> {
    if text.is_ascii() {
        return vec![folded_ascii(text)];
    }
    let (mut plain, mut other, mut differ) = (String::new(), String::new(), false);
    for c in text.chars() {
        let folded = fold(c);
        if folded.kind == Kind::Space {
            plain.push(' ');
            other.push(' ');
        }
        for letter in folded.letters() {
            plain.push(letter);
            other.push(if folded.is_ambiguous { 'i' } else { letter });
        }
        differ |= folded.is_ambiguous;
    }
    let mut all = vec![Cow::Owned(spaced(&plain))];
    if differ {
        all.push(Cow::Owned(spaced(&other)));
    }
    all
}

/// How often codes in codes are read.
const DEPTH: usize = 3;

/// Returns the texts of [`folded`], and those that a program reads after it decodes escapes, percent codes and character references.
///
/// ```
/// use exo_rails_text::spelling::readings;
///
/// assert_eq!(readings("delete%5Ffile"), ["delete%5ffile", "delete_file"]);
/// ```
#[must_use]
pub fn readings(text: &str) -> Vec<Cow<'_, str>> {
    let mut all = folded(text);
    if codes::is_plain(text) && look::is_what_it_seems(text) {
        return all;
    }
    let mut sources: Vec<Cow<'_, str>> = vec![Cow::Borrowed(text)];
    for _ in 0..DEPTH {
        let mut read = Vec::new();
        for source in &sources {
            read.extend(look::decoded(source).map(Reading::into_text));
        }
        for text in &read {
            for folded in folded(text) {
                if !all.contains(&folded) {
                    all.push(Cow::Owned(folded.into_owned()));
                }
            }
        }
        sources = read.into_iter().map(Cow::Owned).collect();
        if sources.is_empty() {
            break;
        }
    }
    all
}

fn folded_ascii(text: &str) -> Cow<'_, str> {
    let as_is = |(at, byte): (usize, u8)| {
        let inner_space = byte == b' ' && at != 0 && at + 1 != text.len() && text.as_bytes()[at - 1] != b' ';
        (byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) || inner_space
    };
    if text.bytes().enumerate().all(as_is) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(spaced(&text.to_ascii_lowercase()))
    }
}

/// Returns the text with single spaces between its words, without control characters.
fn spaced(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace()) {
        let mut word = word.chars().filter(|c| !c.is_control()).peekable();
        if word.peek().is_some() && !all.is_empty() {
            all.push(' ');
        }
        all.extend(word);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_read_as_ascii() {
        for text in [
            "delete_file",
            "DELETE_FILE",
            " delete_file\n",
            "dеlete_file",
            "delete\u{200b}_file",
            "ｄｅｌｅｔｅ_ｆｉｌｅ",
            "delete_fıle",
            "dèlete_file",
            "𝒅elete_file",
            "delete_fil\u{e0065}e",
            "dele\u{ad}te_file",
            "\u{feff}delete_file",
        ] {
            assert!(folded(text).iter().any(|text| text == "delete_file"), "{text:?}: {:?}", folded(text));
        }
        for text in ["delete_files", "delete file", "查询", "delete-file"] {
            assert!(folded(text).iter().all(|text| text != "delete_file"), "{text:?}");
        }
        assert_eq!(folded("Іnbox"), ["lnbox", "inbox"]);
        assert_eq!(folded("a  b"), ["a b"]);
        assert_eq!(folded("Größe"), ["grosse"]);
    }

    #[cfg(feature = "codes")]
    #[test]
    fn codes_are_read() {
        for text in ["delete%5Ffile", r"delete\u005ffile", "delete&#95;file", "delete%255Ffile", "d\u{435}lete%5ffile"]
        {
            assert!(readings(text).iter().any(|text| text == "delete_file"), "{text:?}: {:?}", readings(text));
        }
        assert_eq!(readings("delete_file"), ["delete_file"]);
    }

    #[test]
    fn texts_with_invisible_or_wide_characters_are_not_plain() {
        for text in ["read_file", "a b", "查询_orders", "größe"] {
            assert!(is_plain(text), "{text}");
        }
        for text in ["read_file\n", "read\u{200b}_file", "ｒead", "a\u{a0}b", "x\0"] {
            assert!(!is_plain(text), "{text:?}");
        }
    }
}
