//! Tool calls and outputs that lose each other while a conversation is shortened.

use exo_rails::message::{Message, Messages, ToolCall, TornCall};
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput, ContextInputs, NoRails};
use exo_rails_agent::{Compaction, ScriptedModel};
use serde_json::json;

/// Reads a conversation: `u` is a message of the user, `c12` a message with the calls 1 and 2, and `o1` the output of call 1.
fn conversation(short: &str) -> Messages {
    let message = |word: &str| match word.split_at(1) {
        ("c", ids) => {
            let mut asked = Message::assistant("wait");
            asked.tool_calls = ids.chars().map(|id| ToolCall::new(id, "search", &json!({}))).collect();
            asked
        }
        ("o", id) => Message::tool(id, "found"),
        _ => Message::user("go on"),
    };
    short.split_whitespace().map(message).collect()
}

#[test]
fn calls_and_outputs_are_matched() {
    let table = [
        ("", ""),
        ("u c1 o1 u", ""),
        ("u c12 o1 o2 c3 o3", ""),
        ("c12 o2 u o1", ""),
        // The id is used again.
        ("u c1 o1 u c1 o1", ""),
        ("c11 o1 o1", ""),
        ("o1 u", "o1"),
        ("c1 o1 o1", "o1"),
        ("o1 c1", "o1 c1"),
        ("u c12 o2 u", "c1"),
        ("c1 u c1 o1", "c1"),
    ];
    for (short, torn) in table {
        let found = conversation(short).torn_calls();
        let shown: Vec<_> = found
            .iter()
            .map(|torn| match torn {
                TornCall::NoCall { id } => format!("o{id}"),
                TornCall::NoOutput { id } => format!("c{id}"),
                other => panic!("{other}"),
            })
            .collect();
        assert_eq!(shown.join(" "), torn, "{short}");
    }
}

#[test]
fn only_what_was_torn_since_then_is_reported() {
    let table = [
        ("u c1 o1 u", "u u", None),
        ("u c1 o1 u", "u o1 u", Some("the output of the tool call `1` has no call before it")),
        ("u c1 o1 u", "u c1 u", Some("the tool call `1` has no output after it")),
        // The caller's conversation was torn.
        ("o1 u c2 o2", "o1 u c2 o2 u", None),
        ("o1 u c2 o2", "o1 u o2", Some("the output of the tool call `2` has no call before it")),
    ];
    for (before, after, said) in table {
        let torn = conversation(after).torn_since(&conversation(before)).map(|torn| torn.to_string());
        assert_eq!(torn.as_deref(), said, "{before} -> {after}");
    }
}

fn shorten(messages: &mut Messages) {
    messages.drain(..2);
}

#[rail(on = [PreLlmCall])]
fn forgets(request: &mut ModelCallInputs) {
    shorten(&mut request.messages);
}

#[rail(on = [ContextAssembled])]
fn assembles(context: &mut ContextInputs) {
    shorten(&mut context.messages);
}

#[rail(on = [ContextOverflow])]
fn overflows(context: &mut ContextInputs) {
    shorten(&mut context.messages);
}

fn history() -> Messages {
    conversation("u c1 o1")
}

const TORN: &str = "the output of the tool call `1` has no call before it: keep both, or remove both";

async fn call(rails: &impl GuardSet) -> String {
    let model = async |_| Ok::<_, OperationError>(ModelResponse::text("never"));
    let request = ModelCallInputs::new(history());
    rails.guard_llm_call(request, &mut RunContext::new("torn"), model).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_request_with_a_torn_call_is_not_sent() {
    let said = format!("after the rails of pre_llm_call, {TORN} (invalid request)");
    assert_eq!(call(&rail_chain![forgets]).await, said);
    let mut managed = RailManager::new();
    managed.add(forgets {}).unwrap();
    assert_eq!(call(&managed).await, said);
}

#[tokio::test]
async fn a_torn_request_of_the_caller_is_sent() {
    let model = async |call: Permit<ModelCallInputs>| Ok::<_, OperationError>(call.messages.len().to_string());
    let request = ModelCallInputs::new(conversation("o1 u u"));
    let response = NoRails.guard_llm_call(request, &mut RunContext::new("torn"), model).await.unwrap();
    assert_eq!(response.message.text(), "3");
}

#[tokio::test]
async fn an_agent_reports_the_event_that_tore_a_call() {
    async fn run(rails: impl GuardSet + 'static, compaction: Option<Compaction>) -> String {
        let model: ScriptedModel = r#"[{ "say": "never" }]"#.parse().unwrap();
        let agent = tests::agent("torn", model).rails(rails).context_budget(0);
        let agent = match compaction {
            Some(compaction) => agent.compaction(compaction).build(),
            None => agent.build(),
        };
        agent.run(InvokeInputs { messages: history(), ..InvokeInputs::new("and now?") }).await.unwrap_err().to_string()
    }
    let strategy = async |history: Permit<CompactionInputs>| {
        let mut messages = history.messages.clone();
        shorten(&mut messages);
        Ok(CompactionOutput { messages, removed: 2, ..CompactionOutput::default() })
    };
    let compaction = Compaction::over(0).with_strategy(strategy);
    assert_eq!(
        run(rail_chain![assembles], None).await,
        format!("after the rails of context_assembled, {TORN} (invalid request)")
    );
    assert_eq!(
        run(rail_chain![overflows], None).await,
        format!("after the rails of context_overflow, {TORN} (invalid request)")
    );
    assert_eq!(run(NoRails, Some(compaction)).await, format!("after the compaction, {TORN} (invalid response)"));
}
