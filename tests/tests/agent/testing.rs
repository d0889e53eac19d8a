//! `exo_rails::testing`: what holds passes, and what does not says what has happened.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::testing::{self, OwnedPayload, Trace, TraceEntry, Traced};
use exo_rails::{CancellationToken, DynGuardSet, Event, NoRails, SharedExtensions, StopKind};
use serde_json::json;
use tests::rails;
use tokio::time::Instant;

#[rail(priority = 10, on = [PreToolCall])]
fn block_dangerous(call: &ToolCallInputs) -> RailAction {
    match call.tool_name.as_str() {
        "delete_file" => RailAction::abort("destructive tools are off limits"),
        "refund" => RailAction::skip("a person has to do that"),
        _ => RailAction::Continue,
    }
}

#[rail(priority = 20, on = [PreToolCall])]
fn shorten(call: &mut ToolCallInputs) -> Verdict {
    Verdict::abort_if(!call.set_argument("limit", 10), "the arguments have no names")
}

#[rail(priority = 30, on = [PostToolCall])]
fn redact(output: &mut ToolOutput) {
    output.content = output.content.replace("sk-live-4711", "[key]");
}

#[rail(on = [ToolError, LlmError])]
fn twice_more(error: &OperationError) -> RailAction {
    let wait = Duration::from_mins(1);
    RailAction::retry(RetryRequest::new(error.message.clone()).with_delay(wait).with_max_retries(2))
}

#[rail(on = [Start])]
fn broken() -> Result<Verdict, &'static str> {
    Err("the policy server is down")
}

rail_chain! {
    #[chain(priority = 5)]
    struct Inner { shorten, block_dangerous }
}

/// What a failing assertion says.
#[track_caller]
fn message_of<T>(assertion: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(assertion)) else { panic!("the assertion holds") };
    panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap()
}

/// Asserts that an assertion fails and says this.
#[track_caller]
fn fails<T>(expected: &str, assertion: impl FnOnce() -> T) {
    let message = message_of(assertion);
    assert!(message.contains(expected), "no\n{expected}\nin\n{message}");
}

fn call(tool: &str) -> ToolCallInputs {
    ToolCallInputs::new(tool)
}

#[tokio::test]
async fn one_line_asserts_the_decision_at_an_event() {
    let rails = rails![shorten, block_dangerous];
    testing::at::<PreToolCall>(&rails, call("delete_file"))
        .await
        .assert_aborted("off limits")
        .assert_by("block_dangerous");
    testing::at::<PreToolCall>(&rails, call("refund")).await.assert_skipped("a person");
    let search = testing::at::<PreToolCall>(&rails, call("search")).await;
    assert_eq!(search.assert_continued().payload.arguments["limit"], 10);
    search.trace.assert_changed(HookPoint::PreToolCall, "arguments.limit");
    let error = (call("search"), OperationError::from("busy"));
    testing::at::<ToolError>(&rails![twice_more], error).await.assert_retried("busy");
    testing::at::<Start>(&rails![broken], "hello").await.assert_faulted("the policy server is down");
}

#[tokio::test]
async fn a_failed_assertion_shows_the_decision_at_the_event() {
    let rails = rails![shorten, block_dangerous];
    let refund = testing::at::<PreToolCall>(&rails, call("refund")).await;
    let message = message_of(|| refund.assert_aborted("off limits"));
    let expected = r#"expected that a rail aborts, with "off limits"
the payload is ToolCallInputs { id: "", tool_name: "refund", arguments: Object {}, extra: {} }

  1  pre_tool_call      `refund`: skip by `block_dangerous`: a person has to do that
"#;
    assert_eq!(message, expected);
    fails("expected that every rail continues", || refund.assert_continued());
    fails("expected that a rail skips, with \"another reason\"", || refund.assert_skipped("another reason"));
    fails("expected that `shorten` decides", || refund.assert_by("shorten"));
    fails("expected that a rail asks for a retry", || refund.assert_retried(""));
    fails("expected that a rail faults", || refund.assert_faulted(""));
    let search = testing::at::<PreToolCall>(&rails, call("search")).await;
    fails("`search`: continue\n     changed arguments.limit: null -> 10\n", || search.assert_skipped(""));
}

