//! The search of all rules in a text.
//!
//! # What is searched
//!
//! A guard has about a hundred rules, and most texts have no match of any. So the search first finds out which rules to run:
//!
//! - [`Triggers`] finds the places where a match may begin, for all rules in one pass. Almost every rule has texts with which its
//!   matches begin, such as `ghp_`. A rule without them has a word that the match contains, or a function that finds places.
//! - At such a place, the automaton of the rule reads from there on and says whether a match begins there, and where it ends. It is
//!   [anchored](Runner::run): it looks at no other place. Most places end after a few bytes.
//! - Only then come the parts that cost more: the group that is the secret, its entropy, its checksum and the allowlists.
//!
//! A rule of this crate is compiled when its automaton is asked for the first time. So a text costs the rules that it triggers.
//!
//! There are three searches. [`Engine::is_clean`] only says whether a text has no match: it allocates nothing and runs at each event.
//! [`Engine::find_all`] finds all secrets of a whole text. [`Engine::find_decided`] finds the secrets of a text that may continue, as far
//! as they are decided.
//!
//! # Why it is right
//!
//! Each rule has a match or none at each place of a text, whatever the other rules find and wherever the search begins. So the rules
//! run one after the other, the secrets that overlap are joined afterwards, and a search that continues after a secret finds what a
//! search of the whole text finds. The tests compare them, in pieces of every size.
//!
//! A text with codes, hidden characters or look-alikes has *readings*: the texts that a reader may see. Each is searched like a text. Its
//! secrets are moved back to the bytes of the text, and made longer until they cut no escape.
//!
//! In a text that may continue, a match at the end may grow, or may only be begun. The first such place is *open*: nothing from there
//! on is decided, and the caller holds it back. A reading may be open too. Its place moves back like that of a secret.
//!
//! # What it costs
//!
//! A text of n bytes costs n look-ups in the table of [`Prefixes`], and a step of an automaton for each byte of a match that is begun.
//! Matches that begin inside of each other could make that quadratic, so a search has a budget of steps that grows with the text. A search
//! that exceeds it says "open" or "not clean", never "nothing"; then a search with the regex itself decides, which always moves on
//! past a long match. A rule may find matches and reject each of them, so a search also has a [`Patience`] for each rule.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use exo_rails::Excerpt;
use exo_rails_text::codes;
use exo_rails_text::reading as text;
use regex_syntax::hir::Hir;

use super::prefixes::{Prefix, Prefixes, is_after_word, is_word_byte};
use super::readings::{self, Reading, index};
use super::rule::{LONGEST_UNFINISHED, Patience, Rule, after};
use super::starts::{FindStart, Start, Starts};
use crate::automaton::{Automaton, Run, Runner};

/// All rules of a guard.
///
/// The results do not depend on where a search begins: each rule has a match or none at each place of a text. So a search that
/// continues after a secret finds what a search of the whole text finds.
#[derive(Debug)]
pub(crate) struct Engine {
    rules: Vec<Rule>,
    /// Made at the first text.
    triggers: OnceLock<Triggers>,
}

/// A secret in a text. Secrets that overlap are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The bytes to hide.
    pub(crate) secret: Range<usize>,
    /// The start of the first match, which may be before the secret.
    start: usize,
    /// The rules that found it. The first one found the longest part.
    pub(crate) rules: Vec<usize>,
    longest: usize,
    /// The secret as a reader sees it, if the text has codes, hidden characters or look-alikes.
    pub(crate) value: Option<String>,
    /// Whether one of the rules is certain.
    pub(crate) is_certain: bool,
    /// The end of the escape or the hidden sequence in which the match began, so that it may have a letter of it.
    cut_until: Option<usize>,
}

impl Found {
    fn new(rule: usize, start: usize, secret: Range<usize>, is_certain: bool) -> Self {
        Self { longest: secret.len(), secret, start, rules: vec![rule], value: None, is_certain, cut_until: None }
    }

    /// Makes the secret longer, until it cuts no piece of a reading.
    fn widen(&mut self, whole_pieces: impl Fn(&Range<usize>) -> Range<usize>) {
        let whole = whole_pieces(&self.secret);
        if whole.start < self.secret.start {
            self.cut_until = Some(whole_pieces(&(self.secret.start..self.secret.start)).end);
        }
        self.start = self.start.min(whole.start);
        self.secret = whole;
    }

