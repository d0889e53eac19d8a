//! Programs of agents, in a sandbox: Rhai without files, network, modules and output, with limits.

use std::time::{Duration, Instant};

use exo_rails::{OperationError, OperationErrorKind, ToolOutput};
use rhai::{Dynamic, Engine, Scope, serde::to_dynamic};
use serde_json::Value;

use crate::tools::invalid;

const MAX_OPERATIONS: u64 = 1_000_000;
const MAX_TIME: Duration = Duration::from_secs(1);
const MAX_TEXT: usize = 1 << 20;
const MAX_ITEMS: usize = 10_000;
const MAX_CODE: usize = 64 << 10;

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine
        .set_max_operations(MAX_OPERATIONS)
        .set_max_call_levels(32)
        .set_max_expr_depths(64, 32)
        .set_max_string_size(MAX_TEXT)
        .set_max_array_size(MAX_ITEMS)
        .set_max_map_size(MAX_ITEMS)
        .set_max_variables(256)
        .set_max_functions(64)
        .disable_symbol("eval");
    engine.on_print(|_| {});
    engine.on_debug(|_, _, _| {});
    engine
}

/// Checks the syntax.
///
/// # Errors
///
/// If the text is not Rhai. The message says what to write.
pub(super) fn check(code: &str) -> Result<(), OperationError> {
    if code.len() > MAX_CODE {
        return Err(invalid(format!("the code is longer than {MAX_CODE} bytes")));
    }
    let help = "write Rhai, and no other language: the arguments are in `input`, and the last expression is the result, such as `input.x * 0.8`";
    engine().compile(code).map(drop).map_err(|error| invalid(format!("the code is not Rhai: {error}; {help}")))
}

/// Runs a program with the arguments in `input`.
///
/// # Errors
///
/// If the program fails or exceeds a limit.
pub(super) async fn run(code: String, input: Value) -> Result<ToolOutput, OperationError> {
    let run = tokio::task::spawn_blocking(move || evaluate(&code, &input));
    run.await.map_err(|error| failed(&error))?
}

fn evaluate(code: &str, input: &Value) -> Result<ToolOutput, OperationError> {
    let mut engine = engine();
    let deadline = Instant::now() + MAX_TIME;
    engine.on_progress(move |_| (Instant::now() > deadline).then(|| Dynamic::from("it took longer than 1 s")));
    let mut scope = Scope::new();
    scope.push_dynamic("input", to_dynamic(input).map_err(|error| failed(&error))?);
    let result: Dynamic = engine.eval_with_scope(&mut scope, code).map_err(|error| failed(&error))?;
    let value: Value = rhai::serde::from_dynamic(&result).map_err(|error| failed(&error))?;
    ToolOutput::json(&value).map_err(|error| failed(&error))
}

fn failed(message: &dyn std::fmt::Display) -> OperationError {
    OperationError::new(OperationErrorKind::Other, format!("the code failed: {message}"))
}
