//! Operations whose function can be called only once.

use exo_rails::prelude::*;
use exo_rails::{NoSubstitute, Operation, RetryLimit, RetryOrContinue};

/// Asks for another attempt until there were two.
#[rail(on = [ToolError])]
fn again(error: &OperationError) -> RailAction<ToolOutput> {
    RailAction::retry(RetryRequest::new(error.message.clone()).with_max_retries(1))
}

#[rail(on = [LlmError])]
fn again_or_not() -> RailAction<NoSubstitute, RetryOrContinue> {
    RailAction::retry_or_continue(RetryRequest::new("try again").with_max_retries(1))
}

/// Refuses the first attempt before the operation has begun.
#[rail(on = [PreToolCall])]
fn not_at_once(ctx: &RailContext) -> RailAction {
    if ctx.attempt() == 0 { RailAction::retry("not at once") } else { RailAction::Continue }
}

#[derive(Clone, Debug)]
struct Document(String);

#[derive(Operation)]
#[operation(inputs = Document, output = usize)]
struct StoreDocument;

#[rail(on = [PreStoreDocument])]
fn not_empty(document: &Document) -> Verdict {
    Verdict::abort_if(document.0.is_empty(), "it is empty")
}

fn call() -> ToolCallInputs {
    ToolCallInputs::new("note")
}

#[tokio::test]
async fn the_function_may_borrow_and_move() {
    let mut ctx = RunContext::new("once");
    let (mut notes, text) = (Vec::new(), String::from("a note"));
    let note = async |_: Permit<ToolCallInputs>| {
        notes.push(text);
        Ok::<_, OperationError>("noted")
    };
    let output = rail_chain![].guard_tool_call_once(call(), &mut ctx, note).await.unwrap();
    assert_eq!((output.content.as_str(), notes), ("noted", vec!["a note".to_owned()]));

    let mut calls = 0;
    let model = async |_: Permit<ModelCallInputs>| {
        calls += 1;
        Ok::<_, OperationError>("an answer")
    };
    let response = rail_chain![].guard_llm_call_once(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
    assert_eq!((response.message.text().as_ref(), calls), ("an answer", 1));

    let mut stored = Vec::new();
    let store = async |document: Permit<Document>| {
        stored.push(document.0.clone());
        Ok::<_, OperationError>(stored.len())
    };
    let rails = rail_chain![
        #[chain(operations = [StoreDocument])]
        not_empty
    ];
    assert_eq!(rails.guard_operation_once::<StoreDocument, _>(Document("a".into()), &mut ctx, store).await.unwrap(), 1);
    assert_eq!(stored, ["a"]);
}

#[tokio::test]
async fn a_retry_after_the_call_is_an_error_with_the_failure() {
    let mut calls = 0;
    let broken = async |_: Permit<ToolCallInputs>| {
        calls += 1;
        Err::<ToolOutput, _>("out of order")
    };
    let result = rail_chain![again].guard_tool_call_once(call(), &mut RunContext::new("once"), broken).await;
    let Err(RunError::RetriesExhausted(error)) = result else { panic!("{result:?}") };
    assert_eq!((error.limit, error.attempts, calls), (RetryLimit::Once, 1, 1));
    assert_eq!(error.failure.as_ref().unwrap().message, "out of order");
    let text = error.to_string();
    assert!(
        text.contains("`again` wants a retry at tool_error but the operation can be performed only once"),
        "{text}"
    );
}

#[tokio::test]
async fn a_rail_that_retries_or_continues_continues() {
    let broken = async |_: Permit<ModelCallInputs>| Err::<ModelResponse, _>("no connection");
    let mut ctx = RunContext::new("once");
    let result = rail_chain![again_or_not].guard_llm_call_once(ModelCallInputs::default(), &mut ctx, broken).await;
    assert!(matches!(result, Err(RunError::Operation(error)) if error.message == "no connection"));
}

#[tokio::test]
async fn a_retry_before_the_call_is_granted() {
    let mut calls = 0;
    let tool = async |call: Permit<ToolCallInputs>| {
        calls += 1;
        Ok::<_, OperationError>(format!("attempt {}", call.attempt()))
    };
    let output = rail_chain![not_at_once].guard_tool_call_once(call(), &mut RunContext::new("once"), tool).await;
    assert_eq!((output.unwrap().content.as_str(), calls), ("attempt 1", 1));
}

#[tokio::test]
async fn the_next_operation_in_the_context_can_retry() {
    let mut ctx = RunContext::new("once");
    let fails = async |_: Permit<ToolCallInputs>| Err::<ToolOutput, _>("out of order");
    assert!(rail_chain![again].guard_tool_call_once(call(), &mut ctx, fails).await.is_err());
    // Also after a call that was dropped.
    let waits = async |_: Permit<ToolCallInputs>| std::future::pending::<Result<ToolOutput, OperationError>>().await;
    let dropped = rail_chain![again].guard_tool_call_once(call(), &mut ctx, waits);
    assert!(tokio::time::timeout(std::time::Duration::from_millis(1), dropped).await.is_err());

    let mut calls = 0;
    let tool = |_: Permit<ToolCallInputs>| {
        calls += 1;
        let result = if calls < 2 { Err("out of order") } else { Ok("done") };
        async move { result }
    };
    assert_eq!(rail_chain![again].guard_tool_call(call(), &mut ctx, tool).await.unwrap().content, "done");
}

#[tokio::test]
async fn a_run_that_can_be_performed_once_ends_with_the_error() {
    #[rail(on = [Finished])]
    fn longer(output: &InvokeOutput) -> RailAction<NoSubstitute> {
        if output.text.len() < 10 { RailAction::retry("write more") } else { RailAction::Continue }
    }

    let mut drafts = Vec::new();
    let write = async |run: Permit<InvokeInputs>| {
        drafts.push(run.input.text().into_owned());
        Ok::<_, RunError>("short")
    };
    let result = rail_chain![longer].guard_run_once("Write.", &mut RunContext::new("once"), write).await;
    assert!(matches!(result, Err(RunError::RetriesExhausted(error)) if error.limit == RetryLimit::Once));
    assert_eq!(drafts, ["Write."]);
}
