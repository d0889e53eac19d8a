//! The message should say: the future of a rail must be `Send`, and `answers` (a `MutexGuard`) is still held when the rail
//! waits for the operation. Drop the guard before `next.run().await`, or use `tokio::sync::Mutex`.

use std::collections::HashMap;
use std::sync::Mutex;

use exo_rails::Next;
use exo_rails::operations::LlmCall;
use exo_rails::prelude::*;

/// Answers a question of the museum guide from memory if somebody has asked it before.
#[derive(Default)]
struct KnownAnswers {
    answers: Mutex<HashMap<String, String>>,
}

#[rail(priority = 20)]
impl KnownAnswers {
    #[on(PreLlmCall, around)]
    async fn look_up(&self, request: &ModelCallInputs, next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        let question = request.messages.last().map(|message| message.text().into_owned()).unwrap_or_default();
        let mut answers = self.answers.lock().unwrap();
        if let Some(answer) = answers.get(&question) {
            return Ok(ModelResponse::text(answer.as_str()));
        }
        let response = next.run().await?; // <- here
        answers.insert(question, response.message.text().into_owned());
        Ok(response)
    }
}

rail_chain! {
    struct MuseumRails { known: KnownAnswers }
}

fn main() {
    let _ = MuseumRails { known: KnownAnswers::default() };
}
