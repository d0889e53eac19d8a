//! The rails to measure, in sets of 0, 1, 5, 20 and 50, and the parts that every variant needs of a set.
//!
//! Each rail exists once for each way to wait before it looks at the call. In [`inspect`], it does not wait. The bodies
//! are cheap on purpose, so that the measurement shows the dispatch.

use exo_rails::prelude::*;
use exo_rails::{Chain, DuplicateRail, Serves, WithoutAround};

use super::hand_written::{self, hand_written};
use super::waiting;

/// The same rails as a static chain, as a manager, and as hand-written code.
pub(crate) trait Set: Chain<Around: WithoutAround> + GuardSet + Serves<PreToolCall> + 'static {
    /// Makes the chain.
    fn chain() -> Self;

    /// Makes a manager with the rails of the chain.
    fn manager() -> Result<RailManager, DuplicateRail>;

    /// Calls the rails one after the other.
    fn by_hand(
        &self,
        call: &mut ToolCallInputs,
        ctx: &mut RunContext,
    ) -> impl Future<Output = Result<hand_written::Decision, hand_written::Fault>> + Send;

    /// Returns the number of rails.
    fn len() -> usize {
        Self::PLAN.events.iter().map(|event| event.rails.len()).sum()
    }
}

/// Writes one set: its rails in their listed order, and the sorted calls of the hand-written code.
macro_rules! set {
    ($set:ident { $($listed:ident $(@ $copy:ident)?),* $(,)? } by_hand($call:ident, $ctx:ident) { $($calls:tt)* }) => {
        rail_chain! {
            pub(crate) struct $set { $($($copy::)? $listed),* }
        }

        impl Set for $set {
            fn chain() -> Self {
                Self {}
            }

            fn manager() -> Result<RailManager, DuplicateRail> {
                #[allow(unused_mut, reason = "the empty set adds nothing")]
                let mut manager = RailManager::new();
                $(manager.add($($copy::)? $listed {})?;)*
                Ok(manager)
            }

            async fn by_hand(
                &self,
                $call: &mut ToolCallInputs,
                $ctx: &mut RunContext,
            ) -> Result<hand_written::Decision, hand_written::Fault> {
                let _ = (&$call, &$ctx);
                $(hand_written!($calls);)*
                Ok(hand_written::Decision::Continue)
            }
        }
    };
}

/// Writes the sets of up to twenty rails in the module of the rails.
macro_rules! sets {
    () => {
        set! { Zero {} by_hand(call, ctx) {} }

        set! { One { no_shell } by_hand(call, ctx) { { begin(ctx) } { RailAction: no_shell(call) } } }

        set! {
            Five {
                no_shell, short_name, watch_arguments, known_id, step_budget,
            }
            by_hand(call, ctx) {
                { begin(ctx) }
                { Verdict: short_name(call) }
                { Option<RailAction>: known_id(call) }
                { RailAction: step_budget(call, ctx) }
                { RailAction: no_shell(call) }
                { (): watch_arguments(call) }
            }
        }

        set! {
            Twenty {
                no_shell, short_name, watch_arguments, known_id, step_budget, no_extras, first_attempt,
                ascii_name, watch_step, plain_arguments, no_deletes, busy_tool, cached_tool, right_event,
                watch_id, no_blank_name, no_private_tools, retry_limit, short_id, watch_run,
            }
            by_hand(call, ctx) {
                { begin(ctx) }
                { Verdict: no_blank_name(call) }
                { Verdict: short_name(call) }
                { RailAction: no_deletes(call) }
                { Result<Verdict>: ascii_name(call) }
                { Option<RailAction>: known_id(call) }
                { RailAction: no_extras(call) }
                { Result<RailAction>: right_event(call, ctx) }
                { RailAction: step_budget(call, ctx) }
                { Verdict: no_private_tools(call) }
                { Option<Verdict>: retry_limit(ctx) }
                { Result<RailAction>: plain_arguments(call) }
                { RailAction: no_shell(call) }
                { RailAction: busy_tool(call) }
                { Option<RailAction>: short_id(call) }
                { RailAction<ToolOutput>: cached_tool(call, ctx) }
                { RailAction: first_attempt(call, ctx) }
                { (): watch_step(call, ctx) }
                { Result<()>: watch_run(ctx) }
                { (): watch_arguments(call) }
                { (): watch_id(call) }
            }
        }
    };
}

