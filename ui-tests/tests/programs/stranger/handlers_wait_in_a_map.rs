//! What it shows: tools as boxed functions in a map, built from async functions and closures, and looked up inside the closure of
//! the guard.

use std::collections::BTreeMap;
use std::pin::Pin;

use exo_rails::prelude::*;
use serde_json::json;

type Answer = Pin<Box<dyn Future<Output = Result<ToolOutput, OperationError>> + Send>>;
type Handler = Box<dyn Fn(Permit<ToolCallInputs>) -> Answer + Send + Sync>;

fn handler<F, Fut>(run: F) -> Handler
where
    F: Fn(Permit<ToolCallInputs>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, OperationError>> + Send + 'static,
{
    Box::new(move |call| Box::pin(run(call)))
}

async fn add(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    let number = |name: &str| call.arguments[name].as_i64().ok_or_else(|| format!("`{name}` is not a number"));
    Ok((number("a")? + number("b")?).to_string().into())
}

#[rail(priority = 20, on = [PreToolCall])]
fn small_numbers(call: &ToolCallInputs) -> RailAction {
    let large = call.arguments.as_object().is_some_and(|all| all.values().any(|value| value.as_i64() > Some(100)));
    if large { RailAction::skip("I count to 100") } else { RailAction::Continue }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let greeting = String::from("hello");
    let mut handlers: BTreeMap<&str, Handler> = BTreeMap::new();
    handlers.insert("add", handler(add));
    handlers.insert("greet", handler(move |_| std::future::ready(Ok(ToolOutput::text(greeting.as_str())))));

    let run = |call: Permit<ToolCallInputs>| -> Answer {
        match handlers.get(call.tool_name.as_str()) {
            Some(handler) => handler(call),
            None => Box::pin(async move { Err(format!("what is `{}`?", call.tool_name).into()) }),
        }
    };
    let (rails, mut ctx) = (rail_chain![small_numbers], RunContext::new("calculator"));
    let cases = [
        ("add", json!({ "a": 40, "b": 2 }), "42"),
        ("add", json!({ "a": 400, "b": 2 }), "I count to 100"),
        ("greet", json!({}), "hello"),
        ("divide", json!({}), "what is `divide`? (failed)"),
    ];
    for (tool, arguments, expected) in cases {
        let call = ToolCallInputs::new(tool).with_arguments(arguments);
        let output = rails.guard_tool_call(call, &mut ctx, run).await?;
        assert!(output.content.ends_with(expected), "{}", output.content);
    }
    Ok(())
}
