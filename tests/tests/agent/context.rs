//! What the model reads first, and what happens when it is too much.

use exo_rails::message::{Message, Messages};
use exo_rails::prelude::*;
use exo_rails::{ContextInputs, DynGuardSet};
use exo_rails_agent::{AgentBuilder, Compaction, RunEvent, ScriptedModel, Session};
use serde_json::{Value, json};
use tests::{AnyModel, note, take_notes};

/// Each message is a token.
fn counting(messages: &Messages) -> u64 {
    messages.len() as u64
}

fn said(ctx: &RailContext) -> String {
    ctx.run.get::<String>().unwrap_or_default()
}

#[rail(on = [Start])]
fn read_input(run: &InvokeInputs, ctx: &RailContext) {
    ctx.run.insert(run.input.text().into_owned());
}

#[rail(on = [ContextAssembled])]
fn assembled(context: &mut ContextInputs, ctx: &RailContext) -> Verdict {
    note(ctx, format!("assembled {} of {:?}", context.tokens, context.budget));
    if said(ctx) == "assembled: change" {
        context.messages.insert(0, Message::system("Today is Monday."));
    }
    Verdict::abort_if(said(ctx) == "assembled: abort", "no")
}

#[rail(on = [ContextOverflow])]
fn overflow(context: &mut ContextInputs, ctx: &RailContext) -> Verdict {
    note(ctx, format!("overflow {} of {:?}", context.tokens, context.budget));
    if said(ctx) == "overflow: shorten" {
        // The output of a tool stays with its call.
        let is_output = context.messages.last().is_some_and(|last| last.tool_call_id.is_some());
        let kept = if is_output { 2 } else { 1 };
        let len = context.messages.len();
        drop(context.messages.drain(..len - kept));
    }
    Verdict::abort_if(said(ctx) == "overflow: abort", "too much")
}

#[rail(on = [PreLlmCall])]
fn reads(call: &mut ModelCallInputs, ctx: &RailContext) {
    note(ctx, format!("reads {}", call.messages.len()));
    // A change for this call.
    call.messages.push(Message::user("for this call"));
}

#[rail(on = [Finished])]
fn again(ctx: &RailContext) -> RailAction {
    if said(ctx) == "again" && ctx.attempt() == 0 { RailAction::retry("once more") } else { RailAction::Continue }
}

rail_chain! {
    struct Guards { read_input, assembled, overflow, reads, again }
}

/// Runs an agent once: what was noted, the messages of the result, and the error.
async fn run(
    rails: impl Into<DynGuardSet>,
    input: &str,
    is_streamed: bool,
    change: fn(AgentBuilder<AnyModel, DynGuardSet>) -> AgentBuilder<AnyModel, DynGuardSet>,
) -> (Vec<String>, usize, Option<String>) {
    let script = r#"[{ "call": [{ "tool": "search" }] }, { "say": "done" }, { "say": "again" }]"#;
    let model: ScriptedModel = script.parse().unwrap();
    let search =
        Tool::new("search", "", json!({ "type": "object" }), |_: Value| async { Ok::<_, OperationError>("found") });
    let agent = change(tests::agent("context", model).tool(search).rails(rails.into())).build();
    let messages = ["a", "b", "c"].map(Message::user).into();
    let (input, mut ctx) = (InvokeInputs { messages, ..InvokeInputs::new(input) }, RunContext::new("context"));
    let result = if is_streamed {
        let mut events = agent.stream_in(input, &mut ctx);
        loop {
            match events.next().await.unwrap() {
                Ok(RunEvent::Finished(output)) => break Ok(*output),
                Ok(_) => {}
                Err(failed) => break Err(failed),
            }
        }
    } else {
        agent.run_in(input, &mut ctx).await
    };
    match result {
        Ok(output) => (take_notes(&ctx), output.messages.len(), None),
        Err(failed) => (take_notes(&ctx), failed.so_far.messages.len(), Some(failed.error.to_string())),
    }
}

fn over(budget: u64) -> Compaction {
    Compaction::over(budget).with_counter(counting)
}

