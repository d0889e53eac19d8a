//! Regexes in a text that continues.
//!
//! A `Regex` finds matches, but does not report whether a match may still begin or grow at the end of a text. So this
//! module runs the states of its automaton, like Pike's virtual machine. Each state carries the place where its match
//! began. A state that is alive at the end of the text is a match that may still be completed.

mod flags;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use regex::Regex;
use regex_automata::nfa::thompson::{Config, NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use self::flags::Flags;
use super::{Excerpt, Pattern, Search};

impl Pattern for Regex {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        if !excerpt.is_last {
            // If the library cannot derive the automaton, the search decides nothing before the end.
            return known(self).map_or(Search::Undecided { from: excerpt.from }, |known| {
                Run::new(&known.automaton, excerpt).search()
            });
        }
        let mut from = excerpt.from;
        while let Some(found) = self.find_at(excerpt.text, from) {
            if !found.is_empty() {
                return Search::Match(found.range(), ());
            }
            match next_char(excerpt.text, found.end()) {
                Some(next) => from = next,
                None => break,
            }
        }
        Search::Nothing
    }
}

impl Pattern for &Regex {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (**self).search(excerpt)
    }
}

/// The facts that the library derives from the text of a regex.
struct Known {
    automaton: NFA,
    flags: Flags,
}

impl Known {
    fn of(source: &str) -> Option<Self> {
        let config = Config::new().which_captures(WhichCaptures::None).nfa_size_limit(Some(10 << 20));
        let automaton = NFA::compiler().configure(config).build(source).ok()?;
        Some(Self { automaton, flags: Flags::of(source)? })
    }
}

/// The number of regexes in the cache.
const KEPT: usize = 256;

/// Returns the facts about a regex, or `None` if its text does not determine what it matches.
fn known(regex: &Regex) -> Option<Arc<Known>> {
    static ALL: LazyLock<Mutex<HashMap<String, Option<Arc<Known>>>>> = LazyLock::new(Mutex::default);
    let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = all().get(regex.as_str()).cloned();
    let known = cached.unwrap_or_else(|| {
        let known = Known::of(regex.as_str()).map(Arc::new);
        let mut all = all();
        if all.len() >= KEPT {
            all.clear();
        }
        all.insert(regex.as_str().to_owned(), known.clone());
        known
    });
    known.filter(|known| known.flags.are_those_of(regex))
}

/// Returns the place after the character at this place.
fn next_char(text: &str, at: usize) -> Option<usize> {
    text[at..].chars().next().map(|char| at + char.len_utf8())
}

/// A place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    byte: usize,
    /// The number of characters between the start of the search and this place.
    char: usize,
}

/// A state of the automaton, with the start of its match.
#[derive(Clone, Copy)]
struct Thread {
    state: StateID,
    start: Place,
}

/// A search.
struct Run<'s> {
    nfa: &'s NFA,
    excerpt: Excerpt<'s>,
    at: Place,
    /// The threads that reach this place, in the order in which the regex prefers them: earlier starts first.
    threads: Vec<Thread>,
    /// The threads that can take a byte.
    alive: Vec<Thread>,
    /// The start of the first thread that needs the next character to decide, because of a `\b` or `$`.
    waits: Option<Place>,
    /// The match that the regex prefers, among the bytes so far.
    found: Option<Range<Place>>,
    /// For each state, the last step in which a thread reached it.
    reached: Vec<usize>,
    step: usize,
    stack: Vec<StateID>,
}

impl<'s> Run<'s> {
    fn new(nfa: &'s NFA, excerpt: Excerpt<'s>) -> Self {
        let (at, reached) = (Place { byte: excerpt.from, char: 0 }, vec![0; nfa.states().len()]);
        let (threads, alive, stack) = (Vec::new(), Vec::new(), Vec::new());
        Self { nfa, excerpt, at, threads, alive, waits: None, found: None, reached, step: 0, stack }
    }

