//! What a run or session has read: the marks of tainted, trusted and cleared texts.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use data_encoding::BASE64_NOPAD;
use exo_rails::message::Messages;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::folded::{Folded, Kind};
use super::hash::{Key, Marks, What, mark};
use super::marks::{Collected, Form, WORDS, each_phrase, mark_of};
use super::values::{each_placeholder, each_value};

/// The most labels and origins of a state: the bits of a set.
pub(super) const MOST_LABELS: usize = 16;
const MOST_ORIGINS: usize = 64 - MOST_LABELS;

/// The most cleared values that a state remembers. If there are more, the oldest is tainted again.
const MOST_CLEARED: usize = 1_000;

/// The most messages that a state recognises. The guard reads others again, which changes nothing.
const MOST_SEEN: usize = 65_536;

/// The most runs of a session that a state knows. An older run that goes on counts as one without its state.
const MOST_RUNS: usize = 64;

/// The labels of a user's words and of the program's words: all.
pub(super) const ALL: u64 = u64::MAX;

/// What the guard [`DataFlow`](super::DataFlow) knows about a run or a session: hashes of texts, and where they come from.
///
/// It is a value in [`ctx.run`](exo_rails::RunScope::run) or in [`ctx.session`](exo_rails::RunScope::session). A saved run has
/// its state. For a session, the guard also writes the state into the JSON state there when a run is suspended and when it ends.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowState {
    pub(super) form: Option<Form>,
    labels: Vec<String>,
    origins: Vec<Origin>,
    /// For each mark, the set of its origins.
    #[serde(with = "packed")]
    tainted: Marks,
    /// For each mark, the set of labels for which it is trusted.
    #[serde(with = "packed")]
    trusted: Marks,
    cleared: Vec<Cleared>,
    /// The origins whose texts did not fit.
    full: u64,
    /// The messages of the conversation that the state knows.
    seen: HashSet<u64>,
    /// The last conversations that the state knows: without the user's messages, and with them. They only save work, so no record has
    /// them.
    #[serde(skip)]
    pub(super) read: [Messages; 2],
    /// Whether the run has begun with an input, so that only this input is the user's.
    pub(super) has_input: bool,
    /// The runs of the session, each with the number of events from which the guard has learned. The last ones are at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<(String, u64)>,
    /// Whether the run goes on without what it has read before, if the store does not have it.
    #[serde(skip)]
    pub(super) is_lost: bool,
    /// What the store of the guard knows about the state.
    #[serde(default, skip_serializing_if = "Shared::is_none")]
    pub(super) shared: Shared,
}

/// The part of a state that it shares with other processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Shared {
    /// The number of changes in the store that the state has.
    pub(super) read: u64,
    /// What the state has learned since the last change was written. `None` if the state is not in a store.
    #[serde(skip)]
    pub(super) learned: Option<Box<FlowState>>,
    /// Changes that are being written.
    #[serde(skip)]
    pub(super) sending: Vec<Arc<FlowState>>,
}

impl Shared {
    const fn is_none(&self) -> bool {
        self.read == 0
    }
}

/// Where tainted values come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The tool, or another source.
    pub(super) source: String,
    /// The index of the label.
    label: usize,
}

/// A value that has been cleared: the hash and the number of its folded characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Cleared {
    hash: u64,
    length: usize,
    labels: u64,
}

/// A part of a text that comes from tainted texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The folded characters.
    pub(super) part: Range<usize>,
    pub(super) origins: u64,
}

/// How much a copy of a text needs to have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Least {
    pub(super) telling: usize,
    pub(super) common: usize,
}

impl FlowState {
    /// Returns how texts are compared. The first guard that asks decides.
    pub(super) fn form(&mut self, piece: usize, value: usize) -> Form {
        *self.form.get_or_insert_with(|| Form { key: Key::new(), piece, value })
    }

    /// Returns whether nothing is tainted.
    pub(super) fn is_clean(&self) -> bool {
        self.origins.is_empty()
    }

