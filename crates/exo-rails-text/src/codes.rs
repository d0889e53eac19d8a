//! Characters that are written as others: escapes, percent codes and character references.
//!
//! | code | examples |
//! |---|---|
//! | escape | `\n`, `\"`, `\x41`, `\101`, `\u0041`, `\u{41}`, `\U00000041`, `\ud83d\ude00`, as in JSON and programming languages |
//! | percent code | `%41`, `%C3%A9`, `%u0041`, as in URLs |
//! | character reference | `&#65;`, `&#x41;`, `&amp;` and the other names of HTML |
//!
//! A backslash before any other character stands for this character, as in Markdown and shells.

use std::ops::Range;

use memchr::memchr3_iter;

use crate::reading::Reading;

/// A way in which characters are written as others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// A backslash and what follows.
    Escape,
    /// A percent sign and hexadecimal digits.
    Percent,
    /// A character reference of HTML.
    Entity,
}

/// The characters that a code stands for: up to two.
type Decoded = [Option<char>; 2];

const fn one(c: char) -> Decoded {
    [Some(c), None]
}

/// The most bytes of an escape with braces.
const LONGEST_BRACES: usize = 12;

/// The most bytes of the name in a character reference.
const LONGEST_NAME: usize = 32;

/// The most digits of a number in a character reference.
const MOST_DIGITS: usize = 7;

impl Code {
    /// Returns the code that begins with this character.
    const fn of_mark(mark: u8) -> Option<Self> {
        match mark {
            b'\\' => Some(Self::Escape),
            b'%' => Some(Self::Percent),
            b'&' => Some(Self::Entity),
            _ => None,
        }
    }

    /// Reads the code at the beginning of a text. Returns what it stands for, and its length in bytes.
    fn read(self, text: &str) -> Option<(Decoded, usize)> {
        match self {
            Self::Escape => escape(text),
            Self::Percent => percent(text.as_bytes()).map(|(c, length)| (one(c), length)),
            Self::Entity => entity(text),
        }
    }

    /// Returns whether a text is the beginning of a code, or of a longer code, so that more text decides.
    fn is_begun(self, text: &str) -> bool {
        match self {
            Self::Escape => is_begun_escape(text),
            Self::Percent => is_begun_percent(text.as_bytes()),
            Self::Entity => is_begun_entity(text),
        }
    }
}

/// Returns whether a text has no code, and does not end with the beginning of one.
///
/// ```
/// use exo_rails_text::codes::is_plain;
///
/// assert!(is_plain("100 % of it, R&D.") && !is_plain("%41") && !is_plain("%4"));
/// ```
#[must_use]
pub fn is_plain(text: &str) -> bool {
    marks(text).all(|(at, code)| code.read(&text[at..]).is_none() && !code.is_begun(&text[at..]))
}

/// Reads all codes of a text. `is_last` is false if more text may follow: then the reading ends before a code that is not complete.
///
/// Returns `None` if there is nothing to read. Codes in codes need another reading.
///
/// ```
/// use exo_rails_text::codes::decoded;
///
/// let text = |text| decoded(text, true).map(|reading| reading.into_text());
/// assert_eq!(text(r"a\x62&#99;%64").as_deref(), Some("abcd"));
/// assert_eq!(text("plain"), None);
/// ```
#[must_use]
pub fn decoded(text: &str, is_last: bool) -> Option<Reading> {
    let (mut from, mut end, mut pieces) = (0, None, Vec::<(Range<usize>, Decoded)>::new());
    for (at, code) in marks(text) {
        if at < from {
            continue;
        }
        let rest = &text[at..];
        if !is_last && code.is_begun(rest) {
            end = Some(at);
            break;
        }
        if let Some((decoded, length)) = code.read(rest) {
            from = at + length;
            pieces.push((at..from, decoded));
        }
    }
    Reading::new(text, end, pieces.into_iter().map(|(code, decoded)| (code, decoded.into_iter().flatten())))
}

fn marks(text: &str) -> impl Iterator<Item = (usize, Code)> {
    let bytes = text.as_bytes();
    memchr3_iter(b'\\', b'%', b'&', bytes).filter_map(|at| Code::of_mark(bytes[at]).map(|code| (at, code)))
}

