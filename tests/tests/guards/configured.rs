//! Values in the attribute of a rail that are not literals: time limits, and tools.

use std::time::Duration;

use exo_rails::FaultCause;
use exo_rails::prelude::*;
use exo_rails::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::{note, notes};

/// Waits for a second, unless that is too long.
struct Waits {
    limit: Duration,
}

#[rail]
impl Waits {
    #[on(PreToolCall, Start, timeout = self.limit, on_panic = "fault")]
    async fn wait(&self) -> Verdict {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Verdict::Continue
    }
}

const LIMIT: Duration = Duration::from_millis(7);

#[rail(on = [PostToolCall], timeout = LIMIT)]
async fn waits_too_long(_: &mut ToolOutput) {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

rail_chain! { struct Patient { waits: Waits, waits_too_long } }

#[tokio::test(start_paused = true)]
async fn a_rail_can_configure_its_time_limit() {
    for (limit, is_long_enough) in [(Duration::from_millis(999), false), (Duration::from_millis(1001), true)] {
        let (chain, mut manager) = (Patient { waits: Waits { limit } }, RailManager::new());
        manager.add(Waits { limit }).unwrap();
        let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("configured"));
        for outcome in [
            chain.dispatch::<PreToolCall>(&mut call, &mut ctx).await,
            manager.dispatch::<PreToolCall>(&mut call, &mut ctx).await,
        ] {
            match outcome {
                Ok(decision) => assert!(is_long_enough && decision.is_continue()),
                Err(fault) => assert!(
                    !is_long_enough && matches!(fault.cause, FaultCause::Timeout { limit: told } if told == limit)
                ),
            }
        }
        let (call, mut output) = (call, ToolOutput::text("found"));
        let fault = chain.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await.unwrap_err();
        assert!(matches!(fault.cause, FaultCause::Timeout { limit } if limit == LIMIT));
    }
}

/// Deletes a file.
#[derive(Serialize, Deserialize, ToolArgs)]
#[tool(name = "delete_file", schema = json!({ "type": "object" }))]
struct DeleteFile {
    path: String,
}

tools! { struct Files { delete_file: DeleteFile } }

#[rail(priority = 10, on = [PreToolCall], tools = Files)]
fn of_the_arguments(args: &mut Args<DeleteFile>, ctx: &RailContext) {
    note(ctx, "arguments");
    args.path.insert_str(0, "/tmp/");
}

#[rail(priority = 20, on = [PreToolCall], tool = DeleteFile::NAME)]
fn of_a_constant(call: &ToolCallInputs, ctx: &RailContext) {
    note(ctx, format!("constant {}", call.arguments["path"]));
}

struct Of<A>(std::marker::PhantomData<fn() -> A>);

#[rail(priority = 30)]
impl<A: ToolArgs> Of<A> {
    #[on(PreToolCall, tool = A::NAME)]
    fn before(ctx: &RailContext) {
        note(ctx, "parameter");
    }

    #[on(PostToolCall)]
    fn after(_: &Args<A>, ctx: &RailContext) {
        note(ctx, "arguments of the parameter");
    }
}

rail_chain! {
    #[chain(tools = Files)]
    struct Deletions { of_the_arguments, of_a_constant, of: Of<DeleteFile> }
}

#[tokio::test]
async fn a_rail_can_name_its_tool_by_arguments_or_by_a_constant() {
    let rails = Deletions { of: Of(std::marker::PhantomData) };
    for (tool, called) in [
        ("delete_file", vec!["arguments", "constant \"/tmp/a\"", "parameter", "arguments of the parameter"]),
        ("search", vec![]),
    ] {
        let mut ctx = RunContext::new("configured");
        let call = ToolCallInputs::new(tool).with_arguments(json!({ "path": "a" }));
        let run = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>(ToolOutput::text("done"));
        rails.guard_tool_call(call, &mut ctx, run).await.unwrap();
        assert_eq!(notes(&ctx), called);
    }
}
