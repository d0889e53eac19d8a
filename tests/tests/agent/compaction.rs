//! Histories that outgrow their budget.

use exo_rails::message::{Message, Messages, Role, ToolCall};
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput, NoRetry};
use exo_rails_agent::ScriptedModel;
use exo_rails_agent::{Compaction, KeepNewest, estimated_tokens};
use proptest::prelude::*;
use serde_json::json;
use tests::{note, notes};

/// Each message is a token: what is kept is then easy to see.
fn counting(messages: &Messages) -> u64 {
    messages.len() as u64
}

fn calls(ids: &[&str]) -> Message {
    let tool_calls = ids.iter().map(|id| ToolCall::new(*id, "search", &json!({}))).collect();
    Message { role: Role::Assistant, tool_calls, ..Message::default() }
}

/// (e.g. `s u c t t a`): instructions, the user, a tool call with two outputs, an answer.
fn history(kinds: &str) -> Messages {
    let message = |(i, kind)| match kind {
        's' => Message::system(format!("s{i}")),
        'u' => Message::user(format!("u{i}")),
        'c' => calls(&[&format!("c{i}")]),
        't' => Message::tool("", format!("t{i}")),
        _ => Message::assistant(format!("a{i}")),
    };
    kinds.chars().filter(|kind| *kind != ' ').enumerate().map(message).collect()
}

fn kinds(messages: &Messages) -> String {
    let kind = |message: &Message| match message.role {
        Role::System => 's',
        Role::User => 'u',
        Role::Tool => 't',
        _ if message.tool_calls.is_empty() => 'a',
        _ => 'c',
    };
    messages.iter().map(kind).collect()
}

