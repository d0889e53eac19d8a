//! A model behind a real HTTP server, which may do anything.

mod agent;
mod answers;
mod failures;
mod requests;
mod server;

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{NoRails, ResponseBuilder};
use exo_rails_agent::Model;
use exo_rails_agent::openai::{ChatModel, ChatModelBuilder};
use futures_util::TryStreamExt;
use serde_json::Value;

/// A key that must not be told.
const KEY: &str = "sk-4711-not-to-be-told";

/// The model at this base URL. Its limits are far away.
fn builder(url: &str) -> ChatModelBuilder {
    let limit = Duration::from_secs(10);
    let builder = ChatModel::builder("test-model").base_url(url).api_key(KEY);
    builder.connect_timeout(limit).response_timeout(limit).chunk_timeout(limit)
}

fn model(url: &str) -> ChatModel {
    builder(url).build().unwrap()
}

/// How the model is asked.
#[derive(Clone, Copy, Debug)]
enum How {
    AtOnce,
    Streamed,
}

const BOTH: [How; 2] = [How::AtOnce, How::Streamed];

async fn ask(model: &ChatModel, how: How, request: ModelCallInputs) -> Result<ModelResponse, OperationError> {
    let call = |permit| async move {
        match how {
            How::AtOnce => model.call(permit).await,
            How::Streamed => streamed(model, permit).await,
        }
    };
    match NoRails.guard_llm_call(request, &mut RunContext::new("live"), call).await {
        Ok(response) => Ok(response),
        Err(RunError::Operation(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

async fn streamed(model: &ChatModel, permit: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    let deltas: Vec<_> = model.stream(permit).try_collect().await?;
    let mut response = ResponseBuilder::new();
    response.extend(deltas);
    Ok(response.finish())
}

/// The events of a stream, without the last one.
fn events(pieces: &[Value]) -> String {
    pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect::<Vec<_>>().concat()
}

/// The events of a stream.
fn all_events(pieces: &[Value]) -> String {
    events(pieces) + "data: [DONE]\n\n"
}

fn prompt() -> ModelCallInputs {
    tests::prompt("Where is my order?")
}
