//! The rails of the chains: what they do stands in the script, their priorities come from their seed.

use exo_rails::NoSubstitute;
use exo_rails::prelude::*;
use tests::yields;

use super::script::{Act, Script};
use super::text::{Changeable, Text, all, both, changeable};

/// The priority of the rail at this place of the family: ties, negative and extreme ones are common.
pub(crate) const fn priority(seed: u32, place: u32) -> i32 {
    let mixed = (seed * 31 + place + 1).wrapping_mul(2_654_435_761) >> 16;
    [i32::MIN, -7, 10, 10, 50, 50, 50, i32::MAX][(mixed % 8) as usize]
}

/// One call of an async rail.
async fn play(rail: &str, seen: String, change: Option<&mut dyn Changeable>, ctx: &RailContext) -> Act {
    let step = ctx.run.update(|script: &mut Script| script.step(rail, ctx.event(), ctx.attempt(), &seen));
    yields(step.yields).await;
    if let Some(part) = change.filter(|_| step.changes) {
        part.push(&format!("+{rail}"));
    }
    step.act
}

/// One call of a rail that only reads.
fn peek(rail: &str, seen: &str, ctx: &RailContext) -> Result<Verdict, String> {
    let step = ctx.run.update(|script: &mut Script| script.step(rail, ctx.event(), ctx.attempt(), seen));
    step.act.verdict(rail)
}

/// Why a rail decides as it does.
pub(crate) fn reason(rail: &str) -> String {
    format!("{rail} says so")
}

pub(crate) fn request(rail: &str, max_retries: u32) -> RetryRequest {
    let delay = std::time::Duration::from_secs(max_retries.into());
    RetryRequest::new(reason(rail)).with_max_retries(max_retries).with_delay(delay)
}

impl Act {
    /// The act of a rail that may bring a substitute.
    fn action<S: Changeable>(self, rail: &str) -> Result<RailAction<S>, String> {
        match self {
            Self::Substitute => Ok(RailAction::skip_with(S::saying(&format!("substitute of {rail}")), reason(rail))),
            other => other.without(rail),
        }
    }

    /// The act of a rail that has no substitute to offer.
    fn without<S>(self, rail: &str) -> Result<RailAction<S>, String> {
        Ok(match self {
            Self::Continue => RailAction::Continue,
            Self::Skip | Self::Substitute => RailAction::skip(reason(rail)),
            Self::Retry(max_retries) => RailAction::retry(request(rail, max_retries)),
            Self::Abort => RailAction::abort(reason(rail)),
            Self::Fault => return Err(reason(rail)),
        })
    }

    fn verdict(self, rail: &str) -> Result<Verdict, String> {
        match self {
            Self::Abort => Ok(Verdict::abort(reason(rail))),
            Self::Fault => Err(reason(rail)),
            _ => Ok(Verdict::Continue),
        }
    }
}

/// What deciding rails return.
type Action<S = NoSubstitute> = Result<RailAction<S>, String>;

/// What the others return.
type Answer = Result<Verdict, String>;

