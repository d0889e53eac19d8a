use exo_rails::prelude::*;
use exo_rails_guards::Structure;
use exo_rails_guards::structure::StructureConfig;

use crate::shape::{calling, offering};

rail_chain! { struct Guards { structure: Structure } }

/// Returns what the model reads about its answer, or `None` if the answer passes.
async fn feedback(config: StructureConfig, answer: ModelResponse) -> Option<String> {
    let rails = Guards { structure: Structure::new(config).unwrap() };
    let mut read = None;
    let model = |request: Permit<ModelCallInputs>| {
        let text = request.messages.last().map(|message| message.text().into_owned());
        let answer = if text.is_some() { ModelResponse::text("sorry") } else { answer.clone() };
        read = read.take().or(text);
        async move { Ok::<_, OperationError>(answer) }
    };
    rails.guard_llm_call(offering(&["search", "read_file"]), &mut RunContext::new("test"), model).await.unwrap();
    read
}

#[tokio::test]
async fn each_broken_rule_is_explained() {
    type Calls<'a> = &'a [(&'a str, &'a str, &'a str)];
    let table: &[(Calls<'_>, &str)] = &[
        (&[("1", "search", "{}")], ""),
        (&[("1", "search", "{}"), ("2", "search", "{}")], ""),
        (&[("1", "search", "")], ""),
        (&[("1", "serch", "{}")], "tool call 1: there is no tool of this name: did you mean `search`?"),
        (
            &[("1", "make_coffee", "{}")],
            "tool call 1: there is no tool of this name: the tools are `search`, `read_file`",
        ),
        (&[("", "search", "{}")], "tool call 1: it has no id"),
        (&[("1", "search", "{}"), ("1", "read_file", "{}")], "tool call 2: its id occurs twice"),
        (&[("1", "search", "[]")], "tool call 1: its arguments are not a JSON object"),
        (&[("1", "search", "{\"secret-4711\"")], "tool call 1: its arguments are not a JSON object"),
        (&[("1", "search", "{} {}")], "tool call 1: its arguments are not a JSON object"),
        (&[("1", "search", "\"{}\"")], "tool call 1: its arguments are not a JSON object"),
        (&[("1", "search", "null")], "tool call 1: its arguments are not a JSON object"),
        (
            &[("", "secret-4711", "no")],
            "tool call 1: there is no tool of this name: the tools are `search`, `read_file`; tool call 1: it has no id; tool call 1: its arguments are not a JSON object",
        ),
        (&[], "the answer announces a tool call and has none"),
    ];
    for (calls, expected) in table {
        let read = feedback(StructureConfig::default(), calling(calls)).await.unwrap_or_default();
        let full = format!("None of your tool calls ran: {expected}. Make the calls again, without this mistake.");
        assert_eq!(read, if expected.is_empty() { "" } else { &full }, "{calls:?}");
        assert!(!read.contains("secret-4711"));
    }
}

#[tokio::test]
async fn a_forced_call_that_finishes_with_stop_passes() {
    let mut answer = calling(&[("1", "search", "{}")]);
    answer.finish_reason = Some("stop".to_owned());
    assert_eq!(feedback(StructureConfig::default(), answer).await, None);
}

#[tokio::test]
async fn a_cut_answer_is_left_to_the_core() {
    let mut answer = calling(&[("1", "search", "{\"a\":")]);
    answer.finish_reason = Some("length".to_owned());
    assert_eq!(feedback(StructureConfig::default(), answer).await, None);
}

#[tokio::test]
async fn each_check_can_be_off() {
    let wrong = calling(&[("", "nothing", "no")]);
    let config = StructureConfig { names: false, ids: false, ..StructureConfig::default() };
    let read = feedback(config, wrong).await.unwrap();
    assert!(read.contains("ran: tool call 1: its arguments are not a JSON object."), "{read}");

    let off = "names = false\nids = false\narguments = false\nfinish_reason = false";
    let error = exo_rails_guards::config::from_toml(off).and_then(Structure::new).unwrap_err();
    assert_eq!(error.to_string(), "`structure`: every check is off: leave the guard out instead");
}

#[tokio::test]
async fn the_run_ends_after_the_last_explanation() {
    let rails = Guards { structure: Structure::builder().max_feedback(2).build().unwrap() };
    let mut ctx = RunContext::new("test");
    let mut requests = 0;
    let model = |_: Permit<ModelCallInputs>| {
        requests += 1;
        async { Ok::<_, OperationError>(calling(&[("", "search", "{}")])) }
    };
    let error = rails.guard_llm_call(offering(&["search"]), &mut ctx, model).await.unwrap_err();
    assert!(
        error.to_string().ends_with("structure/ids: tool call 1: it has no id (2 explanations have not helped)"),
        "{error}"
    );
    assert_eq!(requests, 3);
}
