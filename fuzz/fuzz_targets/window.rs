//! The window of streamed answers: what leaves, when, and what never does.

#![no_main]

use std::sync::{LazyLock, Mutex};

use arbitrary::Arbitrary;
use exo_rails::prelude::*;
use exo_rails::{Excerpt, ModelDelta, Pattern, Search, StreamPiece};
use futures_util::{FutureExt, stream};
use libfuzzer_sys::fuzz_target;
use regex::Regex;

/// Texts that overlap, grow and repeat.
const TEXTS: [&str; 8] = ["sk-1", "sk-12", "aab", "aa", "ü1", "a", "key", "k"];

static REGEXES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let regexes = ["k[a-z-]*1", "a+b", "(?i)KEY|sk", "s.{0,3}1", "^a|b$", r"\bk", "a{2,4}|ü", "[^k]1{2}"];
    regexes.iter().filter_map(|regex| Regex::new(regex).ok()).collect()
});

/// What answers are made of, so that matches are not rare.
const WORDS: [&str; 16] =
    ["s", "k", "-", "1", "2", "a", "b", "ü", "key", "sk-1", "sk-12", "aab", " ", "e", "y", "\u{1f511}"];

/// Secrets that rails redact: the first two characters of each begin many other texts.
#[derive(Arbitrary, Clone, Debug)]
enum Sought {
    Texts(u8),
    Regex(u8),
}

impl Pattern for Sought {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        match self {
            Self::Texts(drawn) => texts(*drawn).search(excerpt),
            Self::Regex(at) => REGEXES[usize::from(*at) % REGEXES.len()].search(excerpt),
        }
    }
}

/// The texts whose bits are set.
fn texts(drawn: u8) -> Vec<&'static str> {
    TEXTS.into_iter().enumerate().filter(|(at, _)| drawn >> at & 1 == 1).map(|(_, text)| text).collect()
}

struct Redact {
    pattern: Sought,
    with: &'static str,
}

#[rail(priority = 40)]
impl Redact {
    #[on(LlmChunk)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.replace(&self.pattern, self.with);
    }
}

/// Ends the run where it finds something.
struct Refuse {
    pattern: Sought,
}

#[rail(priority = 50)]
impl Refuse {
    #[on(LlmChunk)]
    fn chunk(&self, window: &mut StreamWindow) -> Verdict {
        Verdict::abort_if(window.find(&self.pattern).is_some(), "not this")
    }
}

/// Looks by itself at so many characters.
struct Looks {
    window: usize,
}

#[rail(priority = 45)]
impl Looks {
    #[on(LlmChunk, window = self.window)]
    fn chunk(_: &StreamWindow) {}
}

/// Says by itself where the text is decided.
struct Words;

#[rail(priority = 46)]
impl Words {
    #[on(LlmChunk)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.hold_back(window.text.rfind(' ').map_or(0, |end| end + 1));
    }
}

rail_chain! {
    struct Rails { redact: Vec<Redact>, refuse: Option<Refuse>, looks: Option<Looks>, words: Option<Words> }
}

#[derive(Arbitrary, Debug)]
struct Drawn {
    redact: Vec<(Sought, u8)>,
    refuse: Option<Sought>,
    looks: Option<u8>,
    words: bool,
    /// Each piece: words.
    pieces: Vec<Vec<u8>>,
}

impl Drawn {
    fn rails(&self) -> Rails {
        let with = ["*", "", "[key]", "aa", "sk-"];
        let redact = self
            .redact
            .iter()
            .take(3)
            .map(|(pattern, at)| Redact { pattern: pattern.clone(), with: with[usize::from(*at) % with.len()] });
        Rails {
            redact: redact.collect(),
            refuse: self.refuse.clone().map(|pattern| Refuse { pattern }),
            looks: self.looks.map(|window| Looks { window: usize::from(window % 40) }),
            words: self.words.then_some(Words),
        }
    }

    fn pieces(&self) -> Vec<String> {
        let word = |at: &u8| WORDS[usize::from(*at) % WORDS.len()];
        self.pieces.iter().map(|piece| piece.iter().map(word).collect()).collect()
    }
}

