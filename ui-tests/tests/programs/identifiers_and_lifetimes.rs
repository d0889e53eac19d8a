//! Raw identifiers, lifetimes of a function's own, patterns as parameters, `Self` in an `impl` block.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;

#[rail(on = [PreToolCall])]
async fn r#type(r#fn: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(r#fn.tool_name.is_empty(), "no name")
}

#[rail(on = [PostToolCall])]
async fn lifetimes<'a, 'b: 'a>(call: &'a ToolCallInputs, output: &'b mut ToolOutput) -> Option<RailAction> {
    (call.tool_name == output.content).then(|| RailAction::abort("an echo"))
}

#[rail(on = [PreToolCall])]
async fn pattern(ToolCallInputs { tool_name, .. }: &ToolCallInputs, mut _inputs: &RailContext) -> Verdict {
    Verdict::abort_if(tool_name.len() > 99, "too long")
}

#[allow(non_camel_case_types)]
struct r#struct;

#[rail]
impl r#struct {
    #[on(Start)]
    async fn r#for(&self, _: &InvokeInputs) -> <Self as Decides>::Decision {
        Verdict::Continue
    }
}

trait Decides {
    type Decision;
}

impl Decides for r#struct {
    type Decision = Verdict;
}

rail_chain! {
    struct r#Chain { r#type, lifetimes, pattern, r#loop: r#struct }
}

#[test]
fn compiles_and_runs() {
    assert_eq!(<r#type as Rail>::NAME, "type");
    assert_eq!(<r#struct as Rail>::NAME, "struct");
    let _ = r#Chain { r#loop: r#struct };
}