#[test]
fn compaction_keeps_the_newest_messages_and_calls_with_their_outputs() {
    let newest = KeepNewest::counting(counting);
    for (given, budget, kept) in [
        ("s u a u a u", 10, "suauau"),
        ("s u a u a u", 4, "suau"),
        ("s u a u a u", 2, "su"),
        // What cannot be left out is kept.
        ("s s u a u", 1, "ssu"),
        ("s u c t t", 2, "suctt"),
        // The question stays while its tools are called.
        ("s u c t c t c t", 6, "suctct"),
        ("u c t t c t", 4, "uct"),
        ("u c t t c t", 6, "ucttct"),
        // A call and its outputs stay together or go together.
        ("s u a u c t t a u", 6, "su"),
        ("s u a u c t t a u", 7, "sucttau"),
        ("u a u a", 3, "ua"),
        ("", 3, ""),
        ("s", 0, "s"),
    ] {
        assert_eq!(kinds(&newest.of(&history(given), budget)), kept, "{given} within {budget}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kept_messages_stay_in_order_and_within_the_budget(given in "s{0,2}(ua?|ct{1,3}){0,12}", budget in 0_u64..20) {
        let messages = history(&given);
        let kept = KeepNewest::counting(counting).of(&messages, budget);
        let places: Vec<_> = kept.iter().map(|message| messages.iter().position(|other| other == message).unwrap()).collect();
        prop_assert!(places.is_sorted_by(|one, two| one < two));
        // No output without its call, and no call without its outputs.
        for (at, place) in places.iter().enumerate() {
            if messages[*place].role == Role::Tool {
                prop_assert!(at > 0 && places[at - 1] == place - 1);
            }
            if messages.get(place + 1).is_some_and(|next| next.role == Role::Tool) {
                prop_assert_eq!(places.get(at + 1), Some(&(place + 1)));
            }
        }
        prop_assert_eq!(messages.last(), kept.last());
        let asked = messages.iter().rposition(|message| message.role == Role::User);
        prop_assert!(asked.is_none_or(|asked| places.contains(&asked)));
        if counting(&messages) <= budget {
            prop_assert_eq!(&kept, &messages);
        }
    }
}

#[test]
fn tokens_are_estimated_from_all_that_is_sent() {
    assert_eq!(estimated_tokens(&Messages::new()), 0);
    assert_eq!(estimated_tokens(&[Message::user("")].into()), 4);
    assert_eq!(estimated_tokens(&[Message::user("12345678")].into()), 6);
    assert_eq!(estimated_tokens(&[calls(&["x"])].into()), 4 + 2);
}

#[rail(on = [PreCompaction])]
fn before(history: &mut CompactionInputs, ctx: &RailContext) -> RailAction<CompactionOutput, NoRetry> {
    note(ctx, format!("pre {} of {}", history.tokens, history.budget));
    match history.messages[0].text().as_ref() {
        "keep" => RailAction::skip("it matters"),
        "instead" => {
            let messages = [Message::user("all of it, in short")].into();
            RailAction::skip_with(CompactionOutput { messages, ..CompactionOutput::default() }, "by hand")
        }
        "refuse" => RailAction::abort("nothing is ever lost"),
        "hint" => {
            history.hint = Some("keep the hint".to_owned());
            RailAction::Continue
        }
        _ => RailAction::Continue,
    }
}

#[rail(on = [PostCompaction])]
fn after(given: &CompactionInputs, output: &CompactionOutput, ctx: &RailContext) {
    let by = ctx.substituted_by().map_or("", |rail| rail.as_str());
    note(ctx, format!("post {} to {} {by} {:?}", given.messages.len(), output.messages.len(), given.hint));
}

#[rail(on = [PreLlmCall])]
fn asked(call: &ModelCallInputs, ctx: &RailContext) {
    note(ctx, format!("model {}", call.messages.iter().map(Message::text).collect::<Vec<_>>().join(" ")));
}

/// Runs an agent once after this conversation: what happened, and the error.
async fn run(first: &str, compaction: Compaction) -> (Vec<String>, Option<String>) {
    let model: ScriptedModel = r#"[{ "say": "done" }]"#.parse().unwrap();
    let agent =
        tests::agent("compaction", model).rails(tests::rails![before, after, asked]).compaction(compaction).build();
    let messages = [first, "b", "c", "d"].map(Message::user).into();
    let mut ctx = RunContext::new("compaction");
    let result = agent.run_in(InvokeInputs { messages, ..InvokeInputs::new("e") }, &mut ctx).await;
    (notes(&ctx), result.err().map(|error| error.to_string()))
}

fn over(budget: u64) -> Compaction {
    Compaction::over(budget).with_counter(counting)
}

#[tokio::test]
async fn an_agent_compacts_a_history_that_is_over_its_budget() {
    for (first, budget, expected) in [
        ("a", 5, &["model a b c d e"][..]),
        ("a", 4, &["pre 5 of 4", "post 5 to 4  None", "model b c d e"]),
        ("a", 1, &["pre 5 of 1", "post 5 to 1  None", "model e"]),
        ("keep", 4, &["pre 5 of 4", "post 5 to 5 before None", "model keep b c d e"]),
        ("instead", 4, &["pre 5 of 4", "post 5 to 1 before None", "model all of it, in short"]),
        ("hint", 4, &["pre 5 of 4", "post 5 to 4  Some(\"keep the hint\")", "model b c d e"]),
    ] {
        assert_eq!(run(first, over(budget)).await, (expected.iter().map(|entry| (*entry).to_owned()).collect(), None));
    }
    let (seen, error) = run("refuse", over(4)).await;
    assert_eq!(seen, ["pre 5 of 4"]);
    assert_eq!(error.as_deref(), Some("rail `before` aborted at pre_compaction: nothing is ever lost"));
}

/// A call with this id, or its output.
fn paired(text: &str) -> Messages {
    let message = |part: &str| match part.split_at(1) {
        ("c", id) => calls(&[id]),
        ("t", id) => Message::tool(id, "an output"),
        ("a", _) => Message::assistant("an answer"),
        _ => Message::user("a word"),
    };
    text.split(' ').map(message).collect()
}

#[test]
fn a_call_is_not_torn_from_its_output() {
    let table = [
        // What stands between a call and its output belongs to them.
        ("u c1 u t1 u", 2, "u"),
        ("u c1 u t1 a u", 3, "u"),
        ("u c1 u t1 u", 5, "ucutu"),
        ("u c1 c2 t1 u t2 a u", 3, "u"),
        ("u c1 u", 2, "u"),
        // Some models begin their ids anew in each turn.
        ("u c1 t1 a u c1 t1 a u", 5, "uctau"),
        ("u c1 u c1 t1 u", 4, "uctu"),
    ];
    for (history, budget, kept) in table {
        let kept_here = KeepNewest::counting(counting).of(&paired(history), budget);
        let answered = |message: &Message| message.tool_call_id.is_some();
        let outputs = kept_here.iter().filter(|message| answered(message)).count();
        let asked = kept_here.iter().filter(|message| !message.tool_calls.is_empty()).count();
        assert_eq!(kinds(&kept_here), kept, "{history}, {budget}");
        assert!(outputs <= asked, "{history}, {budget}");
    }
}

#[tokio::test]
async fn a_compaction_that_leaves_nothing_fails() {
    async fn nothing(_: Permit<CompactionInputs>) -> Result<CompactionOutput, OperationError> {
        Ok(CompactionOutput::default())
    }
    let model: ScriptedModel = r#"[{ "say": "never" }]"#.parse().unwrap();
    let compaction = Compaction::over(0).with_strategy(nothing);
    let failed = tests::agent("compacts", model).compaction(compaction).build().run("hello").await.unwrap_err();
    let text = "the compaction has left no message: a model cannot be called without one (invalid response)";
    assert_eq!(failed.to_string(), text);
    assert_eq!(failed.so_far.messages.len(), 1);
}

#[tokio::test]
async fn a_custom_strategy_receives_the_permit_with_the_hint() {
    let summary = |history: Permit<CompactionInputs>| async move {
        let summary = format!("{} messages; {}", history.messages.len(), history.hint.as_deref().unwrap_or("no hint"));
        let messages = [Message::user(summary.clone())].into();
        Ok(CompactionOutput { messages, removed: 5, summary: Some(summary), ..CompactionOutput::default() })
    };
    let (seen, error) = run("hint", over(4).with_strategy(summary)).await;
    assert_eq!(seen.last().map(String::as_str), Some("model 5 messages; keep the hint"));
    assert_eq!(error, None);
    let fails = |_| async { Err(OperationError::from("the summary failed")) };
    let (seen, error) = run("a", over(4).with_strategy(fails)).await;
    assert_eq!((seen.len(), error.as_deref()), (1, Some("the summary failed (failed)")));
}

#[test]
fn a_permit_for_a_compaction_is_needed() {
    // `Compactor::compact` takes a permit, and only a guarded operation makes one.
    fn compactor<C: exo_rails_agent::Compactor>(_: C) {}
    compactor(KeepNewest::default());
}
