//! Rails in shadow: they decide, and change nothing.

#![allow(clippy::trivially_copy_pass_by_ref, reason = "the methods of a rail take `&self`")]

use std::sync::Mutex;

use exo_rails::message::{Message, Usage};
use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::{EventBus, InMode, KeptValues, Mode, ModelDelta, Next, StreamPiece, Subscription};
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};

/// Does what its configuration says.
#[derive(Clone, Copy)]
enum Acts {
    Skips,
    Retries,
    Aborts,
    Suspends,
    Faults,
    Rewrites,
    Continues,
}

#[rail(priority = 20)]
impl Acts {
    #[on(PreToolCall)]
    fn call(&self, call: &mut ToolCallInputs, ctx: &RailContext) -> Result<RailAction, String> {
        Ok(match self {
            Self::Skips => RailAction::skip("skipped"),
            Self::Retries => RailAction::retry("again"),
            Self::Aborts => RailAction::abort("aborted"),
            Self::Suspends => RailAction::suspend(ctx.question("may it?")),
            Self::Faults => return Err("broken".to_owned()),
            Self::Rewrites => {
                let _ = call.set_argument("path", "elsewhere");
                let _ = call.set_argument("force", false);
                RailAction::Continue
            }
            Self::Continues => RailAction::Continue,
        })
    }

    #[on(PostToolCall)]
    fn output(&self, output: &mut ToolOutput) {
        if let Self::Rewrites = self {
            "[hidden]".clone_into(&mut output.content);
        }
    }
}

rail_chain! { struct Listed { acts: InMode<Acts> } }
rail_chain! { struct Inner { acts: Acts } }
rail_chain! { struct Nested { inner: InMode<Inner> } }

/// The reports of rails in shadow.
fn reports(records: &mut Subscription) -> Vec<Value> {
    let mut found = Vec::new();
    while let Some(Ok(record)) = records.recv().now_or_never().flatten() {
        if record.emitted.as_deref() == Some("shadow") {
            found.push(serde_json::to_value(&record.payload).unwrap()["data"].take());
        }
    }
    found
}

/// Runs a tool with these rails, and returns its output and the reports.
async fn run<R: GuardSet>(rails: R) -> (String, Vec<Value>) {
    let bus = EventBus::new(64);
    let mut records = bus.subscribe();
    let call = ToolCallInputs::new("write").with_arguments(json!({ "path": "here" }));
    let tool = async |call: Permit<ToolCallInputs>| Ok::<_, OperationError>(call.arguments.to_string());
    let mut ctx = RunContext::new("shadow");
    let output = bus.wrap(rails).guard_tool_call(call, &mut ctx, tool).await.unwrap();
    (output.content, reports(&mut records))
}

fn managed(acts: Acts) -> RailManager {
    let mut manager = RailManager::new();
    manager.add(InMode::new(Mode::Shadow, acts)).unwrap();
    manager
}

/// Runs a tool with the rail in shadow, in each kind of guard set. All of them do the same.
async fn in_shadow(acts: Acts) -> (String, Vec<Value>) {
    let listed = run(Listed { acts: InMode::new(Mode::Shadow, acts) }).await;
    let mut others = vec![run(managed(acts)).await];
    others.push(run(exo_rails::DynGuardSet::new(Listed { acts: InMode::new(Mode::Shadow, acts) })).await);
    let mut of_sets = vec![run(Inner { acts }.shadow()).await];
    of_sets.push(run(Nested { inner: InMode::new(Mode::Shadow, Inner { acts }) }).await);
    for other in &others {
        assert_eq!(other, &listed);
    }
    for mut of_set in of_sets {
        // A guard set does not know which of its rails has changed the payload.
        for (report, expected) in of_set.1.iter_mut().zip(&listed.1) {
            if report["how"].is_null() {
                report["rail_name"] = expected["rail_name"].clone();
            }
            if report["rail_name"] == "Inner" || report["rail_name"] == "inner" {
                report["rail_name"] = expected["rail_name"].clone();
            }
        }
        assert_eq!(of_set, listed);
    }
    listed
}

