//! What operations and tools yield and fail with: text, and any error.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::GuardDyn;

/// The error of an application.
#[derive(Debug)]
enum SearchError {
    Index(io::Error),
    Remote(OperationError),
    Empty,
}

impl std::fmt::Display for SearchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the search failed")
    }
}

impl StdError for SearchError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Index(error) => Some(error),
            Self::Remote(error) => Some(error),
            Self::Empty => None,
        }
    }
}

impl From<io::Error> for SearchError {
    fn from(error: io::Error) -> Self {
        Self::Index(error)
    }
}

/// What a failure of the model comes to.
async fn model_error<E>(failure: E) -> OperationError
where
    E: exo_rails::IntoFailure<OperationError> + Send,
{
    let mut failure = Some(failure);
    let model = |_: Permit<ModelCallInputs>| std::future::ready(failure.take().map_or(Ok("again"), Err));
    let result = NoRails.dyn_llm_call(ModelCallInputs::default(), &mut RunContext::new("test"), model).await;
    match result {
        Err(RunError::Operation(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_custom_error_keeps_its_kind_and_status() {
    let limited = || {
        OperationError::new(OperationErrorKind::RateLimited, "slow down")
            .with_status(429)
            .with_retry_after(Duration::ZERO)
    };
    let not_found = || io::Error::from(io::ErrorKind::NotFound);
    let seen = |error: &OperationError| (error.kind, error.status, error.retry_after.is_some(), error.message.clone());
    let of_search = |kind, status: Option<u16>| (kind, status, status.is_some(), "the search failed".to_owned());

    let error = model_error(SearchError::Remote(limited())).await;
    assert_eq!(seen(&error), of_search(OperationErrorKind::RateLimited, Some(429)));
    assert!(error.source.is_some_and(|source| source.is::<SearchError>()));
    let error = model_error(SearchError::from(not_found())).await;
    assert_eq!(seen(&error), of_search(OperationErrorKind::NotFound, None));
    let error = model_error(Box::<dyn StdError + Send + Sync>::from(SearchError::Empty)).await;
    assert_eq!(seen(&error), of_search(OperationErrorKind::Other, None));

    // What the library knows stays as it is, also behind a box.
    for error in [model_error(limited()).await, model_error(Box::<dyn StdError + Send + Sync>::from(limited())).await] {
        assert_eq!(seen(&error), (OperationErrorKind::RateLimited, Some(429), true, "slow down".to_owned()));
        assert!(error.source.is_none());
    }
    assert_eq!(model_error(RunError::Operation(limited())).await.kind, OperationErrorKind::RateLimited);
    assert_eq!(model_error(not_found()).await.kind, OperationErrorKind::NotFound);
    let not_json = serde_json::from_str::<u8>("x").unwrap_err();
    assert_eq!(model_error(not_json).await.kind, OperationErrorKind::InvalidRequest);

    // Text is the message, and nothing underneath it.
    for error in [model_error("no").await, model_error("no".to_owned()).await] {
        assert_eq!(seen(&error), (OperationErrorKind::Other, None, false, "no".to_owned()));
        assert!(error.source.is_none());
    }
}

#[tokio::test]
async fn a_run_can_fail_with_any_error_type() {
    let fail = |error: RunError| async move {
        let run = |_: Permit<InvokeInputs>| {
            std::future::ready(Err::<&str, Box<dyn StdError + Send + Sync>>(error.to_string().into()))
        };
        let of_text = NoRails.dyn_run("hello", &mut RunContext::new("test"), run).await;
        let boxed = std::sync::Mutex::new(Some(Box::<dyn StdError + Send + Sync>::from(error)));
        let run = |_: Permit<InvokeInputs>| std::future::ready(boxed.lock().unwrap().take().map_or(Ok("again"), Err));
        (of_text, NoRails.dyn_run("hello", &mut RunContext::new("test"), run).await)
    };
    let (of_text, boxed) = fail(RunError::Cancelled).await;
    assert!(matches!(of_text, Err(RunError::Operation(error)) if error.message == "the run was cancelled"));
    assert!(matches!(boxed, Err(RunError::Cancelled)));

    let search = async |_: Permit<InvokeInputs>| Err::<String, _>(SearchError::Empty);
    let result = NoRails.dyn_run("hello", &mut RunContext::new("test"), search).await;
    assert!(matches!(result, Err(RunError::Operation(error)) if error.source.is_some()));
}

#[tokio::test]
async fn operations_can_return_plain_text() -> Result<(), RunError> {
    let ctx = &mut RunContext::new("test");
    let tool = async |call: Permit<ToolCallInputs>| Ok::<_, SearchError>(call.tool_name.clone());
    assert_eq!(NoRails.dyn_tool_call(ToolCallInputs::new("search"), ctx, tool).await?.content, "search");
    let model = async |_: Permit<ModelCallInputs>| Ok::<_, SearchError>("an answer");
    let answer = NoRails.dyn_llm_call(ModelCallInputs::default(), ctx, model).await?;
    assert_eq!(answer, ModelResponse::text("an answer"));
    let run = async |_: Permit<InvokeInputs>| Ok::<_, SearchError>("done".to_owned());
    assert_eq!(NoRails.dyn_run("hello", ctx, run).await?, InvokeOutput::text("done"));
    Ok(())
}

#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "search", schema = json!({ "type": "object" }))]
struct Search {
    query: String,
}

tools! {
    struct Tools { search: Search }
}

async fn search(args: Search) -> Result<String, SearchError> {
    let found =
        if args.query.is_empty() { Err(io::Error::from(io::ErrorKind::PermissionDenied)) } else { Ok(args.query) };
    Ok(found?)
}

/// What the model reads of a failing tool, by each way to make one.
#[tokio::test]
async fn a_tool_fails_with_its_own_error() -> Result<(), RunError> {
    let tools = Tools { search: Search::tool(search) };
    let closure = Tool::new("search", "", json!({}), async |args: Search| search(args).await);
    let with_permit = Search::tool_with_permit(async |args, _| search(args).await);
    let call = || ToolCallInputs::new("search").with_arguments(json!({ "query": "" }));
    let ctx = &mut RunContext::new("test");
    let outputs = [
        NoRails.dyn_tool_call(call(), ctx, |call| tools.call(call)).await?,
        NoRails.dyn_tool_call(call(), ctx, |call| closure.call(call)).await?,
        NoRails.dyn_tool_call(call(), ctx, |call| with_permit.call(call)).await?,
        NoRails.dyn_tool_call(call(), ctx, async |_| search(Search { query: String::new() }).await).await?,
    ];
    for output in outputs {
        assert_eq!(output.content, "The call of `search` failed: the search failed (denied)");
        assert_eq!(output.error_kind, Some(OperationErrorKind::Denied));
    }
    Ok(())
}
