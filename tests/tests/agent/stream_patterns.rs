//! Patterns in streamed answers: what leaves does not depend on the pieces, nothing of a match leaves, and nothing waits that
//! need not.

use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex};

use exo_rails::prelude::*;
use exo_rails::{Excerpt, ModelDelta, Pattern, Search, StreamPiece};
use futures_util::{FutureExt, stream};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use regex::{Regex, RegexBuilder};
use tests::{GuardDyn, rails};

/// Replaces a pattern.
struct Replace<P> {
    pattern: P,
    with: &'static str,
}

#[rail(priority = 40)]
impl<P: Pattern + Send + Sync + 'static> Replace<P> {
    #[on(LlmChunk)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.replace(&self.pattern, self.with);
    }
}

/// The same, and says how long the longest match is.
struct ReplaceWithin<P> {
    pattern: P,
    with: &'static str,
    longest: usize,
}

#[rail(priority = 50)]
impl<P: Pattern + Send + Sync + 'static> ReplaceWithin<P> {
    #[on(LlmChunk, window = self.longest)]
    fn chunk(&self, window: &mut StreamWindow) {
        window.replace(&self.pattern, self.with);
    }
}

/// Looks by itself, and needs so many characters.
struct Looks {
    window: usize,
}

#[rail(priority = 45)]
impl Looks {
    #[on(LlmChunk, window = self.window)]
    fn chunk(_: &StreamWindow) {}
}

/// What leaves with each piece, and at the end of the answer; and how the call ends.
fn leaves<R: GuardSet>(rails: &R, pieces: &[&str]) -> (Vec<String>, Result<ModelResponse, RunError>) {
    let left = Mutex::new(Vec::new());
    let model = |_| {
        let deltas: Vec<_> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        let left = &left;
        stream::iter(deltas.into_iter().map(move |piece| {
            left.lock().unwrap().push(String::new());
            Ok::<_, OperationError>(ModelDelta::Text(piece))
        }))
    };
    let sink = |piece| {
        if let StreamPiece::Text(text) = piece {
            left.lock().unwrap().last_mut().unwrap().push_str(&text);
        }
        std::future::ready(())
    };
    let mut ctx = RunContext::new("patterns");
    let result = rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).now_or_never().unwrap();
    (left.into_inner().unwrap(), result)
}

/// What leaves in the end, which is the answer as well.
pub(super) fn streamed<R: GuardSet>(rails: &R, pieces: &[&str]) -> String {
    let (left, answer) = leaves(rails, pieces);
    let answer = answer.unwrap().message.text().into_owned();
    assert_eq!(left.concat(), answer);
    answer
}

/// The answer, when it is not streamed.
fn whole<R: GuardSet>(rails: &R, text: &str) -> String {
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text(text)) };
    let mut ctx = RunContext::new("patterns");
    let answer = rails.dyn_llm_call(ModelCallInputs::default(), &mut ctx, model).now_or_never().unwrap();
    answer.unwrap().message.text().into_owned()
}

macro_rules! manager {
    ($($rail:expr),*) => {{
        let mut rails = RailManager::new();
        $(rails.add($rail).unwrap();)*
        rails
    }};
}

/// Cuts a text in pieces.
pub(super) fn cut<'t>(text: &'t str, cuts: &[Index]) -> Vec<&'t str> {
    let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<_> = cuts.iter().map(|cut| *cut.get(&places)).chain([0, text.len()]).collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

pub(super) fn cuts() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..12)
}

fn matches(regex: &Regex, text: &str) -> Vec<Range<usize>> {
    regex.find_iter(text).map(|found| found.range()).filter(|found| !found.is_empty()).collect()
}

/// What a replacement in the whole text gives.
fn replaced(regex: &Regex, text: &str, with: &str) -> String {
    let (mut at, mut all) = (0, String::new());
    for found in matches(regex, text) {
        all += &text[at..found.start];
        all += with;
        at = found.end;
    }
    all + &text[at..]
}

fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value)) {
    let config = Config { cases, failure_persistence: None, max_global_rejects: 1 << 20, ..Config::default() };
    TestRunner::new(config)
        .run(strategy, |value| {
            test(value);
            Ok(())
        })
        .unwrap();
}