    /// Returns the number of events of a run from which the guard has learned.
    pub(super) fn learned_in(&self, run: &str) -> u64 {
        self.runs.iter().find(|(known, _)| known == run).map_or(0, |(_, count)| *count)
    }

    /// Notes that the guard has learned from an event of a run.
    pub(super) fn learn_in(&mut self, run: &str) {
        let place = self.runs.iter().position(|(known, _)| known == run);
        let (run, count) = place.map_or_else(|| (run.to_owned(), 0), |place| self.runs.remove(place));
        self.runs.push((run, count + 1));
        if self.runs.len() > MOST_RUNS {
            self.runs.remove(0);
        }
    }

    /// Returns the set of these labels. Unknown labels are added.
    pub(super) fn labels(&mut self, names: &[String]) -> u64 {
        names.iter().fold(0, |labels, name| labels | 1 << self.label(name))
    }

    fn label(&mut self, name: &str) -> usize {
        if let Some(known) = self.labels.iter().position(|known| known == name) {
            return known;
        }
        // A configuration has fewer labels. The last one can have several names if a program declares many.
        if self.labels.len() < MOST_LABELS {
            self.labels.push(name.to_owned());
        }
        self.labels.len() - 1
    }

    /// Returns the set of one origin.
    pub(super) fn origin(&mut self, source: &str, label: &str) -> u64 {
        let label = self.label(label);
        let at = |origins: &[Origin], source: &str| {
            origins.iter().position(|origin| origin.label == label && origin.source == source)
        };
        let source = if at(&self.origins, source).is_none() && self.origins.len() >= MOST_ORIGINS {
            "another source"
        } else {
            source
        };
        let place = at(&self.origins, source).unwrap_or_else(|| {
            self.origins.push(Origin { source: source.to_owned(), label });
            self.origins.len() - 1
        });
        1 << place
    }

    /// Returns the origins of a set, each with its label.
    pub(super) fn origins(&self, set: u64) -> impl Iterator<Item = (&str, &str)> {
        let found = self.origins.iter().enumerate().filter(move |(bit, _)| set & (1 << bit) != 0);
        found.map(|(_, origin)| (origin.source.as_str(), self.labels.get(origin.label).map_or("", String::as_str)))
    }

    /// Returns the set of all origins with these labels.
    pub(super) fn origins_of(&self, labels: u64) -> u64 {
        let found = self.origins.iter().enumerate().filter(|(_, origin)| labels & (1 << origin.label) != 0);
        found.fold(0, |set, (bit, _)| set | 1 << bit)
    }

    /// Remembers marks of tainted texts. What does not fit makes all values tainted.
    pub(super) fn taint(&mut self, marks: &Collected, origin: u64, most: usize) {
        let names: Vec<_> = self.origins(origin).map(|(source, label)| (source.to_owned(), label.to_owned())).collect();
        if let Some(learned) = &mut self.shared.learned {
            for (source, label) in names {
                let origin = learned.origin(&source, &label);
                learned.taint(marks, origin, most);
            }
        }
        if marks.is_cut {
            self.full |= origin;
        }
        for mark in &marks.all {
            self.add_tainted(*mark, origin, most);
        }
    }

    fn add_tainted(&mut self, mark: u64, origins: u64, most: usize) {
        if self.tainted.len() >= most && !self.tainted.contains(mark) {
            self.full |= origins;
        } else {
            self.tainted.add(mark, origins);
        }
    }

    /// Remembers marks of trusted texts. What does not fit is not trusted.
    pub(super) fn trust(&mut self, marks: &Collected, labels: u64, most: usize) {
        if let Some(mut learned) = self.shared.learned.take() {
            let labels = learned.labels_of(self, labels);
            learned.trust(marks, labels, most);
            self.shared.learned = Some(learned);
        }
        for mark in &marks.all {
            self.add_trusted(*mark, labels, most);
        }
    }

    fn add_trusted(&mut self, mark: u64, labels: u64, most: usize) {
        if self.trusted.len() < most || self.trusted.contains(mark) {
            self.trusted.add(mark, labels);
        }
    }

