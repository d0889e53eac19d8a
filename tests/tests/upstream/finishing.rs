//! Where a rail can bring a run to its end, and what it takes.
//!
//! There, "force finish" is one request that may be made at any event, and it ends the run. Here a skip is about the
//! operation of its event: before a model call its substitute is the answer, which ends the loop; before a tool it is
//! the output of that call, and the model is asked again, because it may have called others. After an operation a skip
//! accepts the result. What ends a run from anywhere is an abort, and that is an error with a name and a reason. A rail
//! that wants to end it well decides so at the event of a model call.

use exo_rails::prelude::*;
use tests::note;

use crate::common::run;

const CALLS_A_TOOL: &str = r#"[{ "say": "Let me see.", "call": [{ "tool": "echo" }] }, { "say": "done" }]"#;

/// What the run answers at its end.
#[rail(priority = 90, on = [Finished])]
fn finished(output: &InvokeOutput, ctx: &RailContext) {
    note(ctx, format!("finished: {}", output.text));
}

#[tokio::test]
async fn a_substitute_before_the_model_call_is_the_answer() {
    #[rail(on = [PreLlmCall])]
    fn known() -> RailAction<ModelResponse> {
        RailAction::skip_with(ModelResponse::text("42"), "the answer is known")
    }
    let (result, notes) = run(&rail_chain![known, finished], CALLS_A_TOOL).await;
    assert_eq!((result.unwrap().text.as_str(), notes), ("42", vec!["finished: 42".to_owned()]));
}

#[tokio::test]
async fn an_answer_whose_tool_calls_a_rail_removes_ends_the_run() {
    #[rail(on = [PostLlmCall])]
    fn enough(response: &mut ModelResponse) -> RailAction {
        response.message.tool_calls.clear();
        RailAction::skip("no tools today")
    }
    let (result, notes) = run(&rail_chain![enough, finished], CALLS_A_TOOL).await;
    assert_eq!(result.unwrap().text, "Let me see.");
    assert_eq!(notes, ["model: hello", "finished: Let me see."]);
}

#[tokio::test]
async fn the_model_reads_a_substitute_of_a_tool_call() {
    #[rail(on = [PreToolCall])]
    fn cached() -> RailAction<ToolOutput> {
        RailAction::skip_with(ToolOutput::text("from the cache"), "a cache hit")
    }
    let (result, notes) = run(&rail_chain![cached, finished], CALLS_A_TOOL).await;
    assert_eq!(result.unwrap().text, "done");
    assert_eq!(notes, ["model: hello", "model: from the cache", "finished: done"]);
}

/// With one call of the model, as there: what the rail has seen after the tool it says before the next model call.
#[tokio::test]
async fn a_rail_can_finish_the_run_at_the_model_call_after_a_tool() {
    #[derive(Clone)]
    struct Answer(String);

    struct AnswerWithTheOutput;

    #[rail]
    impl AnswerWithTheOutput {
        #[on(PostToolCall)]
        fn keep(output: &ToolOutput, ctx: &RailContext) {
            ctx.run.insert(Answer(output.content.clone()));
        }

        #[on(PreLlmCall)]
        fn answer(ctx: &RailContext) -> Option<RailAction<ModelResponse>> {
            let Answer(text) = ctx.run.remove()?;
            Some(RailAction::skip_with(ModelResponse::text(text), "the tool has answered"))
        }
    }

    rail_chain! { struct Guards { finished, answer: AnswerWithTheOutput } }
    let (result, notes) = run(&Guards { answer: AnswerWithTheOutput }, CALLS_A_TOOL).await;
    assert_eq!(result.unwrap().text, "{}");
    assert_eq!(notes, ["model: hello", "tool echo {}", "finished: {}"]);
}

#[tokio::test]
async fn an_abort_after_a_tool_ends_the_run_before_the_next_model_call() {
    #[rail(on = [PostToolCall])]
    fn stop() -> Verdict {
        Verdict::abort("that is enough")
    }
    let (result, notes) = run(&rail_chain![stop, finished], CALLS_A_TOOL).await;
    assert_eq!(result.unwrap_err().to_string(), "rail `stop` aborted at post_tool_call: that is enough");
    assert_eq!(notes, ["model: hello", "tool echo {}"]);
}

/// There, a skip is a flag that has to be taken down; here there is nothing that could be left of it.
#[tokio::test]
async fn a_skip_affects_only_one_call() {
    #[rail(on = [PreToolCall])]
    fn not_the_first(call: &ToolCallInputs) -> Option<RailAction> {
        (call.id == "a").then(|| RailAction::skip("the first is not needed"))
    }
    let script = r#"[{ "call": [{ "tool": "echo", "id": "a" }, { "tool": "echo", "id": "b" }] }, { "say": "done" }]"#;
    let (result, notes) = run(&rail_chain![not_the_first], script).await;
    assert!(result.is_ok());
    assert_eq!(notes, ["model: hello", "tool echo {}", "model: {}"]);
}

/// There, of several calls that force an end, the one of the lowest index wins and the others are lost.
#[tokio::test]
async fn each_call_of_a_batch_has_its_own_substitute() {
    #[rail(on = [PreToolCall])]
    fn cached(call: &ToolCallInputs) -> RailAction<ToolOutput> {
        RailAction::skip_with(ToolOutput::text(format!("instead of {}", call.id)), "a cache hit")
    }
    let script = r#"[{ "call": [{ "tool": "echo", "id": "a" }, { "tool": "echo", "id": "b" }] }, { "say": "done" }]"#;
    let (result, _) = run(&rail_chain![cached], script).await;
    let told: Vec<_> = result.unwrap().messages.iter().map(|message| message.text().into_owned()).collect();
    assert_eq!(told[2..4], ["instead of a", "instead of b"]);
}
