//! A taint survives every copy that the documentation names, and nothing else is refused.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::data_flow::support::{Run, web};

fn block<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(run)
}

/// A word that no list knows: it has a letter that the words around it never have.
fn word() -> impl Strategy<Value = String> {
    "[qxzvk][a-zäöüß]{2,9}"
}

/// A passage of at least 12 characters, with capitals and punctuation.
fn passage() -> impl Strategy<Value = String> {
    prop::collection::vec((word(), select(vec![" ", ", ", ". ", "\n", " - ", "/"])), 3..8)
        .prop_map(|words| words.iter().map(|(word, gap)| format!("{word}{gap}")).collect::<String>())
        .prop_filter("too short", |text| text.chars().filter(|c| c.is_alphanumeric()).count() >= 14)
}

/// A value that is found although it is short.
fn value() -> impl Strategy<Value = String> {
    let address = ("[qxz][a-z0-9]{1,6}", "[qxz][a-z]{1,6}", select(vec!["io", "example", "de"]));
    prop_oneof![
        address.clone().prop_map(|(local, host, top)| format!("{local}@{host}.{top}")),
        address.prop_map(|(sub, host, top)| format!("{sub}.{host}.{top}")),
        "[A-Z]{2}[0-9]{4}[A-Z0-9]{2,6}",
        "[3-9][0-9]{6,14}",
        "[qxz][a-z]{3,5}_[a-z]{3,6}",
        "/[qxz][a-z]{2,6}/[qxz][a-z]{2,6}",
    ]
}

/// Text around a value that has nothing in common with the other one.
fn around() -> impl Strategy<Value = String> {
    prop::collection::vec(select(vec!["the", "order", "of", "today", "is", "here", "and", "we", "call", "you"]), 0..8)
        .prop_map(|words| words.join(" "))
}

/// Common words, fewer than the guard takes for a copied passage: see `common_passage_chars`.
fn few_words() -> impl Strategy<Value = String> {
    around().prop_filter("a passage", |words| words.chars().filter(|c| c.is_alphanumeric()).count() < 32)
}

/// A change that keeps the letters and digits of a text.
fn changed(text: &str, change: usize) -> String {
    match change % 13 {
        0 => text.to_owned(),
        1 => text.to_uppercase(),
        2 => text.chars().map(|c| if c == ' ' { '_' } else { c }).collect(),
        3 => text
            .chars()
            .map(|c| if ('!'..='~').contains(&c) { char::from_u32(c as u32 + 0xfee0).unwrap() } else { c })
            .collect(),
        4 => text.chars().flat_map(|c| [c, '\u{200b}']).collect(),
        5 => text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        6 => BASE64.encode(text.as_bytes()),
        7 => BASE64URL_NOPAD.encode(text.as_bytes()),
        8 => HEXLOWER.encode(text.as_bytes()),
        9 => HEXUPPER.encode(text.as_bytes()),
        10 => text.chars().flat_map(char::escape_unicode).collect(),
        11 => text.chars().map(|c| format!("&#{};", c as u32)).collect(),
        _ => BASE64_NOPAD.encode(HEXLOWER.encode(text.as_bytes()).as_bytes()),
    }
}

/// Arguments with a text at some place.
fn arguments(text: &str, place: usize) -> Value {
    match place % 6 {
        0 => json!({ "text": text }),
        1 => json!({ "list": ["the order", { "deep": [text] }] }),
        2 => json!({ "body": json!({ "inner": text }).to_string() }),
        3 => json!(text),
        4 => json!({ text: true }),
        _ => json!({ "a": json!([json!([text]).to_string()]).to_string() }),
    }
}

