//! Programs of agents, in a sandbox: Rhai without files, network, modules and output, with limits.

use std::time::{Duration, Instant};

use exo_rails::{OperationError, OperationErrorKind, ToolOutput};
use rhai::{Dynamic, Engine, EvalAltResult, ImmutableString, Scope, serde::to_dynamic};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::tools::invalid;

const MAX_OPERATIONS: u64 = 1_000_000;
const MAX_TIME: Duration = Duration::from_secs(1);
const MAX_TEXT: usize = 256 << 10;
const MAX_ITEMS: usize = 10_000;
const MAX_VARIABLES: usize = 64;
const MAX_CODE: usize = 64 << 10;

/// The stack of a program. The values in a value are as deep as they are many, and Rhai goes through them with recursion.
/// An overflow would end the whole process. The system gives only the pages that are used.
const STACK: usize = 512 << 20;

type Checked<T> = Result<T, Box<EvalAltResult>>;

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine
        .set_max_operations(MAX_OPERATIONS)
        .set_max_call_levels(32)
        .set_max_expr_depths(64, 32)
        .set_max_string_size(MAX_TEXT)
        .set_max_array_size(MAX_ITEMS)
        .set_max_map_size(MAX_ITEMS)
        .set_max_variables(MAX_VARIABLES)
        .set_max_functions(64)
        .disable_symbol("eval");
    engine.on_print(|_| {});
    engine.on_debug(|_, _, _| {});
    limit_functions(&mut engine);
    engine
}

/// Replaces functions of Rhai that take time or memory without a look at the limits.
fn limit_functions(engine: &mut Engine) {
    engine.register_fn("sleep", |_: i64| -> Checked<()> { Err("a program may not sleep".into()) });
    engine.register_fn("sleep", |_: f64| -> Checked<()> { Err("a program may not sleep".into()) });
    engine.register_fn("replace", |text: &mut ImmutableString, find: &str, by: &str| replace(text, find, by));
    engine.register_fn("replace", |text: &mut ImmutableString, find: &str, by: char| {
        replace(text, find, by.encode_utf8(&mut [0; 4]))
    });
    engine.register_fn("replace", |text: &mut ImmutableString, find: char, by: &str| {
        replace(text, find.encode_utf8(&mut [0; 4]), by)
    });
}

/// Replaces parts of a text. The size of the result is known before the result is made.
fn replace(text: &mut ImmutableString, find: &str, by: &str) -> Checked<()> {
    let added = text.matches(find).count().saturating_mul(by.len());
    if text.len().saturating_add(added) > MAX_TEXT {
        return Err("the text would be too long".into());
    }
    *text = text.replace(find, by).into();
    Ok(())
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
    let (send, result) = oneshot::channel();
    let work = move || {
        // If nobody waits for the result any more, it is not needed.
        drop(send.send(evaluate(&code, &input)));
    };
    let thread = std::thread::Builder::new().name("machine-code".to_owned()).stack_size(STACK).spawn(work);
    drop(thread.map_err(|error| failed(&error))?);
    result.await.unwrap_or_else(|_| Err(failed(&"it panicked")))
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
