//! The places where one of many texts begins.
//!
//! Most places of a text begin none of them. So the search looks up three characters at a time in a table of bits, and compares
//! texts only where the bit is set.

use std::borrow::Cow;
use std::ops::Range;

/// The kinds of characters that the table tells apart. The kinds from [`FIRST_OF_WORDS`] on are parts of words.
const KINDS: usize = 32;

const FIRST_OF_WORDS: usize = 4;

/// The kinds of three characters are the key of a place.
const KEYS: usize = 1 << 15;

/// The kind of each byte.
const KIND: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte as usize] = kind(byte);
        byte += 1;
    }
    kinds
};

/// Returns the kind of a byte. It is less than [`KINDS`], and the same for both cases of a letter.
fn kind_of(byte: u8) -> usize {
    usize::from(KIND[usize::from(byte)])
}

/// Returns whether a byte is a part of a word, as in `\b` of RE2.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    kind_of(byte) >= FIRST_OF_WORDS
}

/// Returns whether the byte before a place is a part of a word.
pub(super) fn is_after_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|byte| is_word_byte(*byte))
}

#[expect(clippy::cast_possible_truncation, reason = "the byte is less than 256")]
const fn kind(byte: u16) -> u8 {
    let byte = (byte as u8).to_ascii_lowercase();
    match byte {
        b'a'..=b'z' => FIRST_OF_WORDS as u8 + byte - b'a',
        b'0'..=b'9' => 30,
        b'_' => 31,
        b'-' => 1,
        b'.' => 2,
        b':' | b'/' => 3,
        _ => 0,
    }
}

const fn key([first, second, third]: [usize; 3]) -> usize {
    (first << 10) | (second << 5) | third
}

/// A text to look for.
#[derive(Debug)]
pub(super) struct Prefix {
    /// The text, in lower case.
    pub(super) text: Cow<'static, str>,
    /// Whether it only counts after a character that is not part of a word.
    pub(super) after_word: bool,
}

/// Texts that begin at places with one key, and that are looked up together.
#[derive(Debug)]
struct Alike {
    kind: AlikeKind,
    /// The part of [`Prefixes::texts`] with the first bytes of each text and its number. They are sorted.
    texts: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AlikeKind {
    /// Whether the key begins with the character before the text.
    has_before: bool,
    after_word: bool,
    /// Which bits of the first four bytes count.
    counts: u32,
}

/// Finds the places where texts begin. ASCII letters match in either case.
#[derive(Debug)]
pub(super) struct Prefixes {
    all: Vec<Prefix>,
    /// A bit for each key that a text has.
    bits: Box<[u64; KEYS / 64]>,
    /// For each part of `bits`, the number of bits that are set before it.
    before: Vec<usize>,
    /// For each key that is set, the part of `alike` with its texts.
    of_key: Vec<Range<usize>>,
    alike: Vec<Alike>,
    texts: Vec<(u32, usize)>,
}

impl Prefixes {
    /// Makes the table. The texts are not empty.
    pub(super) fn new(all: Vec<Prefix>) -> Self {
        let mut places: Vec<(usize, AlikeKind, u32, usize)> = Vec::with_capacity(2 * all.len());
        for (number, Prefix { text, after_word }) in all.iter().enumerate() {
            let counts = first_four(&[0xff; 4][..text.len().min(4)]);
            let first = first_four(text.as_bytes());
            each_key(text, *after_word, |key, has_before| {
                places.push((key, AlikeKind { has_before, after_word: *after_word, counts }, first, number));
            });
        }
        places.sort_unstable();
        let mut bits = Box::new([0; KEYS / 64]);
        let (mut of_key, mut alike): (Vec<Range<usize>>, Vec<Alike>) = (Vec::new(), Vec::new());
        let (mut last, mut texts) = (None, Vec::with_capacity(places.len()));
        for (key, kind, first, number) in places {
            if last.is_none_or(|(other, _)| other != key) {
                bits[key / 64] |= 1 << (key % 64);
                of_key.push(alike.len()..alike.len());
            }
            if last != Some((key, kind)) {
                alike.push(Alike { kind, texts: texts.len()..texts.len() });
            }
            texts.push((first, number));
            let end = alike.len();
            if let (Some(of_key), Some(alike)) = (of_key.last_mut(), alike.last_mut()) {
                alike.texts.end = texts.len();
                of_key.end = end;
            }
            last = Some((key, kind));
        }
        let mut sum = 0;
        let before = bits.iter().map(|part: &u64| {
            sum += part.count_ones() as usize;
            sum - part.count_ones() as usize
        });
        let before = before.collect();
        Self { all, bits, before, of_key, alike, texts }
    }

    /// Returns the texts, by their numbers.
    pub(super) fn all(&self) -> &[Prefix] {
        &self.all
    }

    /// Calls `each` with the number of each text and the place where it begins, at `from` or later. Stops when `each` returns
    /// `false`. The order is that of the ends of the first three characters.
    pub(super) fn each(&self, text: &str, from: usize, mut each: impl FnMut(usize, usize) -> bool) {
        if self.all.is_empty() {
            return;
        }
        let (bytes, first) = (text.as_bytes(), from.saturating_sub(1));
        let mut key = 0;
        for (at, byte) in bytes[first..].iter().enumerate() {
            key = (key << 5 | kind_of(*byte)) % KEYS;
            if self.has(key) && !self.each_at(key, bytes, from, first + at, &mut each) {
                return;
            }
        }
        // After the end come two characters of no kind, for short texts at the end.
        for at in bytes.len()..bytes.len() + 2 {
            key = (key << 5) % KEYS;
            if self.has(key) && !self.each_at(key, bytes, from, at, &mut each) {
                return;
            }
        }
    }

