//! Values in a text that tell where they come from although they are short: addresses, hosts, paths, ids and numbers.

use std::ops::Range;

use super::folded::{Folded, Kind};
use super::words::{has_letters_of_date, is_common, is_date};

/// The longest value, in bytes. The pieces of a text cover what is longer.
const LONGEST: usize = 512;

/// The numbers with spaces between their groups have at most this many groups.
const GROUPS: usize = 5;

/// The smallest host or address, in letters and digits, such as `x.io`.
const SMALLEST_HOST: usize = 3;

/// Calls `each` with the folded characters of each value in a text.
pub(super) fn each_value(folded: &Folded<'_>, value_length: usize, each: &mut impl FnMut(Range<usize>)) {
    each_chunk(folded.text, &mut |chunk| {
        let mut found = |bytes: Range<usize>| {
            let characters = folded.characters_of(bytes);
            if !is_common(&folded.characters[characters.clone()]) {
                each(characters);
            }
        };
        parts(folded.text, chunk, 0, value_length, &mut found);
    });
    each_number(folded, value_length, each);
}

/// Calls `each` with the folded characters of each placeholder, such as `[IBAN_1]`. It stands for one value in the whole run.
pub(super) fn each_placeholder(folded: &Folded<'_>, each: &mut impl FnMut(Range<usize>)) {
    let text = folded.text;
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    for (open, _) in text.match_indices('[') {
        let start = open + 1;
        let length = text[start..].find(|c| !is_name(c)).unwrap_or(0);
        let inner = start..start + length;
        let is_placeholder = text[inner.end..].starts_with(']')
            && text[inner.clone()].starts_with(|c: char| c.is_ascii_uppercase())
            && text[inner.clone()]
                .rsplit_once('_')
                .is_some_and(|(_, number)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
        if is_placeholder {
            each(folded.characters_of(inner));
        }
    }
}

/// The characters between chunks.
const GAPS: &str = "\"'`<>()[]{},;|“”„‘’«»";

/// The characters that are around a chunk in a sentence.
const MARKS: [char; 6] = ['.', ':', '!', '?', '*', '…'];

/// The characters at which the parts of a chunk end, level by level: the parts of a URL, then hosts and segments of a path, then
/// both sides of an address, then the parts of names.
const ENDS: [&str; 5] = ["?&=#%!$*^", "/\\:+~", "@", ".", "_-"];

/// A bit of [`CLASSES`]: digits. The bits below are those of [`ENDS`].
const DIGIT: u8 = 1 << ENDS.len();

/// A bit of [`CLASSES`]: the ASCII characters between chunks.
const GAP: u8 = DIGIT << 1;

/// What each byte is. A byte of a character beyond ASCII is nothing.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        let mut class = 0;
        let mut level = 0;
        while level < ENDS.len() {
            if has(ENDS[level], byte) {
                class |= 1 << level;
            }
            level += 1;
        }
        if byte.is_ascii_digit() {
            class |= DIGIT;
        }
        // White space of Unicode has the vertical tab, which is a control character.
        if byte.is_ascii_whitespace() || byte.is_ascii_control() || has(GAPS, byte) {
            class |= GAP;
        }
        classes[byte as usize] = class;
        byte += 1;
    }
    classes
};

const fn has(characters: &str, byte: u8) -> bool {
    let mut at = 0;
    while at < characters.len() {
        if characters.as_bytes()[at] == byte {
            return true;
        }
        at += 1;
    }
    false
}

fn class(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

fn is_gap(c: char) -> bool {
    match u8::try_from(c).ok().filter(u8::is_ascii) {
        Some(byte) => class(byte) & GAP != 0,
        None => c.is_whitespace() || c.is_control() || GAPS.contains(c),
    }
}

/// Calls `each` with the bytes between spaces, quotation marks and brackets.
fn each_chunk(text: &str, each: &mut impl FnMut(Range<usize>)) {
    let mut inner = |chunk: Range<usize>| {
        let front = text[chunk.clone()].trim_start_matches(MARKS);
        let inner = front.trim_end_matches(MARKS);
        if !inner.is_empty() {
            let from = chunk.end - front.len();
            each(from..from + inner.len());
        }
    };
    let (mut start, mut at, mut classes) = (0, 0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        let (length, is_gap) = if byte.is_ascii() {
            (1, class(*byte) & GAP != 0)
        } else {
            text[at..].chars().next().map_or((1, false), |c| (c.len_utf8(), is_gap(c)))
        };
        if is_gap {
            // Most chunks are words, and a word is not a value.
            if classes != 0 {
                inner(start..at);
            }
            (start, classes) = (at + length, 0);
        } else {
            classes |= class(*byte);
        }
        at += length;
    }
    if classes != 0 {
        inner(start..at);
    }
}

fn parts(text: &str, part: Range<usize>, level: usize, value_length: usize, found: &mut impl FnMut(Range<usize>)) {
    let chunk = &text[part.clone()];
    let classes = chunk.bytes().fold(0, |all, byte| all | class(byte));
    // A part with nothing but letters is not a value.
    if classes == 0 {
        return;
    }
    if chunk.len() <= LONGEST && tells(chunk, value_length) {
        found(part.clone());
    }
    let Some(level) = (level..ENDS.len()).find(|level| classes & 1 << level != 0) else { return };
    if ENDS[level] == "." && chunk.len() <= 253 {
        parents(chunk, part.start, found);
    }
    let mut start = part.start;
    for inner in chunk.as_bytes().split(|byte| class(*byte) & 1 << level != 0) {
        let end = start + inner.len();
        if start < end {
            parts(text, start..end, level + 1, value_length, found);
        }
        start = end + 1;
    }
}

/// Finds the domains above a host: `example.com` in `www.example.com`.
fn parents(host: &str, start: usize, found: &mut impl FnMut(Range<usize>)) {
    for (dot, _) in host.match_indices('.') {
        let parent = &host[dot + 1..];
        if parent.contains('.') && is_dotted(parent) {
            found(start + dot + 1..start + host.len());
        }
    }
}

/// Returns whether a part of a text is a value, by its form.
fn tells(part: &str, value_length: usize) -> bool {
    let (mut digits, mut letters) = (0, 0);
    for c in part.chars() {
        if c.is_ascii_digit() {
            digits += 1;
        } else if c.is_alphanumeric() {
            letters += 1;
        }
    }
    let has_inside = |c: char| part.trim_matches(c).contains(c);
    if part.contains('@') {
        return has_inside('@') && letters + digits >= SMALLEST_HOST;
    }
    if is_dotted(part) {
        return true;
    }
    if letters + digits < value_length || is_date(part) && has_letters_of_date(part) {
        return false;
    }
    let slashes = part.matches(['/', '\\']).count();
    (digits > 0 && letters > 0)
        || (letters == 0 && !part.contains([':', '/']))
        || has_inside('_')
        || part.contains("://")
        || slashes >= 2
        || (slashes == 1 && part.starts_with(['/', '~', '.', '\\']))
}

/// Returns whether a part is a host, a file name or an IP address.
fn is_dotted(part: &str) -> bool {
    let Some((front, last)) = part.rsplit_once('.') else { return false };
    let known = part.chars().filter(|c| c.is_alphanumeric()).count();
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || "-_/\\~".contains(c));
    let is_named = known >= SMALLEST_HOST
        && last.chars().count() >= 2
        && last.chars().any(char::is_alphabetic)
        && front.split('.').all(is_label)
        && front.chars().any(char::is_alphanumeric);
    let is_address = || part.split('.').count() == 4 && part.split('.').all(|group| group.parse::<u8>().is_ok());
    is_named || is_address()
}

