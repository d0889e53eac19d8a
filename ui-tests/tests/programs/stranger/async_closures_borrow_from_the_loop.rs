//! What it shows: async closures without `move` that borrow local values, one passed by reference in a loop, and one for the run
//! that calls the other through the context of its permit.

use std::sync::Mutex;

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn no_empty_names(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name.is_empty(), "the tool has no name")
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let rails = rail_chain![no_empty_names];
    let shelf = vec!["Dune".to_owned(), "Emma".to_owned()];
    let seen = Mutex::new(Vec::new());

    let search = async |call: Permit<ToolCallInputs>| {
        seen.lock().unwrap().push(call.tool_name.clone());
        tokio::task::yield_now().await;
        Ok::<_, OperationError>(shelf.join(" and "))
    };
    let mut ctx = RunContext::new("library");
    for tool in ["list", "find"] {
        let output = rails.guard_tool_call(ToolCallInputs::new(tool), &mut ctx, &search).await?;
        assert_eq!(output.content, "Dune and Emma");
    }

    let run = async |run: Permit<InvokeInputs>| {
        let mut ctx = run.context();
        let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, &search).await?;
        Ok::<_, RunError>(format!("{} {}", run.input.text(), output.content))
    };
    let output = rails.guard_run("Which books?", &mut ctx, run).await?;
    assert_eq!(output.text, "Which books? Dune and Emma");
    assert_eq!(*seen.lock().unwrap(), ["list", "find", "search"]);
    Ok(())
}