    /// Remembers that this text is harmless for these labels. A value without letters and digits cannot be tainted.
    pub(super) fn clear_value(&mut self, value: &str, labels: u64) {
        let Some(form) = self.form else { return };
        let folded = form.fold(value);
        let length = folded.characters.len();
        if length > 0 {
            self.clear(folded.hash(0..length), length, labels);
        }
    }

    /// Remembers that a value is harmless for these labels.
    pub(super) fn clear(&mut self, hash: u64, length: usize, labels: u64) {
        if let Some(mut learned) = self.shared.learned.take() {
            let labels = learned.labels_of(self, labels);
            learned.clear(hash, length, labels);
            self.shared.learned = Some(learned);
        }
        if let Some(cleared) = self.cleared.iter_mut().find(|cleared| cleared.hash == hash && cleared.length == length)
        {
            cleared.labels |= labels;
            return;
        }
        if self.cleared.len() >= MOST_CLEARED {
            self.cleared.remove(0);
        }
        self.cleared.push(Cleared { hash, length, labels });
    }

    /// Returns whether a message is new, and remembers it.
    pub(super) fn see(&mut self, message: u64) -> bool {
        if let Some(learned) = &mut self.shared.learned {
            learned.see(message);
        }
        if self.seen.len() >= MOST_SEEN {
            self.seen.clear();
        }
        self.seen.insert(message)
    }

    /// Notes that the run has begun with an input.
    pub(super) fn begin_with_input(&mut self) {
        if !self.has_input
            && let Some(learned) = &mut self.shared.learned
        {
            learned.has_input = true;
        }
        self.has_input = true;
    }

    /// Taints every value with a label, for good.
    pub(super) fn taint_all(&mut self, source: &str, labels: &[&str]) {
        for label in labels {
            self.full |= self.origin(source, label);
        }
    }

    /// Returns the set of labels of another state. A set of all labels also has those that nobody has named yet.
    fn labels_of(&mut self, other: &Self, labels: u64) -> u64 {
        if labels == ALL {
            return ALL;
        }
        let named = other.labels.iter().enumerate().filter(|(bit, _)| labels & 1 << bit != 0);
        named.fold(0, |set, (_, label)| set | 1 << self.label(label))
    }

    /// Adds what another process has learned.
    pub(super) fn merge(&mut self, other: &Self, most: usize) {
        let origins: Vec<u64> = other
            .origins
            .iter()
            .map(|Origin { source, label }| self.origin(source, other.labels.get(*label).map_or("", String::as_str)))
            .collect();
        let of = |set: u64| {
            let named = origins.iter().enumerate().filter(|(bit, _)| set & 1 << bit != 0);
            named.fold(0, |all, (_, origin)| all | origin)
        };
        self.full |= of(other.full);
        for (mark, set) in other.tainted.iter() {
            self.add_tainted(mark, of(set), most);
        }
        for (mark, labels) in other.trusted.iter() {
            let labels = self.labels_of(other, labels);
            self.add_trusted(mark, labels, most);
        }
        let learned = self.shared.learned.take();
        for Cleared { hash, length, labels } in &other.cleared {
            let labels = self.labels_of(other, *labels);
            self.clear(*hash, *length, labels);
        }
        for message in &other.seen {
            self.see(*message);
        }
        self.shared.learned = learned;
        self.has_input |= other.has_input;
    }

