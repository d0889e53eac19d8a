//! A key that a hostile server repeats: no error has eight characters of it in a row.

use exo_rails::prelude::*;
use exo_rails_agent::Model;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::dialect::{DIALECTS, Dialect, chat, messages};
use crate::server::{Answer, Server};
use crate::{How, ask, prompt};

const SECRETS: [&str; 4] = ["sk-Q7x4711bcdefgh", "hdr-Zz98765432", "pw0rd-uvwxyz12", "qry-ABCDEF0123"];

/// How a server writes a key.
#[derive(Clone, Copy, Debug)]
enum Form {
    Plain,
    Capitals,
    Unicode,
    Percent,
    Html,
    Json,
}

const FORMS: [Form; 6] = [Form::Plain, Form::Capitals, Form::Unicode, Form::Percent, Form::Html, Form::Json];

fn written(secret: &str, form: Form) -> String {
    let each = |form: fn(char) -> String| secret.chars().map(form).collect();
    match form {
        Form::Plain => secret.to_owned(),
        Form::Capitals => secret.to_uppercase(),
        Form::Unicode => each(|char| format!("\\u{:04x}", u32::from(char))),
        Form::Percent => each(|char| format!("%{:02x}", u32::from(char))),
        Form::Html => each(|char| format!("&#{};", u32::from(char))),
        Form::Json => Value::from(secret).to_string(),
    }
}

/// How the text comes.
#[derive(Clone, Copy, Debug)]
enum Place {
    ErrorText,
    ErrorJson,
    Unreadable,
    ErrorEvent,
    WrongEvent,
}

const PLACES: [Place; 5] =
    [Place::ErrorText, Place::ErrorJson, Place::Unreadable, Place::ErrorEvent, Place::WrongEvent];

fn answer(dialect: Dialect, place: Place, text: &str) -> (How, Answer) {
    let object = json!({ "error": { "message": text, "type": text, "code": text } });
    match place {
        Place::ErrorText => (How::AtOnce, Answer::status("401 Unauthorized", "", text)),
        Place::ErrorJson => (How::AtOnce, Answer::status("500 Oh", "", &object.to_string())),
        Place::Unreadable => (How::AtOnce, Answer::json(&json!({ "choices": text, "content": [text], "usage": text }))),
        Place::ErrorEvent => {
            (How::Streamed, Answer::stream(&format!("{}data: {object}\n\n", dialect.half()), 50).ended())
        }
        Place::WrongEvent => {
            let event = json!({ "choices": [{ "delta": { "tool_calls": text } }], "type": text });
            (How::Streamed, Answer::stream(&format!("event: error\ndata: {event}\n\n"), 50).ended())
        }
    }
}

/// Reads escapes once more, as a reader would.
fn plain(text: &str) -> String {
    let mut plain = text.to_owned();
    for code in 0x20..0x7f_u8 {
        let char = char::from(code).to_string();
        for escaped in [format!("\\u{code:04x}"), format!("%{code:02x}"), format!("&#{code};")] {
            plain = plain.replace(&escaped, &char);
        }
    }
    plain.to_lowercase()
}

fn shows(text: &str) -> Option<&str> {
    let told = [text.to_lowercase(), plain(text), plain(&text.replace("\\\\", "\\"))];
    let parts = SECRETS.iter().flat_map(|secret| (0..=secret.len() - 8).map(move |at| &secret[at..at + 8]));
    parts.into_iter().find(|part| told.iter().any(|told| told.contains(&part.to_lowercase())))
}

#[test]
fn no_error_shows_eight_characters_of_a_key() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let piece = (
        0..4_usize,
        0..6_usize,
        (0..6_usize, 8..20_usize),
        prop_oneof!["[ -~]{0,20}", Just("x".repeat(65_500)), Just("y".repeat(990))],
    );
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let drawn = (0..2_usize, 0..5_usize, vec(piece, 1..4));
    let result = TestRunner::new(config).run(&drawn, |(dialect, place, pieces)| {
        let mut text = String::new();
        for (secret, form, (cut, length), before) in &pieces {
            let secret = SECRETS[*secret];
            let part = &secret[*cut..(cut + length).min(secret.len())];
            text.extend([before, " ", &written(part, FORMS[*form]), " "]);
        }
        let (dialect, place) = (DIALECTS[dialect], PLACES[place]);
        let told = runtime.block_on(async {
            let (how, answer) = answer(dialect, place, &text);
            let server = Server::start([answer]).await;
            let url = server.url.replace("http://", &format!("http://user:{}@", SECRETS[2]));
            let url = format!("{url}?key={}", SECRETS[3]);
            let model: Box<dyn Model> = match dialect {
                Dialect::Chat => Box::new(chat(&url).api_key(SECRETS[0]).header("x-key", SECRETS[1]).build().unwrap()),
                Dialect::Messages => {
                    Box::new(messages(&url).api_key(SECRETS[0]).header("x-key", SECRETS[1]).build().unwrap())
                }
            };
            let error: OperationError = ask(&model, how, prompt()).await.unwrap_err();
            server.requests().await;
            format!("{error} {error:?} {error:#?} {model:?}")
        });
        prop_assert_eq!(shows(&told), None, "{}", told);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
