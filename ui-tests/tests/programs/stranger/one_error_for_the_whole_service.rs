//! What it shows: an error enum of thiserror that takes the errors of runs, faults and I/O with `?`, while the tool fails with an
//! enum of its own.

use exo_rails::prelude::*;
use serde_json::json;

#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("a rail is broken: {0}")]
    Rail(#[from] RailFault),
    #[error("the answer is not JSON")]
    Json(#[from] serde_json::Error),
    #[error("refused: {0}")]
    Refused(exo_rails::Reason),
}

#[derive(Debug, thiserror::Error)]
enum ToolFailure {
    #[error("the file `{0}` is locked")]
    Locked(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

#[rail(priority = 10, on = [PreToolCall])]
fn no_writes(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name.starts_with("write"), "the service only reads")
}

async fn read(call: Permit<ToolCallInputs>) -> Result<String, ToolFailure> {
    match call.str_argument("path").unwrap_or("/nowhere/at/all") {
        "lock" => Err(ToolFailure::Locked("lock".to_owned())),
        "config" => Ok(json!({ "port": 80 }).to_string()),
        "text" => Ok("port: 80".to_owned()),
        path => Ok(std::fs::read_to_string(path)?),
    }
}

async fn port(tool: &str, path: &str) -> Result<u64, ServiceError> {
    let (rails, mut ctx) = (rail_chain![no_writes], RunContext::new("service"));
    let mut call = ToolCallInputs::new(tool).with_arguments(json!({ "path": path }));
    if let Decision::Abort(abort) = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await? {
        return Err(ServiceError::Refused(abort.reason));
    }
    let output = rails.guard_tool_call(call, &mut ctx, read).await?;
    if output.is_error {
        return Err(RunError::from(OperationError::from(output.content)).into());
    }
    let config: serde_json::Value = serde_json::from_str(&output.content)?;
    Ok(config["port"].as_u64().unwrap_or(0))
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), ServiceError> {
    assert_eq!(port("read", "config").await?, 80);
    assert!(matches!(port("write", "config").await, Err(ServiceError::Refused(reason)) if reason == "the service only reads"));
    let locked = port("read", "lock").await.unwrap_err();
    assert!(matches!(&locked, ServiceError::Run(RunError::Operation(_))) && locked.to_string().contains("is locked"));
    let missing = port("read", "/nowhere/at/all").await.unwrap_err();
    assert!(missing.to_string().starts_with("The call of `read` failed"));
    assert!(matches!(port("read", "text").await, Err(ServiceError::Json(_))));
    Ok(())
}
