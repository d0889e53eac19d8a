//! Secrets behind escapes of JSON, and secrets that hidden characters interrupt.

use exo_rails::prelude::*;
use exo_rails::rail_chain;
use exo_rails_guards::{Injection, Kit, PersonalData, Secrets};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

use super::formats::tokens;

rail_chain! { struct Guards { secrets: Secrets } }

static SECRETS: LazyLock<Secrets> = LazyLock::new(|| Secrets::builder().build().unwrap());

fn token() -> String {
    tokens()[6].1.clone()
}

async fn output(rails: &impl Guard, content: &str) -> String {
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text(content)) };
    rails.guard_tool_call(ToolCallInputs::new("read"), &mut RunContext::new("test"), tool).await.unwrap().content
}

#[tokio::test]
async fn hidden_characters_do_not_hide_a_secret() {
    let token = token();
    let (start, end) = token.split_at(9);
    let colours = format!("a \u{1b}[01;31m{start}\u{1b}[m\u{1b}[K{end}\u{1b}[0m b");
    let table = [
        format!("a \u{1b}[0m{token} b"),
        format!("a {start}\u{1b}[0m{end} b"),
        format!("a {start}\u{200b}{end} b"),
        format!("a {start}\u{ad}{end} b"),
        format!("a {start}\u{e0041}{end} b"),
        format!("a {start}\u{1b}]0;title\u{7}{end} b"),
        colours,
        json!({ "a": format!("{start}\u{1b}[0m{end}") }).to_string(),
    ];
    let kits = ["[secrets]", "[secrets]\n[injection]", "[secrets]\n[injection]\nstrip = []"]
        .map(|text| Kit::from_toml(text).unwrap());
    for text in &table {
        for kit in &kits {
            let mut hidden = output(kit, text).await;
            assert!(hidden.contains("[GITHUB_TOKEN]"), "{text:?}: {hidden:?}");
            Injection::strip_hidden(&mut hidden);
            assert!(!hidden.contains(&end[..8]) && !hidden.contains(&start[..8]), "{text:?}: {hidden:?}");
        }
    }
    // What stands around a secret stays.
    let text = format!("\u{1b}[1mbold\u{1b}[0m {start}\u{200b}{end}\u{1b}[0m");
    assert_eq!(SECRETS.redacted(&text), "\u{1b}[1mbold\u{1b}[0m [GITHUB_TOKEN]\u{1b}[0m");
    assert_eq!(SECRETS.find(&text), [("github-token", 13..13 + token.len() + 3)]);
    let addresses = PersonalData::builder().build().unwrap();
    assert_eq!(addresses.redacted("to ada@exa\u{200b}mple.com."), "to [EMAIL].");
}

#[tokio::test]
async fn hidden_characters_in_arguments_do_not_hide_a_secret() {
    let token = token();
    let (start, end) = token.split_at(9);
    for text in [
        format!("{start}\u{200b}{end}"),
        format!("{start}\u{1b}[0m{end}"),
        json!({ "a": format!("x\n{token}") }).to_string(),
    ] {
        let mut call = ToolCallInputs::new("post").with_arguments(json!({ "text": text }));
        let rails = Guards { secrets: Secrets::builder().build().unwrap() };
        let _ = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("test")).await.unwrap();
        let text = call.arguments["text"].as_str().unwrap();
        assert!(text.contains("[GITHUB_TOKEN]") && !text.contains(end), "{text:?}");
    }
}

