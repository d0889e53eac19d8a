//! Regexes over a text that goes on.
//!
//! A `Regex` says where it matches, and not whether a match may still begin or grow at the end of a text. So the states
//! of its automaton are followed here, as in Pike's virtual machine: with each state goes the place where its match began,
//! and a state that is alive at the end of the text is a match that may still come.

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
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        if !excerpt.is_last {
            // Where nothing is known of it, nothing is decided before the end.
            return known(self).map_or(Search::Undecided { from: excerpt.from }, |known| {
                Run::new(&known.automaton, excerpt).search()
            });
        }
        let mut from = excerpt.from;
        while let Some(found) = self.find_at(excerpt.text, from) {
            if !found.is_empty() {
                return Search::Match(found.range());
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
    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        (**self).search(excerpt)
    }
}

/// What is known of a regex by its text.
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

/// How many regexes are known at once.
const KEPT: usize = 256;

/// What is known of a regex; `None` where its text does not say what it matches.
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

/// The place of the character after this one.
fn next_char(text: &str, at: usize) -> Option<usize> {
    text[at..].chars().next().map(|char| at + char.len_utf8())
}

/// A place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    byte: usize,
    /// Of the search: how many characters are before it.
    char: usize,
}

/// A state of the automaton, on its way from the beginning of a match.
#[derive(Clone, Copy)]
struct Thread {
    state: StateID,
    start: Place,
}

/// One search.
struct Run<'s> {
    nfa: &'s NFA,
    excerpt: Excerpt<'s>,
    at: Place,
    /// The threads that reach this place, in the order in which the regex prefers them: what began earlier first.
    threads: Vec<Thread>,
    /// Those of them that can take a byte.
    alive: Vec<Thread>,
    /// The first thread for which the next character is missing, because of a `\b` or `$`.
    waits: Option<Place>,
    /// The match that the regex prefers, as far as the threads have come.
    found: Option<Range<Place>>,
    /// The states that were reached at this place: for each, the number of the step at which it was.
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
                    Some(found) if found.start != found.end => return Search::Match(found.start.byte..found.end.byte),
                    // An empty match is none.
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

    /// Begins again at this place.
    fn restart(&mut self, at: Place) {
        (self.at, self.found) = (at, None);
        self.threads.clear();
    }

    /// Follows all threads as far as they come without a byte.
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
                    // The regex prefers it to all threads after it.
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

    /// Drops the threads whose match would be longer than any: whether there were some. A match that was found already may
    /// go on growing.
    fn give_up(&mut self) -> bool {
        let (all, longest) = (self.alive.len(), self.excerpt.longest);
        let (found, at) = (self.found.as_ref(), self.at);
        self.alive.retain(|thread| {
            let grown = found.filter(|found| found.start == thread.start).map_or(thread.start, |found| found.end);
            at.char - grown.char < longest
        });
        self.alive.len() < all
    }

    /// The threads that began after the one that was given up may have been taken for one with it. So those that began
    /// lately are looked for again.
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