/// Regexes that treat their matches in all the ways there are.
const REGEXES: [&str; 32] = [
    "abc",
    "a+b",
    "a+?",
    "ab|abc",
    "abc|ab",
    "a(bc)?",
    r"\bab\b",
    r"\Bb",
    "^ab",
    "(?m)^a|b$",
    "c$",
    "a.*b",
    "a.*?b",
    "(?s)a.*?c",
    "é+a",
    "[^a]b",
    "a*",
    "(a|ab)(c|bcd)?",
    "(?i)AB+",
    r"\b",
    "b{2,3}",
    r"a\nb",
    "(ab)+",
    "b?a",
    r"\w+c",
    r"\W",
    r"a|b\b",
    "",
    "a*?b|bc",
    r"(?m)^\w+$",
    r"\Aab",
    r"b\z",
];

#[test]
fn a_regex_replaces_in_a_stream_as_in_the_whole_text() {
    let strategy = (select(&REGEXES[..]), "[abcé \n]{0,14}", cuts(), select(&["", "a", "[x]"][..]));
    check(4000, &strategy, |(regex, text, cuts, with)| {
        let pattern = Regex::new(regex).unwrap();
        let expected = replaced(&pattern, &text, with);
        let rails = manager![Replace { pattern, with }];
        assert_eq!(streamed(&rails, &cut(&text, &cuts)), expected);
        assert_eq!(whole(&rails, &text), expected);
    });
}

#[test]
fn a_window_bounds_the_match_of_a_regex() {
    let strategy = (select(&REGEXES[..]), "[abcé \n]{0,14}", cuts(), 1..6_usize);
    check(4000, &strategy, |(regex, text, cuts, longest)| {
        let pattern = Regex::new(regex).unwrap();
        if matches(&pattern, &text).into_iter().any(|found| text[found].chars().count() > longest) {
            return;
        }
        let expected = replaced(&pattern, &text, "<>");
        let rails = manager![ReplaceWithin { pattern, with: "<>", longest }];
        assert_eq!(streamed(&rails, &cut(&text, &cuts)), expected);
        assert_eq!(whole(&rails, &text), expected);
    });
}

#[test]
fn several_rails_replace_in_a_stream_as_in_the_whole_text() {
    let longest_first = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Regex::new(&words.join("|")).unwrap()
    };
    let words = || prop::collection::vec("[abé]{1,3}", 1..4);
    let strategy = (words(), words(), "[abcé]{0,14}", cuts(), select(&["", "a", "ab"][..]), 0..4_usize);
    check(4000, &strategy, |(first, second, text, cuts, with, window)| {
        let expected = replaced(&longest_first(&second), &replaced(&longest_first(&first), &text, with), "b");
        let second = ReplaceWithin { pattern: second, with: "b", longest: 2 };
        let rails = manager![Replace { pattern: first, with }, second, Looks { window }];
        assert_eq!(streamed(&rails, &cut(&text, &cuts)), expected);
        assert_eq!(whole(&rails, &text), expected);
    });
}

/// Regexes of the letters `a` and `b`.
fn regexes() -> impl Strategy<Value = String> {
    let leaf = select(&["a", "b", "[ab]", ".", "ab"][..]).prop_map(str::to_owned);
    let core = leaf.prop_recursive(3, 8, 3, |inner| {
        let repeat = select(&["*", "+", "?", "*?", "+?", "??", "{1,2}"][..]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| all.concat()),
            prop::collection::vec(inner.clone(), 2..3).prop_map(|all| format!("(?:{})", all.join("|"))),
            (inner, repeat).prop_map(|(inner, repeat)| format!("(?:{inner}){repeat}")),
        ]
    });
    // Between letters, they could make a regex that matches nowhere.
    let (before, after) = (select(&["", "", "^", r"\b"][..]), select(&["", "", "$", r"\b"][..]));
    (before, core, after).prop_map(|(before, core, after)| format!("{before}(?:{core}){after}"))
}