/// Writes the set of fifty rails: the rails of the module, and two more copies with later priorities.
macro_rules! fifty {
    ($second:ident, $third:ident) => {
        use super::{$second as second, $third as third};

        set! {
            Fifty {
                no_shell, short_name, watch_arguments, known_id, step_budget, no_extras, first_attempt,
                ascii_name, watch_step, plain_arguments, no_deletes, busy_tool, cached_tool, right_event,
                watch_id, no_blank_name, no_private_tools, retry_limit, short_id, watch_run,
                no_shell@second, short_name@second, watch_arguments@second, known_id@second,
                step_budget@second, no_extras@second, first_attempt@second, ascii_name@second,
                watch_step@second, plain_arguments@second, no_deletes@second, busy_tool@second,
                cached_tool@second, right_event@second, watch_id@second, no_blank_name@second,
                no_private_tools@second, retry_limit@second, short_id@second, watch_run@second,
                no_shell@third, short_name@third, watch_arguments@third, known_id@third,
                step_budget@third, no_extras@third, first_attempt@third, ascii_name@third,
                watch_step@third, plain_arguments@third,
            }
            by_hand(call, ctx) {
                { begin(ctx) }
                { Verdict: no_blank_name(call) }
                { Verdict: short_name(call) }
                { RailAction: no_deletes(call) }
                { Result<Verdict>: ascii_name(call) }
                { Option<RailAction>: known_id(call) }
                { RailAction: no_extras(call) }
                { Result<RailAction>: right_event(call, ctx) }
                { RailAction: step_budget(call, ctx) }
                { Verdict: no_private_tools(call) }
                { Option<Verdict>: retry_limit(ctx) }
                { Result<RailAction>: plain_arguments(call) }
                { RailAction: no_shell(call) }
                { RailAction: busy_tool(call) }
                { Option<RailAction>: short_id(call) }
                { RailAction<ToolOutput>: cached_tool(call, ctx) }
                { RailAction: first_attempt(call, ctx) }
                { (): watch_step(call, ctx) }
                { Result<()>: watch_run(ctx) }
                { (): watch_arguments(call) }
                { (): watch_id(call) }
                { Verdict: no_blank_name@second(call) }
                { Verdict: short_name@second(call) }
                { RailAction: no_deletes@second(call) }
                { Result<Verdict>: ascii_name@second(call) }
                { Option<RailAction>: known_id@second(call) }
                { RailAction: no_extras@second(call) }
                { Result<RailAction>: right_event@second(call, ctx) }
                { RailAction: step_budget@second(call, ctx) }
                { Verdict: no_private_tools@second(call) }
                { Option<Verdict>: retry_limit@second(ctx) }
                { Result<RailAction>: plain_arguments@second(call) }
                { RailAction: no_shell@second(call) }
                { RailAction: busy_tool@second(call) }
                { Option<RailAction>: short_id@second(call) }
                { RailAction<ToolOutput>: cached_tool@second(call, ctx) }
                { RailAction: first_attempt@second(call, ctx) }
                { (): watch_step@second(call, ctx) }
                { Result<()>: watch_run@second(ctx) }
                { (): watch_arguments@second(call) }
                { (): watch_id@second(call) }
                { Verdict: short_name@third(call) }
                { Result<Verdict>: ascii_name@third(call) }
                { Option<RailAction>: known_id@third(call) }
                { RailAction: no_extras@third(call) }
                { RailAction: step_budget@third(call, ctx) }
                { Result<RailAction>: plain_arguments@third(call) }
                { RailAction: no_shell@third(call) }
                { RailAction: first_attempt@third(call, ctx) }
                { (): watch_step@third(call, ctx) }
                { (): watch_arguments@third(call) }
            }
        }
    };
}

