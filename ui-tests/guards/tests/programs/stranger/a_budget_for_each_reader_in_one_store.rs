//! Two services build the same budget in Rust, and count the pages of each reader in one store.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::budgets::{BudgetLimit, Measure, Window};
use exo_rails_guards::store::{MemoryStore, StateStore};
use exo_rails_guards::{Budgets, ConfigError, Scope, ToolPattern, UserId};

rail_chain! {
    struct LibraryRails { budgets: Budgets }
}

fn rails(store: &Arc<dyn StateStore>) -> Result<LibraryRails, ConfigError> {
    let pages = BudgetLimit::new("pages", Measure::ToolCalls, 2)
        .per(Scope::User)
        .window(Window::Day)
        .tools([ToolPattern::new("print_*")?]);
    let budgets: Budgets = Budgets::builder().limits([pages]).warn_at_percent(0).build()?;
    Ok(LibraryRails { budgets: budgets.with_store(Arc::clone(store)) })
}

async fn print(rails: &impl GuardSet, reader: &str) -> Result<String, RunError> {
    let mut ctx = RunContext::new("library");
    ctx.run.insert(UserId::new(reader));
    let printer = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>("printed");
    Ok(rails.guard_tool_call(ToolCallInputs::new("print_page"), &mut ctx, printer).await?.content)
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store: Arc<dyn StateStore> = Arc::new(MemoryStore::new());
    let (desk, website) = (rails(&store)?, rails(&store)?);
    assert_eq!(print(&desk, "ada").await?, "printed");
    assert_eq!(print(&website, "ada").await?, "printed");
    assert!(print(&desk, "ada").await?.contains("budgets/pages"));
    assert_eq!(print(&desk, "bo").await?, "printed");
    Ok(())
}
