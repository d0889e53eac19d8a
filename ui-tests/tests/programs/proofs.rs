//! Permits that prove that the guard set meets requirements.

#![deny(warnings)]

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, EventBus, InMode, Meets, Mode, Operation, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn permission_check(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
}

#[derive(Clone, Debug)]
struct Document(String);

#[derive(Operation)]
#[operation(inputs = Document, output = String)]
struct StoreDocument;

chain_requirements! { struct Company { require(permission_check on PreToolCall) } }
chain_requirements! { struct Archive { require(permission_check on PreToolCall) } }

rail_chain! {
    #[chain(requirements = Company, requirements = Archive, operations = [StoreDocument])]
    struct SupportRails { permission_check }
}

struct Database(Vec<String>);

impl Database {
    async fn change(&mut self, call: Permit<ToolCallInputs, Company>) -> Result<ToolOutput, OperationError> {
        self.0.push(call.tool_name.clone());
        read(call.into()).await
    }
}

async fn read(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(format!("{} in attempt {}", call.tool_name, call.attempt())))
}

async fn store(document: Permit<Document, Archive>) -> Result<String, OperationError> {
    Ok(document.0.clone())
}

#[tokio::test]
async fn an_executor_asks_for_the_proof_of_requirements() -> Result<(), RunError> {
    let (rails, mut ctx) = (EventBus::default().wrap(&SupportRails), RunContext::new("demo"));
    let database = tokio::sync::Mutex::new(Database(Vec::new()));
    let change = async |call| database.lock().await.change(call).await;
    let output = rails.proving::<Company>().guard_tool_call(ToolCallInputs::new("add"), &mut ctx, change).await?;
    assert_eq!(output.content, "add in attempt 0");

    let refused = rails.proving::<Company>().guard_tool_call(ToolCallInputs::new("drop_table"), &mut ctx, change).await;
    assert!(matches!(refused, Err(RunError::Abort(_))));
    assert_eq!(database.into_inner().0, ["add"]);

    let stored =
        SupportRails.proving::<Archive>().guard_operation::<StoreDocument, _>(Document("a".into()), &mut ctx, store);
    assert_eq!(stored.await?, "a");

    let answer = async |run: Permit<InvokeInputs, Company>| Ok::<_, RunError>(run.input.text().into_owned());
    assert_eq!(rails.proving::<Company>().guard_run("Hello", &mut ctx, answer).await?.text, "Hello");
    let model = async |_: Permit<ModelCallInputs, Company>| Ok::<_, OperationError>("an answer");
    let response = rails.proving::<Company>().guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await?;
    assert_eq!(response.message.text(), "an answer");
    Ok(())
}

/// A chain that is chosen at run time keeps what it meets.
#[tokio::test]
async fn a_chosen_chain_proves_its_requirements() -> Result<(), RunError> {
    let chosen: DynGuardSet<dyn Meets<Company>> = DynGuardSet::of(Arc::new(SupportRails));
    let mut ctx = RunContext::new("demo");
    let read = async |call: Permit<ToolCallInputs, Company>| Ok::<_, OperationError>(call.tool_name.clone());
    let output = chosen.proving::<Company>().guard_tool_call(ToolCallInputs::new("add"), &mut ctx, read).await?;
    assert_eq!(output.content, "add");
    Ok(())
}

/// One rail runs in a mode.
#[test]
fn a_rail_has_a_mode() {
    rail_chain! { struct Trial { check: InMode<permission_check> } }
    let rail = permission_check {};
    let trial = Trial { check: InMode::new(Mode::Shadow, rail) };
    assert_eq!(trial.check.mode(), Mode::Shadow);
}
