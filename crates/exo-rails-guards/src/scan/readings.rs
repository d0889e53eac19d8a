//! The texts that a reader may see in a text: without escapes, and without hidden characters.

use std::collections::VecDeque;
use std::ops::Range;

use crate::hidden::{self, Scan};

/// How often escapes are decoded. JSON in JSON in JSON needs three.
pub(super) const LEVELS: usize = 6;

/// A text that was made from another one, the source, by replacing or removing some of its characters.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) text: String,
    /// The number of the reading that is the source. `None` is the text itself.
    pub(super) source: Option<usize>,
    pieces: Vec<Piece>,
    /// The place of the source where the reading ends, because what begins there is not complete.
    pub(super) end: Option<usize>,
}

/// Bytes of a reading that stand for other bytes of the source. Characters that were removed have no bytes in the reading.
#[derive(Clone, Copy, Debug)]
struct Piece {
    at: usize,
    length: usize,
    from: usize,
    to: usize,
}

impl Reading {
    /// `end` is the place of the source where the reading ends, if that is not the end of the source.
    fn new(
        source: &str,
        end: Option<usize>,
        pieces: impl Iterator<Item = (Range<usize>, Option<char>)>,
    ) -> Option<Self> {
        let mut reading = Self { text: String::new(), source: None, pieces: Vec::new(), end };
        let mut copied = 0;
        let source = &source[..end.unwrap_or(source.len())];
        for (Range { start, end }, letter) in pieces {
            reading.text.push_str(&source[copied..start]);
            let at = reading.text.len();
            reading.text.extend(letter);
            let length = reading.text.len() - at;
            reading.pieces.push(Piece { at, length, from: start, to: end });
            copied = end;
        }
        reading.text.push_str(&source[copied..]);
        (!reading.pieces.is_empty() || end.is_some()).then_some(reading)
    }

    /// Reads the text as [`Injection`](crate::Injection) leaves it.
    fn stripped(source: &str, is_last: bool) -> Option<Self> {
        let end = if is_last { None } else { hidden::begun(source).or_else(|| hidden::last_gap(source)) };
        let source = &source[..end.unwrap_or(source.len())];
        Self::new(source, end, Scan::of(source).removed().iter().map(|range| (range.clone(), None)))
    }

    /// Reads the text without all hidden characters and escape sequences.
    fn visible(source: &str, is_last: bool) -> Option<Self> {
        let end = if is_last { None } else { hidden::begun(source) };
        let source = &source[..end.unwrap_or(source.len())];
        Self::new(source, end, hidden::gaps(source).into_iter().map(|range| (range, None)))
    }

    /// Reads escapes such as `\n`, `\u0041` and `\u{41}` as their characters. If more text follows, the reading ends before an
    /// escape that is not complete.
    pub(super) fn unescaped(source: &str, is_last: bool) -> Option<Self> {
        let (mut at, mut end, mut pieces) = (0, None, Vec::new());
        while let Some(start) = source.get(at..).and_then(|rest| rest.find('\\')).map(|start| at + start) {
            if !is_last && is_begun(&source[start..]) {
                end = Some(start);
                break;
            }
            let (letter, length) = escape(&source[start..]);
            at = start + length;
            if letter.is_some() {
                pieces.push((start..at, letter));
            }
        }
        Self::new(source, end, pieces.into_iter())
    }

    /// Returns the bytes of the source that some bytes of this text stand for.
    pub(super) fn in_source(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.in_source_after(bytes.start);
        // A piece without bytes at the end is not a part.
        let end = match self.pieces[..self.pieces.partition_point(|piece| piece.at < bytes.end)].last() {
            None => bytes.end,
            Some(piece) if bytes.end <= piece.at + piece.length => piece.to,
            Some(piece) => piece.to + (bytes.end - piece.at - piece.length),
        };
        start..end.max(start)
    }

    /// Returns the place of the source for a place of this text, after all that was removed there.
    pub(super) fn in_source_after(&self, at: usize) -> usize {
        match self.pieces[..self.pieces.partition_point(|piece| piece.at <= at)].last() {
            None => at,
            Some(piece) if at < piece.at + piece.length => piece.from,
            Some(piece) => piece.to + (at - piece.at - piece.length),
        }
    }