#[tokio::test]
async fn a_rail_in_shadow_changes_nothing_and_reports_its_decision() {
    let report = |how: Value, suspends: bool, reason: Value| {
        json!({
            "rail_name": "Acts", "event": "pre_tool_call", "how": how, "suspends": suspends, "reason": reason, "changes": []
        })
    };
    let table = [
        (Acts::Skips, report(json!("skip"), false, json!("skipped"))),
        (Acts::Retries, report(json!("retry"), false, json!("again"))),
        (Acts::Aborts, report(json!("abort"), false, json!("aborted"))),
        (Acts::Suspends, report(json!("abort"), true, json!("may it?"))),
        (Acts::Faults, report(json!("fault"), false, json!("broken"))),
    ];
    for (acts, expected) in table {
        let (output, reports) = in_shadow(acts).await;
        assert_eq!(output, r#"{"path":"here"}"#);
        assert_eq!(reports, [expected]);
    }
    assert_eq!(in_shadow(Acts::Continues).await, (r#"{"path":"here"}"#.to_owned(), Vec::new()));
}

#[tokio::test]
async fn a_report_has_the_paths_of_the_changes_and_no_values() {
    let (output, reports) = in_shadow(Acts::Rewrites).await;
    assert_eq!(output, r#"{"path":"here"}"#);
    let changes: Vec<_> = reports.iter().map(|report| (&report["event"], &report["changes"])).collect();
    assert_eq!(
        changes,
        [
            (&json!("pre_tool_call"), &json!(["arguments.force", "arguments.path"])),
            (&json!("post_tool_call"), &json!(["content"])),
        ]
    );
    assert!(!format!("{reports:?}").contains("elsewhere"));
}

#[tokio::test]
async fn a_rail_that_is_off_is_not_called_and_an_enforced_one_acts() {
    let off = Listed { acts: InMode::new(Mode::Off, Acts::Aborts) };
    assert_eq!(run(off).await, (r#"{"path":"here"}"#.to_owned(), Vec::new()));
    let (output, reports) = run(Listed { acts: InMode::new(Mode::Enforce, Acts::Skips) }).await;
    assert!(output.contains("skipped by the rail `Acts`: skipped"), "{output}");
    assert_eq!(reports, Vec::<Value>::new());
    let (output, _) = run(Listed { acts: InMode::new(Mode::Enforce, Acts::Rewrites) }).await;
    assert_eq!(output, "[hidden]");
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Calls(u32);

#[derive(Clone, PartialEq, Debug)]
struct Role(&'static str);

/// Counts calls in the run and in the session, and refuses the third one.
#[derive(Clone, Copy)]
struct Limit(u32);

#[rail(priority = 10)]
impl Limit {
    #[on(PreToolCall)]
    fn count(&self, ctx: &mut RailContext) -> Verdict {
        assert_eq!(ctx.run.get(), Some(Role("clerk")), "the program's value");
        assert_eq!(ctx.run.state().get("language"), Some(json!("de")));
        ctx.extra.insert(Calls(7));
        ctx.notify_model(Message::system("You call too much."));
        ctx.run.state().set("language", "fr");
        let session = ctx.session.update(|calls: &mut Calls| {
            calls.0 += 1;
            calls.0
        });
        let run = ctx.run.update(|calls: &mut Calls| {
            calls.0 += 1;
            calls.0
        });
        assert_eq!(ctx.run.get(), Some(Calls(run)), "its own value");
        assert!(session >= run);
        ctx.run.state().set("language", "de");
        Verdict::abort_if(run > self.0, format!("call {run}"))
    }
}

#[rail(priority = 15, on = [PreToolCall])]
fn later(ctx: &RailContext) {
    assert_eq!(ctx.extra.get::<Calls>(), None);
}

rail_chain! { struct Limits { strict: InMode<Limit>, lax: InMode<Limit>, later } }

#[tokio::test]
async fn a_rail_in_shadow_has_its_own_state() {
    let bus = EventBus::new(64);
    let mut records = bus.subscribe();
    let shadow = |limit| InMode::new(Mode::Shadow, Limit(limit));
    let rails = bus.wrap(Limits { strict: shadow(1), lax: shadow(2) });
    let mut ctx = RunContext::new("shadow");
    ctx.run.insert(Role("clerk"));
    ctx.run.state().set("language", "de");
    let tool = async |_| Ok::<_, OperationError>("done");
    for _ in 0..3 {
        rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    }
    assert_eq!(ctx.run.get::<Calls>(), None);
    assert_eq!(ctx.session.get::<Calls>(), None);
    assert!(ctx.take_notices().is_empty());
    let reports = reports(&mut records);
    let reports: Vec<_> = reports.iter().map(|report| (&report["rail_name"], &report["reason"])).collect();
    // Each of the two rails has counted for itself.
    let [strict, lax] = [json!("strict"), json!("lax")];
    let [second, third] = [json!("call 2"), json!("call 3")];
    assert_eq!(reports, [(&strict, &second), (&strict, &third), (&lax, &third)]);
    let saved = ctx.save(&KeptValues::new()).unwrap();
    assert!(!saved.lost.iter().any(|lost| lost.contains("Shadow")), "{:?}", saved.lost);
}

#[rail(priority = 30, on = [PreLlmCall])]
fn budget(ctx: &RailContext) -> Verdict {
    assert!(ctx.is_shadow());
    ctx.emit("seen", &ctx.usage().total_tokens);
    Verdict::abort_if(ctx.usage().total_tokens > 100, "the run has used its tokens")
}

#[tokio::test]
async fn a_rail_in_shadow_sees_the_usage_of_the_run_and_its_records_are_marked() {
    let bus = EventBus::new(64);
    let mut records = bus.subscribe();
    let (rails, mut ctx) = (bus.wrap(rail_chain![budget].shadow()), RunContext::new("shadow"));
    let model = async |_| {
        let usage = Usage { total_tokens: 120, ..Usage::default() };
        Ok::<_, OperationError>(ModelResponse { usage: Some(usage), ..ModelResponse::text("hello") })
    };
    for _ in 0..2 {
        rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
    }
    let mut emitted = Vec::new();
    while let Some(Ok(record)) = records.recv().now_or_never().flatten() {
        emitted.extend(record.emitted.clone());
    }
    assert_eq!(emitted, ["shadow.seen", "shadow.seen", "shadow"]);
    assert!(!ctx.is_shadow());
}

#[rail(priority = 40, on = [PreToolCall], around)]
async fn never_runs(_next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text("from the rail"))
}

rail_chain! { struct Around { never_runs: InMode<never_runs> } }

#[tokio::test]
async fn an_operation_runs_without_the_rail_around_it() {
    for mode in [Mode::Shadow, Mode::Off] {
        let (output, _) = run(Around { never_runs: InMode::new(mode, never_runs {}) }).await;
        assert_eq!(output, r#"{"path":"here"}"#);
        let (output, _) = run(InMode::new(mode, rail_chain![never_runs])).await;
        assert_eq!(output, r#"{"path":"here"}"#);
    }
    let (output, _) = run(Around { never_runs: InMode::new(Mode::Enforce, never_runs {}) }).await;
    assert_eq!(output, "from the rail");
}

#[rail(priority = 50, on = [LlmChunk])]
fn redact(window: &mut StreamWindow) {
    window.replace("sk-live-4711", "[key]");
}

/// Refuses a word. It looks at the text itself, so it needs a window.
#[rail(priority = 60, on = [LlmChunk], window = 8)]
fn no_thermite(window: &mut StreamWindow) -> Verdict {
    Verdict::abort_if(window.text.contains("thermite"), "no recipes for explosives")
}

/// Streams these pieces, and returns the pieces that leave and the reports.
async fn streamed<R: GuardSet>(rails: R, pieces: &[&str]) -> (Vec<String>, Vec<Value>) {
    let bus = EventBus::new(64);
    let (mut records, rails) = (bus.subscribe(), bus.wrap(rails));
    let (left, mut ctx) = (Mutex::new(Vec::new()), RunContext::new("shadow"));
    let deltas: Vec<_> = pieces.iter().map(|text| ModelDelta::Text((*text).to_owned())).collect();
    let model = |_| stream::iter(deltas.clone()).map(Ok::<_, OperationError>);
    let sink = async |piece| {
        if let StreamPiece::Text(text) = piece {
            left.lock().unwrap().push(text);
        }
    };
    rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await.unwrap();
    // The loop of the test must not use up the budget of its task, or the subscription pretends to be empty.
    tokio::task::yield_now().await;
    (left.into_inner().unwrap(), reports(&mut records))
}

#[tokio::test]
async fn rails_in_shadow_do_not_change_a_stream_and_see_each_match_once() {
    let text = "The key is sk-live-4711, and thermite is all.";
    for first in 1..text.len() - 1 {
        for second in first + 1..text.len() {
            let pieces = [&text[..first], &text[first..second], &text[second..]];
            let (left, reports) = streamed(rail_chain![redact, no_thermite].shadow(), &pieces).await;
            assert_eq!(left, pieces);
            // The chain redacts until it would have ended the run.
            let refused = reports.last().unwrap();
            assert_eq!(
                (&refused["rail_name"], &refused["how"]),
                (&json!("no_thermite"), &json!("abort")),
                "{pieces:?}"
            );
            let changed = reports.iter().filter(|report| report["changes"] == json!(["text"])).count();
            assert_eq!(
                (changed, reports.iter().filter(|report| report["how"] == "abort").count()),
                (1, 1),
                "{pieces:?}"
            );
        }
    }
}

#[rail(priority = 5, on = [PreToolCall], always)]
fn always(ctx: &RailContext) {
    ctx.emit("always", &ctx.stopped().map(|stopped| stopped.rail_name.clone()));
}

#[rail(priority = 1, on = [PreToolCall])]
fn stops() -> RailAction {
    RailAction::skip("stopped")
}

rail_chain! { struct Observed { stops, always: InMode<always> } }

#[tokio::test]
async fn a_rail_with_always_is_called_in_shadow_too() {
    for (mode, expected) in
        [(Mode::Enforce, vec!["always"]), (Mode::Shadow, vec!["shadow.always"]), (Mode::Off, vec![])]
    {
        let bus = EventBus::new(64);
        let mut records = bus.subscribe();
        let rails = bus.wrap(Observed { always: InMode::new(mode, always {}) });
        let mut ctx = RunContext::new("shadow");
        let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await.unwrap();
        assert_eq!(decision.rail_name(), Some("stops"));
        let mut emitted = Vec::new();
        while let Some(Ok(record)) = records.recv().now_or_never().flatten() {
            emitted.extend(record.emitted.clone());
        }
        assert_eq!(emitted, expected, "{mode:?}");
    }
}

#[test]
fn a_mode_is_read_by_name() {
    for (text, mode) in [("enforce", Mode::Enforce), ("shadow", Mode::Shadow), ("off", Mode::Off)] {
        assert_eq!(serde_json::from_value::<Mode>(json!(text)).unwrap(), mode);
        assert_eq!(serde_json::to_value(mode).unwrap(), json!(text));
    }
    assert_eq!(Mode::default(), Mode::Enforce);
}
