//! What it shows: a generic service with the bound `Meets<Clinic>`, built with a chain, a reference, an `Arc`, a `DynGuardSet`
//! and a chain inside an event bus.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, EventBus, Meets, chain_requirements};

#[rail(priority = 10, on = [PreToolCall])]
fn no_prescriptions(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "prescribe" { RailAction::skip("only a doctor prescribes") } else { RailAction::Continue }
}

#[rail(priority = 90, on = [PostToolCall])]
fn journal(output: &mut ToolOutput) {
    output.content.push_str(" (noted)");
}

chain_requirements! {
    struct Clinic {
        first(no_prescriptions on PreToolCall),
        last(journal on PostToolCall),
    }
}

rail_chain! {
    #[derive(Clone, Copy)]
    #[chain(requirements = Clinic)]
    struct WardRails { journal, no_prescriptions }
}

struct Service<R: Meets<Clinic>> {
    rails: R,
}

impl<R: Meets<Clinic>> Service<R> {
    fn new(rails: R) -> Self {
        Self { rails }
    }

    async fn call(&self, tool: &str) -> Result<String, RunError> {
        let run = async |call: Permit<ToolCallInputs>| Ok::<_, OperationError>(format!("{} has run", call.tool_name));
        let output = self.rails.guard_tool_call(ToolCallInputs::new(tool), &mut RunContext::new("ward"), run).await?;
        Ok(output.content)
    }
}

async fn check<R: Meets<Clinic>>(rails: R) -> Result<(), RunError> {
    let service = Service::new(rails);
    assert_eq!(service.call("read_file").await?, "read_file has run (noted)");
    assert!(service.call("prescribe").await?.ends_with("only a doctor prescribes (noted)"));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    check(WardRails).await?;
    check(&WardRails).await?;
    check(Arc::new(WardRails)).await?;
    check(DynGuardSet::<dyn Meets<Clinic>>::of(Arc::new(WardRails))).await?;
    check(EventBus::default().wrap(WardRails)).await
}
