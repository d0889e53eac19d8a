//! The message should say: (the compiler's own words) the rail `judge` calls the model with the rails that it is one of.

use exo_rails::prelude::*;

async fn ask(_: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    Ok(ModelResponse::text("yes"))
}

#[rail(on = [PreLlmCall])]
async fn judge(request: &ModelCallInputs) -> Result<Verdict, RunError> {
    let answer = Guards.guard_llm_call(request.clone(), &mut RunContext::new("judge"), ask).await?;
    Ok(Verdict::abort_if(answer.message.text() != "yes", "the judge says no"))
}

rail_chain! {
    struct Guards {
        judge,
    }
}

fn main() {
    let _ = Guards;
}