/// Reads the escape at the beginning of a text.
fn escape(text: &str) -> Option<(Decoded, usize)> {
    let letter = text[1..].chars().next()?;
    let of_code = match letter {
        'u' => unicode(text),
        'U' => hex(text, 2..10).and_then(char::from_u32).map(|c| (c, 10)),
        'x' => braces(text).or_else(|| hex(text, 2..4).and_then(char::from_u32).map(|c| (c, 4))),
        '0'..='7' => {
            let digits = octal_digits(text);
            u32::from_str_radix(&text[1..=digits], 8).ok().and_then(char::from_u32).map(|c| (c, 1 + digits))
        }
        _ => None,
    };
    if let Some((c, length)) = of_code {
        return Some((one(c), length));
    }
    let simple = match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'a' => '\u{7}',
        'e' => '\u{1b}',
        // The line goes on.
        '\n' => return Some((Decoded::default(), 2)),
        other => other,
    };
    Some((one(simple), 1 + letter.len_utf8()))
}

/// Returns the number of octal digits of an escape: up to three, and up to `\377`.
fn octal_digits(text: &str) -> usize {
    let most = if text[1..].starts_with(['0', '1', '2', '3']) { 3 } else { 2 };
    text.bytes().skip(1).take(most).take_while(|byte| matches!(byte, b'0'..=b'7')).count()
}

/// Reads `\u0041`, a pair of surrogates, or `\u{41}`.
fn unicode(text: &str) -> Option<(char, usize)> {
    if text[2..].starts_with('{') {
        return braces(text);
    }
    let first = hex(text, 2..6)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((letter, 6));
    }
    let second = text.get(6..)?.strip_prefix("\\u").and(hex(text, 8..12))?;
    Some((pair(first, second)?, 12))
}

/// Reads the hexadecimal number in braces after two characters.
fn braces(text: &str) -> Option<(char, usize)> {
    text[2..].strip_prefix('{')?;
    let end = text.bytes().take(LONGEST_BRACES).position(|byte| byte == b'}')?;
    Some((char::from_u32(hex(text, 3..end)?)?, end + 1))
}

/// Returns the character of two surrogates.
fn pair(first: u32, second: u32) -> Option<char> {
    char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]).next()?.ok()
}

fn hex(text: &str, bytes: Range<usize>) -> Option<u32> {
    number(text.as_bytes().get(bytes).filter(|digits| !digits.is_empty())?)
}

fn are_hex(digits: impl AsRef<[u8]>) -> bool {
    digits.as_ref().iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a number is the first half of a pair of surrogates.
fn is_first_half(number: u32) -> bool {
    (0xd800..0xdc00).contains(&number)
}

fn is_begun_escape(text: &str) -> bool {
    let Some(letter) = text.as_bytes().get(1) else { return true };
    let code = text.get(2..).unwrap_or_default();
    match letter {
        b'U' => code.len() < 8 && are_hex(code),
        b'u' | b'x' if code.starts_with('{') => text.len() < LONGEST_BRACES && are_hex(&code[1..]),
        b'x' => code.len() < 2 && are_hex(code),
        b'0'..=b'7' => {
            let digits = octal_digits(text);
            digits < 3 && text.len() == 1 + digits && (digits < 2 || matches!(letter, b'0'..=b'3'))
        }
        b'u' => {
            let Some((first, rest)) = code.split_at_checked(4) else { return are_hex(code) };
            // The second half of a pair of surrogates follows the first half.
            hex(first, 0..4).is_some_and(is_first_half)
                && match rest.get(..2) {
                    Some("\\u") => rest.len() < 6 && are_hex(&rest[2..]),
                    Some(_) => false,
                    None => "\\u".starts_with(rest),
                }
        }
        _ => false,
    }
}

/// Reads `%41`, the bytes of a longer character, or `%u0041`.
fn percent(text: &[u8]) -> Option<(char, usize)> {
    if let [b'%', b'u' | b'U', rest @ ..] = text {
        let first = number(rest.get(..4)?)?;
        if let Some(c) = char::from_u32(first) {
            return Some((c, 6));
        }
        let [b'%', b'u' | b'U', second @ ..] = rest.get(4..)? else { return None };
        return Some((pair(first, number(second.get(..4)?)?)?, 12));
    }
    let first = percent_byte(text)?;
    let length = length_of_character(first)?;
    let mut bytes = [first, 0, 0, 0];
    for (number, byte) in bytes.iter_mut().enumerate().take(length).skip(1) {
        *byte = percent_byte(text.get(3 * number..)?)?;
    }
    let c = std::str::from_utf8(&bytes[..length]).ok()?.chars().next()?;
    Some((c, 3 * length))
}

/// Reads the byte of a percent code at the beginning of a text.
///
/// ```
/// use exo_rails_text::codes::percent_byte;
///
/// assert_eq!(percent_byte(b"%2f.."), Some(b'/'));
/// assert_eq!(percent_byte(b"%qf"), None);
/// ```
#[must_use]
pub fn percent_byte(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    u8::try_from(number(&[*high, *low])?).ok()
}

/// Reads a hexadecimal number of up to eight digits.
///
/// ```
/// assert_eq!(exo_rails_text::codes::number(b"2f"), Some(0x2f));
/// ```
#[must_use]
pub fn number(digits: &[u8]) -> Option<u32> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    digits.iter().try_fold(0_u32, |number, next| number.checked_mul(16)?.checked_add(digit(next)?))
}