/// Writes all rails in a module, with shifted priorities.
macro_rules! rails {
    ($(#[$doc:meta])* $module:ident + $shift:literal $(after $wait:expr)?; $($sets:item)*) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use super::*;

            #[rail(priority = 50 + $shift, on = [PreToolCall])]
            pub(crate) async fn no_shell(call: &ToolCallInputs) -> RailAction {
                $($wait;)?
                if call.tool_name == "shell" { RailAction::abort("no shell") } else { RailAction::Continue }
            }

            #[rail(priority = 12 + $shift, on = [PreToolCall])]
            pub(crate) async fn short_name(call: &ToolCallInputs) -> Verdict {
                $($wait;)?
                Verdict::abort_if(call.tool_name.len() > 64, "the name is too long")
            }

            #[rail(priority = 90 + $shift, on = [PreToolCall])]
            pub(crate) async fn watch_arguments(call: &ToolCallInputs) {
                $($wait;)?
                note(call.arguments.is_object());
            }

            #[rail(priority = 20 + $shift, on = [PreToolCall])]
            pub(crate) async fn known_id(call: &ToolCallInputs) -> Option<RailAction> {
                $($wait;)?
                (call.id == "unknown").then(|| RailAction::skip("nobody asked"))
            }

            #[rail(priority = 30 + $shift, on = [PreToolCall])]
            pub(crate) async fn step_budget(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
                $($wait;)?
                if ctx.step() > 40 && call.tool_name != "finish" {
                    RailAction::abort("40 steps are enough")
                } else {
                    RailAction::Continue
                }
            }

            #[rail(priority = 25 + $shift, on = [PreToolCall])]
            pub(crate) async fn no_extras(call: &ToolCallInputs) -> RailAction {
                $($wait;)?
                if call.extra.is_empty() { RailAction::Continue } else { RailAction::abort("unknown fields") }
            }

            #[rail(priority = 70 + $shift, on = [PreToolCall])]
            pub(crate) async fn first_attempt(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
                $($wait;)?
                if ctx.attempt() > 0 && call.tool_name == "pay" {
                    RailAction::abort("payments are not retried")
                } else {
                    RailAction::Continue
                }
            }

            #[rail(priority = 18 + $shift, on = [PreToolCall])]
            pub(crate) async fn ascii_name(call: &ToolCallInputs) -> Result<Verdict, std::num::TryFromIntError> {
                $($wait;)?
                let length = u16::try_from(call.tool_name.len())?;
                Ok(Verdict::abort_if(length > 10_000, "the name is long"))
            }

            #[rail(priority = 80 + $shift, on = [PreToolCall])]
            pub(crate) async fn watch_step(_call: &ToolCallInputs, ctx: &RailContext) {
                $($wait;)?
                note(ctx.step());
            }

            #[rail(priority = 45 + $shift, on = [PreToolCall])]
            pub(crate) async fn plain_arguments(call: &ToolCallInputs) -> Result<RailAction, &'static str> {
                $($wait;)?
                if call.arguments.is_null() { Err("there are no arguments") } else { Ok(RailAction::Continue) }
            }

            #[rail(priority = 15 + $shift, on = [PreToolCall])]
            pub(crate) async fn no_deletes(call: &ToolCallInputs) -> RailAction {
                $($wait;)?
                match call.tool_name.as_str() {
                    "delete_file" | "drop_table" => RailAction::abort("destructive tools are off limits"),
                    _ => RailAction::Continue,
                }
            }

            #[rail(priority = 55 + $shift, on = [PreToolCall])]
            pub(crate) async fn busy_tool(call: &ToolCallInputs) -> RailAction {
                $($wait;)?
                if call.tool_name == "crawl" {
                    RailAction::retry(RetryRequest::new("the crawler is busy"))
                } else {
                    RailAction::Continue
                }
            }

            #[rail(priority = 65 + $shift, on = [PreToolCall])]
            pub(crate) async fn cached_tool(call: &ToolCallInputs, ctx: &RailContext) -> RailAction<ToolOutput> {
                $($wait;)?
                if call.tool_name == "clock" && ctx.step() > 0 {
                    RailAction::skip_with(ToolOutput::text("noon"), "asked before")
                } else {
                    RailAction::Continue
                }
            }

            #[rail(priority = 28 + $shift, on = [PreToolCall])]
            pub(crate) async fn right_event(_call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, String> {
                $($wait;)?
                match ctx.event() {
                    HookPoint::PreToolCall => Ok(RailAction::Continue),
                    other => Err(format!("not a rail for {other}")),
                }
            }

            #[rail(priority = 95 + $shift, on = [PreToolCall])]
            pub(crate) async fn watch_id(call: &ToolCallInputs) {
                $($wait;)?
                note(call.id.len());
            }

            #[rail(priority = 10 + $shift, on = [PreToolCall])]
            pub(crate) async fn no_blank_name(call: &ToolCallInputs) -> Verdict {
                $($wait;)?
                Verdict::abort_if(call.tool_name.starts_with(' '), "the name begins with a blank")
            }

            #[rail(priority = 35 + $shift, on = [PreToolCall])]
            pub(crate) async fn no_private_tools(call: &ToolCallInputs) -> Verdict {
                $($wait;)?
                Verdict::abort_if(call.tool_name.starts_with('_'), "the tool is private")
            }

            #[rail(priority = 40 + $shift, on = [PreToolCall])]
            pub(crate) async fn retry_limit(ctx: &RailContext) -> Option<Verdict> {
                $($wait;)?
                if ctx.attempt() > 9 { Some(Verdict::abort("it never works")) } else { None }
            }

            #[rail(priority = 60 + $shift, on = [PreToolCall])]
            pub(crate) async fn short_id(call: &ToolCallInputs) -> Option<RailAction> {
                $($wait;)?
                if call.id.len() > 128 { Some(RailAction::skip("the id is too long")) } else { Some(RailAction::Continue) }
            }

            #[rail(priority = 85 + $shift, on = [PreToolCall])]
            pub(crate) async fn watch_run(ctx: &RailContext) -> Result<(), &'static str> {
                $($wait;)?
                note(ctx.turn());
                if ctx.is_cancelled() { Err("the run is cancelled") } else { Ok(()) }
            }

            $($sets)*
        }
    };
}

/// Uses the result of a rail that observes, so that the optimizer cannot remove the rail.
fn note<T>(seen: T) {
    std::hint::black_box(seen);
}

rails! {
    /// Rails that read the call without waiting.
    inspect + 0;
    sets!();
    fifty!(inspect_second, inspect_third);
}

rails! { inspect_second + 100; }

rails! { inspect_third + 200; }

rails! {
    /// Rails that are pending once before they read the call.
    pause + 0 after waiting::Pause::default().await;
    sets!();
    fifty!(pause_second, pause_third);
}

rails! { pause_second + 100 after waiting::Pause::default().await; }

rails! { pause_third + 200 after waiting::Pause::default().await; }

rails! {
    /// Rails that wait for a timer before they read the call.
    timer + 0 after waiting::timer().await;
    sets!();
}

rails! {
    /// Rails that ask another task before they read the call.
    channel + 0 after waiting::channel().await;
    sets!();
}
