//! Streams: the pieces of an answer do not change what is hidden.

use exo_rails::prelude::*;
use exo_rails::rail_chain;
use exo_rails_guards::Secrets;
use exo_rails_guards::scan::RuleConfig;
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;

use super::formats::{tokens, word};

rail_chain! { struct Guards { secrets: Secrets } }

static GUARDS: LazyLock<Guards> = LazyLock::new(|| Guards { secrets: Secrets::builder().build().unwrap() });

/// Returns the text that leaves.
pub(crate) fn streamed(rails: &impl Guard, pieces: &[&str]) -> String {
    let model = |_| {
        let pieces: Vec<_> = pieces
            .iter()
            .map(|piece| Ok::<_, OperationError>(exo_rails::ModelDelta::Text((*piece).to_owned())))
            .collect();
        futures_util::stream::iter(pieces)
    };
    let shown = std::sync::Mutex::new(String::new());
    let sink = async |piece| match piece {
        exo_rails::StreamPiece::Text(text) => shown.lock().unwrap().push_str(&text),
        exo_rails::StreamPiece::Restart => panic!("no rail repeats the call"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut ctx = RunContext::new("test");
    runtime.block_on(rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink)).unwrap();
    shown.into_inner().unwrap()
}

pub(crate) fn cut<'t>(text: &'t str, places: &[usize]) -> Vec<&'t str> {
    let mut places: Vec<_> = places.iter().map(|place| text.floor_char_boundary(place % (text.len() + 1))).collect();
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

/// Returns the texts in arguments that pass a guard, and their JSON if the guard changes nothing. The guard searches arguments in a way
/// of its own.
pub(crate) fn passed(rails: &impl Guard, texts: [&str; 3], number: u64) -> Vec<String> {
    fn collect(value: &serde_json::Value, texts: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) => texts.push(text.clone()),
            serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                texts.push(name.clone());
                collect(value, texts);
            }),
            _ => {}
        }
    }
    let [name, first, second] = texts;
    let arguments = json!({ (name): [first, { "b": second }, number], "c": first, "d": true });
    let mut call = ToolCallInputs::new("post").with_arguments(arguments.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _ = runtime.block_on(rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("test"))).unwrap();
    let mut passed = Vec::new();
    if call.arguments == arguments {
        passed.push(arguments.to_string());
    }
    collect(&call.arguments, &mut passed);
    passed
}

/// Text with secrets, parts of secrets, and words around them.
fn text() -> impl Strategy<Value = String> {
    let tokens = tokens();
    let token = (0..tokens.len()).prop_map(move |at| tokens[at].1.clone());
    let begun = token.clone().prop_flat_map(|token| {
        let length = token.len();
        (0..length).prop_map(move |end| token[..end].to_owned())
    });
    let words = prop::sample::select(vec![
        " ",
        "\n",
        "=",
        ": ",
        "\"",
        "password",
        "api_key",
        "token",
        "AKIA",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----\n",
        "curl -u a:",
        "é",
        "x",
        "[JWT]",
        "postgres://a:",
        "@b",
        "Bearer ",
        "secret_",
        "\\n",
        "sk-",
        "-us1",
        "\n> ",
        "\n12: ",
        "x_",
        "%22",
    ]);
    let part = prop_oneof![3 => token, 2 => begun, 5 => words.prop_map(str::to_owned), 1 => Just(word(20))];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_result_does_not_depend_on_the_chunk_boundaries(text in text(), places in prop::collection::vec(any::<usize>(), 0..12)) {
        let whole = streamed(&*GUARDS, &[&text]);
        prop_assert_eq!(&streamed(&*GUARDS, &cut(&text, &places)), &whole);
        let letters: Vec<_> = (0..text.len()).collect();
        prop_assert_eq!(&streamed(&*GUARDS, &cut(&text, &letters)), &whole);
    }

    /// What is hidden is hidden: another search finds nothing.
    #[test]
    fn a_second_redaction_changes_nothing(text in text()) {
        let once = GUARDS.secrets.redacted(&text);
        prop_assert_eq!(GUARDS.secrets.redacted(&once), once);
    }

    /// The search in arguments finds what a search in each of their texts and in their JSON finds.
    #[test]
    fn redacted_arguments_contain_no_secret(name in text(), first in text(), second in text(), number in any::<u64>()) {
        for text in passed(&*GUARDS, [&name, &first, &second], number) {
            prop_assert_eq!(GUARDS.secrets.redacted(&text), text);
        }
    }

    /// A token that a search of the whole text finds is in no piece, wherever the text stands in a message.
    #[test]
    fn no_chunk_contains_the_token(before in "[ a-z\"\\\\é]{0,12}", after in "[ a-z\"\\\\é]{0,12}", which in 0..30_usize) {
        let (_, token) = tokens().swap_remove(which);
        let text = format!("{before} {token} {after}");
        prop_assert!(!GUARDS.secrets.redacted(&text).contains(&token));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let nested = json!({ "body": json!({ "inner": [&text] }).to_string() }).to_string();
        for arguments in [json!({ "a": [{ "b": &text }] }), json!({ "body": nested }), json!({ (text.clone()): 1 }), json!({ "a": [{ (format!("\n{token}")): 1 }] }), json!(text)] {
            let mut call = ToolCallInputs::new("post").with_arguments(arguments.clone());
            let mut ctx = RunContext::new("test");
            let decision = runtime.block_on(GUARDS.dispatch::<PreToolCall>(&mut call, &mut ctx)).unwrap();
            prop_assert!(decision.is_continue());
            prop_assert!(!format!("{call:?}").contains(&token), "{call:?}");

            let asked = exo_rails::message::ToolCall::new("c", "post", &arguments);
            let message = exo_rails::message::Message { tool_calls: vec![asked], ..Default::default() };
            let response = exo_rails::ModelResponse { message, ..Default::default() };
            let model = |_| std::future::ready(Ok::<_, OperationError>(response.clone()));
            let answer = runtime.block_on(GUARDS.guard_llm_call(ModelCallInputs::default(), &mut ctx, model)).unwrap();
            prop_assert!(!format!("{answer:?}").contains(&token), "{answer:?}");
        }
    }
}