async fn read_and_refused(output: &str, arguments: Value) -> bool {
    let mut run = web("");
    run.read(output).await;
    run.refusal("send", arguments).await.is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_copied_passage_is_found(
        (text, front, back, of_result) in (passage(), around(), around(), around()),
        (change, at_source, place) in (0_usize..13, 0_usize..13, 0_usize..6),
    ) {
        let copy = format!("{front} {} {back}", changed(&text, change));
        let result = format!("{of_result} {} {front}", changed(&text, at_source));
        // An escape in an escape is one level more than a text in a text.
        prop_assert!(block(read_and_refused(&result, arguments(&copy, place))), "{result:?} -> {copy:?}");
        let result = json!({ "items": [{ "text": result }] }).to_string();
        prop_assert!(block(read_and_refused(&result, arguments(&copy, place))), "{result:?} -> {copy:?}");
    }

    #[test]
    fn a_copied_value_is_found(
        (text, front, back) in (value(), around(), around()),
        (change, place) in (select(vec![0_usize, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), 0_usize..6),
    ) {
        // Codes of fewer than eight characters are not read.
        let encoded = changed(&text, change);
        prop_assume!(encoded.len() >= 8 || change < 5);
        let copy = format!("{front} {encoded} {back}");
        prop_assert!(block(read_and_refused(&format!("{back} {text} {front}"), arguments(&copy, place))), "{text:?} -> {copy:?}");
    }

    #[test]
    fn a_split_passage_is_found(text in passage(), cuts in prop::collection::vec(1_usize..40, 1..4), backwards: bool) {
        let characters: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % characters.len()).chain([0, characters.len()]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut parts: Vec<String> = cuts.windows(2).map(|cut| characters[cut[0]..cut[1]].iter().collect()).collect();
        if backwards {
            parts.reverse();
        }
        prop_assert!(block(read_and_refused(&text, json!({ "parts": parts }))), "{parts:?}");
    }

    #[test]
    fn calls_with_unrelated_texts_run(read in passage(), text in "[jwy][a-z]{2,5}( [jwy][a-z]{2,5}){0,9}", front in few_words()) {
        let (result, arguments) = (format!("{front} {read}"), json!({ "text": format!("{front} {text}") }));
        prop_assert!(!block(read_and_refused(&result, arguments)));
    }

    /// A quadratic search for common parts agrees with the guard, on an alphabet so small that parts often agree.
    #[test]
    fn the_guard_agrees_with_a_quadratic_search(read in "[qxzQ ]{0,60}", copy in "[qxzQ, ]{0,40}") {
        let fold = |text: &str| -> Vec<char> { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
        let (one, other) = (fold(&read), fold(&copy));
        let has_piece = other.windows(12).any(|piece| one.windows(12).any(|other| other == piece));
        let words: Vec<Vec<char>> = read.split(' ').map(fold).filter(|word| !word.is_empty()).collect();
        let phrases = (1..=3).flat_map(|count| words.windows(count).map(<[Vec<char>]>::concat));
        let is_whole = other.len() >= 6 && phrases.filter(|phrase| phrase.len() < 12).any(|phrase| phrase == other);
        prop_assert_eq!(block(read_and_refused(&read, json!({ "text": copy }))), has_piece || is_whole);
    }
}

#[tokio::test]
async fn common_words_are_a_copy_from_32_characters() {
    for (front, is_refused) in [
        ("order order order order order order the", true),
        ("order order order order order order we", true),
        ("order order order order order order a", false),
        ("order order order order order order", false),
    ] {
        let result = format!("{front} xaö kaö vüaüßaöö ");
        let copy = json!({ "text": format!("{front} jaa") });
        assert_eq!(read_and_refused(&result, copy).await, is_refused, "{front}");
    }
}

#[tokio::test]
async fn a_value_of_a_json_result_is_found_in_a_text() {
    for (result, text, is_found) in [
        (json!({ "password": "swordfish" }), "it is Swordfish!", true),
        (json!({ "name": "Trudy Intruder" }), "pay trudy  intruder now", true),
        (json!({ "id": 90_417_223 }), "number 90417223", true),
        (json!({ "id": 90_417_223 }), "number 90 417 223", true),
        (json!({ "phone": "0171 234 5678" }), "call 01712345678", true),
        (json!({ "cabin": "economy", "day": "2024-05-20" }), "economy on 2024-05-20", false),
        (json!({ "pin": "4711" }), "4711", false),
        (json!({ "id": "AA2000A0" }), "number AA2000A0", true),
        (json!({ "id": "AB2024" }), "number AB-2024", true),
        (json!({ "id": "AA2000" }), "aa2000", true),
        (json!({ "day": "20-May-2024", "week": "2024-W21" }), "20-May-2024 2024-W21", false),
        (json!({ "ok": true, "none": null }), "true null", false),
    ] {
        assert_eq!(
            read_and_refused(&result.to_string(), json!({ "text": text })).await,
            is_found,
            "{result} -> {text}"
        );
    }
}

#[tokio::test]
async fn a_finding_has_the_place_and_not_the_value() {
    let mut run = web("");
    run.read("Write to mallory@elsewhere.example.").await;
    let mut call = exo_rails::ToolCallInputs::new("send");
    call.arguments = json!({ "to": [{ "address": "Cc: Mallory@Elsewhere.example" }] });
    let bus = exo_rails::EventBus::new(16);
    let mut records = bus.subscribe();
    let Run { rails, mut ctx } = run;
    let tool = |_| async { Ok::<_, exo_rails::OperationError>("ran") };
    let output = exo_rails::Guard::guard_tool_call(&bus.wrap(rails), call, &mut ctx, tool).await.unwrap().content;
    assert!(!output.to_lowercase().contains("mallory"), "{output}");
    let finding = loop {
        let record = records.recv().await.unwrap().unwrap();
        if record.emitted.as_deref() == Some("finding") {
            break record.payload["data"].clone();
        }
    };
    assert_eq!(finding["place"], json!({ "pointer": "/to/0/address", "bytes": { "start": 4, "end": 29 } }));
    assert_eq!((&finding["guard"], &finding["rule"]), (&json!("data_flow"), &json!("sink")));
    assert!(!finding.to_string().to_lowercase().contains("mallory"), "{finding}");
}
