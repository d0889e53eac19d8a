//! Answers that leave piece by piece, and what the rails make of them on the way.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use exo_rails::message::{Content, ContentPart, Message, Role, ToolCall, Usage};
use exo_rails::prelude::*;
use exo_rails::{
    AnswerLimit, CancellationToken, Event, ModelDelta, Outcome, Serves, Stream, StreamPiece, ToolCallDelta,
};
use exo_rails_agent::RunEvent;
use exo_rails_agent::ScriptedModel;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, json};
use tests::{GuardDyn, note, notes, rails};

/// Secrets are 6 letters long.
#[rail(priority = 40, on = [LlmChunk], window = 6)]
fn redact(window: &mut StreamWindow) {
    window.text = window.text.replace("secret", "[-]");
}

#[rail(priority = 20, on = [LlmChunk], window = 4)]
async fn stop(window: &mut StreamWindow) {
    if let Some(at) = window.text.find("STOP") {
        window.text.truncate(at);
        window.end();
    }
}

/// Lets pass what begins with its word, and no rail after it sees it.
#[rail(priority = 15, on = [LlmChunk])]
fn trusted(window: &StreamWindow) -> RailAction {
    if window.text.starts_with("TRUST") { RailAction::skip("it is ours") } else { RailAction::Continue }
}

#[rail(priority = 10, on = [LlmChunk], window = 3)]
fn forbid(window: &StreamWindow) -> Verdict {
    Verdict::abort_if(window.text.contains("BAD"), "a bad word")
}

/// Wants the model to be called again, twice at most, when it says so.
#[rail(priority = 30, on = [LlmChunk], window = 5)]
fn again(window: &StreamWindow) -> RailAction {
    if window.text.contains("AGAIN") {
        RailAction::retry(RetryRequest::new("it said so").with_max_retries(2))
    } else {
        RailAction::Continue
    }
}

#[rail(priority = 90, on = [PostLlmCall])]
fn sign(response: &mut ModelResponse, ctx: &RailContext) {
    note(ctx, format!("post {}", response.message.text()));
    response.extra.insert("signed".into(), true.into());
}

rail_chain! {
    struct Guards { redact, stop, forbid, again, sign }
}

/// What came of a call: the result, and what left.
#[derive(Debug, PartialEq)]
struct Seen {
    result: Result<ModelResponse, String>,
    pieces: Vec<StreamPiece>,
}

impl Seen {
    /// The text of all pieces, as a reader has it at the end.
    fn text(&self) -> String {
        let begin = self.pieces.iter().rposition(|piece| *piece == StreamPiece::Restart).map_or(0, |at| at + 1);
        let text = |piece: &StreamPiece| match piece {
            StreamPiece::Text(text) => text.clone(),
            other @ StreamPiece::Restart => panic!("{other:?} after the last restart"),
        };
        self.pieces[begin..].iter().map(text).collect()
    }

    fn restarts(&self) -> usize {
        self.pieces.iter().filter(|piece| **piece == StreamPiece::Restart).count()
    }
}

/// Streams what `model` says at each attempt.
async fn streamed<R, S>(rails: &R, ctx: &mut RunContext, mut model: impl FnMut(usize) -> S + Send) -> Seen
where
    R: GuardSet,
    S: Stream<Item = Result<ModelDelta, OperationError>> + Send,
{
    streamed_boxed(rails, ctx, &mut |attempt| model(attempt).boxed()).await
}

async fn streamed_boxed<'s, R: GuardSet>(
    rails: &R,
    ctx: &mut RunContext,
    model: &mut (dyn FnMut(usize) -> BoxStream<'s, Result<ModelDelta, OperationError>> + Send),
) -> Seen {
    let (pieces, mut attempts) = (Mutex::new(Vec::new()), 0);
    let sink = |piece| {
        pieces.lock().unwrap().push(piece);
        std::future::ready(())
    };
    let model = |request| {
        attempts += 1;
        let deltas = model(attempts - 1);
        // The permit is there as long as the stream.
        deltas.map(move |delta| {
            let _ = &request;
            delta
        })
    };
    let result = rails.guard_stream(ModelCallInputs::default(), ctx, model, sink).await;
    Seen { result: result.map_err(|error| error.to_string()), pieces: pieces.into_inner().unwrap() }
}

