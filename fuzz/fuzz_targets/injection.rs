//! Texts for a model: what hides in them is removed once and for ever, and streams are filtered like whole answers.

#![no_main]

use std::sync::{LazyLock, Mutex};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, StreamPiece};
use exo_rails_guards::{Injection, Kit};
use futures_util::{FutureExt, stream};
use libfuzzer_sys::fuzz_target;

static INJECTION: LazyLock<Injection> = LazyLock::new(|| Injection::builder().build().expect("the default is valid"));

static KIT: LazyLock<Kit> = LazyLock::new(|| {
    let kit = "[content]\nblocked_phrases = ['hack into', 'rules', '黑客']\nknown_patterns = true";
    Kit::from_toml(kit).expect("the configuration is valid")
});

fuzz_target!(|input: (&str, Vec<u8>)| {
    let (text, sizes) = input;
    for finding in INJECTION.findings(text) {
        let Some(range) = finding.place.bytes else { continue };
        assert!(range.start <= range.end && (text.get(range.clone()).is_some() || !finding.place.pointer.is_empty()));
    }
    let mut once = text.to_owned();
    let has_changed = Injection::strip_hidden(&mut once);
    assert_eq!(has_changed, once != text);
    let mut twice = once.clone();
    assert!(!Injection::strip_hidden(&mut twice), "{once:?}");

    let (_, whole) = streamed(vec![text.to_owned()]);
    let (left, in_pieces) = streamed(pieces(text, &sizes));
    assert_eq!(whole, in_pieces);
    assert!(text.starts_with(&left));
    if let Some(whole) = whole {
        assert_eq!(left, whole);
    }
});

fn pieces(text: &str, sizes: &[u8]) -> Vec<String> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    for size in sizes.iter().cycle().take(if sizes.is_empty() { 0 } else { text.len() }) {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(usize::from(*size % 16).min(rest.len())));
        pieces.push(piece.to_owned());
        rest = after;
    }
    pieces.push(rest.to_owned());
    pieces
}

/// Returns what left, and the answer, if no rail stopped it.
fn streamed(pieces: Vec<String>) -> (String, Option<String>) {
    let left = Mutex::new(String::new());
    let model = |_: Permit<ModelCallInputs>| {
        stream::iter(pieces.clone().into_iter().map(|piece| Ok::<_, OperationError>(ModelDelta::Text(piece))))
    };
    let sink = async |piece| {
        if let (StreamPiece::Text(text), Ok(mut left)) = (piece, left.lock()) {
            left.push_str(&text);
        }
    };
    let mut ctx = RunContext::new("fuzz");
    let result = KIT.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).now_or_never();
    let answer = result.expect("nothing waits").ok().map(|response| response.message.text().into_owned());
    (left.into_inner().expect("no panic before"), answer)
}