/// A program that shows a file writes something before and after each line.
#[test]
fn a_key_in_a_list_of_lines_is_hidden_in_a_stream_and_in_a_whole_text() {
    let body = super::formats::random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 64 * 5 + 30);
    let body: Vec<_> = (0..body.len()).step_by(64).map(|at| &body[at..body.len().min(at + 64)]).collect();
    let headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF", ""];
    for (before, after) in
        [("", ""), ("> ", ""), ("id_rsa:7:", ""), ("| ", " |"), ("- \"", "\","), ("-- ", ""), ("+", "\r")]
    {
        // The headers may be at the start and in the middle.
        for headers_at in [0, 3] {
            let mut lines = body.clone();
            lines.splice(headers_at..headers_at, headers);
            let lines = ["-----BEGIN RSA PRIVATE KEY-----"].into_iter().chain(lines);
            let lines = lines.chain(["-----END RSA PRIVATE KEY-----"]).map(|line| format!("{before}{line}{after}\n"));
            let text = format!("The key is\n{}and the text goes on.\n", lines.collect::<String>());
            let left = GUARDS.secrets.redacted(&text);
            assert_eq!(left, format!("The key is\n{before}[PRIVATE_KEY]{after}\nand the text goes on.\n"), "{text}");
            for length in [1, 7, 100] {
                let places: Vec<_> = (0..text.len()).step_by(length).collect();
                assert_eq!(streamed(&*GUARDS, &cut(&text, &places)), left);
            }
        }
    }
}

#[tokio::test]
async fn a_stream_delays_only_text_that_may_begin_a_secret() {
    let token = &tokens()[6].1;
    let (first, second) = token.split_at(10);
    let script =
        json!([{ "deltas": ["Nothing here. ", "The tok", "en ", "is ", first, second, " so", " go on."] }]).to_string();
    let rails = Guards { secrets: Secrets::builder().build().unwrap() };
    let run = exo_rails_agent::testing::run(rails, &script).streamed().await;
    // `token ` may continue with `=`, also if what follows it is hidden, and `so` may begin a secret of Azure.
    run.assert_streamed(["Nothing here. ", "The ", "token is [GITHUB_TOKEN] ", "so go ", "on."]);
}

/// In the JSON of the arguments, the text does not end.
#[tokio::test]
async fn a_match_at_the_end_of_a_text_is_found_in_arguments() {
    let rule = RuleConfig { id: "desk".into(), regex: Some(r"\bdesk[0-9]{4}$".into()), ..RuleConfig::default() };
    let rails = Guards { secrets: Secrets::builder().default_rules(false).rules([rule]).build().unwrap() };
    let arguments = json!({ "a": "desk12345", "b": ["the desk1234", "desk123"], "c": 1 });
    let mut call = ToolCallInputs::new("post").with_arguments(arguments);
    let _ = rails.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("test")).await.unwrap();
    assert_eq!(call.arguments, json!({ "a": "desk12345", "b": ["the [DESK]", "desk123"], "c": 1 }));
}

#[test]
fn a_rule_without_a_fixed_beginning_works_in_a_stream() {
    let rule = RuleConfig {
        id: "id".into(),
        regex: Some("[0-9]{4}-desk".into()),
        keywords: vec!["-desk".into()],
        ..RuleConfig::default()
    };
    let rails = Guards { secrets: Secrets::builder().default_rules(false).rules([rule]).build().unwrap() };
    for text in ["a 12345-desk and 99-desk 1234", "0000-desk", "1234-des"] {
        let letters: Vec<_> = (0..text.len()).collect();
        assert_eq!(streamed(&rails, &cut(text, &letters)), rails.secrets.redacted(text));
    }
}