/// What leaves with each piece, and how the call ends.
fn leaves(rails: &Rails, pieces: &[String]) -> (Vec<String>, Result<ModelResponse, RunError>) {
    let left = Mutex::new(vec![String::new()]);
    let model = |_| {
        let left = &left;
        stream::iter(pieces.iter().map(move |piece| {
            left.lock().expect("nobody panics").push(String::new());
            Ok::<_, OperationError>(ModelDelta::Text(piece.clone()))
        }))
    };
    let sink = |piece| {
        match piece {
            StreamPiece::Text(text) => {
                left.lock().expect("nobody panics").last_mut().expect("there is a first").push_str(&text);
            }
            other => panic!("nothing is taken back: {other:?}"),
        }
        std::future::ready(())
    };
    let mut ctx = RunContext::new("fuzz");
    let result = rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).now_or_never();
    (left.into_inner().expect("nobody panics"), result.expect("nobody waits"))
}

fn whole(rails: &Rails, text: &str) -> Result<String, RunError> {
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text(text)) };
    let mut ctx = RunContext::new("fuzz");
    let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).now_or_never();
    answer.expect("nobody waits").map(|answer| answer.message.text().into_owned())
}

fuzz_target!(|drawn: Drawn| {
    let (rails, pieces) = (drawn.rails(), drawn.pieces());
    let text = pieces.concat();
    let (left, result) = leaves(&rails, &pieces);
    let all_left = left.concat();
    match (whole(&rails, &text), result) {
        (Ok(whole), Ok(answer)) => {
            assert_eq!(all_left, whole, "streamed and at once, of {pieces:?}");
            assert_eq!(answer.message.text(), whole);
        }
        (Err(RunError::Abort(at_once)), Err(RunError::Abort(streamed))) => {
            assert_eq!(at_once.to_string(), streamed.to_string());
            refused(&drawn, &text, &all_left);
        }
        (at_once, streamed) => panic!("at once {at_once:?}, streamed {streamed:?}, of {pieces:?}"),
    }
    nothing_waits(&drawn, &pieces, &left);
});

/// What left before the refusal is what would have left without it, up to what was refused.
fn refused(drawn: &Drawn, text: &str, all_left: &str) {
    let without = Rails { refuse: None, ..drawn.rails() };
    let redacted = whole(&without, text).expect("nothing is refused");
    assert!(redacted.starts_with(all_left), "{all_left:?} has left of {redacted:?}");
    let Some(pattern) = &drawn.refuse else { panic!("somebody else has refused") };
    let excerpt = Excerpt::new(&redacted, true);
    let Search::Match(found, ()) = pattern.search(excerpt) else { panic!("nothing was to be refused in {redacted:?}") };
    assert!(all_left.len() <= found.start, "{all_left:?} has left, and {found:?} of {redacted:?} is refused");
}

/// Of texts, no more is held back than the longest, whatever came before.
fn nothing_waits(drawn: &Drawn, pieces: &[String], left: &[String]) {
    let ([(Sought::Texts(texts_of), _)], None, None, false) =
        (drawn.redact.as_slice(), &drawn.refuse, &drawn.looks, drawn.words)
    else {
        return;
    };
    let same_length = Redact { pattern: Sought::Texts(*texts_of), with: "*" };
    let longest = texts(*texts_of).iter().map(|text| text.len()).max().unwrap_or(0);
    let rails = Rails { redact: vec![same_length], refuse: None, looks: None, words: None };
    let (mut said, mut gone) = (String::new(), String::new());
    let (now_left, _) = leaves(&rails, pieces);
    for (piece, out) in pieces.iter().zip(now_left.iter().skip(1)) {
        said.push_str(piece);
        gone.push_str(out);
        let decided = whole(&rails, &said).expect("nothing is refused");
        assert!(gone.len() + longest >= decided.len(), "{gone:?} has left of {decided:?}");
    }
    assert_eq!(left.len(), now_left.len());
}
