//! The texts that a reader may see in a text: without escapes, and without hidden characters.

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
    fn new(source: &str, pieces: impl Iterator<Item = (Range<usize>, Option<char>)>) -> Option<Self> {
        let mut reading = Self { text: String::new(), source: None, pieces: Vec::new() };
        let mut copied = 0;
        for (Range { start, end }, letter) in pieces {
            reading.text.push_str(&source[copied..start]);
            let at = reading.text.len();
            reading.text.extend(letter);
            let length = reading.text.len() - at;
            reading.pieces.push(Piece { at, length, from: start, to: end });
            copied = end;
        }
        reading.text.push_str(&source[copied..]);
        (!reading.pieces.is_empty()).then_some(reading)
    }

    /// Reads the text as [`Injection`](crate::Injection) leaves it.
    fn stripped(source: &str) -> Option<Self> {
        Self::new(source, Scan::of(source).removed().iter().map(|range| (range.clone(), None)))
    }

    /// Reads the text without all hidden characters and escape sequences.
    fn visible(source: &str) -> Option<Self> {
        Self::new(source, hidden::gaps(source).into_iter().map(|range| (range, None)))
    }

    /// Reads escapes such as `\n`, `\u0041` and `\u{41}` as their characters.
    pub(super) fn unescaped(source: &str) -> Option<Self> {
        let mut at = 0;
        let next = move || loop {
            let start = at + source.get(at..)?.find('\\')?;
            let (letter, length) = escape(&source[start..]);
            at = start + length;
            if let Some(letter) = letter {
                return Some((start..at, Some(letter)));
            }
        };
        Self::new(source, std::iter::from_fn(next))
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

    /// Returns the bytes of the source with all of each piece that they cut.
    pub(super) fn whole_pieces(&self, bytes: &Range<usize>) -> Range<usize> {
        let cut = |at: usize| {
            let piece = self.pieces.get(self.pieces.partition_point(|piece| piece.to <= at))?;
            (piece.from < at).then_some(piece)
        };
        cut(bytes.start).map_or(bytes.start, |piece| piece.from)..cut(bytes.end).map_or(bytes.end, |piece| piece.to)
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

/// Returns the readings of a text without hidden characters.
pub(super) fn without_hidden(text: &str) -> Vec<Reading> {
    if hidden::is_visible(text) {
        return Vec::new();
    }
    let visible = Reading::visible(text);
    let differs = |one: &Reading| visible.as_ref().is_none_or(|other| other.text != one.text);
    Reading::stripped(text).filter(differs).into_iter().chain(visible).collect()
}

/// Returns the readings of a text. A reading comes after the reading that is its source.
pub(super) fn all(text: &str) -> Vec<Reading> {
    let mut all: Vec<Reading> = Vec::new();
    let mut source = None;
    for _ in 0..=LEVELS {
        let before = source;
        for reading in without_hidden(source.map_or(text, |number: usize| &all[number].text)) {
            all.push(Reading { source: before, ..reading });
            source = Some(all.len() - 1);
        }
        let Some(reading) = Reading::unescaped(source.map_or(text, |number| &all[number].text)) else { break };
        all.push(Reading { source, ..reading });
        source = Some(all.len() - 1);
    }
    all
}

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
        let end = text.bytes().take(12).position(|byte| byte == b'}')?;
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
        all(text).into_iter().map(|reading| reading.text).collect()
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
        let unescaped = Reading::unescaped(text).map(|reading| reading.in_source(&(2..4)));
        assert_eq!(unescaped, Some(3..5));
        let visible = Reading::visible(text).unwrap();
        assert_eq!(visible.text, "1\\n2345");
        // Around the bytes, what was removed stays. Inside, it is a part.
        assert_eq!(visible.in_source(&(5..7)), 8..10);
        assert_eq!(visible.in_source(&(3..7)), 3..10);
        assert_eq!(visible.in_source(&(3..5)), 3..5);
        assert_eq!(visible.whole_pieces(&(6..12)), 5..14);
    }
}
