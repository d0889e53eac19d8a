//! Faults, time limits and panics, in all forms.

#![deny(warnings)]

use std::time::Duration;

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

macro_rules! configured {
    ($name:ident, $limit:expr, $window:expr) => {
        #[rail(on = [LlmChunk], timeout = $limit, window = $window)]
        async fn $name(window: &mut StreamWindow) {
            window.replace("a", "b");
        }
    };
}

const LIMIT: Duration = Duration::from_secs(2);

configured!(configured, LIMIT, 64);
configured!(configured_by_texts, "2s", "all");

/// Both as the rail is configured.
struct Configured<T> {
    limit: Duration,
    longest: usize,
    what: T,
}

#[rail(priority = 35)]
impl<T: Send + Sync> Configured<T> {
    #[on(LlmChunk, PostLlmCall, window = self.longest.max(16), timeout = self.limit * 2, on_panic = "fault")]
    async fn both(&self, inputs: &Inputs<'_>) -> Verdict {
        let _ = &self.what;
        Verdict::abort_if(inputs.point() == HookPoint::Start, "never")
    }

    #[on(PreLlmCall, timeout = Duration::from_millis(20).max(self.limit))]
    async fn not_of_itself() {}
}

macro_rules! field {
    ($rail:ident, $field:ident) => {
        struct $rail {
            $field: Duration,
        }

        #[rail]
        impl $rail {
            #[on(PreToolCall, timeout = self.$field)]
            async fn before(&self) {}
        }
    };
}

field!(InAMacro, limit);

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

rail_chain! {
    struct Guards {
        slow, told, bounded, configured, configured_by_texts,
        by_configuration: Configured<u8>, in_a_macro: InAMacro, guard: Guard<u8>,
    }
}

#[test]
fn compiles_and_runs() {
    let by_configuration = Configured { limit: LIMIT, longest: 4, what: 1 };
    let _ = Guards { by_configuration, in_a_macro: InAMacro { limit: LIMIT }, guard: Guard(1) };
}
