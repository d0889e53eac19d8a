//! Recognisers and placeholders.

use std::fmt::Write as _;

use exo_rails::prelude::*;
use exo_rails::{EventBus, SharedExtensions, rail_chain};
use exo_rails_guards::personal_data::{Placeholders, reveal, true_arguments};
use exo_rails_guards::{Kit, PersonalData};
use proptest::prelude::*;
use serde_json::json;
use std::sync::LazyLock;

use super::chunks::{cut, passed, streamed};

rail_chain! { struct Guards { personal_data: PersonalData } }

static GUARDS: LazyLock<Guards> =
    LazyLock::new(|| Guards { personal_data: PersonalData::builder().recognisers(["*"]).build().unwrap() });

/// Values, with the mark of each.
pub(crate) const VALUES: &[(&str, &str)] = &[
    ("EMAIL", "ada.lovelace+desk@mail.example.co.uk"),
    ("EMAIL", "o'neill@example.com"),
    ("CREDIT_CARD", "4111 1111 1111 1111"),
    ("CREDIT_CARD", "378282246310005"),
    ("CREDIT_CARD", "5555-5555-5555-4444"),
    ("CREDIT_CARD", "2223003122003222"),
    ("IBAN", "DE89 3704 0044 0532 0130 00"),
    ("IBAN", "GB82WEST12345698765432"),
    ("IBAN", "NO9386011117947"),
    ("US_SSN", "536-90-4399"),
    ("US_ITIN", "911-70-1234"),
    ("IT_FISCAL_CODE", "RSSMRA85T10A562S"),
    ("FI_IDENTITY_CODE", "131052-308T"),
    ("ES_NIF", "12345678Z"),
    ("ES_NIF", "X-1234567-L"),
    ("BR_CPF", "529.982.247-25"),
    ("IN_AADHAAR", "2341 2341 2346"),
    ("IN_PAN", "ABCPE1234F"),
    ("UK_NHS", "943 476 5919"),
    ("UK_NINO", "AB 12 34 56 C"),
    ("PL_PESEL", "44051401359"),
    ("AU_TFN", "123 456 782"),
    ("CA_SIN", "130-692-544"),
    ("SE_PERSONAL_NUMBER", "811228-9874"),
    ("PHONE", "+44 20 7946 0958"),
    ("PHONE", "+49 (0)30 901820"),
    ("PHONE", "(415) 555-0132"),
    ("PHONE", "415-555-0132"),
    ("PHONE", "01 42 68 53 00"),
    ("IP_ADDRESS", "192.168.7.12"),
    ("IP_ADDRESS", "2001:db8::ff00:42:8329"),
    ("MAC_ADDRESS", "00:1B:44:11:3A:B7"),
    ("CRYPTO_WALLET", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
    ("CRYPTO_WALLET", "0x52908400098527886E0F7030069857D2E4169EE7"),
];

#[test]
fn each_recogniser_finds_its_values() {
    for (mark, value) in VALUES {
        for (before, after) in
            [("", ""), ("it is ", "."), ("(", ")"), ("\"", "\", more"), ("é ", "\n"), ("<", ">"), ("a, ", " OK")]
        {
            let name = mark.to_lowercase().replace('_', "-");
            let guard = PersonalData::builder().recognisers([name]).build().unwrap();
            let text = format!("{before}{value}{after}");
            assert_eq!(guard.redacted(&text), format!("{before}[{mark}]{after}"), "{text}");
            assert!(!GUARDS.personal_data.redacted(&text).contains(value), "{text}");
        }
    }
}

/// A program would not understand a mark. The answer of the model has the arguments too.
#[tokio::test]
async fn arguments_keep_what_may_be_something_else() {
    let rails = Guards { personal_data: PersonalData::builder().build().unwrap() };
    for (text, expected) in [
        ("ssh deploy@web1.example.com uptime", "ssh deploy@web1.example.com uptime"),
        ("scp deploy@web1.example.com:dump.sql .", "scp deploy@web1.example.com:dump.sql ."),
        ("bc <<< '415-555-0132'", "bc <<< '415-555-0132'"),
        ("mail ada@example.com", "mail [EMAIL]"),
        ("call +44 20 7946 0958", "call [PHONE]"),
        ("phone: 415-555-0132", "phone: [PHONE]"),
    ] {
        let mut ctx = RunContext::new("test");
        let mut call = ToolCallInputs::new("run").with_arguments(json!({ "text": text }));
        let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
        assert_eq!(call.arguments, json!({ "text": expected }));

        let asked = exo_rails::message::ToolCall::new("c", "run", &json!({ "text": text }));
        let message = exo_rails::message::Message { tool_calls: vec![asked], ..Default::default() };
        let response = exo_rails::ModelResponse { message, ..Default::default() };
        let model = |_| std::future::ready(Ok::<_, OperationError>(response.clone()));
        let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
        let arguments = &answer.message.tool_calls[0].function.arguments;
        assert_eq!(*arguments, json!({ "text": expected }).to_string());
    }
}

#[test]
fn numbers_that_are_not_personal_data_stay_unchanged() {
    let guard = PersonalData::builder().build().unwrap();
    let table = [
        "order 4111111111111112, paid on 2024-05-01 at 12:30:45",
        "reservation 8JX2WO, flight HAT136, $1,286.00, 45 % off",
        "between 1000000 and 2000000 rows, 3.14159265358979",
        "commit 5c2c64cd90be8a4ff49a0a5c1f5c0bfb1a0c1d2e, build 20240501.1234567",
        "version 1.2.3, 10.0.0.1, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
        "@property, @media, a @ b, user@localhost, git@github:org",
        "000-12-3456 and 666-12-3456 and 123-45-6789",
        "4dd2a7d0-39f3-4d8b-8a59-6dbb1cf8bc43",
        "0xdeadbeef, 0x52908400098527886e0f7030069857d2e4169ee752908400098527886e0f7030",
        "DE is a country, GB82 is a postcode, SE24 too",
        "timestamps 1714564800, 1714564800123 and 2024-05-01T12:30:45.123456Z",
        "isbn 978-3-16-148410-0, range 100-200-3000",
        "2023-01-05 10:15 to 2023-01-06 11:45",
    ];
    for text in table {
        assert_eq!(guard.redacted(text), text);
    }
}

fn text() -> impl Strategy<Value = String> {
    let value = prop::sample::select(VALUES).prop_map(|(_, value)| value.to_owned());
    let begun = prop::sample::select(VALUES)
        .prop_flat_map(|(_, value)| (0..value.len()).prop_map(move |end| value[..end].to_owned()));
    let words = prop::sample::select(vec![
        " ", "\n", ": ", "-", ".", "@", "+", "(", "1", "DE", "bc1", "x", "é", "0", "word", "[EMAIL]",
    ]);
    let part = prop_oneof![3 => value, 2 => begun, 5 => words.prop_map(str::to_owned)];
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

    #[test]
    fn redacted_arguments_contain_no_personal_data(name in text(), first in text(), second in text(), number in any::<u64>()) {
        for text in passed(&*GUARDS, [&name, &first, &second], number) {
            // A phone number without a country code may be another number, so arguments keep it.
            let found = GUARDS.personal_data.find(&text).into_iter();
            let found: Vec<_> = found.filter(|(rule, bytes)| *rule != "phone" || text[bytes.clone()].starts_with('+')).collect();
            prop_assert!(found.is_empty(), "{text:?} has {found:?}");
        }
    }

    #[test]
    fn a_second_redaction_changes_nothing(text in text()) {
        let once = GUARDS.personal_data.redacted(&text);
        prop_assert_eq!(GUARDS.personal_data.redacted(&once), once);
    }
}

fn with_placeholders(max_values: usize) -> Guards {
    let placeholders = Placeholders { tools: vec!["send_*".parse().unwrap()], max_values };
    Guards { personal_data: PersonalData::builder().placeholders(placeholders).build().unwrap() }
}

fn output(text: &str) -> impl Fn(Permit<ToolCallInputs>) -> std::future::Ready<Result<ToolOutput, OperationError>> {
    let output = ToolOutput::text(text);
    move |_| std::future::ready(Ok(output.clone()))
}

#[tokio::test]
async fn a_value_has_one_placeholder_and_only_named_tools_receive_it() {
    let bus = EventBus::new(64);
    let mut records = bus.subscribe();
    let rails = bus.wrap(with_placeholders(100));
    let mut ctx = RunContext::new("test");
    let found = output("ada@example.com, grace@example.com, ada@example.com, +44 20 7946 0958");
    let first = rails.guard_tool_call(ToolCallInputs::new("customers"), &mut ctx, found).await.unwrap();
    assert_eq!(first.content, "[EMAIL_1], [EMAIL_2], [EMAIL_1], [PHONE_1]");

    let arguments = json!({ "to": ["[EMAIL_2]"], "text": "Call [PHONE_1], [EMAIL_9] or [X_1].", "[EMAIL_1]": 1 });
    let send = async |tool: &str, arguments: serde_json::Value, ctx: &mut RunContext| {
        let seen = std::sync::Mutex::new(None);
        let run = |call: Permit<ToolCallInputs>| {
            *seen.lock().unwrap() = Some(true_arguments(&call));
            std::future::ready(Ok::<_, OperationError>(ToolOutput::text("sent to grace@example.com")))
        };
        let output =
            rails.guard_tool_call(ToolCallInputs::new(tool).with_arguments(arguments), ctx, run).await.unwrap();
        (output.content, seen.into_inner().unwrap())
    };
    // A placeholder that the model has invented.
    let (content, seen) = send("send_mail", arguments.clone(), &mut ctx).await;
    assert!(content.contains("`[EMAIL_9]` stands for no value") && seen.is_none(), "{content}");
    let arguments = json!({ "to": ["[EMAIL_2]"], "text": "Call [PHONE_1] or [X_1].", "[EMAIL_1]": 1 });
    let (content, seen) = send("send_mail", arguments.clone(), &mut ctx).await;
    assert_eq!(content, "sent to [EMAIL_2]");
    let expected =
        json!({ "to": ["grace@example.com"], "text": "Call +44 20 7946 0958 or [X_1].", "ada@example.com": 1 });
    assert_eq!(seen, Some(expected));
    for tool in ["post", "SEND_MAIL", "resend_mail"] {
        assert_eq!(send(tool, arguments.clone(), &mut ctx).await.1, Some(arguments.clone()), "{tool}");
    }
    assert_eq!(reveal(&ctx, "Sent to [EMAIL_2]."), "Sent to grace@example.com.");
    // Another run has its own values.
    assert_eq!(reveal(&RunContext::new("test"), "[EMAIL_2]"), "[EMAIL_2]");

    drop((rails, bus));
    let mut all = String::new();
    while let Some(Ok(record)) = records.recv().await {
        write!(all, "{record:?}").unwrap();
    }
    // Four digits alone may be a part of a time.
    assert!(all.contains("[EMAIL_2]") && !all.contains("grace@") && !all.contains("7946 0958"), "{all}");
}

#[tokio::test]
async fn the_vault_forgets_its_values_with_the_session() {
    let rails = with_placeholders(100);
    let values = SharedExtensions::default();
    let context = || RunContext::new("test").with_session("s-1", values.clone(), 0);
    let mut run = InvokeInputs::new("I am ada@example.com");
    let _ = rails.dispatch::<Start>(&mut run, &mut context()).await.unwrap();
    assert_eq!(run.input.text(), "I am [EMAIL_1]");
    // The next run of the session.
    assert_eq!(reveal(&context(), "[EMAIL_1]"), "ada@example.com");
    let session = exo_rails::SessionInfo { id: "s-1".into(), ..Default::default() };
    let _ = rails.dispatch::<SessionEnd>(&session, &mut context()).await.unwrap();
    assert_eq!(reveal(&context(), "[EMAIL_1]"), "[EMAIL_1]");
}

#[tokio::test]
async fn a_full_vault_hides_values_without_numbers() {
    let rails = with_placeholders(2);
    let found = output("a@example.com b@example.com c@example.com a@example.com");
    let output =
        rails.guard_tool_call(ToolCallInputs::new("customers"), &mut RunContext::new("test"), found).await.unwrap();
    assert_eq!(output.content, "[EMAIL_1] [EMAIL_2] [EMAIL] [EMAIL_1]");
}

#[tokio::test]
async fn a_stream_and_its_message_have_the_same_placeholders() {
    let script = json!([{ "deltas": ["Write to ada@exam", "ple.com or bob@example", ".com now."] }]).to_string();
    let run = exo_rails_agent::testing::run(with_placeholders(9), &script).streamed().await;
    run.assert_output("Write to [EMAIL_1] or [EMAIL_2] now.");
}

#[tokio::test]
async fn a_kit_has_both_guards_and_in_shadow_the_vault_stays_empty() {
    let kit = Kit::from_toml("[secrets]\n[personal_data]\nplaceholders = { tools = 'send_mail' }").unwrap();
    let mut ctx = RunContext::new("test");
    let found = output("postgres://ada:c0rrect-h0rse@db/x for ada@example.com");
    let both = kit.guard_tool_call(ToolCallInputs::new("customers"), &mut ctx, found).await.unwrap();
    assert!(!both.content.contains("ada@example.com") && !both.content.contains("h0rse"), "{both:?}");

    let kit = Kit::from_toml("[personal_data]\nmode = 'shadow'\nplaceholders = { tools = 'send_mail' }").unwrap();
    let mut ctx = RunContext::new("test");
    let mut run = InvokeInputs::new("I am ada@example.com");
    let _ = kit.dispatch::<Start>(&mut run, &mut ctx).await.unwrap();
    assert_eq!(run.input.text(), "I am ada@example.com");
    assert_eq!(reveal(&ctx, "[EMAIL_1]"), "[EMAIL_1]");
    let error =
        Kit::builder().known_tools(["send_mail"]).from_toml("[personal_data]\nplaceholders = { tools = 'send_mial' }");
    assert!(error.unwrap_err().to_string().contains("did you mean `send_mail`?"));
}