#[tokio::test]
async fn a_substitute_is_compared() {
    #[rail(on = [PreToolCall])]
    fn cached() -> RailAction<ToolOutput> {
        RailAction::skip_with(ToolOutput::text("42"), "it is known")
    }
    let seen = testing::at::<PreToolCall>(&rails![cached], call("search")).await;
    seen.assert_skipped_with(&ToolOutput::text("42"));
    fails("not Some(ToolOutput { content: \"42\"", || seen.assert_skipped_with(&ToolOutput::text("43")));
    let seen = testing::at::<PreToolCall>(&NoRails, call("search")).await;
    fails(", not None", || seen.assert_skipped_with(&ToolOutput::text("42")));
}

#[tokio::test]
async fn an_event_can_be_tested_in_a_custom_context() {
    #[rail(on = [Start])]
    fn of_session(ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.turn() > 0, "one run is enough")
    }
    let mut ctx = RunContext::new("mine").with_session("s", SharedExtensions::default(), 1);
    testing::at_in::<Start>(&rails![of_session], "hello", &mut ctx).await.assert_aborted("enough");
    testing::at::<Start>(&rails![of_session], "hello").await.assert_continued();
}

#[tokio::test]
async fn a_rail_can_be_tested_alone() {
    struct Limit(usize);
    #[rail(priority = 10)]
    impl Limit {
        #[on(Start)]
        fn input(&self, run: &InvokeInputs) -> Verdict {
            Verdict::abort_if(run.input.text().len() > self.0, "too long")
        }
    }
    testing::at::<Start>(&testing::only(Limit(3)), "hello").await.assert_aborted("too long");
    exo_rails_agent::testing::run(DynGuardSet::new(testing::only(Limit(3))), "[]").await.assert_failed("too long");
    testing::at::<PreToolCall>(&testing::only(shorten {}), call("a")).await.assert_continued();
}

#[test]
fn the_order_of_a_chain_is_asserted() {
    let rails = rail_chain![redact, Inner];
    testing::assert_order(&rails, HookPoint::PreToolCall, ["block_dangerous", "shorten"]);
    testing::assert_order(&rails, HookPoint::Start, []);
    fails(
        r#"at pre_tool_call, the order of the rails is
  ["block_dangerous", "shorten"], not
  ["shorten", "block_dangerous"]"#,
        || {
            testing::assert_order(&rails, HookPoint::PreToolCall, ["shorten", "block_dangerous"]);
        },
    );
}