    /// Returns the secret of a part in the text that has the part at `start`.
    fn moved(mut self, start: usize) -> Self {
        self.start += start;
        self.cut_until = self.cut_until.map(|until| until + start);
        self.secret = self.secret.start + start..self.secret.end + start;
        self
    }

    /// Adds a secret that overlaps this one.
    fn join(&mut self, other: Self) {
        let both = self.secret.start.min(other.secret.start)..self.secret.end.max(other.secret.end);
        self.value = match (self.secret == both, other.secret == both) {
            (true, true) => self.value.take().or(other.value),
            (true, false) => self.value.take(),
            (false, true) => other.value,
            (false, false) => None,
        };
        self.secret = both;
        self.is_certain |= other.is_certain;
        let goes_first =
            other.longest > self.longest || (other.longest == self.longest && other.rules[0] < self.rules[0]);
        self.longest = self.longest.max(other.longest);
        let mut at = if goes_first { 0 } else { self.rules.len() };
        for rule in other.rules {
            if !self.rules.contains(&rule) {
                self.rules.insert(at, rule);
                at += 1;
            }
        }
    }

    /// Returns the secret in the source of a reading.
    fn in_source(mut self, reading: &text::Reading) -> Self {
        self.value.get_or_insert_with(|| reading.text()[self.secret.clone()].to_owned());
        self.start = reading.in_source_after(self.start);
        self.cut_until = self.cut_until.map(|until| reading.in_source_after(until));
        self.secret = reading.in_source(&self.secret);
        self
    }
}

