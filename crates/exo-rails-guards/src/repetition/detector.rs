//! Finds a text that is repeated at the end of a stream of bytes.
//!
//! The detector reads each byte once. It follows one *period*: the distance at which the last bytes are the same as the bytes
//! before them. When the next byte differs, it looks for another period: the distance to the last place where the same
//! [`GRAM`] bytes were. So the work for each byte is bounded, and so is the memory.

use super::RepetitionConfig;

/// The number of equal bytes from which the detector follows a period.
const GRAM: usize = 8;

/// The number of places that are remembered, by the hash of the bytes there.
const PLACES: usize = 2_048;

/// The end of a stream of bytes.
#[derive(Clone, Debug)]
pub(super) struct Detector {
    min_times: u64,
    min_bytes: u64,
    min_bytes_without_letters: u64,
    max_unit: u64,
    /// The last bytes, as a ring. Its length is a power of two.
    bytes: Box<[u8]>,
    /// The place after the last occurrence of some bytes, by their hash. 0 is none.
    places: Box<[u64]>,
    /// The number of bytes so far.
    length: u64,
    /// The last [`GRAM`] bytes.
    gram: u64,
    /// The distance at which bytes are the same. 0 is none.
    period: u64,
    /// How many of the last bytes are the same at this distance.
    matched: u64,
    /// The place after the last letter.
    letter: u64,
}

/// A repetition at the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repeated {
    /// The length of the repeated text, in bytes.
    pub(super) unit: u64,
    /// The number of times that the text is there.
    pub(super) times: u64,
}

impl Detector {
    pub(super) fn new(config: &RepetitionConfig) -> Self {
        let ring = (config.max_unit_bytes + GRAM).next_power_of_two();
        Self {
            min_times: config.min_times as u64,
            min_bytes: config.min_bytes as u64,
            min_bytes_without_letters: config.min_bytes_without_letters as u64,
            max_unit: config.max_unit_bytes as u64,
            bytes: vec![0; ring].into_boxed_slice(),
            places: vec![0; PLACES].into_boxed_slice(),
            length: 0,
            gram: 0,
            period: 0,
            matched: 0,
            letter: 0,
        }
    }

    /// Reads a text. Returns the place after which a repetition is long enough.
    pub(super) fn read(&mut self, text: &str) -> Option<(usize, Repeated)> {
        text.bytes().enumerate().find_map(|(place, byte)| Some((place + 1, self.push(byte)?)))
    }

    fn push(&mut self, byte: u8) -> Option<Repeated> {
        if self.period > 0 && self.at(self.length - self.period) == byte {
            self.matched += 1;
        } else {
            (self.period, self.matched) = (0, 0);
        }
        let mask = self.bytes.len() - 1;
        self.bytes[index(self.length) & mask] = byte;
        self.length += 1;
        self.gram = self.gram << 8 | u64::from(byte);
        if byte.is_ascii_alphabetic() || byte >= 0x80 {
            self.letter = self.length;
        }
        self.find_period();
        self.repeated()
    }

    /// Looks for the last place of the same bytes, if no period is followed. Remembers this place.
    fn find_period(&mut self) {
        if self.length < GRAM as u64 {
            return;
        }
        let hash = self.gram.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACES.ilog2());
        let place = &mut self.places[index(hash)];
        let last = std::mem::replace(place, self.length);
        let period = self.length - last;
        if self.period > 0 || last == 0 || period > self.max_unit {
            return;
        }
        let is_same = (1..=GRAM as u64).all(|back| self.at(self.length - back) == self.at(last - back));
        if is_same {
            (self.period, self.matched) = (period, GRAM as u64);
        }
    }

    fn repeated(&self) -> Option<Repeated> {
        let bytes = self.matched + self.period;
        if self.period == 0 || bytes < self.min_bytes.min(self.min_bytes_without_letters) {
            return None;
        }
        let has_letters = self.letter + self.period > self.length;
        let least = if has_letters { self.min_bytes } else { self.min_bytes_without_letters };
        let times = bytes / self.period;
        (bytes >= least && times >= self.min_times).then_some(Repeated { unit: self.period, times })
    }

    fn at(&self, place: u64) -> u8 {
        self.bytes[index(place) & (self.bytes.len() - 1)]
    }
}

