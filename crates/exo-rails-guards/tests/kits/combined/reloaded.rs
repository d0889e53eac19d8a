//! A configuration that is replaced while calls are in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::Reloadable;
use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use serde_json::json;
use tokio::sync::Semaphore;

/// Three calls begin, the configuration changes, the calls end, and more calls come. Returns how many have run.
async fn ran(before: &str, after: &str) -> u32 {
    let builder = Kit::builder();
    let kit = Reloadable::new(builder.from_toml(before).unwrap());
    let (count, go_on) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
    let ctx = RunContext::new("desk");
    let call = |number: u32| {
        let (kit, count, go_on) = (kit.clone(), Arc::clone(&count), Arc::clone(&go_on));
        let mut ctx = ctx.child().with_call_number(number);
        async move {
            let tool = |_| async {
                count.fetch_add(1, Ordering::SeqCst);
                let _ = go_on.acquire().await.unwrap();
                Ok::<_, OperationError>(ToolOutput::text("done"))
            };
            let call = ToolCallInputs::new("send").with_arguments(json!({ "n": number }));
            kit.guard_tool_call(call, &mut ctx, tool).await.unwrap();
        }
    };
    let early: Vec<_> = (0..3).map(|number| tokio::spawn(call(number))).collect();
    while count.load(Ordering::SeqCst) < 3 {
        tokio::task::yield_now().await;
    }
    kit.replace(builder.from_toml(after).unwrap());
    go_on.add_permits(1_000);
    for call in early {
        call.await.unwrap();
    }
    for number in 3..20 {
        call(number).await;
    }
    count.load(Ordering::SeqCst)
}

#[tokio::test]
async fn calls_in_flight_count_once() {
    let rates = |calls: u32, more: &str| {
        format!("[[rate_limits]]\nlimits = [{{ name = 'r', of = 'tool_calls', calls = {calls}, every = 'day' }}{more}]")
    };
    let budgets = |most: u32, more: &str| {
        format!("[[budgets]]\nlimits = [{{ name = 'b', of = 'tool_calls', most = {most} }}{more}]")
    };
    let rules =
        |most: u32, more: &str| format!("[sequence]\nrules = [{{ name = 's', rule = 'at most {most} send' }}{more}]");
    for (before, after, expected) in [
        (rates(5, ""), rates(5, ""), 5),
        (rates(5, ""), rates(5, ", { name = 'x', of = 'tool_calls', calls = 90, every = 'day' }"), 5),
        (budgets(5, ""), budgets(5, ""), 5),
        (budgets(5, ""), budgets(7, ""), 7),
        (budgets(5, ""), budgets(5, ", { name = 'x', of = 'tool_calls', most = 90 }"), 5),
        (rules(5, ""), rules(5, ""), 5),
        (rules(5, ""), rules(7, ""), 7),
        (rules(5, ""), rules(5, ", 'at most 90 send'"), 5),
    ] {
        assert_eq!(ran(&before, &after).await, expected, "{before}\n{after}");
    }
}

#[tokio::test]
async fn calls_that_began_without_a_guard_count_at_their_end() {
    for (after, expected) in [
        ("[[budgets]]\nlimits = [{ name = 'b', of = 'tool_calls', most = 5 }]", 5),
        ("[sequence]\nrules = ['at most 5 send']", 5),
        // A rate counts beginnings.
        ("[[rate_limits]]\nlimits = [{ name = 'r', of = 'tool_calls', calls = 5, every = 'day' }]", 8),
    ] {
        assert_eq!(ran("", after).await, expected, "{after}");
    }
}
