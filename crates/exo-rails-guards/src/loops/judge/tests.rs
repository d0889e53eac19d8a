//! Tables, and a comparison with a naive reading of the definitions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use exo_rails_policy::loops::Levels;
use proptest::prelude::*;

use super::super::history::{Ended, History, Place};
use super::*;

fn entry(call: u64, result: u64) -> Entry {
    let mut entry = Entry::new(call, Place::default(), 0);
    entry.result = Some(result);
    entry
}

/// Makes calls of a text. A letter is a call whose result is its name, a digit after it is another result, and `?` after it
/// means that the call has no result.
fn calls(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for char in text.chars().filter(|char| !char.is_whitespace()) {
        if char.is_ascii_alphabetic() {
            let call = u64::from(u32::from(char));
            entries.push(entry(call, 0));
        } else {
            entries.last_mut().unwrap().result = char.to_digit(10).map(u64::from);
        }
    }
    entries
}

fn shown(found: Option<Loop>) -> String {
    found.map_or("-".to_owned(), |Loop { pattern, count, .. }| match pattern {
        Pattern::Oscillation { period } => format!("oscillation of {period}: {count}"),
        _ => format!("{}: {count}", pattern.name()),
    })
}

#[test]
fn each_history_in_the_table_has_its_verdict() {
    let config = LoopsConfig {
        repetition: Levels::new(3, 5, 8),
        polling: Levels::new(5, 0, 0),
        oscillation: Levels::new(3, 4, 6),
        stagnation: Levels::new(6, 30, 40),
        redundancy: Levels::new(4, 8, 16),
        ..LoopsConfig::default()
    };
    for (history, expected) in [
        ("", "-"),
        ("a", "-"),
        ("aa", "-"),
        ("aaa", "repetition: 3"),
        ("baaaa", "repetition: 4"),
        // The result changes.
        ("a1 a2 a3", "-"),
        ("a1 a2 a3 a4 a5", "polling: 5"),
        ("a1 a1 a2 a2 a2", "repetition: 3"),
        ("a1 a1 a1 a2", "-"),
        // Running calls may still have the same result.
        ("a1 a1 a?", "repetition: 3"),
        ("a1 a? a? a? a?", "repetition: 5"),
        // Oscillation.
        ("abab", "-"),
        ("ababab", "oscillation of 2: 3"),
        ("bababab", "oscillation of 2: 3"),
        ("abababab", "oscillation of 2: 4"),
        ("abcabcabc", "oscillation of 3: 3"),
        ("aabaabaab", "oscillation of 3: 3"),
        ("abcdefghabcdefghabcdefgh", "oscillation of 8: 3"),
        ("a1b a2b a3b", "-"),
        ("a1b a1b a2b", "-"),
        ("xyz ababab", "oscillation of 2: 3"),
        ("ababa", "-"),
        ("ababac", "-"),
        // Redundancy: in any order.
        ("abacada", "redundancy: 4"),
        ("a1 b a1 c a2 d a1", "-"),
        ("abcbacacbdefagha", "redundancy: 5"),
        // Stagnation: nothing new, in any order.
        ("abcbcacba", "stagnation: 6"),
        ("abcbcaca b1", "-"),
        ("abcbcacb? a", "stagnation: 6"),
        ("abcbcabdc", "-"),
    ] {
        assert_eq!(shown(judge(&config, &calls(history), None)), expected, "{history}");
    }
}

#[test]
fn drift_is_reported_only_with_a_measure_of_progress() {
    let config = LoopsConfig::default();
    assert_eq!(judge(&config, &calls("abc"), None), None);
    assert_eq!(shown(judge(&config, &calls("abc"), Some(10))), "drift: 10");
}

#[test]
fn the_strongest_consequence_counts() {
    let config = LoopsConfig { redundancy: Levels::new(0, 3, 4), ..LoopsConfig::default() };
    let found = judge(&config, &calls("aaa"), None).unwrap();
    assert_eq!((found.pattern, found.level), (Pattern::Redundancy, Level::Refuse));
}

/// The definition: the last `rounds * period` calls are the same `period` calls again and again. No shorter round makes them.
fn naive(calls: &[Entry], max_period: usize) -> (u32, Option<u32>) {
    let is_round = |period: usize, rounds: usize| {
        let Some(from) = calls.len().checked_sub(period * rounds) else { return false };
        let tail = &calls[from..];
        (period..tail.len()).all(|place| {
            let (one, other) = (&tail[place], &tail[place - period]);
            one.call == other.call && one.result == other.result
        })
    };
    let rounds = |period| (1..=calls.len()).take_while(|rounds| is_round(period, *rounds)).count();
    let is_shortest = |period: usize| {
        (1..period).all(|shorter| !period.is_multiple_of(shorter) || !is_round(shorter, period / shorter * 2))
    };
    let most = (2..=max_period).filter(|period| is_shortest(*period)).map(rounds).max();
    (u32::try_from(rounds(1)).unwrap(), most.filter(|most| *most >= 2).map(|most| u32::try_from(most).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn the_judge_finds_the_loops_of_the_definition(
        start in prop::collection::vec((0_u64..3, 0_u64..2), 0..6),
        round in prop::collection::vec((0_u64..3, 0_u64..2), 1..5),
        rounds in 0_usize..6,
        rest in 0_usize..5,
    ) {
        let repeated_rounds = round.iter().cycle().take(round.len() * rounds + rest.min(round.len()));
        let calls: Vec<Entry> = start.iter().chain(repeated_rounds).map(|(call, result)| entry(*call, *result)).collect();
        let (repetition, rounds) = naive(&calls, 6);
        prop_assert_eq!(repeated(&calls, is_same), repetition);
        prop_assert_eq!(oscillation(&calls, 6).map(|(_, rounds)| rounds), rounds);
        let redundancy = calls.last().map_or(0, |last| {
            let same: Vec<_> = calls.iter().filter(|entry| entry.call == last.call).collect();
            same.iter().rev().take_while(|entry| entry.result == last.result).count()
        });
        prop_assert_eq!(redundant(&calls) as usize, redundancy);
        let is_new = |place: &usize| {
            let before = calls[..*place].iter().rfind(|entry| entry.call == calls[*place].call);
            before.is_none_or(|before| before.result != calls[*place].result)
        };
        let after_new = (0..calls.len()).rfind(is_new).map_or(0, |last| calls.len() - last - 1);
        prop_assert_eq!(stagnant(&calls, 1_000) as usize, after_new);
    }

    /// The history is bounded, and a call that ends is the one that began.
    #[test]
    fn the_history_is_bounded(calls in prop::collection::vec((0_u64..4, 0_u32..3, any::<bool>()), 0..200), window in 1_usize..16) {
        let mut history = History::default();
        for (step, (call, number, ends)) in calls.into_iter().enumerate() {
            let place = Place::at(u32::try_from(step / 3).unwrap(), number);
            prop_assert!(history.begin(call, place, window).len() <= window);
            if ends {
                let seen = history.end(call, Ended { result: 7, was_skipped: false }, place, window);
                prop_assert!(seen.is_none_or(|seen| seen.len() <= window && !seen.is_empty()));
            }
            prop_assert!(history.len() <= window * 2);
        }
    }
}
