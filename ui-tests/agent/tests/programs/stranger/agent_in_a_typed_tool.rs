//! What it shows: a typed tool with a permit runs another agent in the context of the call, and passes its errors on with `?`.
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{ToolFor, tools};
use exo_rails_agent::{Agent, ScriptedModel};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Translates a text into French.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "translate", schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } }))]
struct Translate {
    text: String,
}

tools! {
    struct DeskTools { translate: Translate }
}

#[derive(Default)]
struct Translations(u32);

fn translate<R: GuardSet + 'static>(translator: Arc<Agent<ScriptedModel, R>>) -> ToolFor<Translate> {
    Translate::tool_with_permit(move |args, call| {
        let translator = Arc::clone(&translator);
        async move {
            call.scope().run.update(|done: &mut Translations| done.0 += 1);
            let answer = translator.run_in(args.text, &mut call.context()).await?;
            Ok::<_, OperationError>(answer.text)
        }
    })
}

#[rail(priority = 10, on = [Start])]
fn short_texts(run: &InvokeInputs, ctx: &RailContext) -> Verdict {
    Verdict::abort_if(ctx.is_inner_run() && run.input.text().len() > 10, "the text is too long")
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let french: ScriptedModel = r#"[{ "say": "Bonjour" }]"#.parse()?;
    let translator = Agent::builder("translator", french).rails(rail_chain![short_texts]).build();
    let tools = DeskTools { translate: translate(Arc::new(translator)) };
    let model: ScriptedModel = r#"[
        { "call": [{ "tool": "translate", "arguments": { "text": "Hello" } }] },
        { "call": [{ "tool": "translate", "arguments": { "text": "a very long text" } }] },
        { "say": "Bonjour!" }
    ]"#
    .parse()?;
    let mut ctx = RunContext::new("desk");
    let answer = Agent::builder("desk", model).tools(tools).build().run_in("Greet her.", &mut ctx).await?;
    assert_eq!(answer.messages[2].text(), "Bonjour");
    assert!(answer.messages[4].text().contains("the text is too long"));
    assert_eq!(ctx.run.update(|done: &mut Translations| done.0), 2);
    Ok(())
}
