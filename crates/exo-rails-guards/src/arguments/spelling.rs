//! Texts as rules see them: exactly for rules that let calls run, and in all readings for rules that stop them.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// Returns whether a character is not visible: zero-width characters, marks of direction, variation selectors, tags.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a text is what it looks like: no invisible characters, no control characters, and no characters that
/// Unicode regards as variants of others.
pub(crate) fn is_plain(text: &str) -> bool {
    if text.is_ascii() {
        return !text.bytes().any(|byte| byte.is_ascii_control());
    }
    let visible = |c: char| !c.is_control() && !is_invisible(c) && (c == ' ' || !c.is_whitespace());
    text.chars().all(visible) && text.nfkc().eq(text.chars())
}

/// Returns the texts as which a program or a person may read `text`: lower case, without invisible characters and
/// look-alikes, with single spaces.
///
/// A few look-alikes are ambiguous, so there can be two texts.
pub(crate) fn folded(text: &str) -> Vec<Cow<'_, str>> {
    if text.is_ascii() {
        return vec![folded_ascii(text)];
    }
    let (mut plain, mut other, mut differ) = (String::new(), String::new(), false);
    // Letters stay letters without their accents only if the accents are combining marks on ASCII letters.
    for c in text.nfkc().filter(|c| !is_invisible(*c)) {
        if c.is_ascii() {
            plain.push(c);
            other.push(c);
            continue;
        }
        if c.is_whitespace() {
            plain.push(' ');
            other.push(' ');
            continue;
        }
        if is_combining_mark(c) {
            continue;
        }
        let looks: String = skeleton(c.encode_utf8(&mut [0; 4])).filter(|c| !is_combining_mark(*c)).collect();
        match looks.as_str() {
            "l" => {
                plain.push('l');
                other.push('i');
                differ = true;
            }
            "rn" => {
                plain.push('m');
                other.push('m');
            }
            looks if looks.is_ascii() && !looks.is_empty() => {
                plain.push_str(looks);
                other.push_str(looks);
            }
            _ => {
                plain.push(c);
                other.push(c);
            }
        }
    }
    let mut all = vec![Cow::Owned(spaced(&plain.to_lowercase()))];
    if differ {
        all.push(Cow::Owned(spaced(&other.to_lowercase())));
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

/// Returns the text with `%41` read as `A`, if it has such a code and the result is a text.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let code = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    if decoded.len() == bytes.len() { None } else { String::from_utf8(decoded).ok() }
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
    }

    #[test]
    fn plain_texts_are_what_they_look_like() {
        for text in ["read_file", "a b", "查询_orders", "größe"] {
            assert!(is_plain(text), "{text}");
        }
        for text in ["read_file\n", "read\u{200b}_file", "ｒead", "a\u{a0}b", "x\0"] {
            assert!(!is_plain(text), "{text:?}");
        }
    }

    #[test]
    fn percent_codes_are_decoded() {
        assert_eq!(percent_decoded("/etc%2fpass%77d").as_deref(), Some("/etc/passwd"));
        assert_eq!(percent_decoded("100% of it"), None);
        assert_eq!(percent_decoded("%ff"), None);
        assert_eq!(percent_decoded("%"), None);
    }
}
