//! The flags of a regex.
//!
//! A `RegexBuilder` can set flags that are not part of the regex's text, and a `Regex` shows only its text. So this
//! module makes texts for which the regex returns a different match with a flag than without it, and searches them with
//! the regex.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_automata::util::syntax::{self, Config};
use regex_syntax::hir::{Class, Hir, HirKind};

/// A flag, for the parser and for the builder.
type Flag = (fn(Config) -> Config, fn(&mut RegexBuilder) -> &mut RegexBuilder);

const FLAGS: [Flag; 7] = [
    (|config| config.case_insensitive(true), |regex| regex.case_insensitive(true)),
    (|config| config.multi_line(true), |regex| regex.multi_line(true)),
    (|config| config.dot_matches_new_line(true), |regex| regex.dot_matches_new_line(true)),
    (|config| config.multi_line(true).crlf(true), |regex| regex.multi_line(true).crlf(true)),
    (|config| config.ignore_whitespace(true), |regex| regex.ignore_whitespace(true)),
    (|config| config.swap_greed(true), |regex| regex.swap_greed(true)),
    (|config| config.unicode(false), |regex| regex.unicode(false)),
];

/// Text around a match. The results of `^`, `$` and `\b` depend on line ends and letters there.
const AROUND: [(&str, &str); 5] = [("", ""), ("\n", ""), ("", "\n"), ("", "\r\n"), ("a", "a")];

/// The number of texts to try for each flag.
const ATTEMPTS: usize = 200;

/// Texts that show whether a regex has one of the flags. Each text has the match that the regex finds without the
/// flags.
pub(super) struct Flags(Vec<(String, Option<Range<usize>>)>);

impl Flags {
    /// Makes the texts for a regex. Returns `None` if the text of the regex is not valid without flags.
    pub(super) fn of(source: &str) -> Option<Self> {
        let (plain, parsed) = (Regex::new(source).ok()?, syntax::parse(source).ok()?);
        let texts = FLAGS.iter().filter_map(|(config, builder)| {
            let hir = syntax::parse_with(source, &config(Config::new())).ok().filter(|hir| *hir != parsed)?;
            let flagged = builder(&mut RegexBuilder::new(source)).build().ok()?;
            // Tries texts that match with the flag, and texts that match without it.
            let mut texts = (1..=ATTEMPTS).map(|attempt| text([&hir, &parsed][attempt % 2], source, attempt));
            let text = texts.find(|text| found(&plain, text) != found(&flagged, text))?;
            let expected = found(&plain, &text);
            Some((text, expected))
        });
        Some(Self(texts.collect()))
    }

    /// Returns whether the regex finds the same matches as without the flags.
    pub(super) fn are_those_of(&self, regex: &Regex) -> bool {
        self.0.iter().all(|(text, expected)| found(regex, text) == *expected)
    }
}

fn found(regex: &Regex, text: &str) -> Option<Range<usize>> {
    regex.find(text).map(|found| found.range())
}

/// Builds a text that matches.
struct MadeUp {
    text: String,
    numbers: Numbers,
    /// Characters that are likely to make a difference: those of the regex, and the end of a line.
    likely: Vec<char>,
}

/// Makes a text with a match, and with other characters around the match.
fn text(hir: &Hir, source: &str, attempt: usize) -> String {
    let mut numbers = Numbers(attempt as u64);
    let (before, after) = AROUND[numbers.below(AROUND.len())];
    let likely = source.chars().chain(['\n']).collect();
    let mut made_up = MadeUp { text: before.to_owned(), numbers, likely };
    made_up.push(hir);
    made_up.text + after
}

impl MadeUp {
    /// Adds a match.
    fn push(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(class) => {
                let character = self.one_of(class);
                self.text.extend(character);
            }
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(2));
                let count = repetition.min as usize + self.numbers.below((most - repetition.min) as usize + 1);
                for _ in 0..count.min(100) {
                    self.push(&repetition.sub);
                }
            }
            HirKind::Capture(capture) => self.push(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.push(part)),
            HirKind::Alternation(ways) => {
                let way = self.numbers.below(ways.len());
                self.push(&ways[way]);
            }
        }
    }

    /// Returns a character of a class: a likely character, or an end of one of its ranges.
    fn one_of(&mut self, class: &Class) -> Option<char> {
        let ranges: Vec<(char, char)> = match class {
            Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
            Class::Bytes(class) => {
                class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
            }
        };
        let is_in = |likely: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&likely));
        let likely: Vec<char> = self.likely.iter().copied().filter(is_in).collect();
        if !likely.is_empty() && self.numbers.below(2) == 0 {
            return Some(likely[self.numbers.below(likely.len())]);
        }
        let (start, end) = *ranges.get(self.numbers.below(ranges.len()))?;
        Some(if self.numbers.below(2) == 0 { start } else { end })
    }
}

/// Pseudorandom numbers: a linear congruential generator with the constants of Knuth.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}
