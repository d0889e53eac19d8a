//! Checks that all variants answer the same. Otherwise, a comparison has no meaning.

use exo_rails::{RunContext, ToolCallInputs};
use serde_json::{Value, json};

use tokio::runtime::Runtime;

use crate::measure::Case;

/// Returns the call to measure. Every rail lets it pass.
pub(crate) fn harmless() -> ToolCallInputs {
    ToolCallInputs { id: "call_1".to_owned(), ..ToolCallInputs::new("search") }.with_arguments(json!({ "limit": 10 }))
}

/// Returns calls that one or more rails stop: by each action, by a fault, and in a way that shows the order.
fn stopped() -> [ToolCallInputs; 8] {
    let id = |id: &str, name: &str| ToolCallInputs { id: id.to_owned(), ..ToolCallInputs::new(name) };
    [
        ToolCallInputs::new("shell"),
        ToolCallInputs::new("delete_file"),
        ToolCallInputs::new("crawl"),
        ToolCallInputs::new("clock"),
        ToolCallInputs::new("search").with_arguments(Value::Null),
        id("unknown", "shell"),
        id(&"7".repeat(200), "shell"),
        ToolCallInputs::new("_".repeat(70_000)),
    ]
}

/// Compares the answers of each case with the answers of the previous case of the same rails.
pub(crate) fn same_answers(cases: &[Case], runtime: &Runtime) -> Result<(), String> {
    for pair in cases.windows(2) {
        let [one, other] = pair else { continue };
        if one.is_beside(other) {
            stopped().into_iter().try_for_each(|call| same_answer(one, other, &call, runtime))?;
        }
    }
    cases.iter().try_for_each(|case| passes(case, runtime))
}

fn same_answer(one: &Case, other: &Case, call: &ToolCallInputs, runtime: &Runtime) -> Result<(), String> {
    let mut ctx = RunContext::new("check");
    // From the second step on, one rail skips the call with a substitute.
    ctx.set_step(1);
    let answers = [one, other].map(|case| case.measured.stopped(runtime, &mut call.clone(), &mut ctx));
    if answers[0] == answers[1] {
        return Ok(());
    }
    let [one, other] = [one, other].map(|case| format!("{} with {} {} rails", case.variant, case.rails, case.kind));
    Err(format!("{one} answers {:?}, {other} answers {:?}", answers[0], answers[1]))
}

fn passes(case: &Case, runtime: &Runtime) -> Result<(), String> {
    match case.measured.stopped(runtime, &mut harmless(), &mut RunContext::new("check")) {
        None => Ok(()),
        Some(stopped) => Err(format!("{} with {} {} rails stops: {stopped:?}", case.variant, case.rails, case.kind)),
    }
}