impl Engine {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        Self { rules, triggers: OnceLock::new() }
    }

    fn triggers(&self) -> &Triggers {
        self.triggers.get_or_init(|| Triggers::new(&self.rules))
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns whether a text has no match of any rule, as far as that can be found out with little work. It allocates nothing if
    /// the text has only one reading.
    pub(crate) fn is_clean(&self, text: &str) -> bool {
        self.has_no_match(text, |_| None)
            && (readings::is_plain(text) || self.find_in_readings(text, &|_| true, 0).is_empty())
    }

    /// Returns the same for JSON that has no other [reading](readings::is_plain), and for each text in it.
    ///
    /// What begins in one of the texts begins in the JSON too. But the match may end differently at the end of the text.
    pub(crate) fn is_clean_json(&self, json: &str) -> bool {
        self.has_no_match(json, |start| json[start..].find('"').map(|length| start + length))
    }

    /// Runs the automaton at each place where a match may begin, until one of them may match.
    ///
    /// `end_after` returns the place after another place where the text may end too.
    fn has_no_match(&self, text: &str, end_after: impl Fn(usize) -> Option<usize>) -> bool {
        let mut budget = 1024 + 2 * text.len();
        let mut is_none = |runner: Option<&mut Runner<'_>>, start: usize| {
            // Without an automaton, nobody knows.
            runner.is_some_and(|runner| {
                let ends = end_after(start).into_iter().chain([text.len()]);
                let mut runs = ends.map(|end| runner.run(&text[..end], start, true, LONGEST_UNFINISHED, &mut budget));
                runs.all(|run| run == Run::Nothing)
            })
        };
        let triggers = self.triggers();
        let mut clean = triggers.always.is_empty();
        for group in &triggers.groups {
            let (mut from, mut runner) = (0, None);
            while clean && let Start::At(start) = (group.starts)(text, from) {
                clean = is_none(runner.get_or_insert_with(|| group.any.runner(&self.rules)).as_mut(), start);
                from = after(text, start);
            }
        }
        // The same rule often comes again.
        let mut last: Option<(usize, Option<Runner<'_>>)> = None;
        if clean {
            triggers.each(text, 0, |number, start| {
                let rule = &self.rules[number];
                if !matches!(rule.starts, Starts::Texts { .. }) {
                    clean = false;
                } else if text.len() - start >= rule.shortest() {
                    let (_, runner) = match last.take_if(|(other, _)| *other == number) {
                        Some(same) => last.insert(same),
                        None => last.insert((number, rule.runner())),
                    };
                    clean = is_none(runner.as_mut(), start);
                }
                clean
            });
        }
        clean
    }

    /// Returns all secrets in a text, in order. It also searches the readings of the text.
    pub(crate) fn find_all(&self, text: &str, runs: impl Fn(usize) -> bool) -> Vec<Found> {
        if readings::is_plain(text) {
            return self.find_from(text, 0, &runs);
        }
        uncut(self.find_in_readings(text, &runs, 0))
    }

    /// Returns all secrets in a text without escapes, in order. It runs every rule over the whole text, whatever the text has.
    #[cfg(test)]
    pub(crate) fn find_with_every_rule(&self, text: &str) -> Vec<Found> {
        let mut all = Vec::new();
        for number in 0..self.rules.len() {
            self.find_rule(text, number, 0, &mut all);
        }
        joined(all)
    }

    /// Returns the secrets of a text and of its readings.
    fn find_in_readings(&self, text: &str, runs: &impl Fn(usize) -> bool, level: usize) -> Vec<Found> {
        if level > readings::LEVELS || readings::is_plain(text) {
            return self.each_found(text, 0, runs);
        }
        match readings::strings_of_json(text) {
            Some(strings) => self.find_in_json(text, &strings, runs, level),
            None => self.find_in(text, &readings::all(text, true), runs),
        }
    }

    /// Searches JSON, and each of its strings. A secret of a string ends in it, so that the JSON stays JSON.
    fn find_in_json(
        &self,
        json: &str,
        strings: &[Range<usize>],
        runs: &impl Fn(usize) -> bool,
        level: usize,
    ) -> Vec<Found> {
        let without_hidden = readings::without_hidden(json, true).into_iter();
        let without_hidden: Vec<_> =
            without_hidden.map(|reading| Reading { read: reading, source: None, is_look: false }).collect();
        let mut all = self.find_in(json, &without_hidden, runs);
        if !all.is_empty()
            && let Some(reading) = codes::decoded(json, true)
        {
            for found in &mut all {
                found.widen(|secret| reading.whole_pieces(secret));
            }
        }
        for string in strings {
            let text = &json[string.clone()];
            let found = match codes::decoded(text, true) {
                None => self.find_in_readings(text, runs, level + 1),
                Some(reading) => {
                    let found = self.find_in_readings(reading.text(), runs, level + 1).into_iter();
                    found.map(|found| found.in_source(&reading)).collect()
                }
            };
            all.extend(found.into_iter().map(|found| found.moved(string.start)));
        }
        all
    }

    /// Searches a text and its readings.
    fn find_in(&self, text: &str, readings: &[Reading], runs: &impl Fn(usize) -> bool) -> Vec<Found> {
        let texts = [text].into_iter().chain(readings.iter().map(|reading| reading.read.text()));
        in_text(readings, texts.map(|text| self.each_found(text, 0, runs)).collect())
    }

    /// Searches a text that may continue, and its readings. Returns the secrets, and the first place that more text decides.
    fn find_in_readings_of(&self, excerpt: Excerpt<'_>, runs: &impl Fn(usize) -> bool) -> (Vec<Found>, usize) {
        let Excerpt { text, from, is_last, .. } = excerpt;
        let readings = readings::all(text, is_last);
        let places = readings::places(&readings, from);
        let texts = [text].into_iter().chain(readings.iter().map(|reading| reading.read.text()));
        let (mut found, mut open) = (Vec::new(), Vec::new());
        for (text, from) in texts.zip(places) {
            let (of_text, first_open) = if is_last {
                (self.each_found(text, from, runs), usize::MAX)
            } else {
                let mut reading = excerpt;
                (reading.text, reading.from) = (text, from);
                let work = self.work(reading, runs);
                (work.all, work.open)
            };
            found.push(of_text);
            open.push(first_open);
        }
        for (number, reading) in readings.iter().enumerate().rev() {
            let of_reading = Some(open[number + 1]).filter(|open| *open < usize::MAX);
            let of_source =
                of_reading.map(|open| reading.read.in_source_after(open)).into_iter().chain(reading.read.end());
            let source = index(reading.source);
            open[source] = of_source.fold(open[source], usize::min);
        }
        let open = Some(open[0]).filter(|open| *open < text.len());
        let open = open.map_or(usize::MAX, |open| readings::whole_pieces(&readings, None, open..open).start.max(from));
        let mut found = uncut(in_text(&readings, found));
        found.retain_mut(|found| {
            // Without the text before, an escape at the start may seem to be another one.
            found.start = found.start.max(from);
            found.secret.start = found.secret.start.max(from);
            found.secret.start < found.secret.end
        });
        (found, open)
    }

    fn find_from(&self, text: &str, from: usize, runs: &impl Fn(usize) -> bool) -> Vec<Found> {
        joined(self.each_found(text, from, runs))
    }

    /// Returns the secrets that each rule finds.
    fn each_found(&self, text: &str, from: usize, runs: &impl Fn(usize) -> bool) -> Vec<Found> {
        let mut found = Vec::new();
        if from > 0 || !self.has_no_match(text, |_| None) {
            for (rule, start) in self.first_starts(text, from) {
                if runs(rule) {
                    self.find_rule(text, rule, start, &mut found);
                }
            }
        }
        found
    }

    /// Returns the rules that may have a match, with the first place where one may begin.
    fn first_starts(&self, text: &str, from: usize) -> Vec<(usize, usize)> {
        let mut first = vec![usize::MAX; self.rules.len()];
        let triggers = self.triggers();
        triggers.each(text, from, |rule, start| {
            first[rule] = first[rule].min(start);
            true
        });
        let anywhere = triggers.always.iter().chain(triggers.groups.iter().flat_map(|group| &group.any.rules));
        anywhere.for_each(|rule| first[*rule] = from);
        first.into_iter().enumerate().filter(|(_, start)| *start < text.len()).collect()
    }

    /// Adds the secrets of a rule. The next match may begin inside of the last one, but not inside of its secret.
    fn find_rule(&self, text: &str, number: usize, mut from: usize, all: &mut Vec<Found>) {
        let rule = &self.rules[number];
        let mut patience = Patience::new(text);
        while let Some(found) = rule.next_match(text, from) {
            let start = found.start;
            from = after(text, start);
            let is_long = found.len() > LONGEST_UNFINISHED;
            let end = found.end;
            match rule.may_begin(text, start).then(|| rule.secret(text, found.clone(), &mut patience)).flatten() {
                Some(secret) => {
                    from = from.max(secret.end);
                    let is_certain = rule.is_certain(text, found, &secret);
                    all.push(Found::new(number, start, secret, is_certain));
                }
                // Searches that overlap without bound would take more than linear time.
                None if is_long => from = end,
                None => {}
            }
            if from > text.len() {
                break;
            }
        }
    }

    /// Searches a text that may continue, but not its readings.
    ///
    /// The rules run in order, each at its places in order. A rule stops at its first open place: what it finds later is not decided
    /// before that. The first open place of all rules, and of the texts that may begin a match at the end, is that of the text.
    fn work<'t>(&self, excerpt: Excerpt<'t>, runs: &impl Fn(usize) -> bool) -> Work<'t> {
        let Excerpt { text, from, is_last, .. } = excerpt;
        let longest = excerpt.longest.min(LONGEST_UNFINISHED);
        let mut work = Work {
            text,
            is_last,
            longest,
            budget: (1 << 16) + 8 * (text.len() - from),
            open: usize::MAX,
            all: Vec::new(),
        };
        let (mut hits, triggers) = (Vec::new(), self.triggers());
        triggers.each(text, from, |rule, start| {
            hits.push((rule, start));
            true
        });
        hits.sort_unstable();
        hits.dedup();
        let mut hits = hits.as_slice();
        while let Some((number, _)) = hits.first() {
            let of_rule = hits.iter().take_while(|(other, _)| other == number).count();
            let (these, others) = hits.split_at(of_rule);
            hits = others;
            if !runs(*number) {
                continue;
            }
            // A keyword of another rule may be anywhere in the match.
            if let Starts::Texts { .. } = self.rules[*number].starts {
                work.rule(&self.rules[*number], *number, these.iter().map(|(_, start)| *start));
            }
        }
        for (any, is_at_border) in triggers.anywhere.iter().zip([false, true]) {
            if !any.rules.iter().any(|number| runs(*number)) {
                continue;
            }
            let places = (from..text.len())
                .filter(|at| if is_at_border { is_border(text, *at) } else { text.is_char_boundary(*at) });
            let places = work.places_of_any(any.runner(&self.rules), places);
            for number in any.rules.iter().filter(|number| runs(**number)) {
                work.rule(&self.rules[*number], *number, places.iter().copied());
            }
        }
        for Group { starts, any } in &triggers.groups {
            let mut places = Vec::new();
            let mut at = from;
            loop {
                match starts(text, at) {
                    Start::At(start) => {
                        places.push(start);
                        at = after(text, start);
                    }
                    Start::Short(start) if !is_last => {
                        places.push(start);
                        at = after(text, start);
                    }
                    Start::Open(start) if !is_last => {
                        work.open = work.open.min(start);
                        break;
                    }
                    _ => break,
                }
            }
            for number in any.rules.iter().filter(|number| runs(**number)) {
                work.rule(&self.rules[*number], *number, places.iter().copied());
            }
        }
        if !is_last {
            work.open = work.open.min(triggers.tail(text, from));
        }
        work
    }

    /// Returns all secrets of a text that may continue, in order, as far as no text that follows can change them. Also returns the
    /// first place that only more text decides.
    pub(crate) fn find_decided(
        &self,
        excerpt: Excerpt<'_>,
        runs: &impl Fn(usize) -> bool,
    ) -> (Vec<Found>, Option<usize>) {
        let (mut found, mut open) = if readings::is_plain(excerpt.text) {
            let work = self.work(excerpt, runs);
            if excerpt.is_last && work.open < usize::MAX {
                // The work was too much, and no text follows that could decide.
                (self.find_from(excerpt.text, excerpt.from, runs), usize::MAX)
            } else {
                (joined(work.all), work.open)
            }
        } else {
            self.find_in_readings_of(excerpt, runs)
        };
        if let Some(undecided) = found.iter().position(|found| found.secret.end > open) {
            open = open.min(found[undecided].start);
            found.truncate(undecided);
        }
        (found, Some(open).filter(|open| *open < usize::MAX))
    }
}

