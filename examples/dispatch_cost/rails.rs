//! The rails that are dispatched, in sets of 0, 1, 5 and 20, and what every variant needs of a set.
//!
//! Each rail exists twice: in [`inspect`] it only looks at the call, in [`wait`] it also waits once before it
//! looks. Their bodies are cheap on purpose: what is left to measure is the dispatch.

use std::pin::Pin;
use std::task::{Context, Poll};

use exo_rails::prelude::*;
use exo_rails::{DuplicateRail, RunOn};

use crate::hand_written::{self, hand_written};

/// The same rails as a static chain, as a manager and as code written by hand.
pub(crate) trait Set: Chain + Rails + RunOn<PreToolCall> + 'static {
    /// The chain.
    fn chain() -> Self;

    /// A manager with the rails of the chain.
    fn manager() -> Result<RailManager, DuplicateRail>;

    /// The rails called one after the other.
    fn by_hand(
        call: &mut ToolCallInputs,
        ctx: &mut RailContext,
    ) -> impl Future<Output = Result<hand_written::Decision, hand_written::Fault>>;

    /// How many rails there are.
    fn len() -> usize {
        Self::PLAN.events.iter().map(|event| event.rails.len()).sum()
    }
}

/// One set: its rails as they are listed, and the calls of the hand-written code, which are sorted.
macro_rules! set {
    ($set:ident { $($listed:ident),* } by_hand($call:ident, $ctx:ident) { $($calls:tt)* }) => {
        rail_chain! {
            pub(crate) struct $set { $($listed),* }
        }

        impl Set for $set {
            fn chain() -> Self {
                Self {}
            }

            fn manager() -> Result<RailManager, DuplicateRail> {
                #[allow(unused_mut, reason = "the empty set adds nothing")]
                let mut manager = RailManager::new();
                $(manager.add($listed {})?;)*
                Ok(manager)
            }

            async fn by_hand(
                $call: &mut ToolCallInputs,
                $ctx: &mut RailContext,
            ) -> Result<hand_written::Decision, hand_written::Fault> {
                let _ = (&$call, &$ctx);
                $(hand_written!($calls);)*
                Ok(hand_written::Decision::Continue)
            }
        }
    };
}

