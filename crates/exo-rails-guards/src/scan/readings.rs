//! The texts that a reader may see in a text: without codes such as escapes, without hidden characters, and with the letters that
//! characters look like.

use std::collections::VecDeque;
use std::ops::Range;

use exo_rails::Excerpt;
use exo_rails_text::reading as text;
use exo_rails_text::{codes, look};

use crate::hidden::{self, Scan};

/// How often codes are read. JSON in JSON in JSON needs three.
pub(super) const LEVELS: usize = 6;

/// A reading of a text, and its source.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) read: text::Reading,
    /// The number of the reading that is the source. `None` is the text itself.
    pub(super) source: Option<usize>,
    /// Whether it has letters that characters of the text only look like.
    pub(super) is_look: bool,
}

/// Reads the text as [`Injection`](crate::Injection) leaves it.
fn stripped(source: &str, is_last: bool) -> Option<text::Reading> {
    let end = if is_last { None } else { hidden::begun(source).or_else(|| hidden::last_gap(source)) };
    let removed = Scan::of(&source[..end.unwrap_or(source.len())]);
    text::Reading::new(source, end, removed.removed().iter().map(|range| (range.clone(), None)))
}

/// Reads the text without all hidden characters and escape sequences.
fn visible(source: &str, is_last: bool) -> Option<text::Reading> {
    let end = if is_last { None } else { hidden::begun(source) };
    let gaps = hidden::gaps(&source[..end.unwrap_or(source.len())]);
    text::Reading::new(source, end, gaps.into_iter().map(|range| (range, None)))
}

/// Returns the readings of a text that may continue. A text with one reading, itself, has none.
pub(crate) fn of(excerpt: Excerpt<'_>) -> Vec<Reading> {
    if is_plain(excerpt.text) { Vec::new() } else { all(excerpt.text, excerpt.is_last) }
}

/// Returns the index of a text among a text and its readings.
pub(super) fn index(source: Option<usize>) -> usize {
    source.map_or(0, |number| number + 1)
}

/// Returns a place of a text in the text and in each of its readings.
pub(super) fn places(readings: &[Reading], from: usize) -> Vec<usize> {
    let mut places = vec![from];
    for Reading { read: reading, source, .. } in readings {
        places.push(reading.in_reading(places[index(*source)]));
    }
    places
}

