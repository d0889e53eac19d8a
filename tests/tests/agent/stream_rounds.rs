//! `StreamWindow::replace_in_rounds`: the pieces of an answer do not change the result, and a pattern sees the text before.

use std::sync::{Arc, Mutex};

use exo_rails::prelude::*;
use exo_rails::{Excerpt, Pattern, Search};
use proptest::prelude::*;
use regex::Regex;

use super::stream_patterns::{cut, cuts, streamed};

const ROUNDS: usize = 4;

/// Replaces a pattern until nothing is left of it.
struct Repeat<P> {
    pattern: P,
    with: &'static str,
}

#[rail(priority = 40)]
impl<P: Pattern + Send + Sync + 'static> Repeat<P> {
    #[on(LlmChunk)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.replace_in_rounds(&self.pattern, ROUNDS, |_, _| self.with);
    }
}

/// Replaces in the whole text, round after round.
fn naive(regex: &Regex, text: &str, with: &str) -> String {
    (0..ROUNDS).fold(text.to_owned(), |text, _| regex.replace_all(&text, with).into_owned())
}

/// Patterns whose replacement completes another match, before or after it.
const CASES: [(&str, &str); 8] = [
    (r"\(\)", ""),
    (r"\bab\b", "-"),
    (r"\bab", "-"),
    (r"ab\b", "-"),
    (r"\b(ab|ba)\b|a\.b", "."),
    (r"aa", "a"),
    (r"\ba+b", "."),
    (r"\b(a|\(b+\))\b|b\.", "-"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_result_does_not_depend_on_the_chunk_boundaries(text in "[ab().]{0,24}", which in 0..CASES.len(), cuts in cuts(), lettered: bool) {
        let (regex, with) = CASES[which];
        let regex = Regex::new(regex).unwrap();
        let mut rails = RailManager::new();
        rails.add(Repeat { pattern: regex.clone(), with }).unwrap();
        let letters: Vec<&str> = text.split("").collect();
        let pieces = if lettered { letters } else { cut(&text, &cuts) };
        prop_assert_eq!(streamed(&rails, &pieces), naive(&regex, &text, with), "{}", regex);
    }
}

#[test]
fn a_replacement_counts_its_rounds() {
    for (text, rounds, left) in [("", 0, ""), ("a()", 1, "a"), ("(())", 2, ""), ("((((((()))))))", 4, "((()))")] {
        let mut window = StreamWindow::new(text, true);
        let mut seen = Vec::new();
        assert_eq!(
            window.replace_in_rounds("()", ROUNDS, |_, round| {
                seen.push(round);
                ""
            }),
            rounds,
            "{text}"
        );
        assert_eq!((window.text.as_str(), seen), (left, (0..rounds).collect()));
    }
}

/// Matches nothing, and notes the text before each search.
struct Before(usize, Arc<Mutex<Vec<String>>>);

impl Pattern for Before {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        self.1.lock().unwrap().push(excerpt.text[..excerpt.from].to_owned());
        Search::Nothing
    }

    fn context(&self) -> usize {
        self.0
    }
}

#[test]
fn a_pattern_sees_as_much_text_before_as_it_asks_for() {
    let pieces: Vec<String> = (0..100_u32).map(|number| char::from_u32(0x100 + number).unwrap().to_string()).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    for (context, most) in [(0, 0), (1, 1), (3, 3), (64, 64), (1_000, 64)] {
        let seen = Arc::default();
        let mut rails = RailManager::new();
        let patterns: Vec<Arc<dyn Pattern<Found = ()> + Send + Sync>> =
            vec![Arc::new("never"), Arc::new(Before(context, Arc::clone(&seen)))];
        rails.add(Repeat { pattern: patterns, with: "" }).unwrap();
        assert_eq!(streamed(&rails, &pieces), pieces.concat());
        let seen = seen.lock().unwrap();
        // The other pattern asks for one character.
        let most = most.max(1);
        for (number, before) in seen.iter().take(pieces.len()).enumerate() {
            assert_eq!(*before, pieces[number.saturating_sub(most)..number].concat(), "{context}");
        }
        assert!(seen.len() > pieces.len());
    }
}
