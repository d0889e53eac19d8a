//! The guards of secrets and of personal data, on a text that arrives in pieces, and on the rules of a file.

#![no_main]

use std::sync::LazyLock;

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, rail_chain};
use exo_rails_guards::{PersonalData, Secrets, config};
use futures_util::stream;
use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;

rail_chain! { struct Guards { secrets: Option<Secrets>, personal_data: Option<PersonalData> } }

static SECRETS: LazyLock<Guards> =
    LazyLock::new(|| Guards { secrets: Secrets::builder().build().ok(), personal_data: None });
static PERSONAL_DATA: LazyLock<Guards> =
    LazyLock::new(|| Guards { secrets: None, personal_data: PersonalData::builder().recognisers(["*"]).build().ok() });
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().build().expect("a runtime"));

/// Texts with which secrets begin, so that the fuzzer need not find them.
const WORDS: [&str; 31] = [
    "ghp_",
    "AKIA",
    "eyJ",
    "password",
    "=",
    ": ",
    "\"",
    "\\n",
    "-----BEGIN PRIVATE KEY-----",
    "postgres://a:",
    "@b",
    "sk-ant-",
    "AAAAAAAAAAAAAAAAAAAA",
    "0123456789abcdef",
    "aB3dE5gH7jK9mN1pQ3sT",
    "@example.com",
    "+49 30 901820",
    "4111 1111",
    "DE89 3704 0044",
    "token",
    " ",
    ".",
    "-us1",
    "curl -u ",
    "\u{200b}",
    "\u{ad}",
    "\u{1b}[0m",
    "\u{1b}]0;",
    "\\u0041",
    "\\\\u0067\\\\u0068",
    "{\"a\":\"",
];

/// Makes a text: bytes from 128 on are words.
fn text(data: &[u8]) -> String {
    let mut text = String::new();
    for byte in data {
        match byte {
            128.. => text.push_str(WORDS[usize::from(byte % 31)]),
            _ => text.push(char::from(*byte)),
        }
    }
    text
}

fn streamed(guards: &Guards, pieces: &[&str]) -> String {
    let mut shown = String::new();
    let sink = |piece: exo_rails::StreamPiece| {
        if let exo_rails::StreamPiece::Text(text) = piece {
            shown.push_str(&text);
        }
        std::future::ready(())
    };
    let model = |_: Permit<ModelCallInputs>| {
        let pieces: Vec<_> =
            pieces.iter().map(|piece| Ok::<_, OperationError>(ModelDelta::Text((*piece).to_owned()))).collect();
        stream::iter(pieces)
    };
    let mut ctx = RunContext::new("fuzz");
    RUNTIME.block_on(guards.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink)).expect("no guard refuses");
    shown
}

fuzz_target!(|data: &[u8]| {
    let [kind, size, rest @ ..] = data else { return };
    if kind % 8 == 0 {
        // Rules from an untrusted file may be wrong, but they must not stop the program.
        if let Ok(text) = std::str::from_utf8(rest)
            && let Ok(config) = config::from_toml::<exo_rails_guards::secrets::SecretsConfig>(text)
            && config.files.is_empty()
            && let Ok(secrets) = Secrets::new(config)
        {
            let _ = secrets.redacted(text);
        }
        return;
    }
    let text = text(rest);
    let size = usize::from(*size).max(1);
    let mut pieces = Vec::new();
    let mut left = text.as_str();
    while !left.is_empty() {
        let (piece, rest) = left.split_at(left.ceil_char_boundary(size.min(left.len())));
        pieces.push(piece);
        left = rest;
    }
    let lefts = [&*SECRETS, &*PERSONAL_DATA].map(|guards| {
        let left = streamed(guards, &pieces);
        // A letter of an escape may be a part of a value, so the marks of other texts may differ.
        if !text.contains(['\\', '\u{1b}', '\u{200b}', '\u{ad}']) {
            assert_eq!(left, streamed(guards, &[&text]), "{text:?} in pieces of {size} bytes");
        }
        left
    });
    if let (Some(secrets), Some(personal_data)) = (&SECRETS.secrets, &PERSONAL_DATA.personal_data) {
        let [without_secrets, without_personal_data] = &lefts;
        assert!(secrets.find(without_secrets).is_empty(), "{text:?} leaves {without_secrets:?}");
        assert!(personal_data.find(without_personal_data).is_empty(), "{text:?} leaves {without_personal_data:?}");
        let once = secrets.redacted(&text);
        assert_eq!(secrets.redacted(&once), once, "{text:?}");
        let once = personal_data.redacted(&text);
        assert_eq!(personal_data.redacted(&once), once, "{text:?}");
    }
});
