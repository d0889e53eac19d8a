//! Where findings say that something was found.

use exo_rails::message::{Content, ContentPart, Message, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{MemoryEntry, MemoryQuery, RecalledMemory, rail_chain};
use exo_rails_guards::scan::{Action, Actions};
use exo_rails_guards::{Findings, PersonalData, Place, Secrets};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::formats::{tokens, word};

rail_chain! { struct Guards { secrets: Secrets } }

fn guards(action: Action) -> Guards {
    Guards { secrets: Secrets::builder().actions(Actions::everywhere(action)).build().unwrap() }
}

fn token() -> String {
    tokens()[6].1.clone()
}

/// Returns the places of the findings of an event.
fn places(ctx: &mut RunContext) -> Vec<Place> {
    let ctx = std::mem::replace(ctx, RunContext::new("test"));
    ctx.extra
        .get::<Findings>()
        .into_iter()
        .flat_map(|findings| &findings.0)
        .map(|finding| finding.place.clone())
        .collect()
}

async fn in_arguments(guards: &impl Guard, arguments: Value) -> Vec<Place> {
    let mut ctx = RunContext::new("test");
    let mut call = ToolCallInputs::new("post").with_arguments(arguments);
    let _ = guards.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
    places(&mut ctx)
}

#[tokio::test]
async fn a_finding_in_arguments_has_the_place_of_the_text() {
    let token = token();
    let bytes = |start: usize| start..start + token.len();
    let table = [
        (json!({ "a": { "b": ["x", format!("é {token} {token}")] } }), Place::pointer("/a/b/1").bytes(bytes(3))),
        (json!({ "a": token, "b": token }), Place::pointer("/a").bytes(bytes(0))),
        (json!(token), Place::pointer("").bytes(bytes(0))),
        // The text is not in one field.
        (json!({ "password": "c0rrect-h0rse-battery" }), Place::default()),
        // A name has no place, and a finding does not show names that may be secrets or data of a person.
        (json!({ (token.clone()): "x" }), Place::default()),
        (json!({ "list": [{ "ada@example.com": { "b": token } }] }), Place::pointer("/list/0")),
        (json!({ "list": { "a/b": token } }), Place::pointer("/list")),
        (json!({ "of": { "44207946095": token } }), Place::pointer("/of")),
    ];
    for (arguments, expected) in table {
        for action in [Action::Redact, Action::Refuse, Action::Report] {
            let found = in_arguments(&guards(action), arguments.clone()).await;
            assert_eq!(found.first(), Some(&expected), "{arguments} {action:?}");
        }
    }
    let personal = PersonalData::builder().build().unwrap();
    rail_chain! { struct Personal { personal_data: PersonalData } }
    let found =
        in_arguments(&Personal { personal_data: personal }, json!({ "to": ["x", "Ada <ada@example.com>"] })).await;
    assert_eq!(found, [Place::pointer("/to/1").bytes(5..20)]);
}

#[tokio::test]
async fn a_finding_in_each_kind_of_payload_names_its_place() {
    let (token, guards) = (token(), guards(Action::Redact));
    let bytes = |start: usize| start..start + token.len();
    let said = format!("It is {token}.");
    let mut ctx = RunContext::new("test");

    let mut run = InvokeInputs::new(said.clone());
    let _ = guards.dispatch::<Start>(&mut run, &mut ctx).await.unwrap();
    assert_eq!(places(&mut ctx), [Place::pointer("/input").bytes(bytes(6))]);
    let mut run = InvokeInputs::new("Hello");
    run.messages = [Message::user("Hello"), Message::user(said.clone())].into();
    let _ = guards.dispatch::<Start>(&mut run, &mut ctx).await.unwrap();
    assert_eq!(places(&mut ctx), [Place::pointer("/messages/1/content").bytes(bytes(6))]);
    let part = ContentPart { text: Some(said.clone()), ..ContentPart::default() };
    let mut run = InvokeInputs::new(Content::Parts(vec![ContentPart::default(), part]));
    let _ = guards.dispatch::<Start>(&mut run, &mut ctx).await.unwrap();
    assert_eq!(places(&mut ctx), [Place::pointer("/input/1/text").bytes(bytes(6))]);

    let mut memory = RecalledMemory::from(vec!["Hello".to_owned(), said.clone()]);
    let query = MemoryQuery::default();
    let _ = guards.dispatch::<MemoryRecalled>((&query, &mut memory), &mut ctx).await.unwrap();
    assert_eq!(places(&mut ctx), [Place::pointer("/items/1/text").bytes(bytes(6))]);
    let mut entry = MemoryEntry::new([Message::user(said.clone())]);
    let _ = guards.dispatch::<MemoryStored>(&mut entry, &mut ctx).await.unwrap();
    assert_eq!(places(&mut ctx), [Place::pointer("/messages/0/content").bytes(bytes(6))]);

    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text(said.clone())) };
    let _ = guards.guard_tool_call(ToolCallInputs::new("get"), &mut ctx, tool).await.unwrap();
    assert_eq!(places(&mut ctx), [Place::pointer("").bytes(bytes(6))]);

    let asked = ModelCallInputs::default();
    let mut window = StreamWindow::new(format!("{said} Thanks."), false);
    let _ = guards.dispatch::<LlmChunk>((&asked, &mut window), &mut ctx).await.unwrap();
    // Nobody knows the bytes before the window.
    assert_eq!(places(&mut ctx), [Place::pointer("/message/content")]);
    for (message, expected) in [
        (Message::assistant(said.clone()), Place::pointer("/message/content").bytes(bytes(6))),
        (
            Message {
                tool_calls: vec![ToolCall::new("c", "post", &json!({ "a": token }))],
                ..Message::assistant("Hello")
            },
            Place::pointer("/message/tool_calls/0/function/arguments").bytes(bytes(6)),
        ),
        (
            Message {
                extra: [("reasoning".to_owned(), Value::from(said.clone()))].into_iter().collect(),
                ..Message::assistant("Hello")
            },
            Place::pointer("/message/reasoning").bytes(bytes(6)),
        ),
    ] {
        let mut response = ModelResponse { message, ..ModelResponse::default() };
        let _ = guards.dispatch::<PostLlmCall>((&asked, &mut response), &mut ctx).await.unwrap();
        assert_eq!(places(&mut ctx), [expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No place has a secret, whatever the names of the fields are.
    #[test]
    fn the_place_of_a_finding_never_contains_a_secret(which in 0..30_usize, cut in 0..40_usize, depth in 0..3_usize, filler in 1..20_usize) {
        let (_, token) = tokens().swap_remove(which);
        let (first, second) = token.split_at(token.floor_char_boundary(cut.min(token.len())));
        let mut arguments = json!({ (second.to_owned()): { "text": format!("x {token}"), "more": word(filler) } });
        for _ in 0..depth {
            arguments = json!({ "list": [arguments] });
        }
        let arguments = json!({ (first.to_owned()): arguments });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for action in [Action::Redact, Action::Report] {
            for place in runtime.block_on(in_arguments(&guards(action), arguments.clone())) {
                let shown = place.to_string();
                prop_assert!(!shown.contains(&token) && guards(action).secrets.find(&shown).is_empty(), "{}", shown);
            }
        }
    }
}