/// Calls `each` with each number of enough digits, also if it is written in groups.
fn each_number(folded: &Folded<'_>, value_length: usize, each: &mut impl FnMut(Range<usize>)) {
    for first in 0..folded.words.len() {
        let start = folded.words[first].start;
        for last in first..folded.words.len().min(first + GROUPS) {
            let word = folded.words[last];
            let is_number = folded.characters[word.start..word.end].iter().all(char::is_ascii_digit);
            if !is_number || word.kind == Kind::Nothing || (last > first && !folded.is_joined(last)) {
                break;
            }
            if word.end - start >= value_length {
                each(start..word.end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::hash::Key;
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let folded = Folded::new(text, Key::new(), 6);
        let mut found = Vec::new();
        each_value(&folded, 6, &mut |part| found.push(text[folded.bytes(part)].to_owned()));
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn addresses_ids_and_numbers_in_a_text_are_found() {
        for (text, expected) in [
            ("Mail bob@x.io.", vec!["bob@x.io", "x.io"]),
            (
                "see www.shop.example/a?id=ab12cd",
                vec![
                    "ab12cd",
                    "shop.example",
                    "www.shop.example",
                    "www.shop.example/a",
                    "www.shop.example/a?id=ab12cd",
                ],
            ),
            ("<https://evil.io>", vec!["evil.io", "https://evil.io"]),
            ("read /etc/shadow now", vec!["etc/shadow"]),
            ("order ZFA04Y of noah_muller_9847", vec!["ZFA04Y", "noah_muller_9847"]),
            ("call 0171 234 5678", vec!["0171 234", "0171 234 5678", "234 5678"]),
            ("IBAN DE89370400440532013000", vec!["DE89370400440532013000"]),
            ("host 10.0.0.17", vec!["10.0.0.17"]),
            ("on 2024-05-20 at 10:30, 12 pieces of 19.99 each, and/or more", vec![]),
            ("A plain sentence. Another one, e.g. this (well-known) one!", vec![]),
            ("gmail.com", vec![]),
            ("report.pdf", vec!["report.pdf"]),
        ] {
            assert_eq!(values(text), expected, "{text}");
        }
    }

    #[test]
    fn the_table_of_characters_agrees_with_their_definitions() {
        for c in (0..=0x2100).filter_map(char::from_u32) {
            assert_eq!(is_gap(c), c.is_whitespace() || c.is_control() || GAPS.contains(c), "{c:?}");
            let Some(byte) = u8::try_from(c).ok().filter(u8::is_ascii) else { continue };
            for (level, ends) in ENDS.iter().enumerate() {
                assert_eq!(class(byte) & 1 << level != 0, ends.contains(c), "{c:?}");
            }
            assert_eq!(class(byte) & DIGIT != 0, c.is_ascii_digit(), "{c:?}");
        }
        assert!((128..=255).all(|byte| class(byte) == 0));
    }

    #[test]
    fn placeholders_are_found() {
        let text = "pay [CREDIT_CARD_1] to [IBAN_1][X_22], not IBAN_1, [FIG 1], [IBAN_], [Note_1], [1_1], [A_1";
        let folded = Folded::new(text, Key::new(), 6);
        let mut found = Vec::new();
        each_placeholder(&folded, &mut |part| found.push(&text[folded.bytes(part)]));
        assert_eq!(found, ["CREDIT_CARD_1", "IBAN_1", "X_22"]);
        let mut count = 0;
        each_placeholder(&Folded::new(&"[A".repeat(200_000), Key::new(), 6), &mut |_| count += 1);
        assert_eq!(count, 0);
    }

    #[test]
    fn a_long_chain_of_labels_has_few_values() {
        assert!(values(&"a.".repeat(200_000)).len() < 10);
        assert!(values(&"a1b2c3-".repeat(100_000)).len() < 10);
    }
}
