//! What it shows: an own model with a queue behind a `Mutex`, shared in an `Arc` by two agents, one of which streams.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::message::{Message, ToolCall};
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model, RunEvent};
use serde_json::{Value, json};

#[derive(Default)]
struct Queue(Mutex<VecDeque<ModelResponse>>);

impl Queue {
    fn push(&self, answer: impl Into<ModelResponse>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(answer.into());
    }

    fn push_call(&self, tool: &str, arguments: &Value) {
        let message = Message { tool_calls: vec![ToolCall::new("call-1", tool, arguments)], ..Message::assistant("") };
        self.push(ModelResponse { message, ..ModelResponse::default() });
    }
}

impl Model for Queue {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        next.ok_or_else(|| OperationError::new(OperationErrorKind::Unavailable, "the queue is empty"))
    }

    fn model_name(&self) -> Option<&str> {
        Some("queue")
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let queue = Arc::new(Queue::default());
    let dice = Tool::new("dice", "Rolls dice.", json!({ "type": "object" }), |_: Value| async {
        Ok::<_, OperationError>(json!({ "dice": [4] }))
    });
    let player = Agent::builder("player", Arc::clone(&queue)).tool(dice).build();
    let reporter = Agent::builder("reporter", Arc::clone(&queue)).build();

    queue.push_call("dice", &json!({}));
    queue.push("I have a four.");
    let played = player.run("Roll!").await?;
    assert_eq!((played.messages[2].text(), played.text), (r#"{"dice":[4]}"#.into(), "I have a four.".to_owned()));

    queue.push("The player has a four.");
    let (mut text, mut events) = (String::new(), reporter.stream("What has happened?"));
    while let Some(event) = events.next().await {
        if let RunEvent::Text(piece) = event? {
            text.push_str(&piece);
        }
    }
    assert_eq!(text, "The player has a four.");

    let failed = reporter.run("And then?").await.unwrap_err();
    assert!(matches!(failed.error, RunError::Operation(error) if error.kind == OperationErrorKind::Unavailable));
    Ok(())
}
