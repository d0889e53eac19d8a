//! An agent with a live model, and rails that see to it.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_agent::Agent;
use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::server::{Answer, Server};

/// Tries again after the wait that the server asks for, and notes it.
#[rail(on = [LlmError])]
fn back_off(error: &OperationError, ctx: &RailContext) -> RailAction {
    tests::note(ctx, format!("{:?} {:?}", error.kind, error.retry_after));
    match error.retry_after {
        Some(wait) => RailAction::retry(RetryRequest::new("the server is busy").with_delay(wait).with_max_retries(2)),
        None => RailAction::Continue,
    }
}

#[tokio::test]
async fn an_agent_tries_again_when_the_server_says_when() {
    let busy = |wait| Answer::status("429 Too Many Requests", wait, r#"{"error":{"message":"slow down"}}"#);
    let call =
        json!({ "id": "c1", "type": "function", "function": { "name": "search", "arguments": "{\"order\":7}" } });
    let calls = json!({ "choices": [{ "message": { "role": "assistant", "tool_calls": [call] }, "finish_reason": "tool_calls" }] });
    let done = json!({
        "choices": [{ "message": { "role": "assistant", "content": "It is late." }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9 },
    });
    let server = Server::start([
        busy("retry-after-ms: 30\r\n"),
        Answer::json(&calls),
        busy("Retry-After: 0\r\n"),
        Answer::json(&done),
    ])
    .await;
    let search = Tool::new("search", "Finds orders.", json!({ "type": "object" }), |arguments: Value| async move {
        Ok::<_, OperationError>(format!("order {} is late", arguments["order"]))
    });
    let agent =
        Agent::builder("live", Dialect::Chat.model(&server.url)).tool(search).rails(rail_chain![back_off]).build();
    let mut ctx = RunContext::new("live");
    let output = agent.run_in("Where is my order?", &mut ctx).await.unwrap();

    assert_eq!((output.text.as_str(), output.steps, output.usage.total_tokens), ("It is late.", 2, 9));
    let waits = [Duration::from_millis(30), Duration::ZERO].map(|wait| format!("RateLimited {:?}", Some(wait)));
    assert_eq!(tests::notes(&ctx), waits);
    let requests = server.requests().await;
    let told = &requests[3].body["messages"];
    assert_eq!(requests[0].body, requests[1].body);
    assert_eq!(told[1]["tool_calls"][0], call);
    assert_eq!(told[2], json!({ "role": "tool", "content": "order 7 is late", "tool_call_id": "c1" }));
}
