//! What the modules share: an agent whose model replays a script and whose tools echo or fail, and every guard set.

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Model, ScriptedModel};
use serde_json::json;
use tests::{note, take_notes};

/// Replays a script, and notes what it was told last.
struct Replay(ScriptedModel);

impl Model for Replay {
    async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
        let last = request.messages.last().map(Message::text).unwrap_or_default();
        note(request.scope(), format!("model: {last}"));
        self.0.call(request).await
    }
}

#[derive(Clone)]
struct Called;

/// `echo` answers with its arguments, `broken` always fails, `flaky` when it is called for the first time.
fn tool(name: &'static str) -> Tool {
    Tool::with_permit(name, "Takes part in a test.", json!({ "type": "object" }), move |call| async move {
        note(call.scope(), format!("tool {name} {}", call.arguments));
        match name {
            "broken" => Err(OperationError::from("it is broken")),
            "flaky" if call.scope().run.insert(Called).is_none() => Err("not yet".into()),
            _ => Ok(call.arguments.to_string()),
        }
    })
}

/// Runs an agent over the script once: its result, and what was noted.
pub(crate) async fn run(rails: &dyn GuardSet, script: &str) -> (Result<InvokeOutput, RunError>, Vec<String>) {
    run_in(rails, script, "hello", &mut RunContext::new("upstream")).await
}

/// The same on an input and in a context of the test's.
pub(crate) async fn run_in(
    rails: &dyn GuardSet,
    script: &str,
    input: impl Into<InvokeInputs> + Send,
    ctx: &mut RunContext,
) -> (Result<InvokeOutput, RunError>, Vec<String>) {
    let model = Replay(script.parse().unwrap());
    let agent = Agent::builder("upstream", model).tools(["echo", "broken", "flaky"].map(tool)).rails(rails).build();
    let result = agent.run_in(input, ctx).await.map_err(RunError::from);
    (result, take_notes(ctx))
}

/// Notes each event and the attempt, before any other rail of the event.
#[rail(
    priority = 1,
    on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error]
)]
pub(crate) fn trace(ctx: &RailContext) {
    note(ctx, format!("{} {}", ctx.event(), ctx.attempt()));
}

/// Does the same with these rails in each guard set: `|set, rails|` names it, and is it.
macro_rules! in_each_guard_set {
    ([$($rail:ident),* $(,)?], |$set:ident, $rails:ident| $body:block) => {
        {
            let ($set, $rails) = ("a chain", rail_chain![$($rail),*]);
            $body
        }
        {
            let mut manager = RailManager::new();
            $(manager.add($rail {}).unwrap();)*
            let ($set, $rails) = ("a RailManager", manager);
            $body
        }
        {
            let mut hooks = HookManager::new();
            rail_chain![$($rail),*].register(&mut hooks);
            let ($set, $rails) = ("a HookManager with a chain", hooks);
            $body
        }
        {
            let mut manager = RailManager::new();
            $(manager.add($rail {}).unwrap();)*
            let (manager, mut hooks) = (std::sync::Arc::new(manager), HookManager::new());
            for &point in HookPoint::ALL {
                hooks.add(point, manager.hook_for(point));
            }
            let ($set, $rails) = ("a HookManager with a RailManager", hooks);
            $body
        }
    };
}

pub(crate) use in_each_guard_set;