/// Moves the secrets of a text and of its readings to the text. `found` has those of the text, then those of each reading.
fn in_text(readings: &[Reading], mut found: Vec<Vec<Found>>) -> Vec<Found> {
    let sources = [None].into_iter().chain((0..readings.len()).map(Some));
    for (source, found) in sources.zip(&mut found) {
        for found in found {
            found.widen(|secret| readings::whole_pieces(readings, source, secret.clone()));
        }
    }
    for (number, reading) in readings.iter().enumerate().rev() {
        let of_reading = std::mem::take(&mut found[number + 1]);
        found[index(reading.source)].extend(of_reading.into_iter().map(|found| found.in_source(&reading.read)));
    }
    found.swap_remove(0)
}

/// A search in a text that may continue.
struct Work<'t> {
    text: &'t str,
    is_last: bool,
    longest: usize,
    budget: usize,
    /// The first place where a match may begin that more text decides.
    open: usize,
    all: Vec<Found>,
}

impl Work<'_> {
    /// Returns the places where a match of any of some rules may begin. At most places, none does, and one automaton says so for all
    /// of them.
    fn places_of_any(&self, runner: Option<Runner<'_>>, places: impl Iterator<Item = usize>) -> Vec<usize> {
        let (mut runner, mut budget) = (runner, self.budget);
        let may_begin = |start: &usize| {
            runner.as_mut().is_none_or(|runner| {
                runner.run(self.text, *start, self.is_last, self.longest, &mut budget) != Run::Nothing
            })
        };
        places.filter(may_begin).collect()
    }

    fn rule(&mut self, rule: &Rule, number: usize, places: impl Iterator<Item = usize>) {
        let mut from = 0;
        let (mut runner, mut patience) = (None, Patience::new(self.text));
        for start in places {
            if start < from {
                continue;
            }
            // What begins later than the first open place cannot be decided anyway.
            if start >= self.open && self.all.is_empty() {
                return;
            }
            let runner = runner.get_or_insert_with(|| rule.runner()).as_mut();
            let run = runner.map_or(Run::TooLong, |runner| {
                runner.run(self.text, start, self.is_last, self.longest, &mut self.budget)
            });
            match run {
                Run::Match(end) if rule.may_begin(self.text, start) => {
                    if let Some(secret) = rule.secret(self.text, start..end, &mut patience) {
                        from = secret.end;
                        let is_certain = rule.is_certain(self.text, start..end, &secret);
                        self.all.push(Found::new(number, start, secret, is_certain));
                    }
                }
                Run::Nothing | Run::Match(_) => {}
                Run::Open | Run::TooLong => {
                    self.open = self.open.min(start);
                    return;
                }
            }
        }
    }
}

