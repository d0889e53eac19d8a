//! Hashes of parts of a text: a polynomial over the characters, so that each part of a text has its hash in constant time.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// The base of the polynomial. It is random, because who knows it can write texts that have the same hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Key(u64);

impl Key {
    pub(super) fn new() -> Self {
        // The keys of `RandomState` are random in each process.
        Self(RandomState::new().hash_one(0_u8) % (PRIME - 1_000) + 500)
    }

    /// Prepares the hashes of all parts of a text.
    pub(super) fn prefixes(self, characters: &[char]) -> Prefixes {
        let (mut hashes, mut powers) = (Vec::with_capacity(characters.len() + 1), Vec::with_capacity(POWERS + 1));
        let (mut hash, mut power) = (0, 1);
        hashes.push(hash);
        hashes.extend(characters.iter().map(|c| {
            hash = reduced(times(hash, self.0) + u64::from(*c) + 1);
            hash
        }));
        powers.push(power);
        powers.extend(characters.iter().take(POWERS).map(|_| {
            power = times(power, self.0);
            power
        }));
        Prefixes { hashes, powers, key: self }
    }

    /// Returns the hash of two texts, one after the other. The second one has this length.
    pub(super) fn join(self, first: u64, second: u64, length: usize) -> u64 {
        reduced(times(first, self.power(length)) + second)
    }

    fn power(self, mut exponent: usize) -> u64 {
        let (mut power, mut square) = (1, self.0);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = times(power, square);
            }
            square = times(square, square);
            exponent >>= 1;
        }
        power
    }
}

/// The powers of the key that a text has at hand. Almost all parts are shorter.
const POWERS: usize = 64;

/// The hashes of all beginnings of a text.
#[derive(Debug)]
pub(super) struct Prefixes {
    hashes: Vec<u64>,
    /// The powers of the key, up to [`POWERS`] or the length of the text.
    powers: Vec<u64>,
    key: Key,
}

impl Prefixes {
    /// Returns the hash of a part of the text.
    pub(super) fn hash(&self, part: Range<usize>) -> u64 {
        let before = times(self.hashes[part.start], self.power(part.end - part.start));
        reduced(self.hashes[part.end] + PRIME - before)
    }

    /// Returns a power of the key.
    fn power(&self, exponent: usize) -> u64 {
        self.powers.get(exponent).copied().unwrap_or_else(|| self.key.power(exponent))
    }

    /// Calls `each` with the start and the hash of each part of this length.
    pub(super) fn windows(&self, length: usize, each: &mut impl FnMut(usize, u64)) {
        let (power, Some(ends)) = (self.power(length), self.hashes.get(length..)) else { return };
        for (start, (before, end)) in self.hashes.iter().zip(ends).enumerate() {
            each(start, reduced(end + PRIME - times(*before, power)));
        }
    }
}

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    #[expect(clippy::cast_possible_truncation, reason = "the low 61 bits, and the 61 bits above them")]
    let (low, high) = ((product as u64) & PRIME, (product >> 61) as u64);
    reduced(low + high)
}

/// Returns a number below twice the prime, modulo the prime.
const fn reduced(number: u64) -> u64 {
    if number >= PRIME { number - PRIME } else { number }
}

/// What a hash is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A part of a text with a fixed number of characters.
    Piece = 1,
    /// A value: an address, an id, a number, or a short text that was a whole value.
    Value,
    /// A few words of a text. They count only if they are a whole argument.
    Phrase,
    /// A placeholder. The same words without brackets are something else.
    Placeholder,
}