#[test]
fn a_stream_delays_only_undecided_text() {
    // All texts of up to eight letters.
    let mut all = vec![String::new()];
    while all.len() < 511 {
        let next: Vec<_> = all.iter().flat_map(|text| ["a", "b"].map(|letter| format!("{text}{letter}"))).collect();
        all = [vec![String::new()], next].concat();
    }
    check(1500, &(regexes(), "[ab ]{0,6}", cuts()), |(regex, text, cuts)| {
        let pattern = Regex::new(&regex).unwrap();
        let rails = manager![Replace { pattern: pattern.clone(), with: "<>" }];
        assert_eq!(streamed(&rails, &cut(&text, &cuts)), replaced(&pattern, &text, "<>"));
        let mut window = StreamWindow::new(text.clone(), false);
        window.replace(&pattern, "<>");
        if window.held_back().is_empty() {
            return;
        }
        let at = text.len() - window.held_back().len();
        let found =
            |more: &String| matches(&pattern, &format!("{text}{more}")).into_iter().find(|found| found.contains(&at));
        assert!(all.iter().any(|more| found(more) != found(&all[0])), "{regex} decides on {:?}", window.held_back());
    });
}

static KEY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"sk-[a-z0-9]{4,}").unwrap());

#[rail(priority = 40, on = [LlmChunk], window = 64)]
fn redact_keys(window: &mut StreamWindow) {
    window.replace(&KEY, "[key]");
}

rail_chain! { struct Inner { redact_keys } }

#[test]
fn text_that_cannot_match_is_released_at_once() {
    let pieces = ["Hello", " you, s", "o ", "sk", "-liv", "e471", "1 ok"];
    let left = ["Hello", " you, ", "so ", "", "", "", "[key] ok"];
    let mut hooks = HookManager::new();
    rail_chain![redact_keys].register(&mut hooks);
    assert_eq!(leaves(&rails![redact_keys], &pieces).0, left);
    assert_eq!(leaves(&rail_chain![Inner], &pieces).0, left);
    assert_eq!(leaves(&manager![redact_keys {}], &pieces).0, left);
    assert_eq!(leaves(&manager![Arc::new(redact_keys {}), None::<redact_keys>], &pieces).0, left);
    assert_eq!(leaves(&hooks, &pieces).0, left);

    let numbers = ReplaceWithin { pattern: Regex::new(r"\b\d{4}\b").unwrap(), with: "#", longest: 64 };
    let pieces = ["a", "123", "4", "5", " 1234", ".", " 12"];
    assert_eq!(leaves(&manager![numbers], &pieces).0, ["a", "123", "4", "5", " ", "#.", " 12"]);
}

#[rail(on = [LlmChunk], concurrent, window = 4)]
fn looks_beside_others(_: &StreamWindow) {}

rail_chain! {
    #[chain(concurrent)]
    struct Beside { looks_beside_others }
}

#[test]
fn the_declared_window_applies_to_a_rail_without_patterns() {
    let pieces = ["abcdefgh", "ijkl", "sk-"];
    let left = ["abcd", "efgh", "ijklsk-"];
    assert_eq!(leaves(&manager![redact_keys {}, Looks { window: 4 }], &pieces).0, left);
    assert_eq!(leaves(&manager![Looks { window: 4 }, redact_keys {}], &pieces).0, left);
    assert_eq!(leaves(&rail_chain![redact_keys, Beside], &pieces).0, left);
    assert_eq!(leaves(&rail_chain![Beside], &pieces).0, ["abcd", "efgh", "ijklsk-"]);
    // None is asked for.
    assert_eq!(leaves(&manager![Looks { window: 0 }], &pieces).0, pieces);
}

/// Lets pass what begins with its word, and no rail after it sees it.
#[rail(priority = 15, on = [LlmChunk])]
fn trusted(window: &StreamWindow) -> RailAction {
    if window.text.starts_with("TRUST") { RailAction::skip("it is ours") } else { RailAction::Continue }
}

#[test]
fn the_declared_window_applies_to_a_rail_that_a_skip_passed_over() {
    let pieces = ["TRUST sk-li", "ve4711 ", "and"];
    // What left was trusted, and the rail finds the key when it is asked.
    let rails = manager![trusted {}, ReplaceWithin { pattern: &*KEY, with: "[key]", longest: 9 }];
    assert_eq!(leaves(&rails, &pieces).0, ["TR", "UST [key] ", "and"]);
}

/// Lets pass what comes with its word.
#[rail(priority = 45, on = [LlmChunk])]
fn trusts_fresh(window: &StreamWindow) -> RailAction {
    if window.fresh().contains("TRUST") { RailAction::skip("it is ours") } else { RailAction::Continue }
}