    /// Returns whether the state has learned nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.origins.is_empty()
            && self.trusted.len() == 0
            && self.cleared.is_empty()
            && self.seen.is_empty()
            && !self.has_input
    }

    /// Returns the origins that make every value tainted: those that did not fit.
    pub(super) const fn full(&self) -> u64 {
        self.full
    }

    /// Returns the parts of a text that come from tainted texts. `wholes` are the parts that are whole values.
    /// `everything` are the origins that taint every value that nobody has written or cleared.
    pub(super) fn find(
        &self,
        folded: &Folded<'_>,
        wholes: &[Range<usize>],
        least: Least,
        everything: u64,
        known: &[(u64, usize)],
    ) -> Vec<Found> {
        let Some(form) = self.form else { return Vec::new() };
        let cleared = self.cleared_parts(folded, form, known);
        let mut found = Vec::new();
        let of = |part: &Range<usize>, what: &[What]| {
            let hash = folded.hash(part.clone());
            let origins = what.iter().fold(0, |all, what| all | self.tainted.get(mark(*what, hash, part.len())));
            origins & !self.trusted_origins(folded, form, part, origins, &cleared)
        };
        let mut value = |part: Range<usize>| {
            let origins = of(&part, &[What::Value]);
            if origins != 0 {
                found.push(Found { part, origins });
            }
        };
        each_value(folded, form.value, &mut value);
        each_phrase(folded, &mut |part, tells| {
            if tells && part.len() >= form.value {
                value(part);
            }
        });
        let mut placeholders = Vec::new();
        each_placeholder(folded, &mut |part| {
            let mark = mark_of(folded, What::Placeholder, part.clone());
            let trusted = self.origins_of(self.trusted.get(mark) | cleared_for(&cleared, &part));
            let origins = (self.tainted.get(mark) | everything) & !trusted;
            placeholders.push(part.clone());
            if origins != 0 {
                found.push(Found { part, origins });
            }
        });
        let is_open = |whole: &&Range<usize>| !whole.is_empty() && !placeholders.contains(whole);
        for whole in wholes.iter().filter(is_open) {
            let mut words = folded.words.iter().filter(|word| word.start < whole.end && word.end > whole.start);
            let tells = whole.len() >= form.value && words.any(|word| word.kind == Kind::Telling);
            let copied = if tells { of(whole, &[What::Value, What::Phrase]) } else { 0 };
            let written = everything & !self.trusted_origins(folded, form, whole, everything, &cleared);
            if copied | written != 0 {
                found.push(Found { part: whole.clone(), origins: copied | written });
            }
        }
        self.find_pieces(folded, form, least, &cleared, &mut found);
        found.sort_by_key(|found| (found.part.start, found.part.end));
        found
    }

    /// Returns whether a copy may go over the ends of values when they are read in the opposite order. If not, nothing is found in
    /// this order that is not found in a value.
    pub(super) fn may_cross(
        &self,
        folded: &Folded<'_>,
        values: &[Range<usize>],
        form: Form,
        known: &[(u64, usize)],
    ) -> bool {
        let is_inside = |part: &Range<usize>| values.iter().any(|of| of.start <= part.start && part.end <= of.end);
        values.len() > 1
            && (self.pieces_cross(folded, values, form)
                || self.words_cross(folded, values, form)
                // A cleared value in two arguments clears none of them.
                || self.cleared_parts(folded, form, known).iter().any(|(part, _)| !is_inside(part)))
    }

    fn pieces_cross(&self, folded: &Folded<'_>, values: &[Range<usize>], form: Form) -> bool {
        let is_known = |characters: &[char]| {
            let mut is_known = false;
            form.key.prefixes(characters).windows(form.piece, &mut |_, hash| {
                is_known |= self.tainted.get(mark(What::Piece, hash, form.piece)) != 0;
            });
            is_known
        };
        // The end of a value, short values, and the beginning of a value.
        let mut joined: Vec<char> = Vec::with_capacity(4 * form.piece);
        for value in values.iter().rev() {
            let characters = &folded.characters[value.clone()];
            let is_long = characters.len() > 2 * form.piece;
            joined.extend(if is_long { &characters[..form.piece] } else { characters });
            if is_long {
                if is_known(&joined) {
                    return true;
                }
                joined.clear();
                joined.extend(&characters[characters.len() - form.piece..]);
            }
        }
        is_known(&joined)
    }

    fn words_cross(&self, folded: &Folded<'_>, values: &[Range<usize>], form: Form) -> bool {
        let key = form.key;
        let is_known = |what: What, hash: u64, length: usize| self.tainted.get(mark(what, hash, length)) != 0;
        let (mut all, mut length) = (0, 0);
        let mut words: Vec<(usize, Range<usize>)> = Vec::with_capacity(folded.words.len());
        for (value, part) in values.iter().enumerate().rev() {
            all = key.join(all, folded.hash(part.clone()), part.len());
            length += part.len();
            let first = folded.words.partition_point(|word| word.start < part.start);
            let last = first + folded.words[first..].partition_point(|word| word.end <= part.end);
            // A few words that go over an end are the last ones of a value, or the first ones.
            let (begin, end) = (first..last.min(first + WORDS - 1), last.saturating_sub(WORDS - 1).max(first)..last);
            let inside = begin.clone().chain(end.start.max(begin.end)..end.end);
            words.extend(inside.map(|word| (value, folded.words[word].start..folded.words[word].end)));
        }
        // All values are one value, such as an address in pieces.
        if is_known(What::Value, all, length) || is_known(What::Phrase, all, length) {
            return true;
        }
        words.iter().enumerate().any(|(number, (value, first))| {
            let (mut hash, mut length) = (folded.hash(first.clone()), first.len());
            words[number + 1..].iter().take(WORDS - 1).any(|(other, word)| {
                (hash, length) = (key.join(hash, folded.hash(word.clone()), word.len()), length + word.len());
                value != other && length >= form.value && is_known(What::Value, hash, length)
            })
        })
    }

    fn find_pieces(
        &self,
        folded: &Folded<'_>,
        form: Form,
        least: Least,
        cleared: &[(Range<usize>, u64)],
        found: &mut Vec<Found>,
    ) {
        let mut run: Option<Found> = None;
        folded.each_piece(form.piece, &mut |part, mark| {
            let mut origins = self.tainted.get(mark);
            if origins == 0 {
                return;
            }
            origins &= !self.origins_of(self.trusted.get(mark) | cleared_for(cleared, &part));
            match &mut run {
                _ if origins == 0 => {}
                Some(run) if part.start <= run.part.end => {
                    // Pieces of one copy follow each other. Two copies that touch count together.
                    run.part.end = part.end;
                    run.origins |= origins;
                }
                _ => {
                    found.extend(run.replace(Found { part, origins }).filter(|run| weighs(folded, &run.part, least)));
                }
            }
        });
        found.extend(run.filter(|run| weighs(folded, &run.part, least)));
    }

    /// Returns the origins for which a part of a text is trusted or cleared.
    fn trusted_origins(
        &self,
        folded: &Folded<'_>,
        form: Form,
        part: &Range<usize>,
        origins: u64,
        cleared: &[(Range<usize>, u64)],
    ) -> u64 {
        if origins == 0 || part.is_empty() {
            return 0;
        }
        let of = |what: What, part: Range<usize>| self.trusted.get(mark_of(folded, what, part));
        let mut labels = of(What::Phrase, part.clone()) | cleared_for(cleared, part);
        if part.len() >= form.piece {
            let starts = part.start..=part.end - form.piece;
            labels |= starts.fold(ALL, |all, start| all & of(What::Piece, start..start + form.piece));
        }
        self.origins_of(labels)
    }

    /// Returns the parts of a text that are cleared values, each with its labels. A part of a longer value is none, apart from
    /// the parts that are values themselves, such as the host of an address.
    /// Returns the origins for which a part of a text is cleared.
    pub(super) fn cleared_origins(&self, folded: &Folded<'_>, part: &Range<usize>, known: &[(u64, usize)]) -> u64 {
        let Some(form) = self.form else { return 0 };
        self.origins_of(cleared_for(&self.cleared_parts(folded, form, known), part))
    }

    fn cleared_parts(&self, folded: &Folded<'_>, form: Form, known: &[(u64, usize)]) -> Vec<(Range<usize>, u64)> {
        let known = known.iter().map(|(hash, length)| (*hash, *length, ALL));
        let all: Vec<_> =
            self.cleared.iter().map(|value| (value.hash, value.length, value.labels)).chain(known).collect();
        let mut lengths: Vec<usize> = all.iter().map(|(_, length, _)| *length).collect();
        lengths.sort_unstable();
        lengths.dedup();
        if lengths.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut add = |part: Range<usize>| {
            let hash = folded.hash(part.clone());
            let same = all.iter().filter(|(of, length, _)| *of == hash && *length == part.len());
            let labels = same.fold(0, |labels, (_, _, more)| labels | more);
            if labels != 0 {
                found.push((part, labels));
            }
        };
        for word in &folded.words {
            let parts = lengths.iter().map(|length| word.start..word.start + length);
            parts.filter(|part| part.end <= folded.characters.len() && is_whole(folded, part)).for_each(&mut add);
        }
        each_value(folded, form.value, &mut |part| {
            if lengths.binary_search(&part.len()).is_ok() {
                add(part);
            }
        });
        found
    }
}

