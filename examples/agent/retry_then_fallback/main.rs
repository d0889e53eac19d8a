//! Retry, then fall back: three rails decide what happens when a model fails.
//!
//! The provider is busy at first, and then down. `ask_again` waits as long as the provider asks. It tries at most twice
//! again, and then lets the error pass. `second_provider` answers instead of the provider. If both providers fail,
//! `apologise` answers. All retries of a run share one budget.

use std::error::Error;
use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails::{NoRails, NoSubstitute, RetryOrContinue};
use exo_rails_agent::{Agent, Model, ScriptedModel};

/// The longest wait, even if the provider asks for a longer one.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// Repeats a call of the provider if that may help. An invalid request would fail again.
#[rail(priority = 20, on = [LlmError])]
fn ask_again(error: &OperationError, ctx: &RailContext) -> RailAction<NoSubstitute, RetryOrContinue> {
    println!("  attempt {} failed: {error}", ctx.attempt() + 1);
    if matches!(error.kind, OperationErrorKind::InvalidRequest | OperationErrorKind::Denied) {
        return RailAction::Continue;
    }
    let wait = error.retry_after.unwrap_or(Duration::from_millis(50)).min(LONGEST_WAIT);
    RailAction::retry_or_continue(RetryRequest::new(error.message.clone()).with_delay(wait).with_max_retries(2))
}

/// The model of another provider.
struct SecondProvider(ScriptedModel);

#[rail(priority = 30)]
impl SecondProvider {
    #[on(LlmError)]
    async fn answer(&self, request: &ModelCallInputs, ctx: &RailContext) -> Option<RailAction<ModelResponse>> {
        println!("  the second provider is asked");
        let asked = NoRails.guard_llm_call(request.clone(), &mut ctx.child(), |request| self.0.call(request)).await;
        asked.ok().map(|response| RailAction::skip_with(response, "the first provider fails"))
    }
}

/// Answers if no provider does.
#[rail(priority = 90, on = [LlmError])]
fn apologise(error: &OperationError) -> RailAction {
    RailAction::abort_with(InvokeOutput::text("We cannot answer now. Please call us."), error.message.clone())
}

rail_chain! {
    struct Failover { ask_again, second_provider: SecondProvider, apologise }
}

/// Runs an agent whose providers give these answers, and prints the result.
async fn run(title: &str, first: &str, second: &str) -> Result<String, Box<dyn Error>> {
    println!("{title}");
    let rails = Failover { second_provider: SecondProvider(second.parse()?) };
    let agent = Agent::builder("support", first.parse::<ScriptedModel>()?).rails(rails).build();
    let mut ctx = RunContext::new("support").with_max_retries(4);
    let output = agent.run_in("Where is my order?", &mut ctx).await?;
    println!("  answer: {}\n", output.text);
    Ok(output.text)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let busy = r#"{ "fail": { "kind": "rate_limited", "message": "slow down", "status": 429, "retry_after": 0.02 } }"#;
    let down = r#"{ "fail": { "kind": "unavailable", "message": "no connection" } }"#;
    let wrong = r#"{ "fail": { "kind": "invalid_request", "message": "the request is too long", "status": 400 } }"#;
    let answer = |text: &str| format!(r#"{{ "say": "{text}" }}"#);

    let (here, there) = (answer("It is on its way."), answer("The other model says: on its way."));
    let answers = [
        run("The provider is busy for a moment:", &format!("[{busy}, {here}]"), "[]").await?,
        run("The provider is down:", &format!("[{down}, {down}, {down}]"), &format!("[{there}]")).await?,
        run("The request makes no sense to the provider:", &format!("[{wrong}]"), &format!("[{there}]")).await?,
        run("Both are down:", &format!("[{down}, {down}, {down}]"), &format!("[{down}]")).await?,
    ];
    assert_eq!(answers[0], "It is on its way.");
    assert_eq!(answers[1], answers[2]);
    assert_eq!(answers[3], "We cannot answer now. Please call us.");
    Ok(())
}
