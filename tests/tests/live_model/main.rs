//! A model behind a real HTTP server, which may do anything.

mod agent;
mod answers;
mod canary;
mod cut;
mod dialect;
mod failures;
mod falsified;
mod floods;
mod limits;
mod messages;
mod proxy;
mod requests;
mod server;
mod specs;

use exo_rails::prelude::*;
use exo_rails::{NoRails, ResponseBuilder};
use exo_rails_agent::Model;
use futures_util::TryStreamExt;

/// A key that must not be told.
const KEY: &str = "sk-4711-not-to-be-told";

/// How the model is asked.
#[derive(Clone, Copy, Debug)]
enum How {
    AtOnce,
    Streamed,
}

const BOTH: [How; 2] = [How::AtOnce, How::Streamed];

async fn ask(model: &impl Model, how: How, request: ModelCallInputs) -> Result<ModelResponse, OperationError> {
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

async fn streamed(model: &impl Model, permit: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    let deltas: Vec<_> = model.stream(permit).try_collect().await?;
    let mut response = ResponseBuilder::new();
    response.extend(deltas);
    Ok(response.finish())
}

fn prompt() -> ModelCallInputs {
    tests::prompt("Where is my order?")
}