/// Returns the number of bytes of a character in UTF-8, from its first byte.
const fn length_of_character(first: u8) -> Option<usize> {
    match first {
        0..=0x7f => Some(1),
        0xc2..=0xdf => Some(2),
        0xe0..=0xef => Some(3),
        0xf0..=0xf4 => Some(4),
        _ => None,
    }
}

fn is_begun_percent(text: &[u8]) -> bool {
    match text {
        [b'%', b'u' | b'U', rest @ ..] => match rest.split_at_checked(4) {
            None => are_hex(rest),
            Some((first, rest)) => {
                number(first).is_some_and(is_first_half)
                    && match rest {
                        [] | [b'%'] => true,
                        [b'%', b'u' | b'U', digits @ ..] => digits.len() < 4 && are_hex(digits),
                        _ => false,
                    }
            }
        },
        [b'%', digits @ ..] if digits.len() < 2 => are_hex(digits),
        _ => {
            let Some(length) = percent_byte(text).and_then(length_of_character) else { return false };
            let rest = text.get(3..).unwrap_or_default();
            // The bytes that are there, and the beginning of the next.
            rest.len() < 3 * (length - 1)
                && rest.chunks(3).all(|code| match code {
                    [b'%', digits @ ..] => are_hex(digits),
                    _ => false,
                })
        }
    }
}

/// Reads the character reference at the beginning of a text. A number needs no semicolon, as in browsers.
fn entity(text: &str) -> Option<(Decoded, usize)> {
    if let Some(rest) = text[1..].strip_prefix('#') {
        let (digits, radix, before) = match rest.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16, 3),
            None => (rest, 10, 2),
        };
        let length = digits.chars().take(MOST_DIGITS).take_while(|c| c.is_digit(radix)).count();
        let c = char::from_u32(u32::from_str_radix(&digits[..length], radix).ok()?)?;
        let semicolon = usize::from(digits[length..].starts_with(';'));
        return Some((one(c), before + length + semicolon));
    }
    let name = name_of(text);
    text[1 + name.len()..].strip_prefix(';')?;
    let written = &text[..name.len() + 2];
    let read = html_escape::decode_html_entities(written);
    let mut characters = read.chars();
    let decoded = [characters.next(), characters.next()];
    (*read != *written && characters.next().is_none()).then_some((decoded, written.len()))
}

/// Returns the name of a character reference.
fn name_of(text: &str) -> &str {
    let length = text.bytes().skip(1).take(LONGEST_NAME).take_while(u8::is_ascii_alphanumeric).count();
    &text[1..=length]
}