    /// Returns whether one of the texts may begin with these bytes, as far as the table says.
    pub(super) fn may_begin_with(&self, bytes: &[u8]) -> bool {
        match bytes {
            [first, second, third, ..] => self.has(key([kind_of(*first), kind_of(*second), kind_of(*third)])),
            _ => true,
        }
    }

    fn has(&self, key: usize) -> bool {
        self.bits[key / 64] >> (key % 64) & 1 == 1
    }

    /// Calls `each` with the texts that begin at the place of a key whose third character is at `at`.
    fn each_at(
        &self,
        key: usize,
        bytes: &[u8],
        from: usize,
        at: usize,
        each: &mut impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let lower = self.bits[key / 64] & ((1 << (key % 64)) - 1);
        let of_key = self.of_key[self.before[key / 64] + lower.count_ones() as usize].clone();
        for Alike { kind, texts } in &self.alike[of_key] {
            let texts = &self.texts[texts.clone()];
            let start = (at + usize::from(kind.has_before)).checked_sub(2).filter(|start| *start >= from);
            let Some(start) = start.filter(|start| *start < bytes.len()) else { continue };
            if kind.after_word && is_after_word(bytes, start) {
                continue;
            }
            let (rest, begun) = (&bytes[start..], first_four(&bytes[start..]) & kind.counts);
            let first = texts.partition_point(|(other, _)| *other < begun);
            for (_, number) in texts[first..].iter().take_while(|(other, _)| *other == begun) {
                let text = self.all[*number].text.as_bytes();
                let is_here = rest.get(..text.len()).is_some_and(|here| here.eq_ignore_ascii_case(text));
                if is_here && !each(*number, start) {
                    return false;
                }
            }
        }
        true
    }
}

/// Returns the first four bytes in lower case. Bytes that are missing are 0.
fn first_four(bytes: &[u8]) -> u32 {
    let mut four = [0; 4];
    for (place, byte) in four.iter_mut().zip(bytes) {
        *place = byte.to_ascii_lowercase();
    }
    u32::from_le_bytes(four)
}

/// Calls `each` with the keys of the places of a text, and with whether they begin with the character before it.
fn each_key(text: &str, after_word: bool, mut each: impl FnMut(usize, bool)) {
    let kind = |at: usize| text.as_bytes().get(at).map(|byte| kind_of(*byte));
    match (kind(0), kind(1), kind(2)) {
        (None, ..) => {}
        (Some(one), None, _) => {
            for next in 0..KINDS {
                (0..KINDS).for_each(|last| each(key([one, next, last]), false));
            }
        }
        // Two letters are in many words.
        (Some(one), Some(next), None) if after_word => {
            (0..FIRST_OF_WORDS).for_each(|before| each(key([before, one, next]), true));
        }
        (Some(one), Some(next), None) => (0..KINDS).for_each(|last| each(key([one, next, last]), false)),
        (Some(one), Some(next), Some(last)) => each(key([one, next, last]), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_word(letter: char) -> bool {
        letter.is_ascii_alphanumeric() || letter == '_'
    }

    /// What a search without a table finds.
    fn plain(all: &[(&str, bool)], text: &str, from: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for start in (from..text.len()).filter(|start| text.is_char_boundary(*start)) {
            for (number, (prefix, after_word)) in all.iter().enumerate() {
                let is_here = text[start..].to_ascii_lowercase().starts_with(prefix);
                if is_here && !(*after_word && text[..start].ends_with(is_word)) {
                    found.push((number, start));
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn the_table_and_a_plain_search_find_the_same_prefixes() {
        let all = [
            ("ghp_", true),
            ("sk-", true),
            ("key", false),
            ("keys", false),
            ("nd", true),
            (":a", false),
            ("q~", false),
            ("=", false),
            ("-----begin ", false),
            ("é", false),
            ("éa", false),
        ];
        let prefixes = Prefixes::new(
            all.iter()
                .map(|(text, after_word)| Prefix { text: Cow::Borrowed(*text), after_word: *after_word })
                .collect(),
        );
        let parts = [
            "GHP_",
            "ghp",
            "_",
            "sk-",
            "SK",
            "-",
            "KeYs",
            "key",
            "nd",
            "and",
            " ",
            ":A",
            "q~",
            "=",
            "é",
            "a",
            "-----BEGIN ",
            "----",
            "0",
            "\u{17f}",
            "\u{212a}ey",
        ];
        let mut state = 1_u64;
        for _ in 0..4000 {
            let mut text = String::new();
            for _ in 0..state % 7 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(parts[usize::try_from(state >> 33).unwrap_or_default() % parts.len()]);
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let from = text.floor_char_boundary(usize::try_from(state >> 33).unwrap_or_default() % 4);
            let mut found = Vec::new();
            prefixes.each(&text, from, |number, start| {
                found.push((number, start));
                true
            });
            found.sort_unstable();
            assert_eq!(found, plain(&all, &text, from), "{text:?} from {from}");
        }
    }
}
