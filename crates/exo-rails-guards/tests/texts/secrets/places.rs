//! Findings, shadow mode, and the cost of finding nothing.

use exo_rails::prelude::*;
use exo_rails::{GuardSet, rail_chain};
use exo_rails_guards::{Kit, Secrets};
use serde_json::json;

use super::formats::tokens;

rail_chain! { struct Guards { secrets: Secrets } }

#[tokio::test]
async fn a_kit_in_shadow_changes_nothing() {
    let token = &tokens()[6].1;
    let kit = Kit::from_toml("[secrets]\nmode = 'shadow'").unwrap();
    let mut call = ToolCallInputs::new("post").with_arguments(json!({ "text": token }));
    let decision = kit.dispatch::<PreToolCall>(&mut call, &mut RunContext::new("test")).await.unwrap();
    assert!(decision.is_continue());
    assert_eq!(call.str_argument("text"), Some(token.as_str()));
    let _: &dyn std::fmt::Debug = &kit.shadow();
}

#[tokio::test]
async fn a_call_without_a_secret_costs_no_allocation() {
    let rails = Guards { secrets: Secrets::builder().build().unwrap() };
    let arguments = json!({ "customer": "c-1042", "lines": ["one chair, blue", "two lamps"], "note": "call before 9, please", "total": 129.5 });
    let mut ctx = RunContext::new("test");
    let mut call = ToolCallInputs::new("create_order").with_arguments(arguments);
    let _ = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
    let counted = allocation_counter::measure(|| {
        let mut dispatch = std::pin::pin!(rails.dispatch::<PreToolCall>(&mut call, &mut ctx));
        let mut polled = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(dispatch.as_mut().poll(&mut polled).is_ready());
    });
    assert_eq!(counted.count_total, 0);
}