fn is_begun_entity(text: &str) -> bool {
    let rest = &text[1..];
    match rest.strip_prefix('#') {
        Some(number) => {
            let digits = number.strip_prefix(['x', 'X']);
            let radix = if digits.is_some() { 16 } else { 10 };
            let digits = digits.unwrap_or(number);
            // Without its semicolon, it ends at the next character.
            digits.len() <= MOST_DIGITS && digits.chars().all(|c| c.is_digit(radix))
        }
        None => name_of(text).len() == rest.len() && rest.len() < LONGEST_NAME,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        decoded(text, true).map(Reading::into_text)
    }

    #[test]
    fn each_code_stands_for_its_character() {
        for (text, expected) in [
            (r"a\nb\tc", "a\nb\tc"),
            (r#"\"\'\\\/"#, r#""'\/"#),
            (r"\x41\x{42}\u0043\u{44}\U00000045\106\0", "ABCDEF\0"),
            (r"\ud83d\ude00 \u{1f600}", "😀 😀"),
            (r"sk\-1\_2\q", "sk-1_2q"),
            ("a\\\nb", "ab"),
            (r"\u12 \xg \U12", "u12 xg U12"),
            (r"\é", "é"),
            ("/etc%2fpass%77d", "/etc/passwd"),
            ("%C3%A9%e2%82%ac%F0%9F%98%80", "é€😀"),
            ("%u0041%uD83D%uDE00", "A😀"),
            ("%ff%2", "%ff%2"),
            ("&#105;gnore&#x20;&lt;it&gt; &#65b", "ignore <it> Ab"),
            ("&amp;&commat;&period;&sol;&colon;&nbsp;&lowbar;", "&@./:\u{a0}_"),
            ("&NotEqualTilde;", "≂̸"),
            ("&unknown; &amp AT&T &;", "&unknown; &amp AT&T &;"),
        ] {
            assert_eq!(read(text).unwrap_or_else(|| text.to_owned()), expected, "{text}");
        }
        for text in ["plain", "100 % of it", "R&D & more", "50%", "\\", "", "a % b", "?a=1&b=2"] {
            assert_eq!(read(text), None, "{text}");
            assert!(is_plain(&format!("{text}.")) || text.ends_with('\\'), "{text}");
        }
        let codes_in_codes = (0..3).fold(r"\\\\u0041%2541&amp;#65;".to_owned(), |text, _| read(&text).unwrap_or(text));
        assert_eq!(codes_in_codes, "AAA");
    }

    /// A code at the end of a text is not decided before it is complete.
    #[test]
    fn the_beginning_of_each_code_is_begun() {
        for text in [
            r"\n",
            r"\x41",
            r"\x{41}",
            r"\u0041",
            r"\u{1f600}",
            r"\U0001f600",
            r"\ud83d\ude00",
            r"\101",
            "%41",
            "%C3%A9",
            "%F0%9F%98%80",
            "%u0041",
            "%uD83D%uDE00",
            "&#65;",
            "&#x1f600;",
            "&amp;",
            "&CounterClockwiseContourIntegral;",
        ] {
            let code = Code::of_mark(text.as_bytes()[0]);
            let is_begun = |text: &str| code.is_some_and(|code| code.is_begun(text));
            for end in 1..text.len() {
                assert!(is_begun(&text[..end]), "{}", &text[..end]);
            }
            assert!(!is_begun(text), "{text}");
        }
        for text in
            [r"\q", r"\u00g", r"\x4g", r"\1 ", r"\777", "%g", "%4g", "%41", "%C3x", "&#1 ", "& ", "&a b", "&a.", "&#x;"]
        {
            let code = Code::of_mark(text.as_bytes()[0]);
            assert!(!code.is_some_and(|code| code.is_begun(text)), "{text}");
        }
    }

    proptest! {
        /// What was read of a text that goes on stays as it is.
        #[test]
        fn a_reading_of_a_part_begins_the_reading_of_the_whole(
            text in r"([\\%&#;{}]|u|x|U|[0-9a-f]{1,4}|amp;|d83d|é|\n){0,12}",
            cut in 0..40_usize,
        ) {
            let part = &text[..text.floor_char_boundary(cut.min(text.len()))];
            let whole = read(&text).unwrap_or_else(|| text.clone());
            let begun = decoded(part, false).map_or_else(|| part.to_owned(), Reading::into_text);
            prop_assert!(whole.starts_with(&begun), "{part:?} of {text:?}: {begun:?}, {whole:?}");
        }

        #[test]
        fn each_byte_of_a_reading_has_a_place_in_the_source(text in r"([\\%&#;{}]|u|x|[0-9a-f]{1,4}|amp;|é|\n){0,12}") {
            let Some(reading) = decoded(&text, true) else { return Ok(()) };
            let mut last = 0;
            for (at, c) in reading.text().char_indices() {
                let place = reading.in_source(&(at..at + c.len_utf8()));
                prop_assert!(last <= place.start && text.get(place.clone()).is_some(), "{text:?} {place:?}");
                last = place.start;
            }
        }
    }
}