#[test]
fn a_skip_releases_nothing_that_a_later_rail_needs() {
    let later = ReplaceWithin { pattern: "secret", with: "[-]", longest: 6 };
    let rails = manager![redact_keys {}, trusts_fresh {}, later];
    assert_eq!(leaves(&rails, &["TRUST a sec", "ret"]).0, ["", "TRUST a [-]"]);
}

/// Skips the rails after it where the model shouts.
#[rail(priority = 5, on = [LlmChunk])]
fn shouts(window: &StreamWindow) -> RailAction {
    if window.text.contains('!') { RailAction::skip("fine") } else { RailAction::Continue }
}

#[rail(priority = 2, on = [LlmChunk])]
fn replaces_first(window: &mut StreamWindow) {
    window.replace("xyz", "[x]");
}

#[rail(priority = 9, on = [LlmChunk])]
fn replaces_last(window: &mut StreamWindow) {
    window.replace("abcd", "[a]");
}

#[rail(priority = 9, on = [LlmChunk])]
fn finds_last(window: &mut StreamWindow) {
    window.find("abcd");
}

#[test]
fn a_rail_may_skip_while_other_rails_delay_text() {
    let pieces = proptest::collection::vec("[abcdxyz! ]{0,5}", 1..8);
    check(500, &pieces, |pieces| {
        let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
        let shown = streamed(&rails![shouts, replaces_last], &pieces);
        // After the last skip, the later rail sees the whole text again.
        let from = pieces.iter().rposition(|piece| piece.contains('!')).map_or(0, |at| at + 1);
        let rest = pieces[from..].concat().replace("abcd", "[a]");
        assert!(shown.ends_with(&rest), "{shown:?} does not end with {rest:?}");
        let shown = streamed(&rails![replaces_first, shouts, finds_last], &pieces);
        assert_eq!(shown, pieces.concat().replace("xyz", "[x]"));
    });
}

/// Refuses an answer with a word in it.
#[rail(priority = 40, on = [LlmChunk])]
fn forbid(window: &mut StreamWindow) -> Verdict {
    Verdict::abort_if(window.find(&["secret", "secrecy"]).is_some(), "a secret")
}

#[rail(priority = 50, on = [LlmChunk])]
fn shorten(window: &mut StreamWindow) {
    window.replace("sec", "s");
}

#[test]
fn a_stream_releases_no_part_of_a_match_before_it_is_found() {
    check(1000, &("[secr]{0,6}", "(secret|secrecy)", "[secr]{0,6}", cuts()), |(before, word, after, cuts)| {
        let text = [before.clone(), word, after].concat();
        let (left, result) = leaves(&rails![forbid, shorten], &cut(&text, &cuts));
        assert!(matches!(result, Err(RunError::Abort(_))), "{result:?}");
        let decided = before.replace("sec", "s");
        // The end of what was before may belong to the word.
        assert!(decided.starts_with(&left.concat()), "{left:?} has left of {text}");
    });
}

#[rail(priority = 45, on = [LlmChunk])]
fn stop(window: &mut StreamWindow) {
    if let Some(at) = window.text.find("STOP") {
        window.text.truncate(at);
        window.end();
    }
}

#[test]
fn delayed_text_is_released_when_a_rail_ends_the_answer() {
    let last = ReplaceWithin { pattern: "lock", with: "[+]", longest: 4 };
    let rails = manager![Replace { pattern: "key", with: "[-]" }, stop {}, last];
    assert_eq!(streamed(&rails, &["a key lo", "STOP ke", "y"]), "a [-] lo");
    assert_eq!(streamed(&rails, &["a loSTOP", " key"]), "a lo");
    assert_eq!(streamed(&rails, &["STOP ke", "y"]), "");
}

#[rail(priority = 10, on = [LlmChunk], window = 6)]
fn naive(window: &mut StreamWindow) {
    window.text = window.text.replace("secret", "key");
}

#[test]
fn text_that_a_rail_has_changed_is_searched_again() {
    let rails = manager![naive {}, Replace { pattern: "a key", with: "[-]" }];
    for pieces in [&["a sec", "ret, a ke", "y"][..], &["a secret", ", a key"], &["a", " ", "s", "ecret, a key"]] {
        assert_eq!(streamed(&rails, pieces), "[-], [-]");
    }
}