/// The same answer, not streamed.
async fn called<R: GuardSet>(rails: &R, text: &str) -> Result<ModelResponse, String> {
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text(text)) };
    let mut ctx = RunContext::new("streaming");
    rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.map_err(|error| error.to_string())
}

fn said(texts: &[&str]) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send + use<> {
    let texts: Vec<_> = texts.iter().map(|text| Ok(ModelDelta::Text((*text).to_owned()))).collect();
    stream::iter(texts).chain(stream::iter([Ok(ModelDelta::Finish("stop".to_owned()))]))
}

fn context() -> RunContext {
    RunContext::new("streaming")
}

/// The guard sets that the same rails can be.
fn hooks() -> HookManager {
    let mut hooks = HookManager::new();
    Guards {}.register(&mut hooks);
    hooks
}

fn manager() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(redact {}).unwrap();
    manager.add(stop {}).unwrap();
    manager.add(forbid {}).unwrap();
    manager.add(again {}).unwrap();
    manager.add(sign {}).unwrap();
    manager
}

/// Texts with at most one word that stops: where there are two, it depends on the pieces which is seen first.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![Just("secret"), Just("sec"), Just("ret"), Just("é"), Just(" "), Just("STO"), Just("B")];
    let words = || prop::collection::vec(word.clone(), 0..8).prop_map(|words| words.concat());
    let stop = prop_oneof![4 => Just(""), 2 => Just("STOP"), 2 => Just("BAD"), 1 => Just("AGAIN")];
    (words(), stop, words()).prop_map(|(before, stop, after)| format!("{before}{stop}{after}"))
}

#[test]
fn a_streamed_answer_and_a_whole_answer_have_the_same_result() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let cases = (text(), prop::collection::vec(1..5_usize, 1..6));
    let config = Config { cases: 600, failure_persistence: None, ..Config::default() };
    let check = |(text, lengths): (String, Vec<usize>)| {
        let letters: Vec<_> = text.chars().collect();
        let (mut pieces, mut rest) = (vec![String::new()], &letters[..]);
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, others) = rest.split_at((*length).min(rest.len()));
            pieces.push(piece.iter().collect::<String>());
            rest = others;
        }
        let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
        let expected = runtime.block_on(called(&Guards {}, &text));
        let seen = runtime.block_on(streamed(&Guards {}, &mut context(), |_| said(&pieces)));
        prop_assert_eq!(&seen.result, &expected, "{:?}", pieces);
        for managed in [
            runtime.block_on(streamed(&hooks(), &mut context(), |_| said(&pieces))),
            runtime.block_on(streamed(&manager(), &mut context(), |_| said(&pieces))),
        ] {
            prop_assert_eq!(&managed, &seen);
        }
        if let Ok(response) = &expected {
            prop_assert_eq!(seen.text(), response.message.text());
        }
        // Whatever comes of it, nothing has left that was to be hidden.
        prop_assert!(!seen.text().contains("secret") && !seen.text().contains("BAD"), "{:?}", seen);
        Ok(())
    };
    TestRunner::new(config).run(&cases, check).unwrap();
}

#[tokio::test]
async fn text_is_released_before_the_model_has_finished() {
    let seen = streamed(&manager(), &mut context(), |_| said(&["It is a sec", "ret, as ", "they say."])).await;
    let text = |text: &str| StreamPiece::Text(text.to_owned());
    assert_eq!(seen.pieces, [text("It is"), text(" a [-"), text("], as the"), text("y say.")]);
    let response = seen.result.unwrap();
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
    assert_eq!(response.extra["signed"], true);
}

/// Counts how often it is polled, and knows when it is dropped.
fn watched(texts: &[&str]) -> (impl Stream<Item = Result<ModelDelta, OperationError>> + Send + use<>, Arc<Watch>) {
    let watch = Arc::new(Watch::default());
    let guard = Dropped(Arc::clone(&watch));
    let deltas = said(texts).map(move |delta| {
        guard.0.polled.fetch_add(1, Ordering::Relaxed);
        delta
    });
    (deltas, watch)
}

