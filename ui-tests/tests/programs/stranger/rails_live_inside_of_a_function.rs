//! All rails, their state and their chain are items inside of one function, as in a test. One rail names its lifetime.

use exo_rails::prelude::*;
use serde_json::json;

/// Plays one round of a game whose referee is a chain.
async fn play(jumps: &[u64]) -> Result<Vec<String>, RunError> {
    #[derive(Default)]
    struct Points(u64);

    #[rail(priority = 10, on = [PreToolCall])]
    #[allow(clippy::needless_lifetimes)]
    fn small_jumps<'a>(call: &'a ToolCallInputs) -> Option<RailAction> {
        let fields = call.arguments.get("fields")?.as_u64()?;
        (fields > 6).then(|| RailAction::skip(format!("no die shows {fields}")))
    }

    struct Goal(u64);

    #[rail(priority = 20)]
    impl Goal {
        const ARGUMENT: &'static str = "fields";

        #[on(PreToolCall)]
        fn stop_at_the_goal(&self, call: &ToolCallInputs, ctx: &RailContext) -> Verdict {
            ctx.run.update(|Points(points): &mut Points| {
                *points += call.arguments[Self::ARGUMENT].as_u64().unwrap_or(0);
                Verdict::abort_if(*points > self.0, format!("the game is over at {points}"))
            })
        }
    }

    rail_chain! { struct Referee { small_jumps, goal: Goal } }

    let (rails, mut ctx, mut log) = (Referee { goal: Goal(10) }, RunContext::new("game"), Vec::new());
    for fields in jumps {
        let call = ToolCallInputs::new("jump").with_arguments(json!({ "fields": fields }));
        let jump = async |_: Permit<ToolCallInputs>| Ok::<_, OperationError>(format!("red jumps {fields}"));
        log.push(rails.guard_tool_call(call, &mut ctx, jump).await?.content);
    }
    Ok(log)
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let log = play(&[3, 7, 6]).await?;
    assert!(log[0] == "red jumps 3" && log[1].ends_with("no die shows 7") && log[2] == "red jumps 6");
    assert!(play(&[6, 6]).await.is_err_and(|error| error.to_string().ends_with("the game is over at 12")));
    Ok(())
}
