//! Texts as the guard compares them: letters and digits only, without case, accents, look-alikes and variants of Unicode.

use std::ops::Range;

use exo_rails_text::look::{self, fold, merged};

use super::hash::{Key, Prefixes, What, mark};
use super::words::{is_common, is_date, is_numeric};

/// A text, and its folded characters with their places.
#[derive(Debug)]
pub(super) struct Folded<'t> {
    pub(super) text: &'t str,
    pub(super) characters: Vec<char>,
    /// For each folded character, the byte at which its character begins.
    at: Vec<u32>,
    pub(super) words: Vec<Word>,
    prefixes: Prefixes,
}

/// A word: folded characters without anything between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// The first folded character, and the one after the last.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// What a copy of a word proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It comes from the text.
    Telling,
    /// Many texts have the word.
    Common,
    /// A number with few digits, or a part of a date or time: nothing.
    Nothing,
}

impl<'t> Folded<'t> {
    pub(super) fn new(text: &'t str, key: Key, value_length: usize) -> Self {
        let mut folded = Self {
            text,
            characters: Vec::with_capacity(text.len()),
            at: Vec::with_capacity(text.len()),
            words: Vec::with_capacity(text.len() / 4),
            prefixes: key.prefixes(&[]),
        };
        if text.is_ascii() {
            folded.fold_ascii();
        } else {
            folded.fold_all();
        }
        folded.judge_words(value_length);
        folded.prefixes = key.prefixes(&folded.characters);
        folded
    }

    /// Folds a text without characters beyond ASCII: most texts.
    fn fold_ascii(&mut self) {
        let mut start = 0;
        for (byte, c) in self.text.bytes().enumerate() {
            if c.is_ascii_alphanumeric() {
                self.characters.push(merged(char::from(c.to_ascii_lowercase())));
                self.at.push(u32::try_from(byte).unwrap_or(u32::MAX));
            } else if fold(char::from(c)).kind != look::Kind::Nothing {
                self.end_word(start);
                start = self.characters.len();
            }
        }
        self.end_word(start);
    }

    fn fold_all(&mut self) {
        let mut start = 0;
        for (byte, c) in self.text.char_indices() {
            let folded = fold(c);
            match folded.kind {
                look::Kind::Word => self.characters.extend(folded.letters().map(merged)),
                look::Kind::Nothing => {}
                look::Kind::Mark | look::Kind::Space => {
                    self.end_word(start);
                    start = self.characters.len();
                }
            }
            self.at.resize(self.characters.len(), u32::try_from(byte).unwrap_or(u32::MAX));
        }
        self.end_word(start);
    }

    fn end_word(&mut self, start: usize) {
        let end = self.characters.len();
        if start < end {
            self.words.push(Word { start, end, kind: Kind::Telling });
        }
    }

    /// Finds the words that prove little or nothing.
    fn judge_words(&mut self, value_length: usize) {
        let mut at = 0;
        while at < self.words.len() {
            let Word { start, end, .. } = self.words[at];
            if is_common(&self.characters[start..end]) {
                self.words[at].kind = Kind::Common;
            }
            let last = self.numbers_from(at);
            if last == at {
                at += 1;
                continue;
            }
            let run = &self.words[at..last];
            let digits: usize = run.iter().map(|word| word.end - word.start).sum();
            let text = &self.text[self.bytes(run[0].start..run[run.len() - 1].end)];
            if digits < value_length || is_date(text) {
                self.words[at..last].iter_mut().for_each(|word| word.kind = Kind::Nothing);
            }
            at = last;
        }
    }

    /// Returns the end of the words from `at` on that are numbers with one separator between them.
    fn numbers_from(&self, at: usize) -> usize {
        let mut last = at;
        while let Some(word) = self.words.get(last) {
            let is_next = last == at || self.is_joined(last);
            if !is_next || !is_numeric(&self.characters[word.start..word.end]) {
                break;
            }
            last += 1;
        }
        last
    }

