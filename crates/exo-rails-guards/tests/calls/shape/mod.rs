//! The guards of shapes, in whole runs.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

mod capability_gap;
mod sizes;
mod structure;

#[cfg(feature = "schema")]
mod structured_answer;
#[cfg(feature = "schema")]
mod tool_schemas;

use exo_rails::message::{ToolCall, ToolSpec};
use exo_rails::prelude::*;
use exo_rails_guards::Findings;
use serde_json::{Value, json};

/// A request that offers these tools, without schemas.
fn offering(tools: &[&str]) -> ModelCallInputs {
    let tools = tools.iter().map(|name| ToolSpec::new(*name, "", Value::Null)).collect();
    ModelCallInputs { tools, ..ModelCallInputs::default() }
}

/// An answer with these tool calls: id, name, arguments.
fn calling(calls: &[(&str, &str, &str)]) -> ModelResponse {
    let mut response = ModelResponse::text("");
    let call = |(id, name, arguments): &(&str, &str, &str)| {
        let mut call = ToolCall::new(*id, *name, &json!({}));
        (*arguments).clone_into(&mut call.function.arguments);
        call
    };
    response.message.tool_calls = calls.iter().map(call).collect();
    response.finish_reason = Some("tool_calls".to_owned());
    response
}

/// Returns the findings of the last event.
fn findings(ctx: &RunContext) -> Vec<String> {
    let findings = ctx.extra.get::<Findings>().cloned().unwrap_or_default();
    findings.0.iter().map(|finding| format!("{finding:?}")).collect()
}