/// Rails that take the parts of each event by their types, change them, and decide all there is to decide.
macro_rules! decider {
    ($($rail:ident at $place:literal),*) => {$(
        pub(crate) struct $rail<const SEED: u32>;

        #[rail(priority = priority(SEED, $place))]
        impl<const SEED: u32> $rail<SEED> {
            #[on(Start)]
            async fn start(&self, run: &mut InvokeInputs, ctx: &mut RailContext) -> Action<InvokeOutput> {
                play(Self::NAME, run.text(), Some(run), ctx).await.action(Self::NAME)
            }

            #[on(PreLlmCall)]
            async fn pre_llm(&self, ctx: &mut RailContext, call: &mut ModelCallInputs) -> Action<ModelResponse> {
                play(Self::NAME, call.text(), Some(call), ctx).await.action(Self::NAME)
            }

            #[on(PostLlmCall)]
            async fn post_llm(
                &self,
                response: &mut ModelResponse,
                call: &ModelCallInputs,
                ctx: &mut RailContext,
            ) -> Action {
                play(Self::NAME, both(call, response), Some(response), ctx).await.without(Self::NAME)
            }

            #[on(LlmError)]
            async fn llm_error(
                &self,
                call: &ModelCallInputs,
                error: &OperationError,
                ctx: &mut RailContext,
            ) -> Action<ModelResponse> {
                play(Self::NAME, both(call, error), None, ctx).await.action(Self::NAME)
            }

            #[on(PreToolCall)]
            async fn pre_tool(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Action<ToolOutput> {
                play(Self::NAME, call.text(), Some(call), ctx).await.action(Self::NAME)
            }

            #[on(PostToolCall)]
            async fn post_tool(&self, call: &ToolCallInputs, output: &mut ToolOutput, ctx: &mut RailContext) -> Action {
                play(Self::NAME, both(call, output), Some(output), ctx).await.without(Self::NAME)
            }

            #[on(ToolError)]
            async fn tool_error(
                &self,
                call: &ToolCallInputs,
                error: &OperationError,
                ctx: &mut RailContext,
            ) -> Action<ToolOutput> {
                play(Self::NAME, both(call, error), None, ctx).await.action(Self::NAME)
            }

            #[on(Finished)]
            async fn finished(
                &self,
                run: &InvokeInputs,
                output: &mut InvokeOutput,
                ctx: &mut RailContext,
            ) -> Option<Action> {
                Some(play(Self::NAME, both(run, output), Some(output), ctx).await.without(Self::NAME))
            }
        }
    )*};
}

decider!(Decider0 at 0, Decider1 at 1, Decider2 at 2);

/// Rails that take references only, wait for nothing, and continue or abort.
macro_rules! reader {
    ($($rail:ident at $place:literal),*) => {$(
        pub(crate) struct $rail<const SEED: u32>;

        #[rail(priority = priority(SEED, $place))]
        impl<const SEED: u32> $rail<SEED> {
            #[on(Start)]
            fn start(&self, run: &InvokeInputs, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &run.text(), ctx)
            }

            #[on(PreLlmCall)]
            fn pre_llm(&self, call: &ModelCallInputs, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &call.text(), ctx)
            }

            #[on(PostLlmCall)]
            fn post_llm(&self, call: &ModelCallInputs, response: &ModelResponse, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &both(call, response), ctx)
            }

            #[on(LlmError)]
            fn llm_error(&self, call: &ModelCallInputs, error: &OperationError, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &both(call, error), ctx)
            }

            #[on(PreToolCall)]
            fn pre_tool(&self, call: &ToolCallInputs, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &call.text(), ctx)
            }

            #[on(PostToolCall)]
            fn post_tool(&self, call: &ToolCallInputs, output: &ToolOutput, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &both(call, output), ctx)
            }

            #[on(ToolError)]
            fn tool_error(&self, call: &ToolCallInputs, error: &OperationError, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &both(call, error), ctx)
            }

            #[on(Finished)]
            fn finished(&self, run: &InvokeInputs, output: &InvokeOutput, ctx: &RailContext) -> Answer {
                peek(Self::NAME, &both(run, output), ctx)
            }
        }
    )*};
}

reader!(Reader4 at 4, Reader5 at 5);

/// Takes the union of payloads, changes it, and continues or aborts.
pub(crate) struct Guard3<const SEED: u32>;

#[rail(priority = priority(SEED, 3))]
impl<const SEED: u32> Guard3<SEED> {
    #[on(Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished)]
    async fn any(&self, inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<Option<Verdict>, String> {
        let seen = all(&inputs);
        play(Self::NAME, seen, changeable(inputs), ctx).await.verdict(Self::NAME).map(Some)
    }
}

/// Takes the union of payloads, changes it, and observes every event.
pub(crate) struct Observer6<const SEED: u32>;

#[rail(priority = priority(SEED, 6))]
impl<const SEED: u32> Observer6<SEED> {
    #[on(Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error)]
    async fn any(&self, inputs: Inputs<'_>, ctx: &mut RailContext) -> Result<(), String> {
        let seen = all(&inputs);
        match play(Self::NAME, seen, changeable(inputs), ctx).await {
            Act::Fault => Err(reason(Self::NAME)),
            _ => Ok(()),
        }
    }
}

/// Is on some events only.
pub(crate) struct Partial7<const SEED: u32>;

#[rail(priority = priority(SEED, 7))]
impl<const SEED: u32> Partial7<SEED> {
    #[on(PreToolCall)]
    async fn before(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) -> Action {
        play(Self::NAME, call.text(), Some(call), ctx).await.without(Self::NAME)
    }

    #[on(Finished)]
    async fn after(&self, run: &InvokeInputs, output: &InvokeOutput, ctx: &mut RailContext) -> Action {
        play(Self::NAME, both(run, output), None, ctx).await.without(Self::NAME)
    }
}