/// Returns whether a word begins or ends at this place. The letters of words are ASCII, so a border is never inside of a character.
fn is_border(text: &str, at: usize) -> bool {
    is_after_word(text.as_bytes(), at) != text.as_bytes().get(at).is_some_and(|byte| is_word_byte(*byte))
}

/// Joins secrets. A match that began inside of an escape begins where a reading of the text has the secret.
fn uncut(all: Vec<Found>) -> Vec<Found> {
    let (mut cut, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|found| found.cut_until.is_some());
    let mut others = joined(others);
    for found in &mut cut {
        let next = others.partition_point(|other| other.secret.end <= found.secret.start);
        let start = others.get(next).map(|other| other.secret.start).filter(|start| Some(*start) <= found.cut_until);
        if let Some(start) = start {
            found.secret.start = found.secret.start.max(start);
            found.start = found.secret.start;
        }
    }
    others.extend(cut);
    joined(others)
}

/// Joins secrets whose matches overlap, and sorts them.
fn joined(mut all: Vec<Found>) -> Vec<Found> {
    all.sort_by_key(|found| (found.start, found.rules[0]));
    let mut joined: Vec<Found> = Vec::with_capacity(all.len());
    for found in all {
        match joined.last_mut().filter(|last| found.start < last.secret.end) {
            None => joined.push(found),
            Some(last) => last.join(found),
        }
    }
    joined
}

