//! A helper that is generic over guard sets, with the error type of the application and `?`.

use exo_rails::NoRails;
use exo_rails::message::Message;
use exo_rails::prelude::*;

#[derive(Debug, thiserror::Error)]
pub enum QuizError {
    #[error("the quizmaster cannot answer")]
    Run(#[from] RunError),
    #[error("the answer is not a number")]
    NoNumber(#[from] std::num::ParseIntError),
    #[error(transparent)]
    Duplicate(#[from] exo_rails::DuplicateRail),
}

/// Removes the unit from an answer.
#[rail(priority = 40, on = [PostLlmCall])]
fn no_units(response: &mut ModelResponse) {
    response.message.for_each_text(|text| *text = text.replace(" metres", ""));
}

async fn ask_model(request: Permit<ModelCallInputs>) -> Result<String, OperationError> {
    match request.messages.last() {
        Some(question) if question.text().contains("Zugspitze") => Ok("2962 metres".to_owned()),
        _ => Err("I know only one mountain".into()),
    }
}

async fn ask_for_number<R: GuardSet>(rails: &R, ctx: &mut RunContext, question: &str) -> Result<u32, QuizError> {
    let request = ModelCallInputs::new([Message::user(question)]);
    let response = rails.guard_llm_call(request, ctx, ask_model).await?;
    Ok(response.message.text().trim().parse()?)
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), QuizError> {
    let mut ctx = RunContext::new("quiz");
    let question = "How high is the Zugspitze?";
    assert_eq!(ask_for_number(&rail_chain![no_units], &mut ctx, question).await?, 2962);

    let mut manager = RailManager::new();
    manager.add(no_units {})?;
    assert_eq!(ask_for_number(&manager, &mut ctx, question).await?, 2962);

    assert!(matches!(ask_for_number(&NoRails, &mut ctx, question).await, Err(QuizError::NoNumber(_))));
    assert!(matches!(ask_for_number(&NoRails, &mut ctx, "And Everest?").await, Err(QuizError::Run(_))));
    Ok(())
}