/// Returns the mark of a part of a text: its hash, spread over 64 bits.
pub(super) const fn mark(what: What, hash: u64, length: usize) -> u64 {
    // The end of splitmix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators").
    let mut mixed = hash ^ ((what as u64) << 61) ^ (length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A map from marks to sets. Most marks of a call are in no map, so a small table of bits answers for them: it fits into a cache
/// of the processor, and the map does not. The table is a Bloom filter with two bits for each mark, both in one word.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    sets: HashMap<u64, u64, BuildHasherDefault<Identity>>,
    /// No word, or a power of two.
    filter: Vec<u64>,
}

/// The table has 16 to 32 bits for each mark.
const MARKS_PER_WORD: usize = 4;

impl Marks {
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns the set of a mark, which is empty if the mark is not there.
    pub(super) fn get(&self, mark: u64) -> u64 {
        if self.may_have(mark) { self.sets.get(&mark).copied().unwrap_or(0) } else { 0 }
    }

    pub(super) fn contains(&self, mark: u64) -> bool {
        self.may_have(mark) && self.sets.contains_key(&mark)
    }

    /// Adds to the set of a mark.
    pub(super) fn add(&mut self, mark: u64, set: u64) {
        *self.sets.entry(mark).or_default() |= set;
        if self.sets.len() > self.filter.len() * MARKS_PER_WORD {
            self.filter = vec![0; self.sets.len().next_power_of_two().max(64) / MARKS_PER_WORD];
            for mark in self.sets.keys() {
                note(&mut self.filter, *mark);
            }
        } else {
            note(&mut self.filter, mark);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sets.iter().map(|(mark, set)| (*mark, *set))
    }

    fn may_have(&self, mark: u64) -> bool {
        let (place, bits) = place_and_bits(mark, self.filter.len());
        self.filter.get(place).is_some_and(|word| word & bits == bits)
    }
}

fn note(filter: &mut [u64], mark: u64) {
    let (place, bits) = place_and_bits(mark, filter.len());
    if let Some(word) = filter.get_mut(place) {
        *word |= bits;
    }
}

/// Returns the place of the word of a mark in a table, and its bits there.
const fn place_and_bits(mark: u64, words: usize) -> (usize, u64) {
    let place = (mark >> 12) as usize & words.wrapping_sub(1);
    (place, 1 << (mark & 63) | 1 << ((mark >> 6) & 63))
}

/// A hasher of numbers that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, mark: u64) {
        self.0 = mark;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_has_the_same_hash_as_the_part_alone() {
        let key = Key::new();
        let text: Vec<char> = "abracadabra".repeat(9).chars().collect();
        let prefixes = key.prefixes(&text);
        for start in 0..=text.len() {
            for end in start..=text.len() {
                assert_eq!(prefixes.hash(start..end), key.prefixes(&text[start..end]).hash(0..end - start));
                let joined = key.join(prefixes.hash(0..start), prefixes.hash(start..end), end - start);
                assert_eq!(joined, prefixes.hash(0..end));
            }
        }
        assert_eq!(prefixes.hash(0..4), prefixes.hash(7..11));
        assert_eq!(prefixes.hash(0..77), prefixes.hash(11..88));
        assert_ne!(prefixes.hash(0..4), prefixes.hash(1..5));
        assert_ne!(Key::new(), Key::new());
        for length in 0..=text.len() + 1 {
            let mut windows = Vec::new();
            prefixes.windows(length, &mut |start, hash| windows.push((start, hash)));
            let starts = 0..(text.len() + 1).saturating_sub(length);
            assert_eq!(windows, starts.map(|start| (start, prefixes.hash(start..start + length))).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_filter_loses_no_mark() {
        let mut marks = Marks::default();
        assert!(marks.get(0) == 0 && !marks.contains(0));
        let all = |number: u64| [mark(What::Piece, number, 12), number, number << 40];
        for number in 1..5_000 {
            for mark in all(number) {
                marks.add(mark, 1);
                marks.add(mark, 2);
            }
            for mark in all(number / 2 + 1) {
                assert_eq!(marks.get(mark), 3);
            }
        }
        for number in 1..5_000 {
            assert!(all(number).into_iter().all(|mark| marks.contains(mark)));
            assert_eq!(marks.get(mark(What::Value, number, 12)), 0);
        }
        let numbers = (0..10_000).filter(|number| marks.may_have(mark(What::Value, *number, 12)));
        assert!(numbers.count() < 1_000, "the filter lets too much pass");
    }
}