fn cleared_for(cleared: &[(Range<usize>, u64)], part: &Range<usize>) -> u64 {
    let around = cleared.iter().filter(|(around, _)| around.start <= part.start && part.end <= around.end);
    around.fold(0, |labels, (_, more)| labels | more)
}

/// Returns whether a part of a text ends where values end, so that `a@b.example` is not found in `a@b.example.org`.
fn is_whole(folded: &Folded<'_>, part: &Range<usize>) -> bool {
    if folded.words.binary_search_by_key(&part.end, |word| word.end).is_err() {
        return false;
    }
    let bytes = folded.bytes(part.clone());
    !goes_on(folded.text[..bytes.start].chars().rev()) && !goes_on(folded.text[bytes.end..].chars())
}

/// Returns whether a value goes on with these characters.
fn goes_on(mut rest: impl Iterator<Item = char>) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '@' | '.' | '-' | '_' | '+' | '%' | '/' | ':' | '=');
    match rest.next() {
        Some(c) if c.is_alphanumeric() => true,
        // A full stop can also be the end of a sentence.
        Some(c) => joins(c) && rest.next().is_some_and(joins),
        None => false,
    }
}

/// Returns whether a copy is long enough to prove something.
fn weighs(folded: &Folded<'_>, part: &Range<usize>, least: Least) -> bool {
    let (mut telling, mut all) = (0, 0);
    let first = folded.words.partition_point(|word| word.end <= part.start);
    for word in folded.words[first..].iter().take_while(|word| word.start < part.end) {
        let length = word.end.min(part.end) - word.start.max(part.start);
        match word.kind {
            Kind::Telling => telling += length,
            Kind::Common => {}
            Kind::Nothing => continue,
        }
        all += length;
    }
    telling >= least.telling || all >= least.common
}

/// Marks in JSON: for each set, the marks as base64.
mod packed {
    use super::{BASE64_NOPAD, Deserialize, Deserializer, Marks, Serialize, Serializer};
    use serde::de::Error;
    use std::collections::BTreeMap;

    pub(super) fn serialize<S: Serializer>(marks: &Marks, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sets: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
        for (mark, set) in marks.iter() {
            sets.entry(set).or_default().extend(mark.to_le_bytes());
        }
        let sets: BTreeMap<u64, String> =
            sets.into_iter().map(|(set, bytes)| (set, BASE64_NOPAD.encode(&bytes))).collect();
        sets.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Marks, D::Error> {
        let mut marks = Marks::default();
        for (set, text) in BTreeMap::<u64, String>::deserialize(deserializer)? {
            let bytes = BASE64_NOPAD.decode(text.as_bytes()).map_err(D::Error::custom)?;
            let (all, rest) = bytes.as_chunks::<8>();
            if !rest.is_empty() {
                return Err(D::Error::custom("a mark has 8 bytes"));
            }
            for mark in all {
                marks.add(u64::from_le_bytes(*mark), set);
            }
        }
        Ok(marks)
    }
}
