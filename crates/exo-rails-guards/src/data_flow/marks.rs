//! The marks of a text: what the guard remembers of it.

use std::ops::Range;

use exo_rails_policy::PointerPattern;
use exo_rails_text::views::each_view;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folded::{Folded, Kind};
use super::hash::{Key, What, mark};
use super::leaves::each_leaf_at;
use super::values::{each_placeholder, each_value};
use crate::arguments::nested;

/// How deep in each other codes and encodings are read.
pub(super) const VIEWS: usize = 3;

/// The most words of a short text that is remembered as a whole.
pub(super) const WORDS: usize = 3;

/// The longest text that is remembered as a value only because it was a whole value, in folded characters.
const LONGEST_VALUE: usize = 64;

/// Long texts are read in parts, so that reading needs little memory.
const PART: usize = 64 * 1024;

/// How texts are compared. A state keeps its form, because marks of different forms have nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Form {
    pub(super) key: Key,
    /// The number of folded characters of a piece.
    pub(super) piece: usize,
    /// The number of folded characters of the shortest value.
    pub(super) value: usize,
}

impl Form {
    pub(super) fn fold<'t>(&self, text: &'t str) -> Folded<'t> {
        Folded::new(text, self.key, self.value)
    }

    /// Returns the marks of a text that a tool has returned. If it is JSON, the values at `places` count, or all.
    pub(super) fn tainted(&self, text: &str, places: &[PointerPattern], most: usize) -> Collected {
        let mut marks = Collected::new(most);
        let value = nested(text).unwrap_or_else(|| Value::String(text.to_owned()));
        if places.is_empty() || value.is_string() {
            self.taint(text, false, &mut marks);
        }
        each_leaf_at(&value, places, &mut |leaf| {
            // A text that is not JSON has been read as it is.
            if leaf.text != text {
                self.taint(leaf.text, leaf.is_value, &mut marks);
            }
        });
        marks.compact();
        marks
    }

    fn taint(&self, text: &str, is_value: bool, marks: &mut Collected) {
        self.taint_view(text, is_value, marks);
        each_view(text, VIEWS, &mut |_, view| self.taint_view(view, is_value, marks));
    }

    fn taint_view(&self, text: &str, is_value: bool, marks: &mut Collected) {
        for part in parts(text) {
            if marks.is_full() {
                return;
            }
            let folded = self.fold(part);
            self.pieces(&folded, &mut marks.all);
            each_placeholder(&folded, &mut |part| marks.all.push(mark_of(&folded, What::Placeholder, part)));
            let mut value = |part: Range<usize>| marks.all.push(mark_of(&folded, What::Value, part));
            each_value(&folded, self.value, &mut value);
            let length = folded.characters.len();
            let tells = folded.words.iter().any(|word| word.kind == Kind::Telling);
            if is_value && (self.value..=LONGEST_VALUE).contains(&length) && folded.words.len() <= WORDS && tells {
                value(0..length);
            }
            each_phrase(&folded, &mut |part, tells| {
                if tells && (self.value..self.piece).contains(&part.len()) {
                    marks.all.push(mark_of(&folded, What::Phrase, part));
                }
            });
        }
    }

    /// Returns the marks of a text that the program or the user has written. Short words count, too.
    pub(super) fn trusted(&self, text: &str, most: usize) -> Collected {
        let mut marks = Collected::new(most);
        self.trust_view(text, &mut marks);
        each_view(text, VIEWS, &mut |_, view| self.trust_view(view, &mut marks));
        marks.compact();
        marks
    }

    fn trust_view(&self, text: &str, marks: &mut Collected) {
        for part in parts(text) {
            if marks.is_full() {
                return;
            }
            let folded = self.fold(part);
            self.pieces(&folded, &mut marks.all);
            each_value(&folded, self.value, &mut |part| marks.all.push(mark_of(&folded, What::Phrase, part)));
            each_placeholder(&folded, &mut |part| marks.all.push(mark_of(&folded, What::Placeholder, part)));
            each_phrase(&folded, &mut |part, _| {
                if part.len() < self.piece {
                    marks.all.push(mark_of(&folded, What::Phrase, part));
                }
            });
        }
    }

    fn pieces(&self, folded: &Folded<'_>, marks: &mut Vec<u64>) {
        folded.each_piece(self.piece, &mut |_, mark| marks.push(mark));
    }
}

/// The marks of a text. They stop where a state would be full.
#[derive(Debug)]
pub(super) struct Collected {
    /// Sorted, each once.
    pub(super) all: Vec<u64>,
    most: usize,
    /// Whether marks are missing.
    pub(super) is_cut: bool,
}

impl Collected {
    const fn new(most: usize) -> Self {
        Self { all: Vec::new(), most, is_cut: false }
    }

    /// Returns whether there are too many marks. A text that repeats itself has few.
    fn is_full(&mut self) -> bool {
        // So that sorting takes a small part of the time.
        if self.all.len() > 2 * self.most + 16 * PART {
            self.compact();
            self.is_cut |= self.all.len() > self.most;
        }
        self.is_cut
    }

    fn compact(&mut self) {
        self.all.sort_unstable();
        self.all.dedup();
    }
}

/// Returns the mark of a part of a text.
pub(super) fn mark_of(folded: &Folded<'_>, what: What, part: Range<usize>) -> u64 {
    let length = part.len();
    mark(what, folded.hash(part), length)
}

/// Calls `each` with one to three words after each other, and whether one of them tells something.
pub(super) fn each_phrase(folded: &Folded<'_>, each: &mut impl FnMut(Range<usize>, bool)) {
    for (number, first) in folded.words.iter().enumerate() {
        let mut tells = false;
        for last in folded.words[number..].iter().take(WORDS) {
            tells |= last.kind == Kind::Telling;
            each(first.start..last.end, tells);
        }
    }
}

/// Cuts a text into parts at spaces. Each part repeats the end of the part before it, so that no piece is lost.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    const OVERLAP: usize = 2 * 1024;
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let end = text.floor_char_boundary(from + PART);
        if end >= text.len() {
            start = None;
            return Some(&text[from..]);
        }
        start = Some(text.floor_char_boundary(end - OVERLAP).max(from + 1));
        Some(&text[from..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_of_a_long_text_has_a_mark() {
        let form = Form { key: Key::new(), piece: 12, value: 6 };
        let text = (0..40_000).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
        let marks = form.tainted(&text, &[], 900_000).all;
        let folded = form.fold(&text);
        for start in 0..=folded.characters.len() - 12 {
            let mark = mark_of(&folded, What::Piece, start..start + 12);
            assert!(marks.binary_search(&mark).is_ok(), "{start}");
        }
    }
}
