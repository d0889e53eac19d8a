//! The findings in one text.

use std::ops::Range;
use std::sync::OnceLock;

use exo_rails_policy::{ConfigError, Severity};
use exo_rails_text::names::advice;
use exo_rails_text::views::each_view;

use super::GUARD;
use super::mention::is_mention;
use super::rot13::rot13;
use super::rules::RULES;
use super::scripts::mixed_word;
use crate::finding::Finding;
use crate::hidden::{Hidden, Kind, Scan};
use crate::wording::{Finder, Text, View, Wording};

/// The rules beside those of [`RULES`] and of [`Kind`].
const MIXED_SCRIPTS: &str = "mixed_scripts";
const ENCODED: &str = "encoded_instructions";
const HIDDEN: &str = "hidden_instructions";

/// How often an encoded text may be inside of another one.
const DEPTH: usize = 3;

/// The wordings of the rules, and of their ROT13.
#[derive(Debug)]
pub(super) struct Scanner {
    /// Made at the first text.
    finders: OnceLock<Vec<Finder>>,
    /// Finds the words with which instructions in ROT13 begin. Made at the first text.
    turned: OnceLock<Vec<Finder>>,
    without: Vec<String>,
}

/// A rule that a text breaks.
struct Hit {
    rule: usize,
    severity: Severity,
    range: Range<usize>,
}

impl Scanner {
    pub(super) fn new(without: &[String]) -> Result<Self, ConfigError> {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        names.extend(Kind::ALL.map(Kind::name));
        names.extend([MIXED_SCRIPTS, ENCODED, HIDDEN]);
        if let Some(name) = without.iter().find(|name| !names.contains(&name.as_str())) {
            let message = format!("unknown rule `{name}`: {}", advice(name, &names));
            return Err(ConfigError::new(message).in_key("without"));
        }
        Ok(Self { finders: OnceLock::new(), turned: OnceLock::new(), without: without.to_vec() })
    }

    fn finders(&self) -> &[Finder] {
        self.finders.get_or_init(|| {
            let is_used = |rule: &super::rules::Rule| !self.without.iter().any(|name| name == rule.name);
            let rules = RULES.iter().enumerate().filter(|(_, rule)| is_used(rule));
            let wordings = rules.flat_map(|(number, rule)| rule.wordings().map(move |wording| (number, wording)));
            Finder::of(&wordings.collect::<Vec<_>>())
        })
    }

    fn turned(&self) -> &[Finder] {
        self.turned.get_or_init(|| {
            let starts = ["ignore", "disregard", "forget", "override", "reveal your", "from now on", "do not tell"];
            let wording = |start: &str| (0, Wording::new(View::Words, &[rot13(start).as_str()], ""));
            Finder::of(&starts.map(wording))
        })
    }

    /// Adds the findings in a text.
    pub(super) fn findings(&self, text: &Text<'_>, findings: &mut Vec<Finding>) {
        let mut add = |rule: &'static str, severity, message: &'static str, bytes| {
            let is_used = !self.without.iter().any(|name| name == rule);
            if is_used && !findings.iter().any(|finding| finding.rule == rule && finding.severity >= severity) {
                findings.push(Finding::new(GUARD, rule, severity, message).at(text.place(bytes)));
            }
        };
        for Hidden { kind, severity, range, said } in Scan::of(text.content).hidden {
            if !said.is_empty() && self.worst(&said, DEPTH).is_some() {
                let message = "invisible characters in the text instruct the model";
                add(HIDDEN, Severity::Critical, message, Some(range.clone()));
            }
            // Colours of terminals are honest.
            if severity > Severity::Info {
                add(kind.name(), severity, kind.message(), Some(range));
            }
        }
        if let Some(range) = mixed_word(text.content) {
            let message = "a word has letters of several scripts that look alike";
            add(MIXED_SCRIPTS, Severity::Low, message, Some(range));
        }
        let mut hits = self.hits(text.content);
        escalate(&mut hits);
        for Hit { rule, severity, range } in hits {
            add(RULES[rule].name, severity, RULES[rule].message, Some(range));
        }
        self.each_decoded(text.content, &mut |range, decoded| {
            if let Some(severity) = self.worst(decoded, DEPTH) {
                let is_whole = range == (0..text.content.len());
                let message = "the text has instructions in another encoding";
                add(ENCODED, severity.max(Severity::Medium), message, (!is_whole).then_some(range));
            }
        });
    }

    /// Returns the most serious hit in a text, also in encoded texts in it.
    fn worst(&self, text: &str, depth: usize) -> Option<Severity> {
        let mut hits = self.hits(text);
        escalate(&mut hits);
        let mut worst = hits.iter().map(|hit| hit.severity).max();
        if depth > 0 {
            self.each_decoded(text, &mut |_, decoded| worst = worst.max(self.worst(decoded, depth - 1)));
        }
        worst
    }

    /// Returns the first hit of each rule, and the first serious one.
    fn hits(&self, text: &str) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for finder in self.finders() {
            finder.each(text, |found| {
                let known = hits.iter().position(|hit| hit.rule == found.number);
                let severity = RULES[found.number].severity;
                if known.is_some_and(|at| hits[at].severity >= severity) {
                    return;
                }
                let severity = if is_mention(text, &found.range) { mentioned(severity) } else { severity };
                let hit = Hit { rule: found.number, severity, range: found.range };
                match known {
                    Some(at) if hits[at].severity >= severity => {}
                    Some(at) => hits[at] = hit,
                    None => hits.push(hit),
                }
            });
        }
        hits
    }

    /// Calls `visit` with each text that is encoded in a text, and its bytes.
    fn each_decoded(&self, text: &str, visit: &mut dyn FnMut(Range<usize>, &str)) {
        each_view(text, 1, visit);
        for finder in self.turned() {
            let mut until = 0;
            finder.each(text, |found| {
                if found.range.start < until {
                    return;
                }
                let end = text.floor_char_boundary((found.range.start + 512).min(text.len()));
                until = end;
                visit(found.range.start..end, &rot13(&text[found.range.start..end]));
            });
        }
    }
}

/// Two different rules in one text are more serious than each of them.
fn escalate(hits: &mut [Hit]) {
    let serious = hits.iter().filter(|hit| hit.severity >= Severity::Medium).count();
    if serious < 2 {
        return;
    }
    if let Some(worst) = hits.iter_mut().max_by_key(|hit| hit.severity) {
        worst.severity = match worst.severity {
            Severity::Medium => Severity::High,
            _ => Severity::Critical,
        };
    }
}

/// Returns the severity of a text that only mentions an attack.
const fn mentioned(severity: Severity) -> Severity {
    match severity {
        Severity::High | Severity::Critical => Severity::Low,
        _ => Severity::Info,
    }
}