#[test]
fn a_secret_after_an_escape_is_hidden_and_the_json_stays_json() {
    let token = token();
    let lines = format!("A=1\n{token}\tB=2");
    let nested = json!({ "inner": json!({ "env": lines }).to_string() }).to_string();
    let table = [
        (json!({ "env": lines }).to_string(), r#"{"env":"A=1\n[GITHUB_TOKEN]\tB=2"}"#.to_owned()),
        (nested, json!({ "inner": r#"{"env":"A=1\n[GITHUB_TOKEN]\tB=2"}"# }).to_string()),
        (format!("{{ \"env\" : \"\\u0067{}\" }}", &token[1..]), r#"{ "env" : "[GITHUB_TOKEN]" }"#.to_owned()),
        (format!("log: \"a\\n{token}\" and more"), r#"log: "a\n[GITHUB_TOKEN]" and more"#.to_owned()),
        (format!("{{\"env\":\"a\\n{token}"), r#"{"env":"a\n[GITHUB_TOKEN]"#.to_owned()),
        (r#"{"m":"\nada\u0040example.com"}"#.to_owned(), r#"{"m":"\nada\u0040example.com"}"#.to_owned()),
    ];
    for (text, expected) in table {
        assert_eq!(SECRETS.redacted(&text), expected);
    }
    let addresses = PersonalData::builder().build().unwrap();
    assert_eq!(addresses.redacted(r#"{"m":"\nada@example.com"}"#), r#"{"m":"\n[EMAIL]"}"#);
    assert_eq!(addresses.redacted(r#"{"m":"\nada\u0040example.com"}"#), r#"{"m":"\n[EMAIL]"}"#);
}

#[derive(Debug, thiserror::Error)]
#[error("the login failed")]
struct Login(#[source] Server);

/// The text is in `Display` alone.
#[derive(thiserror::Error)]
#[error("the server says:\n{0}")]
struct Server(String);

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Server")
    }
}

#[tokio::test]
async fn an_error_is_searched_in_each_of_its_forms() {
    let token = token();
    let rails = Guards { secrets: Secrets::builder().build().unwrap() };
    let errors: [fn(&str) -> OperationError; 3] = [
        |token| OperationError::from(format!("login failed:\n{token}")),
        |token| OperationError::from(Box::new(Server(token.to_owned())) as Box<dyn std::error::Error + Send + Sync>),
        |token| {
            OperationError::from(Box::new(Login(Server(token.to_owned()))) as Box<dyn std::error::Error + Send + Sync>)
        },
    ];
    for error in errors {
        let model = |_| async { Err::<ModelResponse, _>(error(&token)) };
        let failed =
            rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await.unwrap_err();
        let text = format!("{failed} {failed:?}");
        assert!(text.contains("the error of the model has a secret") && !text.contains(&token), "{text}");
        let tool = |_| async { Err::<ToolOutput, _>(error(&token)) };
        let output =
            rails.guard_tool_call(ToolCallInputs::new("get"), &mut RunContext::new("test"), tool).await.unwrap();
        assert!(output.is_error && !output.content.contains(&token), "{output:?}");
    }
}

/// Returns all strings of a value, and those of JSON in them.
fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            all.push(text.clone());
            if let Ok(inner) = serde_json::from_str(text) {
                strings(&inner, all);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| strings(value, all)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            all.push(name.clone());
            strings(value, all);
        }),
        _ => {}
    }
}

fn text() -> impl Strategy<Value = String> {
    let tokens: Vec<String> = tokens().into_iter().map(|(_, token)| token).collect();
    let words =
        ["\n", "\t", "\"", "\\", "é", "\u{1}", " ", "x", "=", "password=", "n", "/", "\u{200b}", "\u{1b}[0m", "😀"];
    let words = prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    let token = prop::sample::select(tokens);
    let cut = (token.clone(), any::<prop::sample::Index>(), words.clone()).prop_map(|(mut token, at, word)| {
        let at = token.floor_char_boundary(at.index(token.len()));
        token.insert_str(at, &word);
        token
    });
    prop::collection::vec(prop_oneof![2 => token, 1 => cut, 4 => words], 0..6).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// What leaves contains no secret that the guard finds in the text without escapes, and JSON stays JSON.
    #[test]
    fn redacted_json_has_no_secret_in_any_string(first in text(), second in text(), levels in 0..3_usize) {
        let mut value = json!({ "a": [first, 1], "b": { "c": second } });
        for _ in 0..levels {
            value = json!({ "inner": value.to_string(), "n": null });
        }
        let left = SECRETS.redacted(&value.to_string());
        let Ok(left) = serde_json::from_str::<Value>(&left) else { panic!("{value} became {left}") };
        let mut all = Vec::new();
        strings(&left, &mut all);
        for mut text in all {
            prop_assert!(SECRETS.find(&text).is_empty(), "{text:?} of {value}");
            Injection::strip_hidden(&mut text);
            prop_assert!(SECRETS.find(&text).is_empty(), "{text:?} of {value}, stripped");
        }
    }
}
