//! The message should say: the compiler cannot know the type of the error of this operation, because it never fails. Name it:
//! `Ok::<_, OperationError>(…)`.

use exo_rails::message::Message;
use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreLlmCall])]
fn brief(request: &mut ModelCallInputs) {
    request.messages.push(Message::system("Answer in one sentence."));
}

rail_chain! {
    struct PoetRails { brief }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let request = ModelCallInputs::new([Message::user("Write about the sea.")]);
    let model = |request: Permit<ModelCallInputs>| async move {
        let count = request.messages.len();
        Ok(ModelResponse::text(format!("I have read {count} messages."))) // <- here
    };
    let response = PoetRails.guard_llm_call(request, &mut RunContext::new("poet"), model).await?;
    assert_eq!(response.message.text(), "I have read 2 messages.");
    Ok(())
}
