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
const WORDS: [&str; 24] = [
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
];

/// Makes a text: bytes from 128 on are words.
fn text(data: &[u8]) -> String {
    let mut text = String::new();
    for byte in data {
        match byte {
            128.. => text.push_str(WORDS[usize::from(byte % 24)]),
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
    for guards in [&*SECRETS, &*PERSONAL_DATA] {
        let whole = streamed(guards, &[&text]);
        assert_eq!(streamed(guards, &pieces), whole, "{text:?} in pieces of {size} bytes");
    }
    if let (Some(secrets), Some(personal_data)) = (&SECRETS.secrets, &PERSONAL_DATA.personal_data) {
        let once = secrets.redacted(&text);
        assert_eq!(secrets.redacted(&once), once, "{text:?}");
        let once = personal_data.redacted(&text);
        assert_eq!(personal_data.redacted(&once), once, "{text:?}");
    }
});
