//! The message should say: a `RailManager` in an `Arc` cannot change. To add rails while agents run, use `LiveRails`, whose
//! `attach` takes `&self`.

use std::sync::Arc;

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
fn no_mail(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "send_mail" { RailAction::skip("the mail server is being moved") } else { RailAction::Continue }
}

async fn serve(rails: Arc<RailManager>) -> Result<String, RunError> {
    let mail = |_| async { Ok::<_, OperationError>("sent") };
    let output = rails.guard_tool_call(ToolCallInputs::new("send_mail"), &mut RunContext::new("office"), mail).await?;
    Ok(output.content)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = Arc::new(RailManager::new());
    println!("{}", serve(Arc::clone(&rails)).await?);
    rails.add(no_mail {})?; // <- here
    println!("{}", serve(rails).await?);
    Ok(())
}
