//! How long an operation took, for the rails after it.

use std::time::Duration;

use exo_rails::Serves;
use exo_rails::facts::IsTimed;
use exo_rails::prelude::*;
use tests::{note, notes};

#[rail(on = [PreToolCall, PostToolCall, ToolError, Start, Finished, events::Error])]
fn took(ctx: &RailContext) {
    note(ctx, format!("{}: {:?}", ctx.event(), ctx.elapsed()));
}

#[rail(priority = 10, on = [PreToolCall])]
fn cached(call: &ToolCallInputs) -> RailAction<ToolOutput> {
    if call.tool_name == "cached" {
        RailAction::skip_with(ToolOutput::text("known"), "known")
    } else {
        RailAction::Continue
    }
}

rail_chain! { struct Inner { took, cached } }
rail_chain! { struct Outer { inner: Inner } }

#[tokio::test(start_paused = true)]
async fn rails_after_an_operation_know_how_long_it_took() {
    async fn check(set: &str, rails: &dyn GuardSet) {
        let mut ctx = RunContext::new("elapsed");
        let run = |run: Permit<InvokeInputs>| async move {
            let slow = |call: Permit<ToolCallInputs>| async move {
                tokio::time::sleep(Duration::from_secs(2)).await;
                if call.tool_name == "broken" {
                    Err(OperationError::from("broken"))
                } else {
                    Ok(ToolOutput::text("done"))
                }
            };
            let mut ctx = run.context();
            for tool in ["broken", "cached"] {
                (&rails).guard_tool_call(ToolCallInputs::new(tool), &mut ctx, slow).await?;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, RunError>(InvokeOutput::text("done"))
        };
        (&rails).guard_run("hi", &mut ctx, run).await.unwrap();
        let expected = [
            "start: None",
            "pre_tool_call: None",
            "tool_error: Some(2s)",
            "post_tool_call: Some(2s)",
            // A rail answered: there was no call.
            "post_tool_call: None",
            "finished: Some(3s)",
        ];
        assert_eq!(notes(&ctx), expected, "{set}");
        assert!((&rails).guard_run("hi", &mut ctx, tests::broken_run).await.is_err());
        assert_eq!(notes(&ctx)[6..], ["start: None", "broken run", "error: Some(0ns)"], "{set}");
    }
    let mut manager = RailManager::new();
    manager.add(took {}).unwrap();
    manager.add(cached {}).unwrap();
    let mut hooks = HookManager::new();
    Inner.register(&mut hooks);
    check("chain", &Inner).await;
    check("nested", &Outer { inner: Inner }).await;
    check("manager", &manager).await;
    check("hooks", &hooks).await;
    check("bus", &exo_rails::EventBus::new(4).wrap(Inner)).await;
}

#[test]
fn a_chain_reads_the_clock_only_if_a_rail_takes_the_duration() {
    #[rail(on = [PreToolCall])]
    fn before(ctx: &RailContext) -> Verdict {
        Verdict::abort_if(ctx.step() > 9, "too many steps")
    }
    #[rail(on = [PostToolCall])]
    fn after(output: &ToolOutput) -> Verdict {
        Verdict::abort_if(output.content.is_empty(), "it is empty")
    }
    assert!(!Serves::<PostToolCall>::fact::<IsTimed>(&rail_chain![before, after]));
    assert!(Serves::<PostToolCall>::fact::<IsTimed>(&rail_chain![before, after, took]));
}
