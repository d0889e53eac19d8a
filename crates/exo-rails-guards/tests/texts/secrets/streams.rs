//! Streams of text with escapes, with hidden characters and with values that touch: at any cut, nothing leaves that a search of
//! the whole text finds.
//!
//! The marks may differ: a letter that belongs to an escape or to a value is in one or the other, and values that overlap have one
//! mark or several.

use exo_rails::rail_chain;
use exo_rails_guards::{Injection, PersonalData, Secrets};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::sync::LazyLock;

use super::chunks::{cut, streamed};
use super::formats::tokens;
use super::personal_data::VALUES;

rail_chain! { pub(crate) struct OfSecrets { pub(crate) secrets: Secrets } }
rail_chain! { pub(crate) struct OfPersons { pub(crate) personal_data: PersonalData } }

pub(crate) static SECRETS: LazyLock<OfSecrets> =
    LazyLock::new(|| OfSecrets { secrets: Secrets::builder().build().unwrap() });
pub(crate) static PERSONS: LazyLock<OfPersons> =
    LazyLock::new(|| OfPersons { personal_data: PersonalData::builder().recognisers(["*"]).build().unwrap() });

/// What a text may have between its letters.
const GAPS: &[&str] = &[
    "\u{200b}",
    "\u{200d}",
    "\u{ad}",
    "\u{202e}",
    "\u{1b}[0m",
    "\u{1b}[01;31m",
    "\u{9b}1m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}",
    "\u{e0041}",
    "\u{1b}(B",
    "\u{1b}]8;;http://x\u{1b}\\",
];

/// What stands around secrets.
const WORDS: &[&str] = &[
    " ",
    "\n",
    "\t",
    "\\",
    "\\\\",
    "\\n",
    "\\\\n",
    "\\u",
    "\\u0041",
    "\\u{a}",
    "\\x41",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\"",
    "é",
    "😀",
    "x",
    "n",
    "=",
    "password=",
    "AKIA",
    "gh",
    "[",
    "{\"a\":\"",
    "\u{feff}",
    "word\u{ad}",
    "क्\u{200d}ष",
    "שלום\u{202b}",
    "@",
    "+4",
    "https://a:",
    "-----BEGIN PRIVATE KEY-----\\n",
    "\n> ",
    "x_",
    "%22",
];

/// Escapes some letters, or all, some levels deep.
fn escaped(text: &str, how: usize, letters: u64) -> String {
    text.chars()
        .enumerate()
        .map(|(number, c)| match (how, letters >> (number % 64) & 1) {
            (1, 1) => format!("\\u{:04x}", u32::from(c)),
            (2, 1) => format!("\\\\u{:04x}", u32::from(c)),
            (3, 1) => format!("\\x{:02x}", u32::from(c)),
            (4, 1) => format!("\\u{{{:x}}}", u32::from(c)),
            _ => c.to_string(),
        })
        .collect()
}

/// A text with values whole, cut, escaped and interrupted.
fn text(values: Vec<String>) -> impl Strategy<Value = String> {
    let value = select(values);
    let begun = (value.clone(), any::<prop::sample::Index>()).prop_map(|(value, at)| {
        let at = value.floor_char_boundary(at.index(value.len()));
        value[..at].to_owned()
    });
    let gapped = (value.clone(), prop::collection::vec((any::<prop::sample::Index>(), select(GAPS)), 1..4)).prop_map(
        |(mut value, gaps)| {
            for (at, gap) in gaps {
                let at = value.floor_char_boundary(at.index(value.len()));
                value.insert_str(at, gap);
            }
            value
        },
    );
    let hidden = (value.clone(), 1..5_usize, prop_oneof![Just(u64::MAX), Just(1), any::<u64>()])
        .prop_map(|(value, how, letters)| escaped(&value, how, letters));
    let words = select(WORDS).prop_map(str::to_owned);
    let gap = select(GAPS).prop_map(str::to_owned);
    let part = prop_oneof![3 => value, 1 => begun, 2 => gapped, 2 => hidden, 4 => words, 1 => gap];
    let parts = prop::collection::vec(part, 0..7).prop_map(|parts| parts.concat());
    (parts, 0..6_usize).prop_map(|(text, level)| match level {
        0 => json!({ "a": text }).to_string(),
        1 => json!({ "a": json!([text]).to_string(), "b": 1 }).to_string(),
        _ => text,
    })
}

/// Checks what leaves a stream of the text. `find` returns the values that the guard finds in a whole text.
fn check(
    rails: &impl exo_rails::Guard,
    find: impl Fn(&str) -> Vec<String>,
    text: &str,
    places: &[usize],
) -> Result<(), TestCaseError> {
    let letters: Vec<_> = (0..text.len()).collect();
    for places in [&[], places, &letters] {
        let left = streamed(rails, &cut(text, places));
        prop_assert!(find(&left).is_empty(), "{:?} leaves {left:?}", find(&left));
        let mut stripped = left.clone();
        Injection::strip_hidden(&mut stripped);
        prop_assert!(find(&stripped).is_empty(), "{:?} leaves {left:?}", find(&stripped));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_stream_releases_a_secret(
        text in text(tokens().into_iter().map(|(_, token)| token).collect()),
        places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let find = |text: &str| SECRETS.secrets.find(text).into_iter().map(|(rule, bytes)| format!("{rule} {}", &text[bytes])).collect();
        check(&*SECRETS, find, &text, &places)?;
    }

    #[test]
    fn no_stream_releases_personal_data(
        text in text(VALUES.iter().map(|(_, value)| (*value).to_owned()).collect()),
        places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let find = |text: &str| PERSONS.personal_data.find(text).into_iter().map(|(rule, bytes)| format!("{rule} {}", &text[bytes])).collect();
        check(&*PERSONS, find, &text, &places)?;
    }
}