/// The texts that show which rules to run. A search of all of them at once finds the places.
#[derive(Debug)]
struct Triggers {
    texts: Prefixes,
    /// For each text, the part of `triggered` that it triggers.
    of_text: Vec<Range<usize>>,
    triggered: Vec<Triggered>,
    /// Only streams need it: see [`Triggers::begun`].
    begun: OnceLock<[Begun; 2]>,
    /// Rules whose matches begin anywhere, and those whose matches begin at the borders of words.
    anywhere: [AnyOf; 2],
    /// The rules of `anywhere` that no keyword announces.
    always: Vec<usize>,
    groups: Vec<Group>,
}

/// Rules whose matches begin at the same places.
#[derive(Debug)]
struct Group {
    starts: FindStart,
    any: AnyOf,
}

/// Rules that one automaton looks for together.
#[derive(Debug)]
struct AnyOf {
    rules: Vec<usize>,
    /// Has a match where one of the rules has one. Made at the first place where a match may begin.
    automaton: OnceLock<Option<Automaton>>,
}

impl AnyOf {
    fn new(rules: Vec<usize>) -> Self {
        Self { rules, automaton: OnceLock::new() }
    }

    /// Begins to look for a match of any rule. Returns `None` if there is no automaton.
    fn runner(&self, rules: &[Rule]) -> Option<Runner<'_>> {
        let automaton = self.automaton.get_or_init(|| {
            let all = self.rules.iter().map(|rule| rules[*rule].hir().cloned());
            Some(Automaton::new(Hir::alternation(all.collect::<Option<_>>()?)))
        });
        automaton.as_ref()?.runner()
    }
}

#[derive(Clone, Copy, Debug)]
struct Triggered {
    rule: usize,
    /// Whether the match begins at the text. Otherwise, it contains the text.
    begins: bool,
    after_word: bool,
}

