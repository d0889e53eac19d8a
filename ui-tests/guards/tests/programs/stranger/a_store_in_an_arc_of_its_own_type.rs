//! `with_store` takes an `Arc<MemoryStore>` as it takes an `Arc<dyn StateStore>`.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::Budgets;
use exo_rails_guards::budgets::{BudgetLimit, Measure};
use exo_rails_guards::store::MemoryStore;

rail_chain! {
    struct PumpRails { budgets: Budgets }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Both agents of the vineyard share the counts.
    let store = Arc::new(MemoryStore::new());
    let hours = BudgetLimit::new("pumping", Measure::ToolCalls, 8).tools(["start_pump".parse()?]);
    let budgets: Budgets = Budgets::builder().limits([hours]).build()?;
    let rails = PumpRails { budgets: budgets.with_store(store.clone()) };

    let pump = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("the pump runs");
    let mut ctx = RunContext::new("vineyard");
    let output = rails.guard_tool_call(ToolCallInputs::new("start_pump"), &mut ctx, pump).await?;
    println!("{} ({} handles)", output.content, Arc::strong_count(&store));
    Ok(())
}
