//! A generic type implements `Ask` for every closure that replies to a request.

use std::fmt;
use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::approval::{Answer, ApprovalRequest, Ask, AskError, Reply};
use serde_json::json;

struct AskWith<F>(F);

impl<F> fmt::Debug for AskWith<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AskWith")
    }
}

impl<F: Fn(&ApprovalRequest) -> Reply + Send + Sync> Ask for AskWith<F> {
    async fn ask(&self, request: &ApprovalRequest, _ctx: &mut RailContext) -> Result<Answer, AskError> {
        let reply = (self.0)(request);
        Ok(Answer::Now(reply))
    }
}

const POLICY: &str = "[approval]\nrules = [{ tool = 'book_table', because = 'the head waiter knows the room' }]";

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most = 8;
    let head_waiter = AskWith(move |request: &ApprovalRequest| match request.arguments["guests"].as_u64() {
        Some(guests) if guests <= most => Reply::ApproveOnce,
        _ => Reply::deny("large groups call us"),
    });
    let kit = Kit::builder().asker(Arc::new(head_waiter)).from_toml(POLICY)?;

    let (mut ctx, tool) = (RunContext::new("restaurant"), |_| async { Ok::<_, OperationError>(ToolOutput::text("booked")) });
    let table = |guests: u32| ToolCallInputs::new("book_table").with_arguments(json!({ "guests": guests }));
    assert_eq!(kit.guard_tool_call(table(4), &mut ctx, tool).await?.content, "booked");
    assert!(kit.guard_tool_call(table(30), &mut ctx, tool).await?.content.contains("large groups call us"));
    Ok(())
}
