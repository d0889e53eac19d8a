//! A pattern in all readings of a text.

use std::ops::Range;

use exo_rails::{Excerpt, Pattern, Search};

use super::readings::{self, Reading};

/// Searches a text and each of its readings with a pattern: without codes such as escapes, without hidden characters, and with the
/// letters that characters look like. A match in a reading counts as a match of the bytes that it stands for.
#[derive(Debug)]
pub(crate) struct InReadings<P> {
    pattern: P,
    look_alikes: bool,
}

impl<P: Pattern> Pattern for InReadings<P> {
    type Found = P::Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<P::Found> {
        first(self, excerpt)
    }

    fn search_all(&self, excerpt: Excerpt<'_>, each: &mut dyn FnMut(Range<usize>, P::Found)) -> Option<usize> {
        self.search_in(excerpt, &readings::of(excerpt), each)
    }

    fn context(&self) -> usize {
        // An escape before the text may be a letter.
        64
    }
}

impl<P: Pattern> InReadings<P> {
    /// Searches with a pattern. Without `look_alikes`, letters stand only for themselves.
    pub(crate) const fn new(pattern: P, look_alikes: bool) -> Self {
        Self { pattern, look_alikes }
    }

    /// Searches a text with these readings.
    pub(crate) fn search_in(
        &self,
        excerpt: Excerpt<'_>,
        readings: &[Reading],
        each: &mut dyn FnMut(Range<usize>, P::Found),
    ) -> Option<usize> {
        if readings.is_empty() {
            return self.pattern.search_all(excerpt, each);
        }
        let mut found: Vec<(Range<usize>, P::Found)> = Vec::new();
        let mut open = usize::MAX;
        for (number, from) in readings::places(readings, excerpt.from).into_iter().enumerate() {
            let source = number.checked_sub(1);
            if !self.look_alikes && source.is_some_and(|number| readings[number].is_look) {
                continue;
            }
            let mut of_reading = excerpt;
            of_reading.text = source.map_or(excerpt.text, |number| readings[number].read.text());
            of_reading.from = from;
            let undecided = self.pattern.search_all(of_reading, &mut |place, what| {
                // A piece of a reading may begin in the text that is decided.
                let place = in_text(readings, source, place);
                found.push((place.start.max(excerpt.from)..place.end, what));
            });
            let end = source.and_then(|number| Some((readings[number].source, readings[number].read.end()?)));
            let places = undecided.map(|at| (source, at)).into_iter().chain(end);
            open = places.fold(open, |open, (source, at)| open.min(in_text(readings, source, at..at).start));
        }
        open = open.max(excerpt.from);
        // Of matches that overlap, the first counts. Of matches that begin at one place, the longest counts.
        found.sort_by_key(|(place, _)| (place.start, std::cmp::Reverse(place.end)));
        let mut last = excerpt.from;
        for (place, what) in found {
            if place.start < last {
                continue;
            }
            if place.end > open {
                open = open.min(place.start);
                break;
            }
            last = place.end;
            each(place, what);
        }
        Some(open.max(last)).filter(|open| *open < excerpt.text.len())
    }
}

/// Searches with a pattern that finds all matches at once. Returns the first match.
pub(super) fn first<P: Pattern>(pattern: &P, excerpt: Excerpt<'_>) -> Search<P::Found> {
    let mut first = None;
    let undecided = pattern.search_all(excerpt, &mut |place, found| {
        first.get_or_insert((place, found));
    });
    match (first, undecided) {
        (Some((place, found)), _) => Search::Match(place, found),
        (None, Some(from)) => Search::Undecided { from },
        (None, None) => Search::Nothing,
    }
}

/// Returns the bytes of the text for those of a reading.
fn in_text(readings: &[Reading], mut source: Option<usize>, mut place: Range<usize>) -> Range<usize> {
    while let Some(Reading { read: reading, source: outer, .. }) = source.and_then(|number| readings.get(number)) {
        place = readings::whole_pieces(readings, source, place);
        place = if place.is_empty() {
            let at = reading.in_source_after(place.start);
            at..at
        } else {
            reading.in_source(&place)
        };
        source = *outer;
    }
    readings::whole_pieces(readings, None, place)
}

#[cfg(test)]
mod tests {
    use exo_rails::StreamWindow;
    use proptest::prelude::*;

    use super::*;

    fn replaced(pieces: &[&str]) -> (String, String) {
        let (mut left, mut window) = (String::new(), StreamWindow::new("", false));
        let pattern = InReadings::new("key", true);
        for (number, piece) in pieces.iter().enumerate() {
            let text = window.held_back().to_owned() + piece;
            window = StreamWindow::new(text, number + 1 == pieces.len());
            window.replace(&pattern, "[-]");
            left.push_str(&window.text);
        }
        (left, window.held_back().to_owned())
    }

    #[test]
    fn a_match_is_found_in_every_reading() {
        for text in [
            "key",
            r"\u006bey",
            "%6bey",
            "&#107;ey",
            "k\u{200b}ey",
            "ｋｅｙ",
            r"\\u006bey",
            "%256bey",
            "k\\\u{200b}ey",
            "kéy",
        ] {
            assert_eq!(replaced(&[&format!("a {text}, b")]).0, "a [-], b", "{text}");
        }
        assert_eq!(replaced(&["a kay, k%, R&D"]).0, "a kay, k%, R&D");
    }

    #[test]
    fn a_code_at_the_end_waits() {
        assert_eq!(replaced(&["a ke", ""]), ("a ke".to_owned(), String::new()));
        assert_eq!(replaced(&[r"a k\u00", "65y b"]).0, "a [-] b");
    }

    /// The hidden character before the match is decided, and the piece of the reading with the match begins with it.
    #[test]
    fn a_match_after_a_decided_hidden_character_is_found() {
        let mut excerpt = Excerpt::new("\u{200b}\u{9b}key", false);
        excerpt.from = "\u{200b}".len();
        let mut places = Vec::new();
        InReadings::new("key", true).search_all(excerpt, &mut |place, ()| places.push(place));
        assert_eq!(places.first(), Some(&(3..8)));
    }

    proptest! {
        #[test]
        fn the_pieces_do_not_change_the_result(
            words in proptest::collection::vec(
                prop_oneof![Just("key"), Just("ke"), Just("y"), Just(r"\u006b"), Just("%65"), Just("&#x79;"), Just("\\"), Just("%"), Just("&"), Just(" ")],
                0..12,
            ),
            sizes in proptest::collection::vec(1..6_usize, 1..40),
        ) {
            let text = words.concat();
            let (mut pieces, mut rest) = (Vec::new(), text.as_str());
            for size in sizes {
                let (piece, next) = rest.split_at(size.min(rest.len()));
                pieces.push(piece);
                rest = next;
            }
            pieces.push(rest);
            prop_assert_eq!(replaced(&pieces).0, replaced(&[&text]).0, "{:?}", pieces);
        }
    }
}
