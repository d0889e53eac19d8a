//! What comes of faults, times and panics, in all forms.

#![deny(warnings)]

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall, Start], timeout = "500ms", on_panic = "fault", on_fault = "skip")]
async fn slow(inputs: &Inputs<'_>) -> Verdict {
    Verdict::abort_if(inputs.point() == HookPoint::Error, "never")
}

#[rail(priority = 20, on = [events::Error], on_fault = "continue", timeout = "1m")]
async fn told(error: &RunError) -> Result<(), String> {
    Err(error.to_string())
}

macro_rules! bounded {
    ($name:ident, $limit:literal, $comes:expr) => {
        #[rail(on = [PreToolCall], timeout = $limit, on_fault = $comes)]
        async fn $name(call: &mut ToolCallInputs) {
            call.tool_name.push('!');
        }
    };
}

bounded!(bounded, "2 s", "abort");

struct Guard<T>(T);

#[rail(priority = 30)]
impl<T: Send + Sync> Guard<T> {
    #[on(PreToolCall, timeout = "1s", on_panic = "fault")]
    async fn before(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, String> {
        call.tool_name.push_str(ctx.run_id());
        let _ = &self.0;
        Ok(RailAction::Continue)
    }

    #[on(PostToolCall, on_panic = "fault", on_fault = "continue")]
    fn after(output: &mut ToolOutput) -> Option<RailAction> {
        output.content.clear();
        None
    }
}

rail_chain! { struct Guards { slow, told, bounded, guard: Guard<u8> } }

fn main() {
    let _ = Guards { guard: Guard(1) };
}
