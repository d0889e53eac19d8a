//! What it shows: `Box<dyn GuardSet>`, `Arc<dyn GuardSet + Send + Sync>`, `&dyn GuardSet` and a list of boxes, all passed to
//! functions with `impl GuardSet`.

use std::sync::Arc;

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_mail(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "mail", "no mail")
}

async fn refused_by(rails: &impl GuardSet, tool: &str) -> Result<Option<String>, RailFault> {
    let (mut call, mut ctx) = (ToolCallInputs::new(tool), RunContext::new("pointers"));
    let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await?;
    Ok(decision.rail_name().map(str::to_owned))
}

async fn ask(rails: impl GuardSet) -> Result<String, RunError> {
    let model = |_| async { Ok::<_, OperationError>("fine") };
    let response = rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("pointers"), model).await?;
    Ok(response.message.text().into_owned())
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let boxed: Box<dyn GuardSet> = Box::new(rail_chain![no_shell]);
    let shared: Arc<dyn GuardSet + Send + Sync> = Arc::new(rail_chain![no_mail]);
    let both = rail_chain![no_shell, no_mail];
    let borrowed: &dyn GuardSet = &both;

    assert_eq!(refused_by(&boxed, "shell").await?.as_deref(), Some("no_shell"));
    assert_eq!(refused_by(&shared, "mail").await?.as_deref(), Some("no_mail"));
    assert_eq!(refused_by(&borrowed, "mail").await?.as_deref(), Some("no_mail"));

    let all: Vec<Box<dyn GuardSet>> = vec![boxed, Box::new(shared.clone()), Box::new(both)];
    let mut refusals = 0;
    for rails in &all {
        refusals += usize::from(refused_by(rails, "mail").await?.is_some());
        assert_eq!(ask(rails).await?, "fine");
    }
    assert_eq!(refusals, 2);
    assert_eq!(ask(borrowed).await?, "fine");
    assert_eq!(ask(shared).await?, "fine");
    Ok(())
}