    /// Returns the place of this text for a place of the source. A place inside of a piece becomes the start of the piece.
    pub(super) fn in_reading(&self, at: usize) -> usize {
        let place = match self.pieces[..self.pieces.partition_point(|piece| piece.from <= at)].last() {
            None => at,
            Some(piece) if at < piece.to => piece.at,
            Some(piece) => piece.at + piece.length + (at - piece.to),
        };
        place.min(self.text.len())
    }

    /// Returns the bytes of the source with all of each piece that they cut.
    pub(super) fn whole_pieces(&self, bytes: &Range<usize>) -> Range<usize> {
        let cut = |at: usize| {
            let piece = self.pieces.get(self.pieces.partition_point(|piece| piece.to <= at))?;
            (piece.from < at).then_some(piece)
        };
        cut(bytes.start).map_or(bytes.start, |piece| piece.from)..cut(bytes.end).map_or(bytes.end, |piece| piece.to)
    }
}

/// Makes bytes of a source longer until they cut no piece of a reading of the source, nor of a reading of such a reading.
pub(super) fn whole_pieces(readings: &[Reading], source: Option<usize>, bytes: Range<usize>) -> Range<usize> {
    let mut whole = bytes;
    loop {
        let before = whole.clone();
        for (number, reading) in readings.iter().enumerate().filter(|(_, reading)| reading.source == source) {
            whole = reading.whole_pieces(&whole);
            let inner = reading.in_reading(whole.start)..reading.in_reading(whole.end);
            let wide = whole_pieces(readings, Some(number), inner.clone());
            if wide.start < inner.start {
                whole.start = reading.in_source_after(wide.start).min(whole.start);
            }
            if wide.end > inner.end {
                whole.end = reading.in_source(&wide).end.max(whole.end);
            }
        }
        if whole == before {
            return whole;
        }
    }
}

/// Returns whether a text has only one reading. It allocates nothing.
pub(super) fn is_plain(text: &str) -> bool {
    !text.contains('\\') && hidden::is_visible(text)
}

