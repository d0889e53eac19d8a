//! The spans of a run: their names, their tree, and what they say.

use exo_rails::message::{Message, Usage};
use exo_rails::prelude::*;
use exo_rails::telemetry::{self, names};
use exo_rails::{MemoryEntry, NoRails};
use exo_rails_agent::{Agent, Model, ScriptedModel};
use exo_rails_agent::{Compaction, InMemory, Session};
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use tests::{Spans, yields};
use tracing::Instrument;

/// What each tree below shows of a span, where it says it.
const SHOWN: [&str; 7] = [
    names::ATTEMPTS,
    names::SUBSTITUTED_BY,
    names::ERROR_TYPE,
    names::RAIL_DECISION,
    names::RAIL_REASON,
    names::USAGE_INPUT_TOKENS,
    names::RESPONSE_FINISH_REASONS,
];

fn tool(name: &str) -> Tool {
    Tool::new(name, "Works.", json!({ "type": "object" }), |arguments: Value| async move {
        yields(1).await;
        match arguments.get("fail") {
            Some(_) => Err(OperationError::new(OperationErrorKind::Timeout, "the disk sleeps")),
            None => Ok(ToolOutput::text("the secret output")),
        }
    })
}

async fn run<R: GuardSet>(script: &str, rails: R) -> Result<InvokeOutput, RunError> {
    let model: ScriptedModel = script.parse().unwrap();
    let agent = Agent::builder("support", model).tools([tool("search"), tool("delete")]).rails(rails).build();
    Ok(agent.run("the secret question").await?)
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_delete(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "delete" { RailAction::skip("nothing is deleted") } else { RailAction::Continue }
}

#[rail(priority = 20, on = [PostLlmCall])]
fn once_more(ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("say it better")) } else { RailAction::Continue }
}

#[tokio::test]
async fn a_run_is_a_tree_of_spans() {
    let spans = Spans::collect();
    let script = r#"[
        { "call": [{ "tool": "search" }, { "tool": "delete" }], "usage": { "prompt_tokens": 10, "completion_tokens": 2 } },
        { "say": "Done.", "usage": { "prompt_tokens": 30, "completion_tokens": 3 } }
    ]"#;
    run(script, rail_chain![no_delete]).await.unwrap();
    assert_eq!(
        spans.tree(&SHOWN),
        "\
invoke_agent support attempts=1 input_tokens=40
  chat scripted attempts=1 input_tokens=10 finish_reasons=[\"tool_calls\"]
  execute_tool search attempts=1
  execute_tool delete attempts=1 substituted_by=no_delete
  chat scripted attempts=1 input_tokens=30 finish_reasons=[\"stop\"]
"
    );
}

#[tokio::test]
async fn a_span_has_the_attempts_of_its_operation_and_their_usage() {
    let spans = Spans::collect();
    let script = r#"[
        { "say": "Bad.", "usage": { "prompt_tokens": 10, "completion_tokens": 2 } },
        { "say": "Good.", "usage": { "prompt_tokens": 30, "completion_tokens": 3 } }
    ]"#;
    run(script, rail_chain![once_more]).await.unwrap();
    assert_eq!(
        spans.tree(&[names::ATTEMPTS, names::USAGE_INPUT_TOKENS, names::USAGE_OUTPUT_TOKENS]),
        "\
invoke_agent support attempts=1 input_tokens=40 output_tokens=5
  chat scripted attempts=2 input_tokens=40 output_tokens=5
"
    );
}

#[rail(on = [PreLlmCall])]
fn stops(call: &ModelCallInputs) -> Verdict {
    Verdict::abort_if(call.messages.len() > 1, "enough")
}

#[rail(on = [PreLlmCall])]
fn cannot() -> Result<Verdict, std::io::Error> {
    Err(std::io::Error::other("the secret policy"))
}

#[rail(on = [PostLlmCall])]
fn never_happy() -> RailAction {
    RailAction::retry(RetryRequest::new("not good").with_max_retries(1))
}

