//! A model that is chosen at run time is a model, behind each pointer that people write, beside models of a known type.

#![deny(warnings)]

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model, ScriptedModel, Session, SpecError};

struct Echo;

impl Model for Echo {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let said = request.messages.last().map(|message| message.text().into_owned());
        Ok(ModelResponse::text(said.unwrap_or_default()))
    }

    fn model_name(&self) -> Option<&str> {
        Some("echo")
    }
}

/// One `if` with two models is two lines.
fn chosen(is_dry_run: bool) -> Box<dyn Model> {
    if is_dry_run { Box::new(scripted()) } else { Box::new(Echo) }
}

fn scripted() -> ScriptedModel {
    r#"[{ "say": "scripted" }]"#.parse().unwrap()
}

fn takes(model: impl Model) -> Agent<impl Model> {
    Agent::builder("any", model).build()
}

#[derive(Debug)]
struct App {
    agent: Agent<Box<dyn Model>>,
}

struct Borrowed<'m>(&'m str);

impl Model for Borrowed<'_> {
    async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        Ok(ModelResponse::text(self.0))
    }
}

fn borrowed<'m>(text: &'m str) -> Box<dyn Model + 'm> {
    Box::new(Borrowed(text))
}

fn from_configuration(spec: &str) -> Result<Agent<Box<dyn Model>>, SpecError> {
    Ok(Agent::builder("configured", <dyn Model>::from_spec(spec)?).build())
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RunError> {
    assert_eq!(takes(chosen(true)).run("hello").await?.text, "scripted");
    assert_eq!(takes(chosen(false)).run("hello").await?.text, "hello");
    let shared: Arc<dyn Model> = Arc::from(chosen(false));
    assert_eq!(takes(Arc::clone(&shared)).run("hello").await?.text, "hello");
    assert_eq!(takes(&*shared).run("hello").await?.text, "hello");
    let with_bounds: Box<dyn Model + Send + Sync> = Box::new(Echo);
    assert_eq!(takes(with_bounds).run("hello").await?.text, "hello");
    assert_eq!(takes(Box::new(Echo)).run("hello").await?.text, "hello");
    assert_eq!(takes(borrowed(&String::from("mine"))).run("hello").await?.text, "mine");
    assert_eq!(shared.model_name(), Some("echo"));

    let app = App { agent: Agent::builder("app", chosen(false)).build() };
    assert!(format!("{app:?}").contains("echo"));
    let mut session = Session::start(Arc::new(app.agent), "s-1").await?;
    let answer = tokio::spawn(async move {
        let answer = session.run("hello").await;
        session.end().await;
        answer
    });
    assert_eq!(answer.await.unwrap()?.text, "hello");
    assert!(from_configuration("gpt-4o").is_err());
    Ok(())
}