    fn search(mut self) -> Search {
        let text = self.excerpt.text;
        loop {
            if self.found.is_none() && self.at.byte < text.len() && text.is_char_boundary(self.at.byte) {
                self.threads.push(Thread { state: self.nfa.start_anchored(), start: self.at });
            }
            self.follow();
            let gave_up = self.give_up();
            if self.alive.is_empty() && self.waits.is_none() {
                match self.found.take() {
                    Some(found) if found.start != found.end => {
                        return Search::Match(found.start.byte..found.end.byte, ());
                    }
                    // An empty match does not count.
                    Some(found) => match next_char(text, found.start.byte) {
                        Some(byte) => self.restart(Place { byte, char: found.start.char + 1 }),
                        None => return Search::Nothing,
                    },
                    None if gave_up => self.restart(self.half_a_window_back()),
                    None if self.at.byte == text.len() => return Search::Nothing,
                    None => self.advance(),
                }
            } else if self.at.byte == text.len() {
                let found = self.found.map(|found| found.start);
                let starts = [self.alive.first().map(|thread| thread.start), self.waits, found];
                let from = starts.into_iter().flatten().map(|start| start.byte).min().unwrap_or(text.len());
                return Search::Undecided { from };
            } else {
                self.advance();
            }
        }
    }

    /// Starts the search again at this place.
    fn restart(&mut self, at: Place) {
        (self.at, self.found) = (at, None);
        self.threads.clear();
    }

    /// Moves all threads as far as possible without the next byte.
    fn follow(&mut self) {
        self.step += 1;
        self.alive.clear();
        self.waits = None;
        for thread in std::mem::take(&mut self.threads) {
            self.stack.clear();
            self.stack.push(thread.state);
            while let Some(state) = self.stack.pop() {
                if std::mem::replace(&mut self.reached[state.as_usize()], self.step) == self.step {
                    continue;
                }
                match self.nfa.state(state) {
                    State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => {
                        self.alive.push(Thread { state, ..thread });
                    }
                    State::Look { look, next } => self.look(*look, *next, thread.start),
                    State::Union { alternates } => self.stack.extend(alternates.iter().rev()),
                    State::BinaryUnion { alt1, alt2 } => self.stack.extend([*alt2, *alt1]),
                    State::Capture { next, .. } => self.stack.push(*next),
                    State::Fail => {}
                    // The regex prefers this match to all later threads.
                    State::Match { .. } => {
                        self.found = Some(thread.start..self.at);
                        return;
                    }
                }
            }
        }
    }

    fn look(&mut self, look: Look, next: StateID, start: Place) {
        let text = self.excerpt.text;
        if self.at.byte == text.len() && !matches!(look, Look::Start | Look::StartLF) {
            self.waits = self.waits.or(Some(start));
        } else if self.nfa.look_matcher().matches(look, text.as_bytes(), self.at.byte) {
            self.stack.push(next);
        }
    }

    /// Drops the threads whose match would be longer than the longest match. Returns whether it dropped any. A match
    /// that was found already may continue to grow.
    fn give_up(&mut self) -> bool {
        let (all, longest) = (self.alive.len(), self.excerpt.longest);
        let (found, at) = (self.found.as_ref(), self.at);
        self.alive.retain(|thread| {
            let grown = found.filter(|found| found.start == thread.start).map_or(thread.start, |found| found.end);
            at.char - grown.char < longest
        });
        self.alive.len() < all
    }

    /// Returns the place for a new start after a thread was dropped. Threads that started later may have been merged
    /// into the dropped thread, because they had reached the same state. So the search starts again half a window back.
    fn half_a_window_back(&self) -> Place {
        let back = self.excerpt.longest / 2;
        let text = &self.excerpt.text[self.excerpt.from..self.at.byte];
        match back.checked_sub(1).and_then(|nth| text.char_indices().nth_back(nth)) {
            Some((byte, _)) => Place { byte: self.excerpt.from + byte, char: self.at.char - back },
            None => self.at,
        }
    }

    /// Takes the next byte.
    fn advance(&mut self) {
        let byte = self.excerpt.text.as_bytes()[self.at.byte];
        for thread in &self.alive {
            let next = match self.nfa.state(thread.state) {
                State::ByteRange { trans } if trans.matches_byte(byte) => Some(trans.next),
                State::Sparse(transitions) => transitions.matches_byte(byte),
                State::Dense(transitions) => transitions.matches_byte(byte),
                _ => None,
            };
            self.threads.extend(next.map(|state| Thread { state, ..*thread }));
        }
        self.at.byte += 1;
        self.at.char += usize::from(self.excerpt.text.is_char_boundary(self.at.byte));
    }
}