/// Only the low bits of a place count.
#[expect(clippy::cast_possible_truncation, reason = "the caller masks the place")]
const fn index(place: u64) -> usize {
    place as usize
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn small() -> RepetitionConfig {
        RepetitionConfig { min_times: 4, min_bytes: 100, min_bytes_without_letters: 300, ..RepetitionConfig::default() }
    }

    fn found(text: &str) -> Option<(usize, Repeated)> {
        Detector::new(&small()).read(text)
    }

    #[test]
    fn each_text_in_the_table_repeats_as_expected() {
        for (text, expected) in [
            ("I am sorry. ".repeat(9), Some((12, 8))),
            ("I am sorry. ".repeat(8), None),
            (format!("At first: {}", "no ".repeat(40)), Some((3, 33))),
            ("a".repeat(100), Some((1, 100))),
            ("a".repeat(99), None),
            ("€".repeat(40), Some((3, 33))),
            // Without letters: a rule, a border, zeros.
            ("=".repeat(299), None),
            ("=".repeat(300), Some((1, 300))),
            ("|---".repeat(40), None),
            ("0, ".repeat(90), None),
            // Three times is not enough, however long the text is.
            ("This is a paragraph that is there three times, but not more often. ".repeat(3), None),
            // A period begins again after each difference.
            (format!("{}x{}", "ab".repeat(49), "ab".repeat(49)), None),
        ] {
            let repeated = found(&text).map(|(_, Repeated { unit, times })| (unit, times));
            assert_eq!(repeated, expected, "{text}");
        }
    }

    /// Whether the bytes end with a repetition: the definition.
    fn naive(bytes: &[u8], config: &RepetitionConfig) -> bool {
        (1..=config.max_unit_bytes.min(bytes.len() / config.min_times)).any(|unit| {
            let matched = (unit..bytes.len()).rev().take_while(|at| bytes[*at] == bytes[at - unit]).count();
            let has_letters = bytes[bytes.len() - unit..].iter().any(u8::is_ascii_alphabetic);
            let least = if has_letters { config.min_bytes } else { config.min_bytes_without_letters };
            matched + unit >= least && (matched + unit) / unit >= config.min_times
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        /// A repetition is found, at the latest one unit after the definition is met, and never before it is met. The pieces
        /// make no difference.
        #[test]
        fn the_detector_finds_the_repetitions_of_the_definition(
            start in "[ab =]{0,40}",
            unit in "[abc =]{1,30}",
            times in 0_usize..40,
            end in "[ab =]{0,20}",
            piece in 1_usize..17,
        ) {
            let text = format!("{start}{}{end}", unit.repeat(times));
            let config = small();
            let place = found(&text).map(|(place, _)| place);
            let first = (1..=text.len()).find(|length| naive(&text.as_bytes()[..*length], &config));
            match (place, first) {
                (Some(place), Some(first)) => prop_assert!(first <= place && place <= first + unit.len() + GRAM, "{first} {place}"),
                // The text ended before the detector was sure.
                (None, Some(first)) => prop_assert!(text.len() < first + unit.len() + GRAM, "{first} of {}", text.len()),
                (place, None) => prop_assert_eq!(place, None),
            }
            let mut detector = Detector::new(&config);
            let mut before = 0;
            let mut in_pieces = None;
            for piece in text.as_bytes().chunks(piece) {
                let piece = std::str::from_utf8(piece).unwrap();
                in_pieces = detector.read(piece).map(|(place, _)| before + place);
                before += piece.len();
                if in_pieces.is_some() {
                    break;
                }
            }
            prop_assert_eq!(in_pieces, place);
        }
    }
}
