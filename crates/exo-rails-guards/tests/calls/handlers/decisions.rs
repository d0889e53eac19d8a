//! The protocol, as a table: exit codes and answers of commands.

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails_guards::handlers::{FailMode, HandlerConfig, HandlerEvent, OnBlock};
use serde_json::json;

use crate::handlers::{Guards, Hooks, call_tool, command, run_script};

/// What a script leads to.
#[derive(Debug, PartialEq)]
enum Expected {
    /// The tool ran.
    Allowed,
    /// The tool did not run, and the model read this reason.
    Blocked(&'static str),
    /// The run ended with a fault whose text ends so.
    Fault(&'static str),
}

use Expected::{Allowed, Blocked, Fault};

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn exit_codes_and_answers_decide_as_the_table_says() {
    let table = [
        // Exit code 0: the answer decides.
        ("exit_0_without_an_answer_allows", "exit 0", Allowed),
        ("exit_0_with_an_empty_object_allows", "echo '{}'", Allowed),
        ("exit_0_with_blanks_allows", "echo; echo '  '", Allowed),
        ("allow_allows", r#"echo '{"decision":"allow"}'"#, Allowed),
        ("allow_with_a_reason_allows", r#"echo '{"decision":"allow","reason":"fine"}'"#, Allowed),
        ("null_fields_are_missing_fields", r#"echo '{"decision":null,"reason":null,"updated":null}'"#, Allowed),
        ("block_blocks", r#"echo '{"decision":"block","reason":"no"}'"#, Blocked("no")),
        ("block_without_a_reason_blocks", r#"echo '{"decision":"block"}'"#, Blocked("no reason given")),
        (
            "block_over_several_lines_blocks",
            "printf '{\\n \"decision\": \"block\",\\n \"reason\": \"no\"\\n}\\n'",
            Blocked("no"),
        ),
        (
            "a_reason_is_shown_without_control_characters",
            r#"printf '{"decision":"block","reason":"a\\u001b[31mb\\u0000"}'"#,
            Blocked("a[31mb"),
        ),
        ("stderr_does_not_matter_at_exit_0", "echo noise >&2", Allowed),
        // Unknown words are faults, and never an allow.
        (
            "the_word_in_another_case_is_a_fault",
            r#"echo '{"decision":"Block"}'"#,
            Fault("the decision is not `allow`, `ask` or `block`"),
        ),
        ("deny_is_a_fault", r#"echo '{"decision":"deny"}'"#, Fault("the decision is not `allow`, `ask` or `block`")),
        (
            "approve_is_a_fault",
            r#"echo '{"decision":"approve"}'"#,
            Fault("the decision is not `allow`, `ask` or `block`"),
        ),
        (
            "an_empty_word_is_a_fault",
            r#"echo '{"decision":""}'"#,
            Fault("the decision is not `allow`, `ask` or `block`"),
        ),
        (
            "a_word_with_blanks_is_a_fault",
            r#"echo '{"decision":"allow "}'"#,
            Fault("the decision is not `allow`, `ask` or `block`"),
        ),
        (
            "a_decision_that_is_not_a_text_is_a_fault",
            r#"echo '{"decision":true}'"#,
            Fault("does not follow the protocol: it is not a JSON object"),
        ),
        (
            "a_reason_that_is_not_a_text_is_a_fault",
            r#"echo '{"decision":"allow","reason":7}'"#,
            Fault("a field has the wrong type"),
        ),
        ("an_unknown_field_is_a_fault", r#"echo '{"permissionDecision":"deny"}'"#, Fault("it has an unknown field")),
        (
            "a_field_twice_is_a_fault",
            r#"echo '{"decision":"block","decision":"allow"}'"#,
            Fault("it has a field twice"),
        ),
        (
            "a_reason_alone_is_a_fault",
            r#"echo '{"reason":"hm"}'"#,
            Fault("its answer has a `reason` and no `decision`"),
        ),
        ("text_is_a_fault", "echo looks good", Fault("it is not a JSON object")),
        ("cut_json_is_a_fault", r#"printf '{"decision":"allow"'"#, Fault("it is not a JSON object")),
        (
            "two_objects_are_a_fault",
            r#"echo '{"decision":"allow"}{"decision":"block"}'"#,
            Fault("more text follows the JSON"),
        ),
        ("a_list_is_a_fault", "echo '[]'", Fault("does not follow the protocol: it is not a JSON object")),
        (
            "a_list_of_the_fields_is_a_fault",
            r#"echo '["allow"]'"#,
            Fault("does not follow the protocol: it is not a JSON object"),
        ),
        (
            "bytes_that_are_not_unicode_are_a_fault",
            r#"printf '{"decision":"allow","reason":"\377"}'"#,
            Fault("it is not a JSON object"),
        ),
        // Exit code 2 blocks, whatever the answer is.
        ("exit_2_blocks", "exit 2", Blocked("no reason given")),
        ("exit_2_takes_the_reason_from_stderr", "echo 'not today' >&2; exit 2", Blocked("not today")),
        (
            "exit_2_with_only_control_characters_and_blanks_has_no_reason",
            r"printf '\000\t\000' >&2; exit 2",
            Blocked("no reason given"),
        ),
        (
            "exit_2_takes_the_reason_from_the_answer_first",
            r#"echo '{"reason":"json"}'; echo 'err' >&2; exit 2"#,
            Blocked("json"),
        ),
        (
            "exit_2_blocks_with_an_answer_that_allows",
            r#"echo '{"decision":"allow"}'; exit 2"#,
            Blocked("no reason given"),
        ),
        (
            "exit_2_blocks_with_an_answer_without_a_decision",
            r#"echo '{"context_message":"x"}'; exit 2"#,
            Blocked("no reason given"),
        ),
        ("exit_2_blocks_with_an_unknown_field", r#"echo '{"reason":"no","more":1}'; exit 2"#, Blocked("no")),
        ("exit_2_blocks_with_text", "echo oops; exit 2", Blocked("no reason given")),
        ("exit_2_ignores_an_update", r#"echo '{"updated":{"path":"b"}}'; exit 2"#, Blocked("no reason given")),
        // Everything else is a fault.
        ("exit_1_is_a_fault", "exit 1", Fault("it ended with the exit code 1, and only 0 and 2 are decisions")),
        (
            "exit_1_with_a_block_is_a_fault",
            r#"echo '{"decision":"block"}'; exit 1"#,
            Fault("it ended with the exit code 1, and only 0 and 2 are decisions"),
        ),
        ("exit_3_is_a_fault", "exit 3", Fault("it ended with the exit code 3, and only 0 and 2 are decisions")),
        (
            "exit_127_is_a_fault",
            "no_such_program_here",
            Fault("it ended with the exit code 127, and only 0 and 2 are decisions"),
        ),
        ("a_signal_is_a_fault", "kill -9 $$", Fault("a signal ended it")),
        (
            "a_signal_after_an_allow_is_a_fault",
            r#"echo '{"decision":"allow"}'; kill -TERM $$"#,
            Fault("a signal ended it"),
        ),
    ];
    for (name, script, expected) in table {
        let found = run_script(script).await;
        let is_expected = match (&expected, &found) {
            (Allowed, Ok(output)) => output.starts_with("ran with"),
            (Blocked(reason), Ok(output)) => output.ends_with(&format!("hook_handlers/block: handlers[0]: {reason}")),
            (Fault(text), Err(error)) => {
                error.ends_with(text) && error.contains("the hook handler `handlers[0]` failed at `pre_tool_call`")
            }
            _ => false,
        };
        assert!(is_expected, "{name}: {expected:?}, {found:?}");
    }
}

#[tokio::test]
async fn the_event_arrives_as_json_and_no_shell_touches_it() {
    let hooks = Hooks::new();
    let saved = hooks.path().join("event.json");
    let guards = hooks.guards([hooks.handler("hook", &format!("cat > {}", saved.display()))]);
    let mut ctx = RunContext::new("agent-1").with_run_id("run-1");
    call_tool(&guards, &mut ctx).await.unwrap();
    let mut event: serde_json::Value = serde_json::from_slice(&std::fs::read(saved).unwrap()).unwrap();
    let timestamp = event.as_object_mut().unwrap().remove("timestamp").unwrap();
    assert!(timestamp.as_str().unwrap().ends_with('Z'), "{timestamp}");
    assert_eq!(
        event,
        json!({
            "session_id": null, "run_id": "run-1", "agent": "agent-1", "step": 0, "hook_event": "pre_tool_call",
            "tool_name": "write_file", "tool_call_id": "", "arguments": { "path": "a.txt", "text": "it's \"$HOME\"" }
        })
    );
}

#[tokio::test]
async fn every_handler_runs_and_the_strictest_answer_counts() {
    let hooks = Hooks::new();
    let log = hooks.path().join("log");
    let script = |name: &str, text: &str| hooks.handler(name, &format!("echo {name} >> {}\n{text}", log.display()));
    let guards = hooks.guards([
        script("one", r#"echo '{"decision":"allow"}'"#),
        script("two", r#"echo '{"decision":"block","reason":"first"}'"#),
        script("three", r#"echo '{"decision":"ask","reason":"perhaps"}'"#),
        script("four", "echo second >&2; exit 2"),
        script("five", "exit 0"),
    ]);
    let output = call_tool(&guards, &mut RunContext::new("test")).await.unwrap();
    assert!(output.ends_with("hook_handlers/block: handlers[1]: first; handlers[3]: second"), "{output}");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "one\ntwo\nthree\nfour\nfive\n");

    // A fault is stricter than a block.
    let guards = hooks.guards([script("six", "exit 2"), script("seven", "exit 9")]);
    let error = call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.contains("the exit code 9"), "{error}");
}

#[tokio::test]
async fn a_handler_that_may_fail_open_does_not_stop_the_run() {
    let hooks = Hooks::new();
    let open = HandlerConfig { fail_mode: FailMode::Open, ..hooks.handler("open", "exit 1") };
    assert!(call_tool(&hooks.guards([open.clone()]), &mut RunContext::new("test")).await.unwrap().starts_with("ran"));
    // It can still block.
    let open = HandlerConfig { run: command(hooks.script("open2", "exit 2")), ..open };
    assert!(!call_tool(&hooks.guards([open]), &mut RunContext::new("test")).await.unwrap().starts_with("ran"));
}

#[tokio::test]
async fn a_block_can_end_the_run() {
    let hooks = Hooks::new();
    let abort = HandlerConfig { on_block: OnBlock::Abort, ..hooks.handler("hook", "echo no >&2; exit 2") };
    let error = call_tool(&hooks.guards([abort]), &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("hook_handlers/block: handlers[0]: no"), "{error}");
}

#[tokio::test]
async fn a_handler_rewrites_and_the_next_one_sees_it() {
    let hooks = Hooks::new();
    let guards = hooks.guards([
        hooks.handler("rewrite", r#"echo '{"updated":{"path":"/tmp/a.txt"}}'"#),
        hooks.handler("check", r#"grep -q '"arguments":{"path":"/tmp/a.txt"}' || exit 2"#),
    ]);
    let output = call_tool(&guards, &mut RunContext::new("test")).await.unwrap();
    assert_eq!(output, r#"ran with {"path":"/tmp/a.txt"}"#);

    // Arguments are an object.
    let guards = hooks.guards([hooks.handler("wrong", r#"echo '{"updated":"path"}'"#)]);
    let error = call_tool(&guards, &mut RunContext::new("test")).await.unwrap_err();
    assert!(error.ends_with("its answer has an `updated` that this event cannot use"), "{error}");
}

#[tokio::test]
async fn a_handler_matches_whole_tool_names_in_every_spelling() {
    let table: [(&[&str], bool); 10] = [
        (&[], true),
        (&["*"], true),
        (&["write_file"], true),
        (&["write_*"], true),
        (&["read_file", "write_file"], true),
        (&["write"], false),
        (&["rite_fil"], false),
        (&["Write_File"], true),
        (&["{read,edit}_file", "write"], false),
        (&["shell"], false),
    ];
    for (tools, runs) in table {
        let hooks = Hooks::new();
        let tool = tools.iter().map(|tool| tool.parse().unwrap()).collect();
        let handler = HandlerConfig { tool, ..hooks.handler("hook", "exit 2") };
        let output = call_tool(&hooks.guards([handler]), &mut RunContext::new("test")).await.unwrap();
        assert_eq!(!output.starts_with("ran"), runs, "{tools:?}: {output}");
    }
}

#[tokio::test]
async fn a_person_is_asked_and_the_run_goes_on_with_the_answer() {
    let hooks = Hooks::new();
    let guards = hooks.guards([hooks.handler("hook", r#"echo '{"decision":"ask","reason":"sure?"}'"#)]);
    for (answer, expected) in [(true, "ran with"), (false, "a person has refused")] {
        let mut ctx = RunContext::new("test");
        let call = || ToolCallInputs::new("deploy");
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("ran with")) };
        let error = guards.guard_tool_call(call(), &mut ctx, tool).await.unwrap_err();
        let question = error.suspension().unwrap().question.clone();
        assert_eq!(question.text, "hook_handlers/ask: handlers[0]: sure?");
        assert_eq!(question.data["tool_name"], "deploy");
        ctx.answer(question, answer);
        let output = guards.guard_tool_call(call(), &mut ctx, tool).await.unwrap();
        assert!(output.content.ends_with(expected), "{}", output.content);
    }
}

#[tokio::test]
async fn a_message_reaches_the_model() {
    let hooks = Hooks::new();
    let guards = hooks.guards([hooks.handler("hook", r#"echo '{"context_message":"Use tabs."}'"#)]);
    let mut ctx = RunContext::new("test");
    call_tool(&guards, &mut ctx).await.unwrap();
    assert_eq!(ctx.take_notices(), [Message::system("Use tabs.")]);
}

/// A script at one event.
fn at(hooks: &Hooks, event: HandlerEvent, script: &str) -> Guards {
    hooks.guards([HandlerConfig::new([event], command(hooks.script("at", script)))])
}

#[tokio::test]
async fn a_blocked_output_is_withheld() {
    let hooks = Hooks::new();
    let script = r#"grep -q '"output":"ran' && { echo 'has a secret' >&2; exit 2; }"#;
    let output =
        call_tool(&at(&hooks, HandlerEvent::PostToolCall, script), &mut RunContext::new("test")).await.unwrap();
    assert_eq!(output, "the output is withheld: hook_handlers/block: handlers[0]: has a secret");

    let guards = at(&hooks, HandlerEvent::PostToolCall, r#"echo '{"updated":"[hidden]"}'"#);
    assert_eq!(call_tool(&guards, &mut RunContext::new("test")).await.unwrap(), "[hidden]");
}

#[tokio::test]
async fn runs_and_model_calls_are_blocked_and_rewritten() {
    let hooks = Hooks::new();
    let run = |_: Permit<InvokeInputs>| async { Ok::<_, RunError>(InvokeOutput::text("done")) };
    let echo = |run: Permit<InvokeInputs>| async move { Ok::<_, RunError>(InvokeOutput::text(run.input.text())) };
    let blocked = "echo no >&2; exit 2";
    for event in [HandlerEvent::Start, HandlerEvent::Finished] {
        let result = at(&hooks, event, blocked).guard_run("hello", &mut RunContext::new("test"), run).await;
        assert!(result.unwrap_err().to_string().ends_with("handlers[0]: no"));
    }
    let guards = at(&hooks, HandlerEvent::Start, r#"echo '{"updated":"[input]"}'"#);
    assert_eq!(guards.guard_run("hello", &mut RunContext::new("test"), echo).await.unwrap().text, "[input]");
    let guards = at(&hooks, HandlerEvent::Finished, r#"echo '{"updated":"[answer]"}'"#);
    assert_eq!(guards.guard_run("hello", &mut RunContext::new("test"), run).await.unwrap().text, "[answer]");

    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("said")) };
    for event in [HandlerEvent::PreLlmCall, HandlerEvent::PostLlmCall] {
        let guards = at(&hooks, event, blocked);
        let result = guards.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await;
        assert!(result.unwrap_err().to_string().ends_with("handlers[0]: no"));
    }
    let guards = at(&hooks, HandlerEvent::PostLlmCall, r#"echo '{"updated":"[said]"}'"#);
    let result = guards.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await;
    assert_eq!(result.unwrap().message.text(), "[said]");
}

#[tokio::test]
async fn a_decision_at_an_error_event_does_not_replace_the_error() {
    let hooks = Hooks::new();
    let guards = at(&hooks, HandlerEvent::Error, "exit 2");
    let run = |_: Permit<InvokeInputs>| async { Err::<InvokeOutput, RunError>(OperationError::from("broken").into()) };
    let error = guards.guard_run("hello", &mut RunContext::new("test"), run).await.unwrap_err();
    assert!(error.to_string().contains("broken"), "{error}");
}

#[tokio::test]
async fn in_shadow_handlers_run_and_change_nothing() {
    let hooks = Hooks::new();
    let log = hooks.path().join("log");
    let update = hooks.handler("update", &format!("echo run >> {}; echo '{{\"updated\":{{}}}}'", log.display()));
    let block = hooks.handler("block", &format!("echo run >> {}; exit 2", log.display()));
    let background = HandlerConfig { background: true, ..block.clone() };
    let shadow = hooks.guards([update, block, background]).shadow();
    let tool = |call: Permit<ToolCallInputs>| async move {
        Ok::<_, OperationError>(ToolOutput::text(call.arguments.to_string()))
    };
    let call = ToolCallInputs::new("write").with_arguments(json!({ "a": 1 }));
    let output = shadow.guard_tool_call(call, &mut RunContext::new("test"), tool).await.unwrap();
    assert_eq!(output.content, r#"{"a":1}"#);
    assert_eq!(std::fs::read_to_string(log).unwrap(), "run\nrun\n");
}
