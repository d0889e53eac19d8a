//! An agent with a live model, and rails that see to it.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_agent::Agent;
use serde_json::{Value, json};

use crate::dialect::{DIALECTS, Dialect};
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

/// An answer that calls a tool, and one that ends the run.
fn answers(dialect: Dialect) -> [Value; 2] {
    match dialect {
        Dialect::Chat => {
            let function = json!({ "name": "search", "arguments": "{\"order\":7}" });
            let call = json!({ "id": "c1", "type": "function", "function": function });
            [
                json!({ "choices": [{ "message": { "role": "assistant", "tool_calls": [call] }, "finish_reason": "tool_calls" }] }),
                json!({
                    "choices": [{ "message": { "role": "assistant", "content": "It is late." }, "finish_reason": "stop" }],
                    "usage": { "prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9 },
                }),
            ]
        }
        Dialect::Messages => {
            let call = json!({ "type": "tool_use", "id": "c1", "name": "search", "input": { "order": 7 } });
            [
                json!({ "type": "message", "content": [call], "stop_reason": "tool_use" }),
                json!({
                    "type": "message", "content": [{ "type": "text", "text": "It is late." }], "stop_reason": "end_turn",
                    "usage": { "input_tokens": 5, "output_tokens": 4 },
                }),
            ]
        }
    }
}

#[tokio::test]
async fn an_agent_retries_after_the_wait_that_the_server_asks_for() {
    let busy = |wait| Answer::status("429 Too Many Requests", wait, r#"{"error":{"message":"slow down"}}"#);
    for dialect in DIALECTS {
        let [calls, done] = answers(dialect);
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
        let model = dialect.model(&server.url);
        let agent = Agent::builder("live", model).tool(search).rails(rail_chain![back_off]).build();
        let mut ctx = RunContext::new("live");
        let output = agent.run_in("Where is my order?", &mut ctx).await.unwrap();

        assert_eq!((output.text.as_str(), output.steps, output.usage.total_tokens), ("It is late.", 2, 9));
        let waits = [Duration::from_millis(30), Duration::ZERO].map(|wait| format!("RateLimited {:?}", Some(wait)));
        assert_eq!(tests::notes(&ctx), waits);
        let requests = server.requests().await;
        assert_eq!(requests[0].body, requests[1].body);
        let told = &requests[3].body["messages"];
        let (called, returned) = match dialect {
            Dialect::Chat => (
                calls["choices"][0]["message"]["tool_calls"].clone(),
                json!({ "role": "tool", "content": "order 7 is late", "tool_call_id": "c1" }),
            ),
            Dialect::Messages => {
                let content = json!([{ "type": "text", "text": "order 7 is late" }]);
                let result = json!({ "type": "tool_result", "tool_use_id": "c1", "content": content });
                (calls["content"].clone(), json!({ "role": "user", "content": [result] }))
            }
        };
        assert!(told[1]["tool_calls"] == called || told[1]["content"] == called, "{told}");
        assert_eq!(told[2], returned);
    }
}