    /// Returns whether only a separator of numbers is between a word and the one before it.
    pub(super) fn is_joined(&self, word: usize) -> bool {
        let between = self.bytes(self.words[word - 1].start..self.words[word - 1].end).end;
        let between = &self.text[between..self.byte(self.words[word].start)];
        between.chars().count() <= 2
            && between.chars().all(|c| {
                matches!(c, '-' | '/' | ':' | '.' | ',' | '+' | '\'' | '’' | '(' | ')' | '\u{a0}' | ' ' | '\n')
            })
    }

    fn byte(&self, character: usize) -> usize {
        self.at.get(character).map_or(self.text.len(), |at| *at as usize)
    }

    /// Returns the bytes of folded characters.
    pub(super) fn bytes(&self, characters: Range<usize>) -> Range<usize> {
        let start = self.byte(characters.start);
        let Some(last) = characters.end.checked_sub(1).filter(|last| *last >= characters.start) else {
            return start..start;
        };
        let last = self.byte(last);
        let length = self.text.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        start..last + length
    }

    /// Returns the folded characters of a part of the text.
    pub(super) fn characters_of(&self, bytes: Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.at.partition_point(|at| (*at as usize) < byte);
        at(bytes.start)..at(bytes.end)
    }

    /// Returns the hash of folded characters.
    pub(super) fn hash(&self, characters: Range<usize>) -> u64 {
        self.prefixes.hash(characters)
    }

    /// Calls `each` with each part of this length, and its mark.
    pub(super) fn each_piece(&self, length: usize, each: &mut impl FnMut(Range<usize>, u64)) {
        self.prefixes.windows(length, &mut |start, hash| each(start..start + length, mark(What::Piece, hash, length)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        Folded::new(text, Key::new(), 6).characters.into_iter().collect()
    }

    #[test]
    fn variants_fold_to_the_same_text() {
        for text in [
            "Straße 12",
            "STRASSE-12",
            "ｓｔｒａｓｓｅ１２",
            "str\u{200b}asse 1\u{ad}2",
            "sträße 12",
            "stra\u{301}ſſe 12",
            "strаsse 12",
        ] {
            assert_eq!(folded(text), "strasse12", "{text:?}");
        }
        assert_eq!(folded("查询 ok"), "查询ok");
        assert_eq!(folded("!?"), "");
    }

    #[test]
    fn ascii_folding_and_general_folding_agree() {
        for text in ["", "a", " a-b  C3PO, 4711!", "-x", "\u{0}\u{7f}a\u{b}b", "a\u{1}b\u{7f} c"] {
            let (ascii, mut all) = (Folded::new(text, Key::new(), 6), Folded::new("", Key::new(), 6));
            all.text = text;
            all.fold_all();
            let words =
                |folded: &Folded<'_>| folded.words.iter().map(|word| (word.start, word.end)).collect::<Vec<_>>();
            assert_eq!(
                (&ascii.characters, &ascii.at, words(&ascii)),
                (&all.characters, &all.at, words(&all)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn folded_words_point_to_bytes_of_the_original_text() {
        let text = "ä ﬁx: Größe!";
        let folded = Folded::new(text, Key::new(), 6);
        let words: Vec<_> = folded.words.iter().map(|word| &text[folded.bytes(word.start..word.end)]).collect();
        assert_eq!(words, ["ä", "ﬁx", "Größe"]);
        assert_eq!(folded.characters_of(3..6), 1..3);
        assert_eq!(&text[3..6], "ﬁ");
    }

    #[test]
    fn dates_and_common_words_are_not_telling_words() {
        let folded = Folded::new("the order of 2024-05-20T10:00:00Z is 4711-0815-2 at Kruger", Key::new(), 6);
        let telling = folded.words.iter().filter(|word| word.kind == Kind::Telling);
        let telling: Vec<_> = telling.map(|word| &folded.text[folded.bytes(word.start..word.end)]).collect();
        assert_eq!(telling, ["4711", "0815", "2", "Kruger"]);
    }
}
