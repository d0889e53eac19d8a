//! Loops of tool calls: the arguments are text that a model wrote, and the results are text that tools wrote.

#![no_main]

use arbitrary::Arbitrary;
use exo_rails::prelude::*;
use exo_rails_guards::Loops;
use exo_rails_guards::loops::{Levels, LoopHistory};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

rail_chain! { struct Rails { loops: Loops } }

#[derive(Arbitrary, Debug)]
struct Call {
    tool: u8,
    arguments: String,
    result: String,
    is_error: bool,
    number: u8,
    step: u8,
    attempt_again: bool,
}

/// Writes the keys of objects in the other order, and whole numbers as floats.
fn rewritten(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(name, value)| (name.clone(), rewritten(value))).collect();
            fields.reverse();
            Value::Object(fields.into_iter().collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(rewritten).collect(),
        Value::Number(number) => match number.as_i64() {
            #[expect(clippy::cast_precision_loss, reason = "the number is small")]
            Some(whole) if whole.abs() < 1 << 50 => (whole as f64).into(),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

fuzz_target!(|calls: Vec<Call>| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    // Only equal calls in a row, whatever their results are.
    let equal = Loops::builder()
        .polling(Levels::new(0, 2, 0))
        .repetition(Levels::OFF)
        .oscillation(Levels::OFF)
        .stagnation(Levels::OFF);
    let equal = Rails { loops: equal.redundancy(Levels::OFF).build().expect("the levels are in order") };
    let rails = Rails { loops: Loops::builder().window(48).build().expect("the window is large enough") };
    let mut ctx = RunContext::new("fuzz");
    let mut seen = Vec::new();
    for call in calls {
        let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone()));
        let inputs = ToolCallInputs::new(format!("tool-{}", call.tool % 3)).with_arguments(arguments.clone());
        let output = ToolOutput { is_error: call.is_error, ..ToolOutput::text(call.result) };
        let tool = |_| async { Ok::<_, OperationError>(output.clone()) };

        // The same call in another form is the same call.
        let mut two = RunContext::new("fuzz");
        let other = ToolCallInputs { arguments: rewritten(&arguments), ..inputs.clone() };
        let first = runtime.block_on(equal.guard_tool_call(inputs.clone(), &mut two, tool)).expect("nothing aborts");
        assert_eq!(first, output);
        let second = runtime.block_on(equal.guard_tool_call(other, &mut two, tool)).expect("nothing aborts");
        assert!(second.content.contains("loops/polling"), "{arguments}");

        ctx.set_step(call.step.into());
        let mut ctx = ctx.child().with_call_number(call.number.into());
        let called = runtime.block_on(rails.guard_tool_call(inputs.clone(), &mut ctx, tool));
        let is_new = !seen.contains(&inputs);
        seen.push(inputs);
        // A call in a form that was not seen before may be the same call, so only the first call of a tool is surely new.
        if is_new && seen.iter().filter(|earlier| earlier.tool_name == seen[seen.len() - 1].tool_name).count() == 1 {
            assert_eq!(called.expect("a new call is not a loop"), output);
        }
        if call.attempt_again {
            let _ = ctx.take_notices();
        }
        let history: Option<LoopHistory> = ctx.run.get();
        let size = serde_json::to_string(&history).expect("the history can be written").len();
        assert!(size < 20_000, "{size}");
    }
});
