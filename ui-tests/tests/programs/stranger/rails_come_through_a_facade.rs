//! What it shows: rails of a private module that a glob re-exports, a `pub(crate)` rail behind the same glob, and a rail under
//! another name.

mod vendor {
    mod tools {
        use exo_rails::prelude::*;

        #[rail(priority = 80, on = [PreToolCall])]
        pub fn log(call: &ToolCallInputs, ctx: &RailContext) {
            ctx.run.state().set("tool", call.tool_name.clone());
        }

        #[rail(priority = 10, on = [PreToolCall])]
        pub(crate) fn polite(call: &ToolCallInputs) -> RailAction {
            if call.tool_name == "insult" { RailAction::skip("be polite") } else { RailAction::Continue }
        }
    }

    pub use tools::*;

    pub mod models {
        use exo_rails::prelude::*;

        #[rail(priority = 80, on = [PreLlmCall])]
        pub fn log(request: &ModelCallInputs, ctx: &RailContext) {
            ctx.run.state().set("messages", request.messages.len());
        }
    }
}

use exo_rails::message::Message;
use exo_rails::prelude::*;
use vendor::models::log as log_of_models;
use vendor::*;

rail_chain! {
    struct ChatRails { log, log_of_models, polite }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let mut ctx = RunContext::new("chat");
    let tool = |_| async { Ok::<_, OperationError>("done") };
    ChatRails.guard_tool_call(ToolCallInputs::new("greet"), &mut ctx, tool).await?;
    let model = |_| async { Ok::<_, OperationError>("Hi!") };
    ChatRails.guard_llm_call(ModelCallInputs::new([Message::user("Hello")]), &mut ctx, model).await?;
    assert_eq!(ctx.run.state().get("tool"), Some("greet".into()));
    assert_eq!(ctx.run.state().get("messages"), Some(1.into()));

    let output = ChatRails.guard_tool_call(ToolCallInputs::new("insult"), &mut ctx, tool).await?;
    assert!(output.content.ends_with("be polite"));
    Ok(())
}