/// Holds back sentences that are not whole.
#[rail(on = [LlmChunk])]
fn sentences(window: &mut StreamWindow) {
    window.hold_back(window.text.rfind('.').map_or(0, |end| end + 1));
}

/// Holds back from a byte in a character.
#[rail(on = [LlmChunk])]
fn careless(window: &mut StreamWindow) {
    window.hold_back(1);
}

#[test]
fn a_rail_can_mark_where_its_undecided_text_begins() {
    assert_eq!(leaves(&rails![sentences], &["One. Tw", "o. Thr", "ee"]).0, ["One.", " Two.", " Three"]);
    assert_eq!(leaves(&rails![careless], &["é", "é", "a"]).0, ["", "", "ééa"]);
}

/// Answers that cannot be, or that help nobody.
struct Broken(Search);

impl Pattern for Broken {
    type Found = ();

    fn search(&self, _: Excerpt<'_>) -> Search {
        self.0.clone()
    }
}

#[test]
fn a_broken_pattern_loses_nothing() {
    let backwards = Range { start: 5, end: 4 };
    let wrong = [1..2, backwards, 0..0, 2..99].map(|place| Search::Match(place, ()));
    for search in wrong.into_iter().chain([99, 1, 0].map(|from| Search::Undecided { from })) {
        let rails = manager![Replace { pattern: Broken(search.clone()), with: "" }];
        assert_eq!(streamed(&rails, &["é", "éé", ""]), "ééé", "{search:?}");
    }
}

/// Is never decided, and counts the bytes that it was shown.
struct Counts(Arc<Mutex<usize>>);

impl Pattern for Counts {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        *self.0.lock().unwrap() += excerpt.text.len();
        Search::Undecided { from: excerpt.from }
    }
}

/// Finds these places at once, and nothing is decided from the last place on.
struct AtOnce(Vec<Range<usize>>, Option<usize>);

impl Pattern for AtOnce {
    type Found = usize;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<usize> {
        self.0.first().map_or(Search::Undecided { from: excerpt.from }, |place| Search::Match(place.clone(), 0))
    }

    fn search_all(&self, _: Excerpt<'_>, each: &mut dyn FnMut(Range<usize>, usize)) -> Option<usize> {
        self.0.iter().cloned().enumerate().for_each(|(number, place)| each(place, number));
        self.1
    }
}

#[test]
fn a_search_for_all_matches_says_what_it_knows_of_each() {
    let found = |pattern: &AtOnce, is_last| {
        let (mut window, mut found) = (StreamWindow::new("ab12cd", is_last), Vec::new());
        window.replace_with(pattern, |matched| {
            found.push((matched.to_owned(), matched.found));
            "-"
        });
        (window.text.clone(), window.held_back().to_owned(), found)
    };
    let both = AtOnce(vec![0..1, 2..4], None);
    let expected = vec![("a".to_owned(), 0), ("12".to_owned(), 1)];
    assert_eq!(found(&both, false), ("-b-cd".to_owned(), String::new(), expected));
    // From the first impossible place on, nothing is decided.
    for pattern in [AtOnce(vec![0..1, 0..2, 2..4], None), AtOnce(vec![0..1, 2..99], Some(3))] {
        let first = vec![("a".to_owned(), 0)];
        assert_eq!(found(&pattern, false), ("-".to_owned(), "b12cd".to_owned(), first.clone()));
        assert_eq!(found(&pattern, true), ("-b12cd".to_owned(), String::new(), first));
    }
}

#[test]
fn the_work_is_linear_when_a_match_does_not_end() {
    let seen = Arc::default();
    let text = "abcd".repeat(50_000);
    let pieces: Vec<_> = (0..50_000).map(|at| &text[4 * at..4 * at + 4]).collect();
    let rails = manager![Replace { pattern: Counts(Arc::clone(&seen)), with: "" }];
    assert_eq!(streamed(&rails, &pieces), text);
    let seen = *seen.lock().unwrap();
    assert!(seen < 20 * text.len(), "{seen} bytes were searched for an answer of {}", text.len());
}

