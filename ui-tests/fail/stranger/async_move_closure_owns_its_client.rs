//! The model is an `async move` closure that owns the client, and a guard may call it again for a retry. An ideal message says
//! to leave out `move` so that the closure borrows the client, to clone the client for each call, or to use `guard_llm_call_once`.

use std::time::Duration;

use exo_rails::message::Message;
use exo_rails::prelude::*;

/// Takes the place of an HTTP client.
struct Client {
    base_url: String,
}

impl Client {
    async fn complete(&self, request: &ModelCallInputs) -> Result<String, std::io::Error> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(format!("{} has read {} messages", self.base_url, request.messages.len()))
    }
}

#[rail(on = [LlmError])]
fn once_more(error: &OperationError) -> RailAction {
    RailAction::retry(error.message.clone())
}

rail_chain! {
    struct WeatherRails { once_more }
}

async fn forecast(client: Client, ctx: &mut RunContext) -> Result<String, RunError> {
    let request = ModelCallInputs::new([Message::user("Will it rain in Bergen?")]);
    let model = async move |request: Permit<ModelCallInputs>| client.complete(&request).await;
    let response = WeatherRails.guard_llm_call(request, ctx, model).await?;
    Ok(response.message.text().into_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let client = Client { base_url: "http://localhost:8080".to_owned() };
    println!("{}", forecast(client, &mut RunContext::new("weather")).await?);
    Ok(())
}
