//! What it shows: a list of budgets from a table, with a shared store, that count for each user in several runs.
use exo_rails::prelude::*;
use exo_rails_guards::budgets::{BudgetLimit, Budgets, Measure};
use exo_rails_guards::store::{GuardStore, MemoryStore};
use exo_rails_guards::{ConfigError, Scope, UserId};

rail_chain! {
    struct OfficeRails { budgets: Vec<Budgets> }
}

fn rails<'t>(limits: impl IntoIterator<Item = (&'t str, u64)>, store: &GuardStore) -> Result<OfficeRails, ConfigError> {
    let budgets = limits.into_iter().map(|(tool, most)| -> Result<Budgets, ConfigError> {
        let limit = BudgetLimit::new(tool, Measure::ToolCalls, most).per(Scope::User).tools([tool.parse()?]);
        let budgets: Budgets = Budgets::builder().limits([limit]).build()?;
        Ok(budgets.with_store(store.clone()))
    });
    Ok(OfficeRails { budgets: budgets.collect::<Result<_, _>>()? })
}

async fn call(rails: &impl GuardSet, user: &str, tool: &str) -> Result<String, RunError> {
    let mut ctx = RunContext::new("office");
    ctx.run.insert(UserId::new(user));
    let done = |call: Permit<ToolCallInputs>| async move { Ok::<_, OperationError>(format!("{}: done", call.tool_name)) };
    Ok(rails.guard_tool_call(ToolCallInputs::new(tool), &mut ctx, done).await?.content)
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = GuardStore::new(MemoryStore::new());
    let monday = rails([("print", 2), ("call_taxi", 1)], &store)?;
    assert_eq!(call(&monday, "ada", "print").await?, "print: done");
    assert_eq!(call(&monday, "ada", "call_taxi").await?, "call_taxi: done");
    assert!(call(&monday, "ada", "call_taxi").await?.contains("budgets/call_taxi"));
    assert_eq!(call(&monday, "bob", "call_taxi").await?, "call_taxi: done");
    drop(monday);

    // The counts are in the store, so new rails go on with them.
    let tuesday = rails(vec![("print", 2)], &store)?;
    assert_eq!(call(&tuesday, "ada", "print").await?, "print: done");
    assert!(call(&tuesday, "ada", "print").await?.contains("budgets/print"));
    assert_eq!(call(&tuesday, "ada", "call_taxi").await?, "call_taxi: done");
    assert_eq!(call(&rails([], &store)?, "ada", "print").await?, "print: done");
    Ok(())
}
