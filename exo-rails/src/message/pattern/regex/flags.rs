//! The flags of a regex.
//!
//! A `RegexBuilder` sets flags that are not part of the regex's text, and a `Regex` shows only its text. So the regex is asked
//! about texts that it would find differently with one of the flags.

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

/// What stands around a match: line ends and letters, on which `^`, `$` and `\b` depend.
const AROUND: [(&str, &str); 5] = [("", ""), ("\n", ""), ("", "\n"), ("", "\r\n"), ("a", "a")];

/// How often a text is made up for each flag.
const ATTEMPTS: usize = 200;

/// Texts that tell whether a regex has one of the flags, with what it finds without them.
pub(super) struct Flags(Vec<(String, Option<Range<usize>>)>);

impl Flags {
    /// The texts for a regex; `None` when it is none without flags.
    pub(super) fn of(source: &str) -> Option<Self> {
        let (plain, parsed) = (Regex::new(source).ok()?, syntax::parse(source).ok()?);
        let texts = FLAGS.iter().filter_map(|(config, builder)| {
            let hir = syntax::parse_with(source, &config(Config::new())).ok().filter(|hir| *hir != parsed)?;
            let flagged = builder(&mut RegexBuilder::new(source)).build().ok()?;
            // Matches with the flag and without.
            let mut texts = (1..=ATTEMPTS).map(|attempt| text([&hir, &parsed][attempt % 2], source, attempt));
            let text = texts.find(|text| found(&plain, text) != found(&flagged, text))?;
            let expected = found(&plain, &text);
            Some((text, expected))
        });
        Some(Self(texts.collect()))
    }

    /// Whether the regex finds what it would find without the flags.
    pub(super) fn are_those_of(&self, regex: &Regex) -> bool {
        self.0.iter().all(|(text, expected)| found(regex, text) == *expected)
    }
}

fn found(regex: &Regex, text: &str) -> Option<Range<usize>> {
    regex.find(text).map(|found| found.range())
}

/// Makes up texts.
struct MadeUp {
    text: String,
    numbers: Numbers,
    /// Characters on which much depends: those of the regex, and the end of a line.
    likely: Vec<char>,
}

/// A text with a match in it, and something around it.
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

    /// A character of a class: a likely one, or one of the ends of its ranges.
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

/// Numbers that look random: a linear congruential generator, with Knuth's constants.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }
}
