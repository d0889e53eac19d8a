//! Rails that are always called: everything that `always` has to allow.

#![deny(warnings, dead_code)]

use exo_rails::prelude::*;
use exo_rails::{StopKind, StoppedBy};

#[rail(priority = 90, on = [PreToolCall], always)]
fn nothing() {}

#[rail(on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, events::Error], always, priority = 91)]
async fn whole(inputs: &Inputs<'_>, ctx: &mut RailContext) {
    println!("{} {}", inputs.point(), ctx.step());
}

#[rail(always, on = [PreToolCall, PostToolCall, ToolError])]
fn part(call: &ToolCallInputs, ctx: &RailContext) -> Result<(), std::io::Error> {
    if let Some(StoppedBy { how: StopKind::Abort, reason, .. }) = ctx.stopped() {
        println!("{}: {reason}", call.tool_name);
    }
    Ok(())
}

#[rail(on = [PostToolCall], always)]
async fn text_as_error(output: &ToolOutput) -> Result<(), String> {
    if output.content.is_empty() { Err("empty".into()) } else { Ok(()) }
}

/// For one tool, and always.
#[rail(on = [PreToolCall, PostToolCall], tool = "search", always)]
fn one_tool(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

/// The whole by `&`, without `always`.
#[rail(on = [PreToolCall, Start])]
fn whole_and_not_always(inputs: &Inputs<'_>) -> Verdict {
    Verdict::abort_if(inputs.point() == HookPoint::Start, "no")
}

struct Audit<S>(S);

#[rail(priority = 95)]
impl<S: std::fmt::Debug + Send + Sync> Audit<S> {
    #[on(PreToolCall, PostToolCall, always)]
    async fn calls(&self, call: &ToolCallInputs) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        println!("{:?} {}", self.0, call.tool_name);
        Ok(())
    }

    #[on(always, Start)]
    fn start(ctx: &RailContext) {
        println!("{:?}", ctx.stopped());
    }

    #[on(PreLlmCall)]
    fn decides(&self) -> Verdict {
        Verdict::Continue
    }
}

macro_rules! observer {
    ($name:ident, $event:ident, $part:ty) => {
        #[rail(on = [$event], always)]
        fn $name(part: &$part) {
            println!("{part:?}");
        }
    };
}

observer!(models, PreLlmCall, ModelCallInputs);
observer!(tools_called, PreToolCall, ToolCallInputs);

mod own_names {
    /// Of the user's own, with the names of the library's.
    pub(crate) struct Observes;
    pub(crate) struct StoppedBy;

    #[exo_rails::rail(on = [exo_rails::events::Start], always)]
    pub(crate) fn observe(caller: &exo_rails::InvokeInputs) {
        let (_, _) = (Observes, StoppedBy);
        println!("{}", caller.input.text());
    }

    /// An event of the user's that is called so.
    pub(crate) use exo_rails::events::Start as Always;

    #[exo_rails::rail(on = [Always], always)]
    pub(crate) fn payload() {}
}

use own_names::{observe, payload};

rail_chain! {
    #[chain(priority = 50)]
    struct Inner { nothing, whole, audit: Audit<u8> }
}

rail_chain! {
    #[chain(last(part on PreToolCall))]
    struct Guards {
        inner: Inner, text_as_error, one_tool, whole_and_not_always, models, tools_called, observe, payload, part,
    }
}

#[test]
fn compiles_and_runs() {
    let _ = Guards { inner: Inner { audit: Audit(3) } };
    let _ = rail_chain![nothing, whole];
}