#[tokio::test]
async fn an_error_is_in_the_operation_and_in_the_run_with_the_rail_that_ended_it() {
    let ended =
        |spans: &Spans| spans.tree(&[names::ERROR_TYPE, names::RAIL_NAME, names::OTEL_STATUS_CODE, names::ATTEMPTS]);
    let again = r#"{ "call": [{ "tool": "search" }] }"#;

    let spans = Spans::collect();
    run(&format!("[{again}, {again}]"), rail_chain![stops]).await.unwrap_err();
    assert_eq!(
        ended(&spans),
        "\
invoke_agent support type=rail_abort name=stops status_code=ERROR attempts=1
  chat scripted attempts=1
  execute_tool search attempts=1
  chat scripted type=rail_abort name=stops status_code=ERROR attempts=1
"
    );

    let spans = Spans::collect();
    run("[]", rail_chain![cannot]).await.unwrap_err();
    assert_eq!(
        ended(&spans),
        "\
invoke_agent support type=rail_fault name=cannot status_code=ERROR attempts=1
  chat scripted type=rail_fault name=cannot status_code=ERROR attempts=1
"
    );

    let spans = Spans::collect();
    run(r#"[{ "say": "a" }, { "say": "b" }, { "say": "c" }]"#, rail_chain![never_happy]).await.unwrap_err();
    assert_eq!(
        ended(&spans),
        "\
invoke_agent support type=retries_exhausted name=never_happy status_code=ERROR attempts=1
  chat scripted type=retries_exhausted name=never_happy status_code=ERROR attempts=2
"
    );

    let spans = Spans::collect();
    run(r#"[{ "fail": { "kind": "rate_limited", "message": "slow down" } }]"#, NoRails).await.unwrap_err();
    assert_eq!(
        ended(&spans),
        "\
invoke_agent support type=rate_limited status_code=ERROR attempts=1
  chat scripted type=rate_limited status_code=ERROR attempts=1
"
    );
}

#[tokio::test]
async fn a_failure_that_the_model_reads_marks_only_the_span_of_the_tool_call() {
    let spans = Spans::collect();
    let script = r#"[
        { "call": [{ "tool": "search", "arguments": { "fail": true } }, { "tool": "search", "raw_arguments": "{" }] },
        { "say": "Done." }
    ]"#;
    run(script, NoRails).await.unwrap();
    assert_eq!(
        spans.tree(&[names::ERROR_TYPE]),
        "\
invoke_agent support
  chat scripted
  execute_tool search type=timeout
  execute_tool search type=invalid_request
  chat scripted
"
    );
}

#[rail(on = [ToolError])]
fn try_again(ctx: &RailContext) -> RailAction<ToolOutput> {
    match ctx.attempt() {
        0 => RailAction::retry(RetryRequest::new("once more")),
        _ => RailAction::skip_with(ToolOutput::error("never mind"), "it does not work"),
    }
}

#[tokio::test]
async fn a_rescued_failure_is_not_an_error_of_the_span() {
    let spans = Spans::collect();
    let script = r#"[{ "call": [{ "tool": "search", "arguments": { "fail": true } }] }, { "say": "Done." }]"#;
    run(script, rail_chain![try_again]).await.unwrap();
    let tree = spans.tree(&[names::ERROR_TYPE, names::ATTEMPTS, names::SUBSTITUTED_BY]);
    assert!(tree.contains("\n  execute_tool search attempts=2 substituted_by=try_again\n"), "{tree}");
}

#[rail(priority = 20, on = [PreToolCall])]
fn approval(ctx: &RailContext) -> RailAction {
    RailAction::suspend(ctx.question("may this go on?"))
}

#[tokio::test]
async fn a_suspended_run_has_no_error_status() {
    let spans = Spans::collect();
    run(r#"[{ "call": [{ "tool": "search" }] }]"#, rail_chain![approval]).await.unwrap_err();
    assert_eq!(
        spans.tree(&[names::ERROR_TYPE, names::OTEL_STATUS_CODE, names::RAIL_NAME]),
        "invoke_agent support type=suspended name=approval
  chat scripted
  execute_tool search type=suspended name=approval
"
    );
}

#[tokio::test]
async fn a_name_that_the_model_made_up_is_left_out() {
    let spans = Spans::collect();
    run(r#"[{ "call": [{ "tool": "the secret tool" }] }, { "say": "Done." }]"#, NoRails).await.unwrap();
    let tree = spans.tree(&[names::ERROR_TYPE, names::TOOL_NAME]);
    assert!(tree.contains("\n  execute_tool type=not_found\n"), "{tree}");
}

#[rail(priority = 5, on = [Start, PreLlmCall, PostLlmCall, PreToolCall, PostToolCall, Finished])]
fn looks(_: &Inputs<'_>) {}

#[tokio::test]
async fn spans_contain_no_text_of_the_conversation() {
    let spans = Spans::collect();
    let script = r#"[
        { "say": "the secret thought", "call": [{ "tool": "search", "arguments": { "q": "secret" } }, { "tool": "secret" }] },
        { "fail": { "kind": "unavailable", "message": "the secret failure" } }
    ]"#;
    let mut manager = RailManager::new();
    manager.add(looks {}).unwrap();
    manager.add(no_delete {}).unwrap();
    run(script, manager).await.unwrap_err();
    run(
        "[]",
        rail_chain![
            #[chain(trace)]
            cannot,
            looks
        ],
    )
    .await
    .unwrap_err();
    let said = spans.said();
    assert!(said.len() > 50);
    let secret: Vec<_> = said.iter().filter(|(_, value)| value.contains("secret")).collect();
    assert!(secret.is_empty(), "{secret:?}");
}

#[tokio::test]
async fn parallel_tools_have_sibling_spans() {
    let spans = Spans::collect();
    let script =
        r#"[{ "call": [{ "tool": "search" }, { "tool": "search" }, { "tool": "search" }] }, { "say": "Done." }]"#;
    run(
        script,
        rail_chain![
            #[chain(trace)]
            no_delete
        ],
    )
    .await
    .unwrap();
    assert_eq!(
        spans.tree(&[names::TOOL_CALL_ID]),
        "\
invoke_agent support
  chat scripted
  execute_tool search id=call_1
    rail no_delete
  execute_tool search id=call_2
    rail no_delete
  execute_tool search id=call_3
    rail no_delete
  chat scripted
"
    );
}

#[tokio::test]
async fn a_stream_has_the_spans_of_a_run() {
    let spans = Spans::collect();
    let model: ScriptedModel =
        r#"[{ "deltas": ["It is ", "late."], "usage": { "prompt_tokens": 4 } }]"#.parse().unwrap();
    let agent = Agent::builder("support", model)
        .rails(rail_chain![
            #[chain(trace)]
            chunk
        ])
        .build();
    let events: Vec<_> = agent.stream("How late is it?").collect().await;
    assert!(events.last().unwrap().is_ok());
    assert_eq!(
        spans.tree(&[names::REQUEST_STREAM, names::USAGE_INPUT_TOKENS, names::EVENT]),
        "\
invoke_agent support input_tokens=4
  chat scripted stream=true input_tokens=4
    rail chunk event=llm_chunk
    rail chunk event=llm_chunk
    rail chunk event=llm_chunk
"
    );
}

#[rail(on = [LlmChunk], window = 1)]
fn chunk(_: &mut StreamWindow) {}

#[tokio::test]
async fn a_session_is_the_conversation_of_its_runs() {
    let spans = Spans::collect();
    let model: ScriptedModel = r#"[{ "say": "one" }, { "say": "two" }]"#.parse().unwrap();
    let agent = Agent::builder("support", model).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("first").await.unwrap();
    session.run("second").await.unwrap();
    session.end().await;
    assert_eq!(
        spans.tree(&[names::CONVERSATION_ID, names::TURN]),
        "\
invoke_agent support id=s-1 turn=0
  chat scripted id=s-1
invoke_agent support id=s-1 turn=1
  chat scripted id=s-1
"
    );
}

#[tokio::test]
async fn a_compaction_is_a_span() {
    let spans = Spans::collect();
    let model: ScriptedModel = r#"[{ "say": "Gladly." }]"#.parse().unwrap();
    let agent = Agent::builder("support", model).compaction(Compaction::over(100)).build();
    let said = Message::user("a word and another ".repeat(40));
    agent.run(InvokeInputs { messages: [said].into(), ..InvokeInputs::new("Help me.") }).await.unwrap();
    assert_eq!(
        spans.tree(&[names::REMOVED, names::ATTEMPTS]),
        "\
invoke_agent support attempts=1
  compact_history removed=1 attempts=1
  chat scripted attempts=1
"
    );
}

#[rail(on = [MemoryStored])]
fn no_secrets(entry: &MemoryEntry) -> Verdict {
    Verdict::abort_if(entry.messages[0].text().contains("secret"), "a secret")
}

#[tokio::test]
async fn recalling_and_storing_memory_are_spans() {
    let spans = Spans::collect();
    let model: ScriptedModel = r#"[{ "say": "Gladly." }, { "say": "Again?" }, { "say": "No." }]"#.parse().unwrap();
    let agent = Agent::builder("support", model).rails(rail_chain![no_secrets]).memory(InMemory::shared(9)).build();
    agent.run("Help me.").await.unwrap();
    agent.run("Help me!").await.unwrap();
    agent.run("Keep a secret.").await.unwrap_err();
    assert_eq!(
        spans.tree(&[names::RECALLED, names::RAIL_NAME, names::ERROR_TYPE]),
        "\
invoke_agent support
  recall_memory recalled=0
  chat scripted
  store_memory
invoke_agent support
  recall_memory recalled=1
  chat scripted
  store_memory
invoke_agent support name=no_secrets type=rail_abort
  recall_memory recalled=0
  chat scripted
  store_memory name=no_secrets type=rail_abort
"
    );
}

#[rail(on = [PreLlmCall])]
fn cheaper(call: &mut ModelCallInputs) {
    call.model = Some("small-1".into());
}

/// A model that says which one it was.
struct Named;

impl Model for Named {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let extra = json!({ "id": "answer-1", "model": "small-1-0613" });
        Ok(ModelResponse { extra: extra.as_object().cloned().unwrap(), ..ModelResponse::text("Done.") })
    }
}

#[tokio::test]
async fn a_model_call_says_which_model_was_asked_and_which_answered() {
    let spans = Spans::collect();
    Agent::builder("support", Named).rails(rail_chain![cheaper]).build().run("Please!").await.unwrap();
    Agent::builder("support", Named).build().run("Please!").await.unwrap();
    let shown = [names::PROVIDER_NAME, names::REQUEST_MODEL, names::RESPONSE_ID, names::RESPONSE_MODEL];
    assert_eq!(
        spans.tree(&shown),
        "\
invoke_agent support
  chat small-1 model=small-1 id=answer-1 model=small-1-0613
invoke_agent support
  chat id=answer-1 model=small-1-0613
"
    );
}

#[tokio::test]
async fn operations_have_the_names_of_the_convention() {
    let spans = Spans::collect();
    run(r#"[{ "call": [{ "tool": "search" }] }, { "say": "Done." }]"#, NoRails).await.unwrap();
    assert_eq!(
        spans.tree(&[
            names::OPERATION_NAME,
            names::OTEL_KIND,
            names::PROVIDER_NAME,
            names::AGENT_NAME,
            names::TOOL_TYPE
        ]),
        "\
invoke_agent support name=invoke_agent kind=internal name=support
  chat scripted name=chat kind=client name=exo_rails
  execute_tool search name=execute_tool kind=internal type=function
  chat scripted name=chat kind=client name=exo_rails
"
    );
    assert!(spans.logged().iter().all(|(_, level, _)| *level == tracing::Level::INFO));
}

#[rail(priority = 30, on = [PreToolCall])]
fn never_called() {}

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit() {}

rail_chain! {
    #[chain(trace, priority = 15)]
    struct Inner { looks }
}

/// Dispatches the event before the call of a tool of this name.
async fn pre_tool_call<R: GuardSet>(rails: R, name: &str) {
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new(name), &mut RunContext::new("tests")).await;
    drop(decision);
}

const OF_RAILS: [&str; 4] = [names::RAIL_PRIORITY, names::EVENT, names::RAIL_DECISION, names::RAIL_REASON];

#[tokio::test]
async fn a_traced_chain_has_a_span_around_each_rail_that_is_called() {
    let spans = Spans::collect();
    let rails = || {
        rail_chain![
            #[chain(trace)]
            audit,
            never_called,
            Inner,
            no_delete
        ]
    };
    pre_tool_call(rails(), "delete").await;
    assert_eq!(
        spans.tree(&OF_RAILS),
        "\
rail no_delete priority=10 event=pre_tool_call decision=skip reason=nothing is deleted
rail audit priority=90 event=pre_tool_call decision=continue
"
    );
    let spans = Spans::collect();
    pre_tool_call(rails(), "search").await;
    assert_eq!(
        spans.tree(&OF_RAILS),
        "\
rail no_delete priority=10 event=pre_tool_call decision=continue
rail Inner priority=15 event=pre_tool_call decision=continue
  rail looks priority=5 event=pre_tool_call decision=continue
rail never_called priority=30 event=pre_tool_call decision=continue
rail audit priority=90 event=pre_tool_call decision=continue
"
    );
}

#[tokio::test]
async fn a_chain_without_the_option_has_no_spans() {
    let spans = Spans::collect();
    pre_tool_call(rail_chain![audit, never_called, no_delete], "delete").await;
    assert_eq!(spans.tree(&OF_RAILS), "");
    pre_tool_call(rail_chain![audit, Inner], "search").await;
    assert_eq!(spans.tree(&OF_RAILS), "rail looks priority=5 event=pre_tool_call decision=continue\n");
}

#[rail(on = [PreToolCall], on_fault = "continue", timeout = "5ms")]
async fn sleeps(call: &ToolCallInputs) -> Result<RailAction, std::io::Error> {
    if call.tool_name == "delete" {
        std::future::pending::<()>().await;
    }
    Ok(RailAction::abort("wide awake"))
}

#[rail(on = [PreToolCall], timeout = "5ms")]
async fn hangs() -> Verdict {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn the_span_of_a_rail_has_the_kind_and_the_log_of_its_fault() {
    let spans = Spans::collect();
    pre_tool_call(
        rail_chain![
            #[chain(trace)]
            sleeps,
            hangs
        ],
        "delete",
    )
    .await;
    pre_tool_call(
        rail_chain![
            #[chain(trace)]
            sleeps,
            hangs
        ],
        "search",
    )
    .await;
    pre_tool_call(
        rail_chain![
            #[chain(trace)]
            traced_fault
        ],
        "search",
    )
    .await;
    assert_eq!(
        spans.tree(&[names::RAIL_DECISION, names::ERROR_TYPE, names::RAIL_REASON]),
        "\
rail sleeps decision=continue
rail hangs decision=fault type=timeout
rail sleeps decision=abort reason=wide awake
rail traced_fault decision=fault type=rail_error
"
    );
    let logged: Vec<_> = spans.logged().into_iter().map(|(_, level, logged)| (level, logged.concat())).collect();
    assert_eq!(logged[0], (tracing::Level::DEBUG, "a rail faulted; the run goes on".into()));
    assert_eq!(logged[1].1, "a rail faulted; the run ends");
}

#[rail(on = [PreToolCall])]
fn traced_fault() -> Result<Verdict, std::io::Error> {
    tracing::info!(target: "exo_rails", "on its way");
    Err(std::io::Error::other("no"))
}

#[tokio::test]
async fn logs_of_a_rail_are_in_its_span() {
    let spans = Spans::collect();
    pre_tool_call(
        rail_chain![
            #[chain(trace)]
            traced_fault
        ],
        "search",
    )
    .await;
    let mut manager = RailManager::new();
    manager.add(traced_fault {}).unwrap();
    pre_tool_call(manager, "search").await;
    for (_, _, logged) in spans.logged() {
        assert_eq!(logged, ["on its way", "a rail faulted; the run ends"]);
    }
    assert_eq!(spans.logged().len(), 2);
}

#[tokio::test]
async fn a_dropped_dispatch_has_no_decision() {
    let spans = Spans::collect();
    let rails = rail_chain![
        #[chain(trace)]
        hangs
    ];
    assert!(
        rails
            .dispatch::<PreToolCall>(&mut ToolCallInputs::new("a"), &mut RunContext::new("tests"))
            .now_or_never()
            .is_none()
    );
    assert_eq!(spans.tree(&OF_RAILS), "rail hangs priority=50 event=pre_tool_call\n");
}

async fn wrong(_: Inputs<'_>, _: &mut RailContext) -> RailAction {
    RailAction::skip("nothing to see")
}

#[tokio::test]
async fn managers_open_a_span_around_each_rail() {
    let spans = Spans::collect();
    let mut manager = RailManager::new();
    manager.add(audit {}).unwrap();
    manager.add(no_delete {}).unwrap();
    manager.add(never_called {}).unwrap();
    pre_tool_call(manager, "delete").await;
    assert_eq!(
        spans.tree(&OF_RAILS),
        "\
rail no_delete priority=10 event=pre_tool_call decision=skip reason=nothing is deleted
rail audit priority=90 event=pre_tool_call decision=continue
"
    );

    let spans = Spans::collect();
    let mut hooks = HookManager::new();
    rail_chain![
        #[chain(priority = 3)]
        never_called
    ]
    .register(&mut hooks);
    hooks.add(HookPoint::PreToolCall, wrong);
    hooks.add(HookPoint::SessionStart, wrong);
    pre_tool_call(&hooks, "delete").await;
    hooks.start_session(&"s-1".into(), &mut RunContext::new("tests")).await.unwrap_err();
    let tree = spans.tree(&[names::RAIL_DECISION, names::ERROR_TYPE, names::RAIL_REASON]);
    let wrong = concat!(module_path!(), "::wrong");
    assert_eq!(
        tree,
        format!(
            "\
rail rail_chain! decision=continue
rail {wrong} decision=skip reason=nothing to see
rail {wrong} decision=fault type=illegal_action
"
        )
    );
}

#[tokio::test]
async fn a_traced_chain_decides_like_an_untraced_one() {
    let _spans = Spans::collect();
    let (plain, traced) = (
        rail_chain![audit, no_delete, traced_fault],
        rail_chain![
            #[chain(trace)]
            audit,
            no_delete,
            traced_fault
        ],
    );
    for name in ["delete", "search"] {
        let mut told = Vec::new();
        let mut ctx = RunContext::new("tests");
        told.push(format!("{:?}", plain.dispatch::<PreToolCall>(&mut ToolCallInputs::new(name), &mut ctx).await));
        told.push(format!("{:?}", traced.dispatch::<PreToolCall>(&mut ToolCallInputs::new(name), &mut ctx).await));
        assert_eq!(told[0], told[1]);
    }
}

#[tokio::test]
async fn a_custom_loop_can_make_the_spans() {
    let spans = Spans::collect();
    let (rails, mut ctx) = (rail_chain![no_delete], RunContext::new("own"));
    let mut call = ToolCallInputs::new("delete");
    call.id = "7".into();
    let span = telemetry::tool_call_span(&ctx, &call.tool_name, &call.id);
    let run = |_| async { Ok::<_, OperationError>(ToolOutput::error("not today")) };
    let result = rails.guard_tool_call(call, &mut ctx, run).instrument(span.clone()).await;
    telemetry::end(&span, &ctx, &result);

    let span = telemetry::tool_call_span(&ctx, "search", "");
    let result = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, run).instrument(span.clone()).await;
    telemetry::end(&span, &ctx, &result);

    let span = telemetry::model_call_span(&ctx, Some("openai"), Some("gpt-5"));
    let response =
        ModelResponse { usage: Some(Usage { prompt_tokens: 7, ..Usage::default() }), ..ModelResponse::text("Done.") };
    let model = |_| {
        let response = response.clone();
        async { Ok::<_, OperationError>(response) }
    };
    let result = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).instrument(span.clone()).await;
    telemetry::end(&span, &ctx, &result);
    assert_eq!(
        spans.tree(&[names::TOOL_CALL_ID, names::SUBSTITUTED_BY, names::ERROR_TYPE, names::USAGE_INPUT_TOKENS]),
        "\
execute_tool delete id=7 substituted_by=no_delete
execute_tool search type=tool_error
chat gpt-5 input_tokens=7
"
    );
}

#[tokio::test]
async fn the_spans_of_a_dropped_run_show_that_it_was_dropped() {
    let spans = Spans::collect();
    let script = r#"[
        { "call": [{ "tool": "search" }], "usage": { "prompt_tokens": 10, "completion_tokens": 2 } },
        { "say": "Done." }
    ]"#;
    let model: ScriptedModel = script.parse().unwrap();
    let stuck = Tool::new("search", "Never ends.", json!({ "type": "object" }), |_: Value| async {
        std::future::pending::<()>().await;
        Ok::<_, OperationError>("never")
    });
    let agent = Agent::builder("support", model).tool(stuck).build();
    assert!(agent.run("the secret question").now_or_never().is_none());
    let tree = spans.tree(&[names::ERROR_TYPE, names::USAGE_INPUT_TOKENS]);
    assert_eq!(
        tree,
        "invoke_agent support type=dropped input_tokens=10\n  chat scripted input_tokens=10\n  \
         execute_tool search type=dropped\n"
    );
}
