//! The message should say: of a `&dyn GuardSet`, `dispatch` is called on a reference, and a `DynGuardSet` has it as it is.

use exo_rails::prelude::*;

async fn check(rails: &dyn GuardSet) -> bool {
    let mut ctx = RunContext::new("demo");
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await;
    decision.is_ok()
}

fn main() {
    let _ = check(&exo_rails::NoRails);
}