/// Returns where the strings with escapes are in a text that is JSON, without their quotation marks.
pub(super) fn strings_of_json(text: &str) -> Option<Vec<Range<usize>>> {
    if !text.contains('\\')
        || !text.trim_start().starts_with(['{', '[', '"'])
        || serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
    {
        return None;
    }
    let (mut strings, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find('"').map(|start| at + start + 1) {
        let (mut end, mut has_escapes) = (start, false);
        while let Some(next) = text[end..].find(['"', '\\']).filter(|next| text[end + next..].starts_with('\\')) {
            has_escapes = true;
            // In JSON, a character of ASCII follows.
            end = (end + next + 2).min(text.len());
        }
        end += text[end..].find('"').unwrap_or_default();
        if has_escapes {
            strings.push(start..end);
        }
        at = (end + 1).min(text.len());
    }
    Some(strings)
}

/// Returns the readings of a text without hidden characters. `is_last` is false if more text may follow.
pub(super) fn without_hidden(text: &str, is_last: bool) -> Vec<Reading> {
    if hidden::is_visible(text) {
        return Vec::new();
    }
    let visible = Reading::visible(text, is_last);
    let differs = |one: &Reading| visible.as_ref().is_none_or(|other| other.text != one.text);
    Reading::stripped(text, is_last).filter(differs).into_iter().chain(visible).collect()
}

/// The most readings of a text. A text with more was written for that.
const MOST: usize = 32;

/// Returns the readings of a text. A reading comes after the reading that is its source. `is_last` is false if more text may
/// follow.
pub(super) fn all(text: &str, is_last: bool) -> Vec<Reading> {
    let mut all: Vec<Reading> = Vec::new();
    // The texts to read: the source, how often escapes were decoded, and whether hidden characters are still there.
    let mut next = VecDeque::from([(None, 0, true)]);
    while let Some((source, level, may_hide)) = next.pop_front() {
        let of_source = source.map_or(text, |number: usize| &all[number].text);
        let mut made = if may_hide { without_hidden(of_source, is_last) } else { Vec::new() };
        // The last one is without all hidden characters. Escapes that those interrupt are complete in it.
        let visible = made.len().checked_sub(1);
        let unescaped = if level <= LEVELS { Reading::unescaped(of_source, is_last) } else { None };
        let first_unescaped = made.len();
        made.extend(unescaped);
        for (number, reading) in made.into_iter().enumerate() {
            let is_new =
                reading.end.is_some() || (reading.text != text && all.iter().all(|other| other.text != reading.text));
            if !is_new || all.len() == MOST {
                continue;
            }
            all.push(Reading { source, ..reading });
            let place = Some(all.len() - 1);
            if number == first_unescaped {
                next.push_back((place, level + 1, true));
            } else if Some(number) == visible {
                next.push_back((place, level, false));
            }
        }
    }
    all
}

/// Returns whether a text is the beginning of an escape, or of a longer escape.
fn is_begun(text: &str) -> bool {
    let are_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some(code) = text[1..].strip_prefix(['u', 'x']) else { return text.len() == 1 };
    if text[1..].starts_with('x') {
        return code.len() < 2 && are_hex(code);
    }
    if let Some(digits) = code.strip_prefix('{') {
        return text.len() < LONGEST_CODE && are_hex(digits);
    }
    let Some((first, rest)) = code.split_at_checked(4) else { return are_hex(code) };
    // The second half of a pair of surrogates follows the first half.
    hex(first, 0..4).is_some_and(|first| (0xd800..0xdc00).contains(&first))
        && match rest.get(..2) {
            Some("\\u") => rest.len() < 6 && are_hex(&rest[2..]),
            Some(_) => false,
            None => "\\u".starts_with(rest),
        }
}

/// The most bytes of an escape with braces.
const LONGEST_CODE: usize = 12;

/// Returns the character of the escape at the beginning of a text, and the bytes of the escape.
fn escape(text: &str) -> (Option<char>, usize) {
    let Some(letter) = text[1..].chars().next() else { return (None, 1) };
    let simple = match letter {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        '0' => Some('\0'),
        'e' => Some('\u{1b}'),
        '"' | '\'' | '\\' | '/' => Some(letter),
        _ => None,
    };
    let length = 1 + letter.len_utf8();
    let of_code = match letter {
        'u' => unicode(text),
        'x' => hex(text, 2..4).and_then(char::from_u32).map(|letter| (letter, 4)),
        _ => None,
    };
    match of_code {
        Some((letter, length)) => (Some(letter), length),
        None => (simple, length),
    }
}

/// Reads `\u0041`, a pair of surrogates, or `\u{41}`.
fn unicode(text: &str) -> Option<(char, usize)> {
    if text[2..].starts_with('{') {
        let end = text.bytes().take(LONGEST_CODE).position(|byte| byte == b'}')?;
        return Some((char::from_u32(hex(text, 3..end)?)?, end + 1));
    }
    let first = hex(text, 2..6)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((letter, 6));
    }
    let second = text.get(6..)?.strip_prefix("\\u").and(hex(text, 8..12))?;
    let letter = char::decode_utf16([u16::try_from(first).ok()?, u16::try_from(second).ok()?]).next()?.ok()?;
    Some((letter, 12))
}

fn hex(text: &str, bytes: Range<usize>) -> Option<u32> {
    let digits = text.get(bytes)?;
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u32::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        all(text, true).into_iter().map(|reading| reading.text).collect()
    }

    #[test]
    fn escapes_and_hidden_characters_are_read() {
        let table = [
            ("plain é", vec![]),
            (r"a\nb", vec!["a\nb"]),
            (r"a\\nb", vec![r"a\nb", "a\nb"]),
            (r"\u0041\u{42}\x43\ud83d\ude00\/", vec!["ABC😀/"]),
            (r"\ud83d\u00zz\q\", vec![]),
            ("a\u{200b}b", vec!["ab"]),
            ("a\u{ad}b", vec!["ab"]),
            ("a\\\u{200b}nb", vec!["a\\nb", "a\nb"]),
            (r"\u001b[0mx", vec!["\u{1b}[0mx", "x"]),
        ];
        for (text, expected) in table {
            assert_eq!(readings(text), expected, "{text}");
        }
    }

    #[test]
    fn the_bytes_of_a_reading_are_found_in_its_source() {
        let text = "1\\n23\u{200b}45\u{1b}[0m";
        let unescaped = Reading::unescaped(text, true).map(|reading| reading.in_source(&(2..4)));
        assert_eq!(unescaped, Some(3..5));
        let visible = Reading::visible(text, true).unwrap();
        assert_eq!(visible.text, "1\\n2345");
        // Around the bytes, what was removed stays. Inside, it is a part.
        assert_eq!(visible.in_source(&(5..7)), 8..10);
        assert_eq!(visible.in_source(&(3..7)), 3..10);
        assert_eq!(visible.in_source(&(3..5)), 3..5);
        assert_eq!(visible.whole_pieces(&(6..12)), 5..14);
    }
}
