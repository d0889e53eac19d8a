//! Content filters and the guard of injections, in whole runs.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

mod benign;
mod canary;
mod classifier;
mod evasion;
mod filters;
mod hidden;
mod history;
mod injection;
mod properties;
mod turns;

use exo_rails::message::Message;
use exo_rails::prelude::*;
use exo_rails::{ModelDelta, StreamPiece};
use exo_rails_guards::{Findings, Kit};

/// Makes a kit of a configuration.
fn kit(toml: &str) -> Kit {
    Kit::from_toml(toml).unwrap()
}

/// Returns the rules of the findings of the last event, with their severities.
fn rules(ctx: &RunContext) -> Vec<String> {
    let findings = ctx.extra.get::<Findings>().cloned().unwrap_or_default();
    findings.0.iter().map(|finding| format!("{}/{} {}", finding.guard, finding.rule, finding.severity)).collect()
}

/// Returns what the model reads of the output of a tool, and the findings.
async fn output(kit: &Kit, content: &str) -> (String, Vec<String>) {
    let mut ctx = RunContext::new("test");
    let tool = async |_| Ok::<_, OperationError>(ToolOutput::text(content));
    let output = kit.guard_tool_call(ToolCallInputs::new("fetch"), &mut ctx, tool).await.unwrap();
    (output.content, rules(&ctx))
}

/// Begins a run with this input. Returns the findings, or the reason of the refusal.
async fn input(kit: &Kit, text: &str) -> Result<Vec<String>, String> {
    let (mut ctx, mut inputs) = (RunContext::new("test"), InvokeInputs::new(text));
    let decision = kit.dispatch::<Start>(&mut inputs, &mut ctx).await.unwrap();
    match decision.reason() {
        Some(reason) => Err(reason.to_string()),
        None => Ok(rules(&ctx)),
    }
}

/// Runs an agent whose model gives this answer in pieces, and returns what the reader of the stream receives, or the error.
async fn streamed(kit: &Kit, pieces: &[String]) -> (String, Result<String, String>) {
    let model = |_| {
        let pieces: Vec<_> =
            pieces.iter().cloned().map(|piece| Ok::<_, OperationError>(ModelDelta::Text(piece))).collect();
        futures_util::stream::iter(pieces)
    };
    let left = std::sync::Mutex::new(String::new());
    let sink = async |piece| {
        if let StreamPiece::Text(text) = piece {
            left.lock().unwrap().push_str(&text);
        }
    };
    let request = ModelCallInputs::new([Message::system("You are kind."), Message::user("hello")]);
    let result = kit.guard_stream(request, &mut RunContext::new("test"), model, sink).await;
    let result = result.map(|response| response.message.text().into_owned()).map_err(|error| error.to_string());
    (left.into_inner().unwrap(), result)
}
