//! The person who answers the guards.

use exo_rails::RailContext;
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Reply};
use serde_json::json;

/// Approves one refund that a customer has asked for, and nothing else.
#[derive(Debug)]
pub(crate) struct Desk;

impl Ask for Desk {
    async fn ask(&self, request: &ApprovalRequest, _: &mut RailContext) -> Result<Answer, AskError> {
        let is_expected = request.tool_name == "refund" && request.arguments == json!({ "order": 1044, "cents": 7500 });
        let reply = if is_expected { Reply::ApproveOnce } else { Reply::deny("no one has asked for this") };
        Ok(Answer::Now(reply))
    }
}
