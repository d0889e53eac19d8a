//! A rail adds to the depth of an operation's type only if it surrounds the operation. So long chains with rails around
//! operations compile without a higher recursion limit: in a loop, in a run, and in an agent on a thread pool.

use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::Next;
use exo_rails::operations::{LlmCall, ToolCall};
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, ScriptedModel};

static SURROUNDED: AtomicU32 = AtomicU32::new(0);

macro_rules! plain {
    ($($rail:ident)*) => {$(
        #[rail(on = [PreToolCall, PostLlmCall])]
        fn $rail(_: &RailContext) {}
    )*};
}

plain! {
    r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15
    r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 r27 r28 r29 r30 r31
    r32 r33 r34 r35 r36 r37 r38 r39 r40 r41 r42 r43 r44 r45 r46 r47
    r48 r49 r50 r51 r52 r53 r54 r55 r56 r57 r58 r59 r60 r61 r62 r63
    r64 r65 r66 r67 r68 r69
}

#[rail(on = [PreLlmCall], around)]
async fn limit(next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
    SURROUNDED.fetch_add(1, Ordering::Relaxed);
    next.run().await
}

macro_rules! around {
    ($($rail:ident)*) => {$(
        #[rail(on = [PreToolCall], around)]
        async fn $rail(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
            SURROUNDED.fetch_add(1, Ordering::Relaxed);
            next.run().await
        }
    )*};
}

around! { a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 }

rail_chain! {
    #[derive(Clone, Copy)]
    struct OneAround {
        r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15,
        r16, r17, r18, r19, r20, r21, r22, r23, r24,
        limit,
        r25, r26, r27, r28, r29, r30, r31, r32, r33, r34, r35, r36, r37, r38, r39, r40,
        r41, r42, r43, r44, r45, r46, r47, r48, r49,
    }
}

rail_chain! {
    #[derive(Clone, Copy)]
    struct OneInALongChain {
        r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15,
        r16, r17, r18, r19, r20, r21, r22, r23, r24, r25, r26, r27, r28, r29, r30, r31,
        r32, r33, r34, r35, r36, r37, r38, r39, r40, r41, r42, r43, r44, r45, r46, r47,
        r48, r49, r50, r51, r52, r53, r54, r55, r56, r57, r58, r59, r60, r61, r62, r63,
        r64, r65, r66, r67, r68, r69,
        limit,
    }
}

rail_chain! {
    #[derive(Clone, Copy)]
    struct TwelveAround { limit, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, r0, r1, r2, r3 }
}

rail_chain! {
    #[derive(Clone, Copy)]
    struct Nested { TwelveAround, r4, r5 }
}

async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
    Ok(ToolOutput::text(call.tool_name.clone()))
}

fn search() -> Tool {
    Tool::with_permit("search", "Searches.", serde_json::json!({ "type": "object" }), run_tool)
}

async fn call_model(_: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    Ok(ModelResponse::text("done"))
}

macro_rules! checks {
    ($($name:ident: $chain:expr, around the model $model:literal, around a tool $tool:literal;)*) => {$(
        mod $name {
            use super::*;

            async fn turns(ctx: &mut RunContext) -> Result<InvokeOutput, RunError> {
                for _ in 0..2 {
                    $chain.guard_llm_call(ModelCallInputs::new(vec![]), ctx, call_model).await?;
                    $chain.guard_tool_call(ToolCallInputs::new("search"), ctx, run_tool).await?;
                }
                Ok(InvokeOutput::text("done"))
            }

            pub(super) async fn check() {
                let mut ctx = RunContext::new("around");
                SURROUNDED.store(0, Ordering::Relaxed);
                $chain.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, run_tool).await.unwrap();
                assert_eq!(SURROUNDED.swap(0, Ordering::Relaxed), $tool, "a tool call");
                let run = async |run: Permit<InvokeInputs>| turns(&mut run.context()).await;
                $chain.guard_run("go", &mut ctx, run).await.unwrap();
                assert_eq!(SURROUNDED.swap(0, Ordering::Relaxed), 2 * ($model + $tool), "a run");
                let model: ScriptedModel = r#"[{ "call": [{ "tool": "search" }] }, { "say": "done" }]"#.parse().unwrap();
                let agent = Agent::builder("around", model).tool(search()).rails($chain).build();
                tokio::spawn(async move { agent.run("go").await.unwrap() }).await.unwrap();
                assert_eq!(SURROUNDED.swap(0, Ordering::Relaxed), 2 * $model + $tool, "an agent");
            }
        }
    )*};
}

checks! {
    one_around: OneAround, around the model 1, around a tool 0;
    one_in_a_long_chain: OneInALongChain, around the model 1, around a tool 0;
    twelve_around: TwelveAround, around the model 1, around a tool 12;
    nested: Nested, around the model 1, around a tool 12;
}

#[tokio::test]
async fn compiles_and_runs() {
    one_around::check().await;
    one_in_a_long_chain::check().await;
    twelve_around::check().await;
    nested::check().await;
}
