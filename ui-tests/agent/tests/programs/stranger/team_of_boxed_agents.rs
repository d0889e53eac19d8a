//! What it shows: agents with different models and guard sets behind one object-safe trait of the program, in a map.
use std::collections::BTreeMap;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model, RunFuture, ScriptedModel};

trait Colleague: Send + Sync {
    fn name(&self) -> &str;
    fn ask<'a>(&'a self, question: &'a str) -> RunFuture<'a>;
}

impl<M: Model, R: GuardSet> Colleague for Agent<M, R> {
    fn name(&self) -> &str {
        Agent::name(self)
    }

    fn ask<'a>(&'a self, question: &'a str) -> RunFuture<'a> {
        self.run(question)
    }
}

struct Echo;

impl Model for Echo {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let last = request.messages.last().ok_or("nobody has said anything")?;
        Ok(ModelResponse::text(last.text()))
    }
}

#[rail(priority = 10, on = [Start])]
fn polite(run: &InvokeInputs) -> Verdict {
    Verdict::abort_if(!run.input.text().contains("please"), "say please")
}

fn team() -> Result<BTreeMap<String, Box<dyn Colleague>>, exo_rails_agent::ScriptError> {
    let scripted: ScriptedModel = r#"[{ "say": "I am on holiday." }]"#.parse()?;
    let team: [Box<dyn Colleague>; 3] = [
        Box::new(Agent::builder("parrot", Echo).build()),
        Box::new(Agent::builder("butler", Box::new(Echo) as Box<dyn Model>).rails(rail_chain![polite]).build()),
        Box::new(Agent::builder("boss", scripted).build()),
    ];
    Ok(team.into_iter().map(|colleague| (colleague.name().to_owned(), colleague)).collect())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let team = team()?;
    assert_eq!(team.keys().collect::<Vec<_>>(), ["boss", "butler", "parrot"]);
    assert_eq!(team["parrot"].ask("Hello!").await?.text, "Hello!");
    assert_eq!(team["boss"].ask("May I go?").await?.text, "I am on holiday.");
    let refused = team["butler"].ask("Tea!").await.unwrap_err();
    assert!(refused.to_string().ends_with("say please"));
    assert_eq!(team["butler"].ask("Tea, please!").await?.text, "Tea, please!");
    Ok(())
}