/// Makes bytes of a source longer until they cut no piece of a reading of the source, nor of a reading of such a reading.
pub(super) fn whole_pieces(readings: &[Reading], source: Option<usize>, bytes: Range<usize>) -> Range<usize> {
    let mut whole = bytes;
    loop {
        let before = whole.clone();
        for (number, reading) in readings.iter().enumerate().filter(|(_, reading)| reading.source == source) {
            let reading = &reading.read;
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
    codes::is_plain(text) && hidden::is_visible(text) && look::is_what_it_seems(text)
}

/// Returns where the strings that have other readings are in a text that is JSON, without their quotation marks.
pub(super) fn strings_of_json(text: &str) -> Option<Vec<Range<usize>>> {
    if !text.contains('\\')
        || !text.trim_start().starts_with(['{', '[', '"'])
        || serde_json::from_str::<serde::de::IgnoredAny>(text).is_err()
    {
        return None;
    }
    let (mut strings, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find('"').map(|start| at + start + 1) {
        let mut end = start;
        while let Some(next) = text[end..].find(['"', '\\']).filter(|next| text[end + next..].starts_with('\\')) {
            // In JSON, a character of ASCII follows.
            end = (end + next + 2).min(text.len());
        }
        end += text[end..].find('"').unwrap_or_default();
        if !is_plain(&text[start..end]) {
            strings.push(start..end);
        }
        at = (end + 1).min(text.len());
    }
    Some(strings)
}

/// Returns the readings of a text without hidden characters. `is_last` is false if more text may follow.
pub(super) fn without_hidden(text: &str, is_last: bool) -> Vec<text::Reading> {
    if hidden::is_visible(text) {
        return Vec::new();
    }
    let visible = visible(text, is_last);
    let differs = |one: &text::Reading| visible.as_ref().is_none_or(|other| other.text() != one.text());
    stripped(text, is_last).filter(differs).into_iter().chain(visible).collect()
}

/// The most readings of a text. A text with more was written for that.
const MOST: usize = 32;

/// Returns the readings of a text. A reading comes after the reading that is its source. `is_last` is false if more text may
/// follow.
pub(super) fn all(text: &str, is_last: bool) -> Vec<Reading> {
    let mut all: Vec<Reading> = Vec::new();
    // The texts to read: the source, how often codes were read, and whether hidden characters are still there.
    let mut next = VecDeque::from([(None, 0, true)]);
    while let Some((source, level, may_hide)) = next.pop_front() {
        let of_source = source.map_or(text, |number: usize| all[number].read.text());
        let mut made = Vec::new();
        if may_hide {
            // Codes that hidden characters interrupt are complete without them.
            let without_hidden = without_hidden(of_source, is_last).into_iter();
            made.extend(without_hidden.map(|reading| (reading, false, Some((level, false)))));
        }
        if level <= LEVELS {
            made.extend(codes::decoded(of_source, is_last).map(|reading| (reading, false, Some((level + 1, true)))));
            made.extend(look::reading(of_source).map(|reading| (reading, true, Some((level + 1, false)))));
        }
        let is_source_look = source.is_some_and(|number: usize| all[number].is_look);
        for (reading, is_look, goes_on) in made {
            let is_look = is_look || is_source_look;
            let is_known = |other: &Reading| other.read.text() == reading.text() && other.is_look <= is_look;
            let is_new = reading.end().is_some() || (reading.text() != text && !all.iter().any(is_known));
            if is_new && all.len() < MOST {
                all.push(Reading { read: reading, source, is_look });
                next.extend(goes_on.map(|(level, may_hide)| (Some(all.len() - 1), level, may_hide)));
            }
        }
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        all(text, true).into_iter().map(|reading| reading.read.into_text()).collect()
    }

    #[test]
    fn codes_hidden_characters_and_look_alikes_are_read() {
        let table = [
            ("plain 查", vec![]),
            ("é", vec!["e"]),
            (r"a\nb", vec!["a\nb"]),
            (r"a\\nb", vec![r"a\nb", "a\nb"]),
            (r"\u0041\u{42}\x43\ud83d\ude00\/", vec!["ABC😀/"]),
            ("a%41&#66;", vec!["aAB"]),
            ("a\u{200b}b", vec!["ab"]),
            ("a\u{ad}b", vec!["ab"]),
            ("a\\\u{200b}nb", vec!["a\\nb", "a\nb"]),
            (r"\u001b[0mx", vec!["\u{1b}[0mx", "x"]),
            ("％41", vec!["%41", "A"]),
            // A hidden character inside a code, and one with an honest use before it.
            ("a\u{ad}b\\u001b\u{200b}[0mc", vec!["a\u{ad}bc", "abc"]),
        ];
        for (text, expected) in table {
            let read = readings(text);
            for expected in &expected {
                assert!(read.iter().any(|read| read == expected), "{text}: {read:?}");
            }
            assert_eq!(read.is_empty(), expected.is_empty(), "{text}: {read:?}");
        }
    }

    #[test]
    fn the_bytes_of_a_reading_are_found_in_its_source() {
        let text = "1\\n23\u{200b}45\u{1b}[0m";
        let visible = visible(text, true).unwrap();
        assert_eq!(visible.text(), "1\\n2345");
        // Around the bytes, what was removed stays. Inside, it is a part.
        assert_eq!(visible.in_source(&(5..7)), 8..10);
        assert_eq!(visible.in_source(&(3..7)), 3..10);
        assert_eq!(visible.in_source(&(3..5)), 3..5);
        assert_eq!(visible.whole_pieces(&(6..12)), 5..14);
    }
}