/// The sets of one kind of rails.
macro_rules! sets {
    () => {
        set! { None {} by_hand(call, ctx) {} }

        set! { One { no_shell } by_hand(call, ctx) { { RailAction: no_shell(call) } } }

        set! {
            Five { no_shell, short_name, watch_arguments, known_id, step_budget }
            by_hand(call, ctx) {
                { Verdict: short_name(call) }
                { Option<RailAction>: known_id(call) }
                { RailAction: step_budget(call, ctx) }
                { RailAction: no_shell(call) }
                { (): watch_arguments(call) }
            }
        }

        set! {
            Twenty {
                no_shell, short_name, watch_arguments, known_id, step_budget,
                no_extras, first_attempt, ascii_name, watch_step, plain_arguments,
                no_deletes, busy_tool, cached_tool, right_event, watch_id,
                no_blank_name, no_private_tools, retry_limit, short_id, watch_run
            }
            by_hand(call, ctx) {
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

/// Makes both kinds of every rail.
macro_rules! rails {
    ($(
        #[rail(priority = $priority:literal)]
        async fn $name:ident $params:tt -> $output:ty $body:block
    )*) => {
        /// Rails that only look.
        pub(crate) mod inspect {
            use super::*;

            $(
                #[rail(priority = $priority, on = [PreToolCall])]
                async fn $name $params -> $output $body
            )*

            sets!();
        }

        /// Rails that wait, and then look.
        pub(crate) mod wait {
            use super::*;

            $(
                #[rail(priority = $priority, on = [PreToolCall])]
                async fn $name $params -> $output {
                    Pause::default().await;
                    $body
                }
            )*

            sets!();
        }
    };
}

/// A future that is pending once, as one that waits for something real.
#[derive(Default)]
struct Pause {
    polled: bool,
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<()> {
        if self.polled {
            return Poll::Ready(());
        }
        self.polled = true;
        ctx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// What rails that observe do with what they have seen: nothing that the optimizer may leave out.
fn note<T>(seen: T) {
    std::hint::black_box(seen);
}

rails! {
    #[rail(priority = 50)]
    async fn no_shell(call: &ToolCallInputs) -> RailAction {
        if call.tool_name == "shell" { RailAction::abort("no shell") } else { RailAction::Continue }
    }

    #[rail(priority = 12)]
    async fn short_name(call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.len() > 64, "the name is too long")
    }

    #[rail(priority = 90)]
    async fn watch_arguments(call: &ToolCallInputs) -> () {
        note(call.arguments.is_object());
    }

    #[rail(priority = 20)]
    async fn known_id(call: &ToolCallInputs) -> Option<RailAction> {
        (call.id == "unknown").then(|| RailAction::skip("nobody asked"))
    }

    #[rail(priority = 30)]
    async fn step_budget(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        if ctx.step() > 40 && call.tool_name != "finish" {
            RailAction::abort("40 steps are enough")
        } else {
            RailAction::Continue
        }
    }

    #[rail(priority = 25)]
    async fn no_extras(call: &ToolCallInputs) -> RailAction {
        if call.extra.is_empty() { RailAction::Continue } else { RailAction::abort("unknown fields") }
    }

    #[rail(priority = 70)]
    async fn first_attempt(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction {
        if ctx.attempt() > 0 && call.tool_name == "pay" {
            RailAction::abort("payments are not retried")
        } else {
            RailAction::Continue
        }
    }

    #[rail(priority = 18)]
    async fn ascii_name(call: &ToolCallInputs) -> Result<Verdict, std::num::TryFromIntError> {
        let length = u16::try_from(call.tool_name.len())?;
        Ok(Verdict::abort_if(length == 0, "the name is empty"))
    }

    #[rail(priority = 80)]
    async fn watch_step(_call: &ToolCallInputs, ctx: &mut RailContext) -> () {
        note(ctx.step());
    }

    #[rail(priority = 45)]
    async fn plain_arguments(call: &ToolCallInputs) -> Result<RailAction, &'static str> {
        if call.arguments.is_null() { Err("there are no arguments") } else { Ok(RailAction::Continue) }
    }

    #[rail(priority = 15)]
    async fn no_deletes(call: &ToolCallInputs) -> RailAction {
        match call.tool_name.as_str() {
            "delete_file" | "drop_table" => RailAction::abort("destructive tools are off limits"),
            _ => RailAction::Continue,
        }
    }

    #[rail(priority = 55)]
    async fn busy_tool(call: &ToolCallInputs) -> RailAction {
        if call.tool_name == "crawl" {
            RailAction::retry(RetryRequest::new("the crawler is busy"))
        } else {
            RailAction::Continue
        }
    }

    #[rail(priority = 65)]
    async fn cached_tool(call: &ToolCallInputs, ctx: &mut RailContext) -> RailAction<ToolOutput> {
        if call.tool_name == "clock" && ctx.step() > 0 {
            RailAction::skip_with(ToolOutput::text("noon"), "asked before")
        } else {
            RailAction::Continue
        }
    }

    #[rail(priority = 28)]
    async fn right_event(_call: &ToolCallInputs, ctx: &mut RailContext) -> Result<RailAction, String> {
        match ctx.event() {
            HookPoint::PreToolCall | HookPoint::Start => Ok(RailAction::Continue),
            other => Err(format!("not a rail for {other}")),
        }
    }

    #[rail(priority = 95)]
    async fn watch_id(call: &ToolCallInputs) -> () {
        note(call.id.len());
    }

    #[rail(priority = 10)]
    async fn no_blank_name(call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.starts_with(' '), "the name begins with a blank")
    }

    #[rail(priority = 35)]
    async fn no_private_tools(call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name.starts_with('_'), "the tool is private")
    }

    #[rail(priority = 40)]
    async fn retry_limit(ctx: &mut RailContext) -> Option<Verdict> {
        if ctx.attempt() > 9 { Some(Verdict::abort("it never works")) } else { None }
    }

    #[rail(priority = 60)]
    async fn short_id(call: &ToolCallInputs) -> Option<RailAction> {
        if call.id.len() > 128 { Some(RailAction::skip("the id is too long")) } else { Some(RailAction::Continue) }
    }

    #[rail(priority = 85)]
    async fn watch_run(ctx: &mut RailContext) -> Result<(), &'static str> {
        note(ctx.turn());
        if ctx.is_cancelled() { Err("the run is cancelled") } else { Ok(()) }
    }
}
