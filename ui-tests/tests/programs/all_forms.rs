//! Every form of rail and chain, without a warning.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall])]
async fn block_dangerous(call: &ToolCallInputs) -> RailAction {
    match call.tool_name.as_str() {
        "delete_file" | "drop_table" => RailAction::abort("destructive tools are off limits"),
        _ => RailAction::Continue,
    }
}

#[rail(priority = 40, on = [PostToolCall])]
async fn redact(call: &ToolCallInputs, output: &mut ToolOutput, ctx: &mut RailContext) {
    println!("{} in step {}", call.tool_name, ctx.step());
    output.content = output.content.replace("key", "***");
}

#[rail(priority = 10, on = [PreToolCall, Start])]
async fn size_limit(inputs: Inputs<'_>) -> RailAction {
    match inputs {
        Inputs::Start(run) if run.input.text().len() > 9 => RailAction::abort("too long"),
        Inputs::PreToolCall(call) if call.tool_name.len() > 9 => RailAction::skip("too long"),
        _ => RailAction::Continue,
    }
}

struct ContentFilter {
    phrases: Vec<String>,
}

#[rail(priority = 30)]
impl ContentFilter {
    fn has(&self, text: &str) -> bool {
        self.phrases.iter().any(|phrase| text.contains(phrase))
    }

    #[on(Start)]
    async fn user_input(&self, run: &InvokeInputs) -> RailAction {
        if self.has(&run.input.text()) { RailAction::abort("filtered") } else { RailAction::Continue }
    }

    #[on(PostLlmCall)]
    fn answer(&self, response: &mut ModelResponse) {
        response.finish_reason = Some("stop".to_owned());
    }
}

rail_chain! {
    /// Everything that guards the support agent.
    struct SupportRails {
        block_dangerous,
        redact,
        size_limit,
        content_filter: ContentFilter,
    }
}

#[tokio::test]
async fn compiles_and_runs() -> Result<(), RunError> {
    let rails = SupportRails { content_filter: ContentFilter { phrases: vec!["secret".to_owned()] } };
    let mut ctx = RunContext::new("demo");
    let tool = |call: Permit<ToolCallInputs>| async move {
        Ok::<_, OperationError>(ToolOutput::text(format!("the key of {}", call.tool_name)))
    };
    let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
    assert_eq!(output.content, "the *** of search");
    Ok(())
}
