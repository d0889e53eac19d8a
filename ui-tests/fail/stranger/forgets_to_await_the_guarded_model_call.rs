//! The result of `guard_llm_call` is used with `?` without `.await`. An ideal message says that the guard returns a future, and
//! proposes `.await` before the `?`.

use exo_rails::message::Message;
use exo_rails::prelude::*;

/// Keeps recipes free of raw milk.
#[rail(priority = 20, on = [PostLlmCall])]
fn no_raw_milk(response: &mut ModelResponse) {
    response.message.for_each_text(|text| *text = text.replace("raw milk", "milk"));
}

rail_chain! {
    struct KitchenRails { no_raw_milk }
}

async fn ask_model(request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    let dish = request.messages.last().map(|message| message.text().into_owned()).unwrap_or_default();
    Ok(ModelResponse::text(format!("For {dish}, take raw milk and flour.")))
}

async fn recipe(dish: &str, ctx: &mut RunContext) -> Result<String, RunError> {
    let request = ModelCallInputs::new([Message::user(dish)]);
    let response = KitchenRails.guard_llm_call(request, ctx, ask_model)?;
    Ok(response.message.text().into_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), RunError> {
    let text = recipe("pancakes", &mut RunContext::new("kitchen")).await?;
    println!("{text}");
    Ok(())
}
