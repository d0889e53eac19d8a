use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, Stream, StreamPiece, ToolCallDelta};
use exo_rails_guards::Sizes;
use exo_rails_guards::sizes::LargeOutput;
use exo_rails_guards::sizes::SizesConfig;
use exo_rails_guards::{Kit, PersonalData, Secrets};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use crate::shape::{calling, findings, offering};

rail_chain! { struct Guards { sizes: Sizes } }

fn guards() -> Guards {
    let sizes = Sizes::builder().max_argument_bytes(200).max_depth(4).max_items(10).max_string_bytes(40);
    Guards { sizes: sizes.max_output_bytes(300).max_answer_bytes(50).build().unwrap() }
}

async fn run(arguments: Value) -> String {
    let call = ToolCallInputs::new("search").with_arguments(arguments);
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran")) };
    guards().guard_tool_call(call, &mut RunContext::new("test"), tool).await.unwrap().content
}

#[tokio::test]
async fn large_arguments_do_not_run() {
    let long = "x".repeat(30);
    let table = [
        (json!({ "a": [1, 2, 3], "b": { "c": "text" } }), "ran"),
        (json!({}), "ran"),
        // A call whose arguments are not JSON is not the matter of this guard.
        (json!("not an object"), "ran"),
        (json!({ "a": [[[1]]] }), "ran"),
        (json!({ "a": [[[[1]]]] }), "sizes/depth: the arguments are nested more than 4 levels deep"),
        (json!({ "a": (0..11).collect::<Vec<_>>() }), "sizes/items: the arguments have more than 10 items"),
        (json!({ "a": "y".repeat(41) }), "sizes/string_bytes: a string in the arguments has more than 40 bytes"),
        (json!({ "a": "é".repeat(21) }), "sizes/string_bytes: a string in the arguments has more than 40 bytes"),
        (
            json!({ "a": [long, long, long, long, long, long, long] }),
            "sizes/argument_bytes: the arguments have more than 200 bytes",
        ),
        // Split over names and values.
        (json!({ "k".repeat(41): 1 }), "sizes/string_bytes: a string in the arguments has more than 40 bytes"),
    ];
    for (arguments, expected) in table {
        let output = run(arguments.clone()).await;
        assert!(output == expected || output.ends_with(&format!(": {expected}")), "{arguments}: {output}");
    }
}

/// Streams this piece again and again, and counts the pieces that were read.
fn endless(piece: ModelDelta, read: &AtomicUsize) -> impl Stream<Item = Result<ModelDelta, OperationError>> {
    let again = move || {
        read.fetch_add(1, Ordering::Relaxed);
        Ok(piece.clone())
    };
    stream::repeat_with(again).take(100_000)
}

#[tokio::test]
async fn a_long_stream_is_read_to_the_limit_only() {
    let arguments = |piece: &str| ToolCallDelta { arguments: piece.to_owned(), ..ToolCallDelta::at(0) };
    let table = [
        (ModelDelta::Text("éé".to_owned()), 13, "sizes/answer_bytes: the text of the answer has more than 50 bytes"),
        (ModelDelta::ToolCall(arguments("[0,")), 67, "sizes/argument_bytes: the arguments have more than 200 bytes"),
        // Blanks count too.
        (ModelDelta::ToolCall(arguments("   ")), 67, "sizes/argument_bytes: the arguments have more than 200 bytes"),
    ];
    for (piece, pieces, message) in table {
        let (read, shown) = (AtomicUsize::new(0), Mutex::new(String::new()));
        let model = |_| endless(piece.clone(), &read);
        let sink = async |piece| match piece {
            StreamPiece::Text(text) => shown.lock().unwrap().push_str(&text),
            StreamPiece::Restart => shown.lock().unwrap().clear(),
        };
        let mut ctx = RunContext::new("test");
        let error = guards().guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await.unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(shown.lock().unwrap().len() <= 50);
        // Each explanation has one more attempt.
        let attempts = 1 + SizesConfig::default().max_feedback as usize;
        assert_eq!(read.into_inner(), attempts * pieces, "{message}");
    }
}

#[tokio::test]
async fn an_answer_as_long_as_the_limit_passes_in_a_stream() {
    let pieces = ["x".repeat(25), "é".repeat(12), "!".to_owned()];
    let model = |_| stream::iter(pieces.clone().map(|text| Ok::<_, OperationError>(ModelDelta::Text(text))));
    let mut ctx = RunContext::new("test");
    let answer = guards().guard_stream(ModelCallInputs::default(), &mut ctx, model, async |_| ()).await.unwrap();
    assert_eq!((answer.message.text().len(), answer.is_cut()), (50, false));
}

#[tokio::test]
async fn a_guard_in_shadow_reads_the_whole_stream() {
    let guards = Guards { sizes: Sizes::builder().max_answer_bytes(50).build().unwrap() }.shadow();
    let pieces = vec!["x".repeat(40); 4];
    let model = |_| stream::iter(pieces.clone()).map(|text| Ok::<_, OperationError>(ModelDelta::Text(text)));
    let mut ctx = RunContext::new("test");
    let answer = guards.guard_stream(ModelCallInputs::default(), &mut ctx, model, async |_| ()).await.unwrap();
    assert_eq!(answer.message.text().len(), 160);
}

