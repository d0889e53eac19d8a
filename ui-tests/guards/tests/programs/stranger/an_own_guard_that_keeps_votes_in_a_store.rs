//! An own guard beside the kit writes typed records into a store, and an error of the store is its fault.

use exo_rails::prelude::*;
use exo_rails_guards::store::{Change, GuardStore, StateStoreExt, key};
use exo_rails_guards::{Kit, StoreError};
use serde_json::json;

/// Each member of the club has one vote.
#[derive(Default)]
struct OneVote {
    store: GuardStore,
}

#[rail(priority = 60)]
impl OneVote {
    #[on(PreToolCall, tool = "vote")]
    async fn check(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, StoreError> {
        let Some(member) = call.str_argument("member") else { return Ok(RailAction::skip("the vote has no member")) };
        let vote = |known: Option<bool>| match known {
            Some(_) => (Change::Keep, false),
            None => (Change::Put(true, None), true),
        };
        let is_first = self.store.at(ctx).update(&key(["votes", member]), vote).await?;
        Ok(if is_first { RailAction::Continue } else { RailAction::skip(format!("{member} has voted already")) })
    }
}

rail_chain! {
    struct ClubRails { kit: Kit, one_vote: OneVote }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rails = ClubRails { kit: Kit::from_toml("[sizes]\nmax_argument_bytes = 1_000")?, one_vote: OneVote::default() };
    let (mut ctx, tool) = (RunContext::new("club"), |_| async { Ok::<_, OperationError>(ToolOutput::text("counted")) });
    let vote = |member: &str| ToolCallInputs::new("vote").with_arguments(json!({ "member": member, "for": "Ada" }));
    assert_eq!(rails.guard_tool_call(vote("bo"), &mut ctx, tool).await?.content, "counted");
    assert!(rails.guard_tool_call(vote("bo"), &mut ctx, tool).await?.content.ends_with("bo has voted already"));
    assert_eq!(rails.guard_tool_call(vote("cy"), &mut ctx, tool).await?.content, "counted");
    Ok(())
}