#[test]
fn assert_order_follows_the_reversed_order_of_an_onion() {
    #[rail(priority = 10, on = [PreToolCall, PostToolCall])]
    fn outer() {}
    #[rail(priority = 20, on = [PreToolCall, PostToolCall])]
    fn inner() {}
    let rails = rail_chain![
        #[chain(onion)]
        inner,
        outer
    ];
    testing::assert_order(&rails, HookPoint::PreToolCall, ["outer", "inner"]);
    testing::assert_order(&rails, HookPoint::PostToolCall, ["inner", "outer"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_call_is_retried_in_paused_time() {
    let began = Instant::now();
    let rails = rails![twice_more, redact];
    let call = testing::tool_call(&rails, call("search"));
    let call = call.fails("busy").fails("still busy").returns("sk-live-4711").await;
    call.assert_output("[key]").assert_calls("search", 3);
    assert_eq!(began.elapsed(), Duration::from_mins(2));
    let attempts: Vec<_> = call.events().iter().map(|event| (event.point, event.attempt)).collect();
    let (pre, error) = (HookPoint::PreToolCall, HookPoint::ToolError);
    assert_eq!(attempts, [(pre, 0), (error, 0), (pre, 1), (error, 1), (pre, 2), (HookPoint::PostToolCall, 2)]);
    call.assert_decisions([(error, StopKind::Retry, "twice_more"), (error, StopKind::Retry, "twice_more")]);
    call.assert_changed(HookPoint::PostToolCall, "content");
}

/// The set inside says that it rewrites, also through the trace: each attempt begins with the original.
#[tokio::test(start_paused = true)]
async fn a_retried_call_begins_with_its_original_arguments() {
    #[rail(on = [PreToolCall])]
    fn count(call: &mut ToolCallInputs) {
        call.arguments["n"] = json!(call.arguments["n"].as_u64().unwrap_or(0) + 1);
    }
    let call = testing::tool_call(&rails![count, twice_more], call("search")).fails("busy").returns("done").await;
    let arguments: Vec<_> = call.calls("search").into_iter().map(|call| call.arguments).collect();
    assert_eq!(arguments, [json!({ "n": 1 }), json!({ "n": 1 })]);
}

#[tokio::test]
async fn an_operation_without_a_prepared_result_fails() {
    let once = testing::tool_call(&NoRails, call("search")).await;
    once.assert_output("The call of `search` failed: there is no prepared result for call 1 (failed)")
        .assert_calls("search", 1);
    fails("expected the output \"done\"", || once.assert_output("done"));
    let model = testing::llm_call(&NoRails, ModelCallInputs::default()).await;
    model.assert_failed("there is no prepared result for call 1");
    fails("it ended with: the error: there is no prepared result for call 1 (failed)\n", || {
        model.assert_output("done")
    });
}

#[tokio::test]
async fn a_model_call_is_guarded_with_prepared_answers() {
    let token = CancellationToken::new();
    token.cancel();
    let ctx = RunContext::new("mine").with_cancellation(token);
    let call = testing::llm_call(&NoRails, tests::prompt("hi")).returns(ModelResponse::text("hello")).in_context(ctx);
    let call = call.await;
    call.assert_failed("cancelled").assert_not_told("hi");
    assert_eq!(call.ctx.agent(), "mine");
    let call = testing::llm_call(&NoRails, tests::prompt("hi")).returns(ModelResponse::text("hello")).await;
    call.assert_output("hello").assert_told("hi").assert_unchanged();
}

const SCRIPT: &str = r#"[
    { "call": [{ "tool": "search", "arguments": { "query": "orders" } }] },
    { "deltas": ["There ", "are three."] }
]"#;

#[tokio::test]
async fn a_few_lines_assert_the_calls_and_events_of_a_run() {
    let run =
        exo_rails_agent::testing::run(rails![shorten, redact], SCRIPT).tool("search", "three; sk-live-4711").await;
    run.assert_output("There are three.");
    run.assert_called_with("search", &json!({ "query": "orders", "limit": 10 })).assert_calls("search", 1);
    run.assert_told("three; [key]").assert_not_told("sk-live-4711").assert_decisions([]);
    run.assert_fired(HookPoint::PreLlmCall, 2).assert_fired(HookPoint::Error, 0);
    let model = [HookPoint::PreLlmCall, HookPoint::LlmChunk, HookPoint::PostLlmCall];
    let tool = [HookPoint::PreToolCall, HookPoint::PostToolCall];
    let around = |point| std::iter::once(point);
    let all = around(HookPoint::Start)
        .chain(around(HookPoint::ContextAssembled))
        .chain(model)
        .chain(tool)
        .chain(model)
        .chain(around(HookPoint::Finished));
    run.assert_events(all);
}

#[tokio::test]
async fn a_failed_assertion_shows_the_events_of_the_run() {
    let rails = rails![shorten, redact, block_dangerous];
    let script =
        r#"[{ "call": [{ "tool": "search" }, { "tool": "refund" }] }, { "call": [{ "tool": "delete_file" }] }]"#;
    let run = exo_rails_agent::testing::run(rails, script)
        .input("Any orders?")
        .tool("search", "three; sk-live-4711")
        .tool("refund", "paid");
    let run = run.agent(|agent| agent.parallel_tools(std::num::NonZeroUsize::MIN)).await;
    let message = message_of(|| run.assert_calls("refund", 1));
    let expected = r#"expected `refund` to run 1 time, not 0

  1  start              continue
  2  context_assembled  continue
  3  pre_llm_call       continue
     the model reads:
       user: "Any orders?"
  4  llm_chunk          continue
  5  post_llm_call      continue
  6  pre_tool_call      `search`: continue
     changed arguments.limit: null -> 10
     `search` runs with {"limit":10}
  7  post_tool_call     `search`: continue
     changed content: "three; sk-live-4711" -> "three; [key]"
  8  pre_tool_call      `refund`: skip by `block_dangerous`: a person has to do that
  9  post_tool_call     `refund`: continue
 10  pre_llm_call       step 1: continue
     the model reads, after 1 message as before:
       assistant: "", calls `search` with {}, calls `refund` with {}
       tool: "three; [key]"
       tool: "The call of `refund` was skipped by the rail `block_dangerous`: a person has to do that"
 11  llm_chunk          step 1: continue
 12  post_llm_call      step 1: continue
 13  pre_tool_call      `delete_file`, step 1: abort by `block_dangerous`: destructive tools are off limits
 14  error              continue
it ended with: the error: rail `block_dangerous` aborted at pre_tool_call: destructive tools are off limits
"#;
    assert_eq!(message, expected);
    let told = |expected: &str, assertion: &dyn Fn(&Trace)| fails(expected, || assertion(&run));
    told("expected start 2 times, not 1\n", &|run| {
        run.assert_fired(HookPoint::Start, 2);
    });
    told("expected finished as event 2, not context_assembled\n", &|run| {
        run.assert_events([HookPoint::Start, HookPoint::Finished]);
    });
    told("expected the end as event 1, not start\n", &|run| {
        run.assert_events([]);
    });
    told("expected `search` to run with {}\n", &|run| {
        run.assert_called_with("search", &json!({}));
    });
    told("expected the decisions\n  [], not\n  [\"pre_tool_call: skip by `block_dangerous`\", ", &|run| {
        run.assert_decisions([]);
    });
    told("expected that the model reads \"paid\"", &|run| {
        run.assert_told("paid");
    });
    told("expected that the model does not read \"[key]\"", &|run| {
        run.assert_not_told("[key]");
    });
    told("expected a change of `arguments.li` at pre_tool_call", &|run| {
        run.assert_changed(HookPoint::PreToolCall, "arguments.li");
    });
    told("expected no change, but at pre_tool_call: arguments.limit: null -> 10", &|run| {
        run.assert_unchanged();
    });
    told("expected the pieces\n  [\"a\"], not\n  []", &|run| {
        run.assert_streamed(["a"]);
    });
    fails("expected an error with \"the moon\"", || run.assert_failed("the moon"));
}

#[tokio::test]
async fn an_assertion_about_an_unwatched_tool_fails() {
    let run = exo_rails_agent::testing::run(DynGuardSet::new(NoRails), SCRIPT)
        .tool("search", "three")
        .tool("read", "nothing")
        .await;
    run.assert_calls("read", 0);
    fails("no tool `raed` is watched, but `read`, `search`", || run.assert_calls("raed", 0));
    let rails = Traced::new(NoRails);
    rails.guard_tool_call(call("search"), &mut RunContext::new("own"), tests::tool).await.unwrap();
    fails("no tool `search` is watched, but none", || rails.trace().assert_calls("search", 0));
    fails("no model is watched", || rails.trace().assert_not_told("a secret"));
}

#[tokio::test]
async fn each_assertion_fails_if_the_script_is_invalid() {
    let run = exo_rails_agent::testing::run(rails![shorten], r#"[{ "said": "hello" }]"#).tool("search", "three").await;
    let why = "nothing could be run: the script is wrong at line 1, column 9: unknown field `said`";
    fails(why, || run.assert_decisions([]));
    fails(why, || run.assert_calls("search", 0));
    fails(why, || run.assert_failed(""));
    assert!(run.trace.to_string().starts_with(why));
}

#[tokio::test]
async fn a_streamed_run_has_the_same_trace_as_a_called_run() {
    let rails = rails![shorten, redact];
    let called = exo_rails_agent::testing::run(rails.clone(), SCRIPT).tool("search", "three").await;
    let streamed = exo_rails_agent::testing::run(rails, SCRIPT).tool("search", "three").streamed().await;
    streamed.assert_output("There are three.").assert_streamed(["There ", "are three."]);
    streamed.assert_called_with("search", &json!({ "query": "orders", "limit": 10 }));
    assert_eq!(streamed.requests(), called.requests());
    assert_eq!(streamed.trace.to_string().matches("the stream reports ToolCalls").count(), 1);
    // A chunk for each piece, and one for the end.
    assert_eq!(streamed.events().len(), called.events().len() + 2);
    called.assert_streamed([]);
}

/// The set inside says what it holds back, also through the trace.
#[tokio::test]
async fn a_traced_run_delays_the_window_of_its_rails() {
    #[rail(on = [LlmChunk], window = 12)]
    fn no_key(window: &mut StreamWindow) {
        window.text = window.text.replace("sk-live-4711", "[key]");
    }
    let script = r#"[{ "deltas": ["It is sk-live", "-4711, or so."] }]"#;
    let run = exo_rails_agent::testing::run(rails![no_key], script).streamed().await;
    run.assert_streamed(["I", "t is [", "key], or so."]).assert_changed(HookPoint::LlmChunk, "text");
}

#[tokio::test]
async fn an_always_called_rail_is_called_through_the_trace() {
    #[rail(priority = 90, on = [PreToolCall], always)]
    fn audit(ctx: &RailContext) {
        tests::note(ctx, format!("{:?}", ctx.stopped().map(|stopped| &stopped.rail_name)));
    }
    let call = testing::tool_call(&rails![audit, block_dangerous], call("delete_file")).await;
    assert_eq!(tests::notes(&call.ctx), [r#"Some("block_dangerous")"#]);
    // And where the traced set is part of another, which has stopped the event.
    let (part, mut ctx) = (tests::AlwaysOnly(Traced::new(rails![audit])), RunContext::new("own"));
    let _ = part.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await.unwrap();
    assert_eq!(tests::notes(&ctx), ["None"]);
}

#[tokio::test]
async fn failing_tools_and_custom_tools_are_traced() {
    let script =
        r#"[{ "call": [{ "tool": "broken" }, { "tool": "own", "arguments": { "a": 1 } }] }, { "say": "done" }]"#;
    let own = Tool::new("own", "Its own.", json!({ "type": "object" }), |arguments: serde_json::Value| async move {
        Ok::<_, OperationError>(arguments)
    });
    let run = exo_rails_agent::testing::run(DynGuardSet::new(NoRails), script)
        .failing_tool("broken", "out of paper")
        .tool_of(own)
        .await;
    run.assert_output("done").assert_calls("broken", 1).assert_told("out of paper").assert_told(r#"{"a":1}"#);
    run.assert_called_with("own", &json!({ "a": 1 })).assert_fired(HookPoint::ToolError, 1);
}

#[tokio::test]
async fn any_guard_set_can_be_tested() {
    async fn plain(_: Inputs<'_>, _: &mut RailContext) -> RailAction {
        RailAction::skip("a plain hook")
    }
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, plain);
    testing::at::<PreToolCall>(&hooks, call("search")).await.assert_skipped("a plain hook");
    let run = exo_rails_agent::testing::run(hooks, SCRIPT).tool("search", "three").await;
    run.assert_calls("search", 0).assert_told("a plain hook");
}

#[tokio::test]
async fn the_trace_of_a_dropped_run_shows_its_last_event() {
    #[rail(on = [Start])]
    async fn never() {
        std::future::pending::<()>().await;
    }
    let rails = Traced::new(rails![never]);
    let mut ctx = RunContext::new("own");
    assert!(tests::Polls(1).of(rails.guard_run("hello", &mut ctx, tests::run)).await.is_none());
    assert_eq!(
        rails.trace().to_string(),
        "  1  start              its rails did not finish\n  2  dropped            continue\n"
    );
}

#[tokio::test]
async fn a_custom_event_is_tested_like_the_others() {
    #[derive(Debug)]
    struct Query(&'static str);
    #[derive(Debug)]
    struct Memories(Vec<&'static str>);
    #[derive(Event)]
    #[event(payload = (&Query, &mut Memories), allows = "skip")]
    struct Recalled;
    #[rail(on = [Recalled])]
    fn forget(query: &Query, memories: &mut Memories) {
        memories.0.retain(|memory| *memory == query.0);
    }
    let rails = rail_chain![
        #[chain(events = [Recalled])]
        forget
    ];
    let recalled = testing::at::<Recalled>(&rails, (Query("Ada"), Memories(vec!["Ada", "Bo"]))).await;
    assert_eq!(recalled.assert_continued().payload.1.0, ["Ada"]);
    assert_eq!(recalled.trace.events()[0].changes.len(), 1);
}

#[tokio::test]
async fn a_custom_event_with_any_payload_is_tested() {
    // What a helper of another crate asks for.
    fn owned<E: OwnedPayload>(owned: E::Owned) -> E::Owned {
        owned
    }
    #[derive(Event)]
    #[event(allows = "abort")]
    struct Ticked;
    #[derive(Event)]
    #[event(payload = &String, allows = "abort")]
    struct Read;
    #[derive(Event)]
    #[event(payload = (&u8, &mut u16, &u32, &mut u64, &i8, &mut i16, &i32))]
    struct Counted;
    #[rail(on = [Ticked, Read, Counted])]
    fn adds(inputs: Inputs<'_>) {
        if let Inputs::Custom(mut inputs) = inputs
            && let Some(sum) = inputs.get_mut::<u64>()
        {
            *sum += 1;
        }
    }
    let rails = rail_chain![
        #[chain(events = [Ticked, Read, Counted])]
        adds
    ];
    testing::at::<Ticked>(&rails, ()).await.assert_continued();
    testing::at::<Read>(&rails, "a text".to_owned()).await.assert_continued();
    let counted = testing::at::<Counted>(&rails, (1, 2, 3, 4, 5, 6, 7)).await;
    assert_eq!(counted.assert_continued().payload, (1, 2, 3, 5, 5, 6, 7));
    assert_eq!(owned::<Read>("a text".to_owned()), "a text");
}

#[tokio::test]
async fn a_custom_agent_can_be_traced() {
    let rails = Traced::new(rails![shorten]);
    let trace = rails.trace().clone();
    let model = exo_rails_agent::testing::TracedModel::new(
        tests::Model::new([tests::asks_for(&["search"]), ModelResponse::text("done")]),
        &trace,
    );
    let search =
        Tool::new("search", "Finds.", json!({}), |_: serde_json::Value| async { Ok::<_, OperationError>("three") });
    let agent = tests::agent("own", model).tool(trace.tool(search)).rails(rails).build();
    agent.run("hello").await.unwrap();
    trace.assert_called_with("search", &json!({ "limit": 10 })).assert_told("three");
    assert!(matches!(trace.entries()[0], TraceEntry::Fired(_)));
}
