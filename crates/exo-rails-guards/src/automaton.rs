//! Automata of regexes that find the match that begins at one place, and know whether more text can change it.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::OnceLock;

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::pool::{Pool, PoolGuard};
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

/// The bytes of the states that one search keeps at most. A search that needs more makes states again.
const STATES: usize = 1 << 20;

/// The bytes of an automaton before its states are made.
const SIZE: usize = 10 << 20;

/// An automaton. A search makes the automaton and its states when it needs them.
pub(crate) struct Automaton {
    hir: Hir,
    made: OnceLock<Result<Made, Problem>>,
}

type Made = (DFA, Pool<Cache, MakeCache>);

type MakeCache = Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// Why a regex has no automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It has too many states.
    TooLarge,
    /// It looks at words of letters that are not ASCII. The search must not depend on tables of Unicode words.
    LooksAtUnicode,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automaton").field("hir", &self.hir).finish_non_exhaustive()
    }
}

impl Automaton {
    pub(crate) fn new(hir: Hir) -> Self {
        Self { hir, made: OnceLock::new() }
    }

    /// Makes the automaton now.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.made().map(|_| ())
    }

    fn made(&self) -> Result<&Made, Problem> {
        self.made.get_or_init(|| make(&self.hir)).as_ref().map_err(|problem| *problem)
    }

    /// Begins to look for matches. Returns `None` if the regex has no automaton.
    pub(crate) fn runner(&self) -> Option<Runner<'_>> {
        let (dfa, caches) = self.made().ok()?;
        Some(Runner { dfa, cache: caches.get(), state: LazyStateID::default() })
    }
}

fn make(hir: &Hir) -> Result<Made, Problem> {
    let config = thompson::Config::new().which_captures(WhichCaptures::None).nfa_size_limit(Some(SIZE));
    let nfa = NFA::compiler().configure(config).build_from_hir(hir).map_err(|_| Problem::TooLarge)?;
    if nfa.look_set_any().contains_word_unicode() {
        return Err(Problem::LooksAtUnicode);
    }
    let config =
        DFA::config().match_kind(MatchKind::LeftmostFirst).cache_capacity(STATES).skip_cache_capacity_check(true);
    let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| Problem::TooLarge)?;
    let made = dfa.clone();
    Ok((dfa, Pool::new(Box::new(move || made.create_cache()))))
}

/// The result of a search for a match that begins at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// No match begins there.
    Nothing,
    /// The match ends here, and more text cannot change it.
    Match(usize),
    /// More text decides.
    Open,
    /// The work would be too much.
    TooLong,
}

/// What a byte decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// More bytes decide.
    Open,
    /// A match ends before this byte. A longer one may follow.
    Match,
    /// No other match is possible.
    End,
}

/// An automaton with the memory that a search needs.
pub(crate) struct Runner<'a> {
    dfa: &'a DFA,
    cache: PoolGuard<'a, Cache, MakeCache>,
    state: LazyStateID,
}

impl Runner<'_> {
    /// Returns the match that begins at this place, as far as the text decides it.
    pub(crate) fn run(&mut self, text: &str, start: usize, is_last: bool, longest: usize, budget: &mut usize) -> Run {
        let Self { dfa, cache, .. } = self;
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let Ok(mut state) = dfa.start_state_forward(cache, &input) else { return Run::TooLong };
        let mut found = None;
        for (passed, byte) in text.as_bytes()[start..].iter().enumerate() {
            let Ok(next) = dfa.next_state(cache, state, *byte) else { return Run::TooLong };
            state = next;
            if state.is_tagged() {
                // A state tells about the match before the byte.
                if state.is_match() {
                    found = Some(start + passed);
                } else if state.is_dead() {
                    return ended(start, found);
                } else if state.is_quit() {
                    return Run::TooLong;
                }
            }
            if *budget == 0 {
                return Run::TooLong;
            }
            *budget -= 1;
            if passed >= longest && found.is_none() {
                return Run::Nothing;
            }
        }
        if !is_last {
            return Run::Open;
        }
        let Ok(state) = dfa.next_eoi_state(cache, state) else { return Run::TooLong };
        ended(start, if state.is_match() { Some(text.len()) } else { found })
    }

    /// Begins a search at the beginning of a text that comes byte by byte.
    pub(crate) fn begin(&mut self) -> Step {
        let input = Input::new(b"").anchored(Anchored::Yes);
        let state = self.dfa.start_state_forward(&mut self.cache, &input);
        self.enter(state.ok())
    }

    /// Takes the next byte.
    pub(crate) fn step(&mut self, byte: u8) -> Step {
        let state = self.dfa.next_state(&mut self.cache, self.state, byte);
        self.enter(state.ok())
    }

    /// Returns whether a match ends at the end of the text.
    pub(crate) fn ends_with_match(&mut self) -> bool {
        self.dfa.next_eoi_state(&mut self.cache, self.state).is_ok_and(|state| state.is_match())
    }

    fn enter(&mut self, state: Option<LazyStateID>) -> Step {
        // An automaton without a limit of its work never gives up, and bytes that it does not know do not exist.
        let Some(state) = state.filter(|state| !state.is_dead() && !state.is_quit()) else { return Step::End };
        self.state = state;
        if state.is_match() { Step::Match } else { Step::Open }
    }
}

fn ended(start: usize, found: Option<usize>) -> Run {
    found.filter(|end| *end > start).map_or(Run::Nothing, Run::Match)
}