#[derive(Debug, Default)]
struct Watch {
    polled: AtomicUsize,
    dropped: AtomicBool,
}

struct Dropped(Arc<Watch>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_stop_in_mid_stream_reads_no_further() {
    for (said, text, ends) in [
        (["All is well. ", "STOP", "I go on."], "All is well. ", Ok("stop".to_owned())),
        (
            ["All is well. ", "BAD", "I go on."],
            "All is ",
            Err("rail `forbid` aborted at llm_chunk: a bad word".to_owned()),
        ),
    ] {
        let (deltas, watch) = watched(&said);
        let mut deltas = Some(deltas);
        let seen = streamed(&manager(), &mut context(), |_| deltas.take().unwrap()).await;
        assert_eq!(seen.text(), text);
        assert_eq!(seen.result.map(|response| response.finish_reason.unwrap_or_default()), ends);
        assert_eq!(watch.polled.load(Ordering::Relaxed), 2);
        assert!(watch.dropped.load(Ordering::Relaxed));
    }
}

#[tokio::test]
async fn an_answer_that_ends_early_has_no_tool_calls() {
    let call = || ModelDelta::ToolCall(ToolCallDelta { name: Some("search".into()), ..ToolCallDelta::at(0) });
    let deltas = |text: &str| stream::iter([Ok(call()), Ok(ModelDelta::Text(text.to_owned()))]);
    let calls = async |text| {
        let streamed = streamed(&manager(), &mut context(), |_| deltas(text)).await.result.unwrap();
        let whole = ModelResponse {
            message: Message { tool_calls: vec![ToolCall::new("", "search", &json!({}))], ..Message::assistant(text) },
            ..ModelResponse::default()
        };
        let model = |_| {
            let whole = whole.clone();
            async move { Ok::<_, OperationError>(whole) }
        };
        let called = manager().guard_llm_call(ModelCallInputs::default(), &mut context(), model).await.unwrap();
        assert_eq!(called.message.tool_calls.len(), streamed.message.tool_calls.len());
        called.message.tool_calls.len()
    };
    assert_eq!(calls("I look.").await, 1);
    assert_eq!(calls("I STOP.").await, 0);
}

#[tokio::test]
async fn a_skip_releases_the_window_unchanged() {
    let rails = rails![redact, trusted];
    let seen = streamed(&rails, &mut context(), |_| said(&["TRUST a secret, ", "but no secret here"])).await;
    assert_eq!(seen.text(), "TRUST a secret, but no [-] here");
    assert_eq!(called(&rails, "TRUST a secret").await.unwrap().message.text(), "TRUST a secret");
}

#[tokio::test]
async fn a_retry_of_a_chunk_restarts_the_answer() {
    let answers = [["I say that it is AGAIN", "x"], ["This is the answer", "."]];
    let seen = streamed(&manager(), &mut context(), |attempt| said(&answers[attempt])).await;
    assert_eq!((seen.text().as_str(), seen.restarts()), ("This is the answer.", 0), "nothing had left: {seen:?}");
    let answers = [["I say that it is ", "AGAIN"], ["This is the answer", "."]];
    let seen = streamed(&manager(), &mut context(), |attempt| said(&answers[attempt])).await;
    assert_eq!((seen.text().as_str(), seen.restarts()), ("This is the answer.", 1), "{seen:?}");
    let seen = streamed(&manager(), &mut context(), |_| said(&["I say it ", "AGAIN"])).await;
    let exhausted =
        "rail `again` wants a retry at llm_chunk but has none left (3 attempted, 2 retries allowed): it said so";
    assert_eq!((seen.restarts(), seen.result.unwrap_err().as_str()), (2, exhausted));
}

#[rail(on = [LlmError])]
fn rescue(error: &OperationError) -> RailAction<ModelResponse> {
    match error.message.as_str() {
        "again" => RailAction::retry(RetryRequest::new("it may pass")),
        "instead" => RailAction::skip_with(ModelResponse::text("another secret answer"), "a fallback"),
        _ => RailAction::Continue,
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_a_failure_of_the_call() {
    let rails = rails![redact, rescue];
    let breaks = |error: &str| {
        let error = OperationError::from(error);
        said(&["It is more than a window"]).take(1).chain(stream::iter([Err(error)])).boxed()
    };
    for (error, text, restarts) in [("again", "Done.", 1), ("instead", "another [-] answer", 1)] {
        let model = |attempt| if attempt == 0 { breaks(error) } else { said(&["Done."]).boxed() };
        let seen = streamed(&rails, &mut context(), model).await;
        assert_eq!((seen.text().as_str(), seen.restarts()), (text, restarts), "{seen:?}");
        assert_eq!(seen.result.unwrap().message.text(), text);
    }
    let seen = streamed(&rails, &mut context(), |_| breaks("for good")).await;
    assert_eq!(seen.result.unwrap_err(), "for good (failed)");
}

#[rail(on = [PreLlmCall])]
fn known() -> RailAction<ModelResponse> {
    RailAction::skip_with(ModelResponse::text("the secret is known"), "it is known")
}

#[tokio::test]
async fn a_substitute_passes_the_rails_like_an_answer() {
    let seen = streamed(&rails![known, redact], &mut context(), |_| -> stream::Empty<_> { unreachable!() }).await;
    assert_eq!(seen.pieces, [StreamPiece::Text("the [-] is known".into())]);
    assert_eq!(seen.result.unwrap().message.text(), "the [-] is known");
}

#[rail(priority = 50, on = [LlmChunk], window = "all")]
fn whole_answer(window: &StreamWindow, ctx: &RailContext) {
    note(ctx, format!("{} {}", window.is_last, window.text));
}

/// Does not say how much it holds back.
struct Unsaid<R>(R);

impl<E: Event, R: Serves<E>> Serves<E> for Unsaid<R> {
    fn run_rails<'a>(
        &'a self,
        payload: E::Payload<'a>,
        ctx: &'a mut RailContext,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.0.run_rails(payload, ctx)
    }
}

#[tokio::test]
async fn a_rail_on_the_whole_answer_sees_it_once() {
    let mut ctx = context();
    let seen = streamed(&rails![redact, whole_answer], &mut ctx, |_| said(&["a s", "ecr", "et b"])).await;
    assert_eq!(seen.pieces, [StreamPiece::Text("a [-] b".into())]);
    assert_eq!(notes(&ctx), ["true a [-] b"]);
    let seen = streamed(&Unsaid(rails![redact]), &mut context(), |_| said(&["a s", "ecr", "et b"])).await;
    assert_eq!(seen.pieces, [StreamPiece::Text("a [-] b".into())], "what is not said is held back");
}

#[rail(on = [LlmChunk], window = 3)]
fn fresh(window: &StreamWindow, ctx: &RailContext) {
    note(ctx, format!("{:?} after {} of {:?}", window.fresh(), window.left(), window.text));
}

#[tokio::test]
async fn a_rail_can_read_only_the_new_text() {
    let mut ctx = context();
    streamed(&rails![fresh], &mut ctx, |_| said(&["éins ", "zwei"])).await.result.unwrap();
    assert_eq!(
        notes(&ctx),
        [r#""éins " after 0 of "éins ""#, r#""zwei" after 2 of "ns zwei""#, r#""" after 6 of "wei""#]
    );
}

#[tokio::test]
async fn cancelling_drops_the_stream() {
    let token = CancellationToken::new();
    let (deltas, watch) = watched(&["It is more than a window", " and goes on"]);
    let cancels = token.clone();
    let mut deltas = Some(deltas.then(move |delta| {
        cancels.cancel();
        std::future::ready(delta)
    }));
    let mut ctx = context().with_cancellation(token);
    let seen = streamed(&manager(), &mut ctx, |_| deltas.take().unwrap()).await;
    assert_eq!(seen.result.unwrap_err(), "the run was cancelled");
    assert!(watch.dropped.load(Ordering::Relaxed) && watch.polled.load(Ordering::Relaxed) == 1);
}

#[tokio::test]
async fn a_whole_answer_replaces_the_pieces_before_it() {
    let response = ModelResponse { usage: Some(Usage::default()), ..ModelResponse::text("All of it, secret or not") };
    let deltas = || {
        let whole = ModelDelta::Response(Box::new(response.clone()));
        stream::iter([Ok(ModelDelta::Text("A beginning that has left".into())), Ok(whole)])
    };
    let seen = streamed(&rails![redact], &mut context(), |_| deltas()).await;
    assert_eq!((seen.text().as_str(), seen.restarts()), ("All of it, [-] or not", 1));
    assert_eq!(seen.result.unwrap().usage, Some(Usage::default()));
}

#[tokio::test]
async fn an_answer_in_parts_keeps_the_parts_that_are_not_text() {
    let part = |kind: &str, text: Option<&str>| ContentPart {
        kind: kind.into(),
        text: text.map(Into::into),
        extra: serde_json::Map::new(),
    };
    let call = async |parts: Vec<ContentPart>| {
        let message = Message { content: Some(Content::Parts(parts)), role: Role::Assistant, ..Message::default() };
        let response = ModelResponse { message, ..ModelResponse::default() };
        let model = |_| {
            let response = response.clone();
            async move { Ok::<_, OperationError>(response) }
        };
        let rails = rails![redact];
        rails.dyn_llm_call(ModelCallInputs::default(), &mut context(), model).await.unwrap().message.content.unwrap()
    };
    let image = || part("image_url", None);
    let parts = vec![part("text", Some("a ")), image(), part("text", Some("b"))];
    assert_eq!(call(parts.clone()).await, Content::Parts(parts));
    let parts = vec![image(), part("text", Some("a sec")), part("text", Some("ret"))];
    assert_eq!(call(parts).await, Content::Parts(vec![image(), part("text", Some("a [-]"))]));
}

fn tools() -> [Tool; 1] {
    [Tool::with_permit("search", "Finds things.", json!({ "type": "object" }), |_| async {
        Ok::<_, OperationError>("found")
    })]
}

#[rail(on = [Finished])]
fn once_more(output: &InvokeOutput, ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 && output.text.contains("unsure") {
        RailAction::retry(RetryRequest::new("be sure"))
    } else {
        RailAction::Continue
    }
}

/// The script, run by an agent that streams.
async fn events(script: &str) -> Vec<RunEvent> {
    let model: ScriptedModel = script.parse().unwrap();
    let agent = tests::agent("streaming", model).tools(tools()).rails(rails![redact, once_more]).build();
    agent.stream("hello").map(|event| event.unwrap()).collect().await
}

#[tokio::test]
async fn a_streamed_run_reports_texts_calls_and_usage() {
    let script = r#"[
        { "deltas": ["I loo", "k."], "call": [{ "tool": "search", "arguments": {} }],
          "usage": { "prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4 } },
        { "deltas": ["The sec", "ret is ", "out."], "usage": { "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7 } }
    ]"#;
    let events = events(script).await;
    let text = |text: &str| RunEvent::Text(text.to_owned());
    assert_eq!(events[..2], [text("I"), text(" look.")]);
    assert!(matches!(&events[2], RunEvent::ToolCalls(calls) if calls[0].tool_name == "search"), "{events:?}");
    assert!(matches!(&events[3], RunEvent::ToolRuns(call) if call.tool_name == "search"), "{events:?}");
    assert!(matches!(&events[4], RunEvent::ToolReturned { output, .. } if output.content == "found"), "{events:?}");
    let Some(RunEvent::Finished(output)) = events.last() else { panic!("{events:?}") };
    assert_eq!((output.text.as_str(), output.usage.total_tokens, output.steps), ("The [-] is out.", 11, 2));
    let joined: String =
        events.iter().filter_map(|event| if let RunEvent::Text(text) = event { Some(&**text) } else { None }).collect();
    assert_eq!(joined, "I look.The [-] is out.");
}

#[tokio::test]
async fn a_repeated_run_reports_that_it_begins_again() {
    let events = events(r#"[{ "deltas": ["I am unsure."] }, { "deltas": ["I am sure."] }]"#).await;
    let at = events.iter().position(|event| *event == RunEvent::RunAgain).unwrap();
    let text: String = events[at..]
        .iter()
        .filter_map(|event| if let RunEvent::Text(text) = event { Some(&**text) } else { None })
        .collect();
    assert_eq!(text, "I am sure.");
}

/// When it is done again, it is answered at once.
#[rail(on = [Start])]
fn remembered(ctx: &RailContext) -> Option<RailAction<InvokeOutput>> {
    (ctx.attempt() > 0).then(|| RailAction::skip_with(InvokeOutput::text("I remember."), "it was asked before"))
}

/// What had left is not part of the answer, also when nothing else leaves.
#[tokio::test]
async fn a_repeated_run_reports_it_even_if_a_rail_skips_the_repetition() {
    let model: ScriptedModel = r#"[{ "deltas": ["I am unsure."] }]"#.parse().unwrap();
    let agent = tests::agent("streaming", model).rails(rails![remembered, once_more]).build();
    let events: Vec<_> = agent.stream("hello").map(|event| event.unwrap()).collect().await;
    let text = |text: &str| RunEvent::Text(text.to_owned());
    assert_eq!(events[..2], [text("I am unsure."), RunEvent::RunAgain]);
    assert!(matches!(&events[2..], [RunEvent::Finished(output)] if output.text == "I remember."), "{events:?}");
}

#[tokio::test]
async fn the_stream_ends_with_the_error_of_the_run() {
    let agent = tests::agent("streaming", "[]".parse::<ScriptedModel>().unwrap()).build();
    let mut events = agent.stream("hello");
    let failed = events.next().await.unwrap().unwrap_err();
    assert!(matches!(failed.error, RunError::Operation(_)));
    assert!(events.next().await.is_none() && events.next().await.is_none());
}

/// A stream has no more in it than what one polls for.
#[tokio::test]
async fn a_streamed_run_can_be_dropped_and_sent_to_another_task() {
    let model: ScriptedModel = r#"[{ "deltas": ["one ", "two ", "three"] }]"#.parse().unwrap();
    let agent = tests::agent("streaming", model).rails(manager()).build();
    drop(agent.stream("hello"));
    let text = tokio::spawn(async move {
        let mut text = String::new();
        let mut events = agent.stream("hello");
        while let Some(event) = events.next().await {
            if let Ok(RunEvent::Text(piece)) = event {
                text += &piece;
            }
        }
        text
    });
    assert_eq!(text.await.unwrap(), "one two three");
}

#[tokio::test]
async fn a_streamed_run_reports_the_arguments_that_the_rails_approved() {
    #[rail(on = [PreToolCall])]
    fn hide_or_refuse(call: &mut ToolCallInputs) -> RailAction {
        if call.arguments["query"] == "sk-live-4712" {
            return RailAction::skip("it has a key");
        }
        call.for_each_text(|text| *text = text.replace("sk-live-4711", "[key]"));
        RailAction::Continue
    }
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "search", "arguments": { "query": "sk-live-4711" } },
                   { "tool": "search", "arguments": { "query": "sk-live-4712" } }] },
        { "say": "done" }
    ]"#
    .parse()
    .unwrap();
    let agent = tests::agent("streaming", model).tools(tools()).rails(rails![hide_or_refuse]).build();
    let events: Vec<_> = agent.stream("hello").map(|event| event.unwrap()).collect().await;
    let (finished, told) = events.split_last().unwrap();
    assert!(!format!("{told:?}").contains("sk-live"), "{told:?}");
    let runs: Vec<_> =
        told.iter().filter_map(|event| if let RunEvent::ToolRuns(call) = event { Some(call) } else { None }).collect();
    assert_eq!(runs.len(), 1, "a refused call does not run");
    assert_eq!(runs[0].arguments["query"], "[key]");
    // The message keeps what the model has written: a rail on `PostLlmCall` redacts it there.
    assert!(format!("{finished:?}").contains("sk-live-4711"));
}

#[tokio::test]
async fn a_call_of_an_unknown_tool_does_not_run() {
    let script = r#"[{ "call": [{ "tool": "serach" }, { "tool": "search" }] }, { "say": "done" }]"#;
    let told = |event: &RunEvent| match event {
        RunEvent::ToolRuns(call) => Some(format!("{} runs", call.tool_name)),
        RunEvent::ToolReturned { output, .. } => Some(format!("error: {}", output.is_error)),
        _ => None,
    };
    let mut told: Vec<_> = events(script).await.iter().filter_map(told).collect();
    told.sort();
    assert_eq!(told, ["error: false", "error: true", "search runs"]);
}

/// Tokio has a task yield that receives much without waiting.
#[tokio::test]
async fn a_run_of_many_events_that_never_waits_ends() {
    let text = "word ".repeat(1_000);
    let deltas: Vec<_> = text.split_inclusive(' ').collect();
    let model: ScriptedModel = json!([{ "deltas": deltas }]).to_string().parse().unwrap();
    let agent = tests::agent("streaming", model).build();
    let events: Vec<_> = agent.stream("hello").map(|event| event.unwrap()).collect().await;
    assert!(events.len() > 1_000);
    let Some(RunEvent::Finished(output)) = events.last() else { panic!("{events:?}") };
    assert_eq!(output.text, text);
}

#[tokio::test]
async fn the_smallest_limit_of_the_rails_ends_a_stream() {
    #[rail(priority = 1, on = [PreLlmCall])]
    fn first(_: &ModelCallInputs, ctx: &mut RailContext) {
        ctx.limit_answer(AnswerLimit::All(9));
        ctx.limit_answer(AnswerLimit::Text(100));
    }
    #[rail(priority = 2, on = [PreLlmCall])]
    fn second(_: &ModelCallInputs, ctx: &mut RailContext) {
        ctx.limit_answer(AnswerLimit::All(50));
        ctx.limit_answer(AnswerLimit::Arguments(3));
        ctx.limit_answer(AnswerLimit::Text(5));
    }
    let text = |text: &str| ModelDelta::Text(text.to_owned());
    let reasoning = |text: &str| ModelDelta::Fields(Map::from_iter([("reasoning_content".to_owned(), json!(text))]));
    let call = |index, name: Option<&str>, arguments: &str| {
        let (name, arguments) = (name.map(str::to_owned), arguments.to_owned());
        ModelDelta::ToolCall(ToolCallDelta { index, name, arguments, ..ToolCallDelta::default() })
    };
    let whole = |text| ModelDelta::Response(Box::new(ModelResponse::text(text)));
    let table = [
        (vec![text("12345")], "12345", None),
        (vec![text("123"), text("456"), text("7")], "12345", Some(AnswerLimit::Text(5))),
        (vec![text("1éé6")], "1éé", Some(AnswerLimit::Text(5))),
        (vec![text("1234é")], "1234", Some(AnswerLimit::Text(5))),
        (vec![reasoning("1234"), reasoning("56"), text("12345")], "123", Some(AnswerLimit::All(9))),
        (vec![reasoning("1234"), text("12345")], "12345", None),
        (vec![call(Some(0), Some("a"), "12"), call(Some(1), Some("b"), "34")], "", None),
        (vec![call(Some(0), None, "12"), call(Some(0), None, "34")], "", Some(AnswerLimit::Arguments(3))),
        (vec![call(None, Some("a"), "12"), call(None, Some("b"), "34")], "", None),
        (vec![call(None, Some("a"), "12"), call(None, None, "34")], "", Some(AnswerLimit::Arguments(3))),
        (vec![call(Some(0), Some("a long name"), "")], "", Some(AnswerLimit::All(9))),
        // A whole answer has been read, and replaces what came before.
        (vec![text("1234"), whole("0123456789"), text("12345")], "012345678912345", None),
    ];
    for (pieces, expected, passed) in table {
        let mut ctx = RunContext::new("demo");
        let model = |_| stream::iter(pieces.clone()).map(Ok::<_, OperationError>);
        let guards = rail_chain![first, second];
        let answer = guards.guard_stream(ModelCallInputs::default(), &mut ctx, model, async |_| ()).await.unwrap();
        assert_eq!((answer.message.text().as_ref(), answer.is_cut()), (expected, passed.is_some()), "{pieces:?}");
        assert_eq!(ctx.passed_limit(), passed, "{pieces:?}");
        // The next call has no limit of this one.
        guards
            .guard_llm_call(ModelCallInputs::default(), &mut ctx, async |_| {
                Ok::<_, OperationError>(ModelResponse::text("x"))
            })
            .await
            .unwrap();
        assert_eq!(ctx.passed_limit(), None);
    }
}
