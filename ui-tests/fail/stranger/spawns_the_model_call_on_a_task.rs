//! The message should say: the operation borrows from the guard that waits for it, so it cannot move into a spawned task.
//! Await it here, `next.run().await`, or spawn inside the function that calls the model.

use exo_rails::Next;
use exo_rails::operations::LlmCall;
use exo_rails::prelude::*;

/// Keeps a slow provider away from the task that serves the socket.
#[rail(priority = 30, on = [PreLlmCall], around)]
async fn on_its_own_task(next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
    let attempt = next.attempt();
    let answer = tokio::spawn(next.run()); // <- here
    match answer.await {
        Ok(result) => result,
        Err(error) => Err(OperationError::from(format!("the task of attempt {attempt} has died: {error}"))),
    }
}

rail_chain! {
    struct SocketRails { on_its_own_task }
}

fn main() {
    let _ = SocketRails;
}