impl Triggers {
    fn new(rules: &[Rule]) -> Self {
        let mut texts: Vec<(Cow<'static, str>, Triggered)> = Vec::new();
        let (mut anywhere, mut always) = ([Vec::new(), Vec::new()], Vec::new());
        let mut found: Vec<(FindStart, Vec<usize>)> = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            match &rule.starts {
                Starts::Texts { texts: begun, after_word } => {
                    let triggered = Triggered { rule: number, begins: true, after_word: *after_word };
                    begun.for_each(|text| texts.push((text, triggered)));
                }
                Starts::Found(starts) => {
                    match found.iter_mut().find(|(other, _)| std::ptr::fn_addr_eq(*other, *starts)) {
                        Some((_, rules)) => rules.push(number),
                        None => found.push((*starts, vec![number])),
                    }
                }
                Starts::Anywhere { at_word } => {
                    anywhere[usize::from(*at_word)].push(number);
                    if rule.keywords.is_empty() {
                        always.push(number);
                    }
                    let triggered = Triggered { rule: number, begins: false, after_word: false };
                    texts.extend(rule.keywords.iter().map(|word| (Cow::Owned(word.clone()), triggered)));
                }
            }
        }
        let group = |(starts, rules)| Group { starts, any: AnyOf::new(rules) };
        let groups = found.into_iter().map(group).collect();
        texts.sort_by(|one, other| one.0.cmp(&other.0));
        let mut triggered = Vec::with_capacity(texts.len());
        let (mut prefixes, mut of_text): (Vec<Prefix>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        for (text, of_rule) in texts {
            if prefixes.last().is_none_or(|last| last.text != text) {
                prefixes.push(Prefix { text, after_word: true });
                of_text.push(triggered.len()..triggered.len());
            }
            triggered.push(of_rule);
            if let (Some(last), Some(of_last)) = (prefixes.last_mut(), of_text.last_mut()) {
                last.after_word &= of_rule.after_word;
                of_last.end = triggered.len();
            }
        }
        let texts = Prefixes::new(prefixes);
        Self { texts, of_text, triggered, begun: OnceLock::new(), anywhere: anywhere.map(AnyOf::new), always, groups }
    }

    /// Returns the texts that begin matches anywhere, and those that begin them only at the beginning of a word.
    fn begun(&self) -> &[Begun; 2] {
        self.begun.get_or_init(|| {
            [false, true].map(|after_word| {
                let begins = |of: &Range<usize>| {
                    let mut of = self.triggered[of.clone()].iter().filter(|triggered| triggered.begins).peekable();
                    of.peek().is_some() && of.all(|triggered| triggered.after_word) == after_word
                };
                let texts = self.texts.all().iter().zip(&self.of_text).filter(|(_, of)| begins(of));
                Begun::new(texts.map(|(prefix, _)| prefix.text.clone()).collect())
            })
        })
    }

    /// Calls `each` with the rules that texts in the text trigger, and with the place of a match that begins there. Stops when
    /// `each` returns `false`.
    fn each(&self, text: &str, from: usize, mut each: impl FnMut(usize, usize) -> bool) {
        self.texts.each(text, from, |number, start| {
            let is_inside_word = is_after_word(text.as_bytes(), start);
            let of_text = &self.triggered[self.of_text[number].clone()];
            of_text.iter().filter(|triggered| !(triggered.after_word && is_inside_word)).all(|triggered| {
                let start = if triggered.begins { start } else { from };
                each(triggered.rule, start)
            })
        });
    }

    /// Returns the first place from which the rest of the text may become the beginning of a match.
    fn tail(&self, text: &str, from: usize) -> usize {
        let [anywhere, at_words] = self.begun();
        let most = anywhere.most.max(at_words.most);
        let near = text.len().saturating_sub(most.saturating_sub(1)).max(from);
        let begins = |at: &usize| {
            let rest = &text.as_bytes()[*at..];
            if !self.texts.may_begin_with(rest) {
                return false;
            }
            anywhere.has(rest) || (at_words.has(rest) && !is_after_word(text.as_bytes(), *at))
        };
        (near..text.len()).filter(|at| text.is_char_boundary(*at)).find(begins).unwrap_or(usize::MAX)
    }
}

/// Texts that begin matches.
#[derive(Debug)]
struct Begun {
    /// The texts, in order.
    texts: Vec<Cow<'static, str>>,
    /// The length of the longest text.
    most: usize,
}

impl Begun {
    fn new(texts: Vec<Cow<'static, str>>) -> Self {
        let most = texts.iter().map(|text| text.len()).max().unwrap_or_default();
        Self { texts, most }
    }

    /// Returns whether one of the texts begins with these bytes, in either case.
    fn has(&self, rest: &[u8]) -> bool {
        let lower = |byte: &u8| byte.to_ascii_lowercase();
        let place = self.texts.partition_point(|text| text.bytes().lt(rest.iter().map(lower)));
        let next = self.texts.get(place).map(|text| text.as_bytes());
        next.and_then(|text| text.get(..rest.len())).is_some_and(|text| text.eq_ignore_ascii_case(rest))
    }
}