/// In each kind of guard set, streamed and not.
macro_rules! check {
    ($input:literal, $change:expr, $notes:expr, $messages:literal, $error:expr) => {{
        let expected: (Vec<_>, usize, Option<&str>) = ($notes.map(str::to_owned).to_vec(), $messages, $error);
        let expected = (expected.0, expected.1, expected.2.map(str::to_owned));
        for is_streamed in [false, true] {
            assert_eq!(run(Guards, $input, is_streamed, $change).await, expected, "{}", $input);
            let mut manager = RailManager::new();
            manager.add(Guards).unwrap();
            assert_eq!(run(manager, $input, is_streamed, $change).await, expected, "{}", $input);
            let mut hooks = HookManager::new();
            Guards.register(&mut hooks);
            assert_eq!(run(hooks, $input, is_streamed, $change).await, expected, "{}", $input);
            assert_eq!(run(DynGuardSet::new(Guards), $input, is_streamed, $change).await, expected, "{}", $input);
        }
    }};
}

#[tokio::test]
async fn the_context_is_assembled_once_for_each_attempt() {
    // `estimated_tokens`: five for each of three messages, and four and the length of the input.
    check!("hello", |agent| agent, ["assembled 21 of None", "reads 4", "reads 6"], 7, None);
    check!(
        "again",
        |agent| agent,
        ["assembled 21 of None", "reads 4", "reads 6", "assembled 21 of None", "reads 4"],
        5,
        None
    );
    // What is changed stays for all steps, and in the conversation.
    check!("assembled: change", |agent| agent, ["assembled 24 of None", "reads 5", "reads 7"], 8, None);
    let error = Some("rail `assembled` aborted at context_assembled: no");
    check!("assembled: abort", |agent| agent, ["assembled 23 of None"], 0, error);
}

#[tokio::test]
async fn an_overflow_is_reported_if_compaction_cannot_meet_the_budget() {
    // Compacted: the newest fit.
    check!("hello", |agent| agent.compaction(over(3)), ["assembled 4 of Some(3)", "reads 3", "reads 3"], 4, None);
    // The question, the tool call and its output cannot be left out.
    check!(
        "hello",
        |agent| agent.compaction(over(2)),
        ["assembled 4 of Some(2)", "reads 2", "overflow 3 of Some(2)", "reads 3"],
        4,
        None
    );
    // The budget of the context is another than that of the compaction.
    check!(
        "hello",
        |agent| agent.compaction(over(2)).context_budget(3),
        ["assembled 4 of Some(3)", "reads 2", "reads 3"],
        4,
        None
    );
    let error = Some("rail `overflow` aborted at context_overflow: too much");
    check!(
        "overflow: abort",
        |agent| agent.compaction(over(2)),
        ["assembled 4 of Some(2)", "reads 2", "overflow 3 of Some(2)"],
        3,
        error
    );
}

#[tokio::test]
async fn an_overflow_is_reported_without_compaction() {
    let notes =
        ["assembled 21 of Some(10)", "overflow 21 of Some(10)", "reads 4", "overflow 33 of Some(10)", "reads 6"];
    check!("hello", |agent| agent.context_budget(10), notes, 7, None);
    let notes =
        ["assembled 24 of Some(10)", "overflow 24 of Some(10)", "reads 1", "overflow 21 of Some(10)", "reads 2"];
    check!("overflow: shorten", |agent| agent.context_budget(10), notes, 3, None);
    check!("hello", |agent| agent.context_budget(100), ["assembled 21 of Some(100)", "reads 4", "reads 6"], 7, None);
}

#[tokio::test]
async fn a_session_continues_with_the_context_that_rails_changed() {
    let model: ScriptedModel = r#"[{ "say": "one" }, { "say": "two" }]"#.parse().unwrap();
    let agent = tests::agent("context", model).rails(tests::rails![Guards]).build();
    let mut session = Session::start(&agent, "s-1").await.unwrap();
    session.run("assembled: change").await.unwrap();
    let output = session.run("hello").await.unwrap();
    assert_eq!(output.messages[0].text(), "Today is Monday.");
    assert_eq!(output.messages.len(), 5);
    session.end().await;
}

/// Guards keep state under the names of runs in stores that several processes share.
#[test]
fn runs_of_several_processes_have_different_names() {
    const CHILD: &str = "EXO_RAILS_PRINT_RUN_ID";
    const NAME: &str = "context::runs_of_several_processes_have_different_names";
    if std::env::var_os(CHILD).is_some() {
        println!("name={}", RunContext::new("desk").run_id());
        return;
    }
    let names: std::collections::BTreeSet<String> = (0..3)
        .map(|_| {
            let mut child = std::process::Command::new(std::env::current_exe().unwrap());
            let output = child.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1").output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            text.split_once("name=").unwrap().1.lines().next().unwrap().to_owned()
        })
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_ne!(RunContext::new("desk").run_id(), RunContext::new("desk").run_id());
}
