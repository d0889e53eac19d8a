//! The arguments that a sink guards, as texts to compare.

use std::ops::Range;

use exo_rails_policy::PointerPattern;
use exo_rails_text::views::each_view;
use serde_json::Value;

use super::folded::Folded;
use super::leaves::each_leaf_at;
use super::marks::{Form, VIEWS};
use super::state::{FlowState, Found, Least};
use crate::finding::Place;

/// Longer arguments are not read backwards.
const BACKWARDS: usize = 4 * 1024;

/// The texts at some places of the arguments.
pub(super) struct Watched<'c> {
    arguments: &'c Value,
    places: &'c [PointerPattern],
    /// All texts, one after the other, so that a value in two arguments is found.
    text: String,
    leaves: Vec<Leaf>,
    /// Texts inside of encodings: the number of their leaf, the bytes of the encoding, and the text.
    views: Vec<(usize, Range<usize>, String)>,
}

struct Leaf {
    bytes: Range<usize>,
    /// The place in the order of the visit.
    number: usize,
    is_value: bool,
    /// Whether the text is the name of an argument.
    is_argument: bool,
}

/// A tainted value in the arguments.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) origins: u64,
    /// The number of the text, and the bytes in it, if it is in one text.
    leaf: Option<(usize, Option<Range<usize>>)>,
}

impl<'c> Watched<'c> {
    pub(super) fn new(arguments: &'c Value, places: &'c [PointerPattern]) -> Self {
        let mut watched = Self { arguments, places, text: String::new(), leaves: Vec::new(), views: Vec::new() };
        let (mut number, mut names) = (0, Vec::new());
        each_leaf_at(arguments, places, &mut |leaf| {
            if leaf.is_value {
                watched.add(leaf.text, Leaf { bytes: 0..0, number, is_value: true, is_argument: false });
            } else {
                let name = Leaf { bytes: 0..0, number, is_value: false, is_argument: leaf.is_argument };
                names.push((leaf.text.to_owned(), name));
            }
            each_view(leaf.text, VIEWS, &mut |bytes, view| watched.views.push((number, bytes, view.to_owned())));
            number += 1;
        });
        for (text, name) in names {
            watched.add(&text, name);
        }
        watched
    }

    fn add(&mut self, text: &str, mut leaf: Leaf) {
        let start = self.text.len();
        self.text.push_str(text);
        leaf.bytes = start..self.text.len();
        self.leaves.push(leaf);
        self.text.push('\n');
    }

    fn values(&self) -> impl DoubleEndedIterator<Item = &Leaf> {
        self.leaves.iter().filter(|leaf| leaf.is_value)
    }

    /// Prepares the comparison. It takes most of the time, so it happens outside of the lock of the state.
    pub(super) fn folded(&self, form: Form) -> FoldedArguments<'_> {
        let whole = form.fold(&self.text);
        let wholes = self.values().map(|leaf| whole.characters_of(leaf.bytes.clone())).collect();
        let names = self.leaves.iter().filter(|leaf| !leaf.is_value && !leaf.is_argument);
        let names = names.map(|leaf| whole.characters_of(leaf.bytes.clone())).collect();
        let views = self.views.iter().map(|(_, _, view)| form.fold(view)).collect();
        FoldedArguments { whole, wholes, names, views }
    }

    /// Returns the tainted values.
    pub(super) fn find(
        &self,
        folded: &FoldedArguments<'_>,
        state: &FlowState,
        least: Least,
        everything: u64,
        known: &[(u64, usize)],
    ) -> Vec<Hit> {
        let FoldedArguments { whole, wholes, names, views } = folded;
        let mut all = Vec::new();
        if everything != 0 {
            // A model can write a text as the name of a field.
            all.extend(wholes.iter().chain(names).cloned());
        }
        let written = if everything == 0 { wholes } else { &all };
        let found = state.find(whole, written, least, everything, known);
        let mut hits: Vec<Hit> = found.into_iter().map(|found| self.hit(whole, found)).collect();
        for ((number, bytes, _), view) in self.views.iter().zip(views) {
            let all = 0..view.characters.len();
            let found = state.find(view, std::slice::from_ref(&all), least, 0, known);
            if found.is_empty() {
                continue;
            }
            // Who has checked a text has checked what is encoded in it.
            let leaf = self.leaves.iter().find(|leaf| leaf.number == *number);
            let part = leaf.map(|leaf| leaf.bytes.start + bytes.start..leaf.bytes.start + bytes.end);
            let cleared = part.map_or(0, |part| state.cleared_origins(whole, &whole.characters_of(part), known));
            for origins in found.into_iter().map(|found| found.origins & !cleared).filter(|origins| *origins != 0) {
                hits.push(Hit { origins, leaf: Some((*number, Some(bytes.clone()))) });
            }
        }
        // The values in the opposite order. Only what goes over their ends is new.
        if self.text.len() <= BACKWARDS
            && let Some(form) = state.form
            && state.may_cross(whole, wholes, form, known)
        {
            let texts: Vec<&str> = self.values().rev().map(|leaf| &self.text[leaf.bytes.clone()]).collect();
            let texts = texts.join("\n");
            let view = form.fold(&texts);
            let all = 0..view.characters.len();
            let found = state.find(&view, &[all], least, 0, known);
            hits.extend(found.into_iter().map(|Found { origins, .. }| Hit { origins, leaf: None }));
        }
        hits
    }

    fn hit(&self, folded: &Folded<'_>, Found { part, origins }: Found) -> Hit {
        let bytes = folded.bytes(part);
        let leaf = self.leaves.iter().find(|leaf| leaf.bytes.start <= bytes.start && bytes.start < leaf.bytes.end);
        let leaf = leaf.map(|leaf| {
            let inner =
                (bytes.end <= leaf.bytes.end).then(|| bytes.start - leaf.bytes.start..bytes.end - leaf.bytes.start);
            (leaf.number, inner)
        });
        Hit { origins, leaf }
    }

    /// Returns the place of a hit.
    pub(super) fn place(&self, hit: &Hit) -> Place {
        let Some((wanted, bytes)) = &hit.leaf else { return Place::default() };
        let (mut number, mut place) = (0, Place::default());
        each_leaf_at(self.arguments, self.places, &mut |leaf| {
            if number == *wanted {
                place = leaf.place();
                // The bytes of a text in a text are not those of the argument, and the name of a field has none.
                if leaf.is_value && !leaf.is_nested {
                    place.bytes.clone_from(bytes);
                }
            }
            number += 1;
        });
        place
    }

    /// Returns the text of the value that has the hit.
    pub(super) fn value(&self, hit: &Hit) -> Option<&str> {
        let (wanted, _) = hit.leaf.as_ref()?;
        let leaf = self.leaves.iter().find(|leaf| leaf.number == *wanted)?;
        Some(&self.text[leaf.bytes.clone()])
    }
}

/// The [`Watched`] arguments, folded.
pub(super) struct FoldedArguments<'w> {
    whole: Folded<'w>,
    /// The folded characters of each value.
    wholes: Vec<Range<usize>>,
    /// The folded characters of the names of fields inside of arguments.
    names: Vec<Range<usize>>,
    views: Vec<Folded<'w>>,
}