#[test]
fn a_list_of_patterns_searches_for_a_distant_match_in_steps() {
    let seen = Arc::new(Mutex::new(0));
    let (found, rare) = ("ab".repeat(20_000), Seldom(Arc::clone(&seen)));
    let list: Vec<Arc<dyn Pattern<Found = ()> + Send + Sync>> = vec![Arc::new("ab"), Arc::new(rare)];
    assert_eq!(whole(&manager![Replace { pattern: list, with: "-" }], &found), "-".repeat(20_000));
    let seen = *seen.lock().unwrap();
    assert!(seen < 5000 * found.len(), "{seen} bytes were searched in an answer of {}", found.len());
}

/// Matches nowhere, and counts the bytes that it was shown.
struct Seldom(Arc<Mutex<usize>>);

impl Pattern for Seldom {
    type Found = ();

    fn search(&self, excerpt: Excerpt<'_>) -> Search {
        *self.0.lock().unwrap() += excerpt.text.len() - excerpt.from;
        Search::Nothing
    }
}

#[test]
fn each_kind_of_pattern_replaces_its_matches() {
    let replace = |pattern: &dyn Pattern<Found = ()>| {
        let mut window = StreamWindow::new("The café, sk-12345!", true);
        let count = window.replace(pattern, "_");
        (count, window.text)
    };
    let is_digit = |char: char| char.is_ascii_digit();
    let cases: [(&dyn Pattern<Found = ()>, usize, &str); 9] = [
        (&"café", 1, "The _, sk-12345!"),
        (&"café".to_owned(), 1, "The _, sk-12345!"),
        (&"", 0, "The café, sk-12345!"),
        (&'é', 1, "The caf_, sk-12345!"),
        (&is_digit, 5, "The café, sk-_____!"),
        (&["The", "The café", "!"], 2, "_, sk-12345_"),
        (&vec!["é", "éé"], 1, "The caf_, sk-12345!"),
        (&KEY, 1, "The café, _!"),
        (&Arc::new(Regex::new("(?:)|é").unwrap()), 0, "The café, sk-12345!"),
    ];
    for (pattern, count, text) in cases {
        assert_eq!(replace(pattern), (count, text.to_owned()));
    }
}

#[test]
fn a_match_that_is_longer_than_the_window_waits_for_its_end() {
    let rails = rails![redact_keys];
    let key = format!("sk-{}", "a1".repeat(100));
    let pieces: Vec<_> = key.as_bytes().chunks(7).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
    assert_eq!(streamed(&rails, &[&["The key "], &*pieces, &[" is gone"]].concat()), "The key [key] is gone");
}

#[test]
fn a_regex_with_flags_that_its_text_does_not_have_leaks_nothing() {
    type Set = fn(&mut RegexBuilder) -> &mut RegexBuilder;
    let cases: [(&str, Set, &str); 9] = [
        (r"sk-[a-z]{4,}", |regex| regex.case_insensitive(true), "a SK-Live b"),
        (r"^key.*$", |regex| regex.multi_line(true), "a\nkey 1\nb"),
        (r"<.*>", |regex| regex.dot_matches_new_line(true), "a <b\nc> d"),
        (r"^key$", |regex| regex.multi_line(true).crlf(true), "a\r\nkey\r\nb"),
        ("s k -  # a key\n [a-z]+", |regex| regex.ignore_whitespace(true), "a sk-live b"),
        (r"<.+?>", |regex| regex.swap_greed(true), "a <b> c> d"),
        (r"k\w+", |regex| regex.unicode(false), "a keyé b"),
        (r"a.b", |regex| regex.case_insensitive(true).dot_matches_new_line(true), "A\nB A\nB"),
        (r"(\141)b", |regex| regex.octal(true), "x ab y"),
    ];
    for (source, set, text) in cases {
        let regex = set(&mut RegexBuilder::new(source)).build().unwrap();
        let expected = replaced(&regex, text, "[-]");
        assert_ne!(expected, text);
        let pieces: Vec<_> = text.split_inclusive(|_| true).collect();
        assert_eq!(streamed(&manager![Replace { pattern: regex, with: "[-]" }], &pieces), expected, "{source}");
        // The same text without flags is known by itself.
        if let Ok(plain) = Regex::new(source) {
            let expected = replaced(&plain, text, "[-]");
            assert_eq!(streamed(&manager![Replace { pattern: plain, with: "[-]" }], &pieces), expected, "{source}");
        }
    }
}