#[tokio::test]
async fn a_large_output_is_withheld_or_cut() {
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("é".repeat(400))) };
    let output =
        guards().guard_tool_call(ToolCallInputs::new("read"), &mut RunContext::new("test"), tool).await.unwrap();
    assert!(output.is_error);
    assert_eq!(
        output.content,
        "sizes/output_bytes: the output has 800 bytes, and at most 300 are allowed: ask for less"
    );

    let sizes = Sizes::builder().max_output_bytes(300).large_output(LargeOutput::Cut).build().unwrap();
    let rails = Guards { sizes };
    let output = rails.guard_tool_call(ToolCallInputs::new("read"), &mut RunContext::new("test"), tool).await.unwrap();
    assert!(!output.is_error && output.content.len() <= 300, "{}", output.content.len());
    assert!(output.content.starts_with("ééé") && output.content.ends_with("are allowed: ask for less]"));
}

#[tokio::test]
async fn a_large_answer_is_asked_for_again_and_then_ends_the_run() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for answer in [ModelResponse::text("z".repeat(51)), calling(&[("1", "search", &deep)])] {
        let mut requests = 0;
        let model = |_: Permit<ModelCallInputs>| {
            requests += 1;
            let answer = answer.clone();
            async move { Ok::<_, OperationError>(answer) }
        };
        let error =
            guards().guard_llm_call(offering(&["search"]), &mut RunContext::new("test"), model).await.unwrap_err();
        assert!(error.to_string().contains("(2 explanations have not helped)"), "{error}");
        assert_eq!(requests, 3);
    }
}

#[test]
fn a_configuration_that_makes_no_sense_is_refused() {
    let table = [
        ("max_depth = 0", "`max_depth`: 0 would refuse everything: write a limit of at least 1"),
        (
            "large_output = \"cut\"\nmax_output_bytes = 100",
            "`max_output_bytes`: a cut output needs room for a note: write at least 256",
        ),
        ("max_dept = 3", "line 1, column 1: unknown key `max_dept`: did you mean `max_depth`?"),
        ("large_output = \"cuts\"", "line 1, column 16: unknown value `cuts`: did you mean `cut`?"),
    ];
    for (text, expected) in table {
        let error = exo_rails_guards::config::from_toml::<SizesConfig>(text).and_then(Sizes::new).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

rail_chain! { struct Searched { sizes: Sizes, secrets: Secrets, personal_data: PersonalData } }

#[tokio::test]
async fn a_secret_at_the_cut_is_hidden() {
    let token = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    let values =
        [(token.as_str(), "[GITHUB_TOKEN]"), ("4111111111111111", "[CREDIT_CARD]"), ("ada@example.com", "[EMAIL]")];
    let sizes = || Sizes::builder().max_output_bytes(300).large_output(LargeOutput::Cut).build().unwrap();
    let rails = Searched {
        sizes: sizes(),
        secrets: Secrets::builder().build().unwrap(),
        personal_data: PersonalData::builder().build().unwrap(),
    };
    let kit = "[sizes]\nmax_output_bytes = 300\nlarge_output = 'cut'\n[secrets]\n[personal_data]";
    let kit = Kit::from_toml(kit).unwrap();
    let mut marks = 0;
    for (value, mark) in values {
        for before in 150..300 {
            let content = format!("{} {value} {}", "a ".repeat(before / 2) + &"b"[..before % 2], "z ".repeat(400));
            let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text(&content)) };
            let (call, ctx) = (ToolCallInputs::new("read"), &mut RunContext::new("test"));
            let output = if before % 2 == 0 {
                rails.guard_tool_call(call, ctx, tool).await.unwrap().content
            } else {
                kit.guard_tool_call(call, ctx, tool).await.unwrap().content
            };
            let longest = (1..=value.len()).rev().find(|length| output.contains(&value[..*length])).unwrap_or(0);
            assert!(longest < 8, "{longest} bytes of {value} after {before}: {output}");
            assert!(output.len() <= 300 && output.ends_with("ask for less]"), "{output}");
            marks += usize::from(output.contains(mark));
        }
    }
    assert!(marks > 100, "{marks}");
}

#[tokio::test]
async fn a_large_output_of_the_history_is_withheld_in_each_request() {
    let (guards, mut ctx) = (guards(), RunContext::new("test"));
    for turn in 0..2 {
        let small = Message::tool("call-0", "x".repeat(300));
        let mut request = ModelCallInputs::new([small.clone(), Message::tool("call-1", "y".repeat(301))]);
        let _ = guards.dispatch::<PreLlmCall>(&mut request, &mut ctx).await.unwrap();
        let text = "sizes/output_bytes: the output has 301 bytes, and at most 300 are allowed: ask for less";
        assert_eq!(request.messages, [small, Message::tool("call-1", text)]);
        assert_eq!(findings(&ctx).len(), 1 - turn, "it is reported once");
    }
}
