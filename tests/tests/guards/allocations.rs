//! What a guard costs in heap allocations: nothing, unless its rails make some.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use exo_rails::prelude::*;

#[rail(priority = 10, on = [PreToolCall, PostToolCall])]
async fn allowed(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "shell" { RailAction::abort("no shell") } else { RailAction::Continue }
}

#[rail(priority = 20, on = [PreToolCall])]
fn counted(ctx: &RailContext) -> Verdict {
    Verdict::abort_if(ctx.step() > 100, "too many steps")
}

#[rail(priority = 90, on = [PostToolCall])]
async fn seen(call: &ToolCallInputs, output: &ToolOutput) -> Result<(), std::fmt::Error> {
    if call.tool_name == output.content { Err(std::fmt::Error) } else { Ok(()) }
}

rail_chain! { struct Inner { counted } }

rail_chain! { struct Guards { allowed, Inner, seen } }

/// The allocations of a future that is ready at once, from its making to its result.
fn allocations<T>(future: impl Future<Output = T>) -> (u64, T) {
    let mut result = None;
    let info = allocation_counter::measure(|| {
        let mut future = pin!(future);
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            result = Some(output);
        }
    });
    (info.count_total, result.unwrap())
}

#[test]
fn a_dispatch_of_a_static_chain_allocates_nothing() {
    let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("test"));
    let (count, decision) = allocations(Guards {}.dispatch::<PreToolCall>(&mut call, &mut ctx));
    assert!(decision.unwrap().is_continue());
    assert_eq!(count, 0);
}

#[test]
fn a_decision_with_a_literal_reason_allocates_nothing() {
    let (mut call, mut ctx) = (ToolCallInputs::new("shell"), RunContext::new("test"));
    let (count, decision) = allocations(Guards {}.dispatch::<PreToolCall>(&mut call, &mut ctx));
    assert_eq!(decision.unwrap().rail_name(), Some("allowed"));
    assert_eq!(count, 0);
}

#[test]
fn a_chain_behind_the_hook_manager_allocates_one_future_for_an_event() {
    let mut hooks = HookManager::new();
    Guards {}.register(&mut hooks);
    let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("test"));
    let (count, decision) = allocations(hooks.dispatch::<PreToolCall>(&mut call, &mut ctx));
    assert!(decision.unwrap().is_continue());
    assert_eq!(count, 1);
}

#[test]
fn only_the_first_guarded_operation_allocates() {
    let mut ctx = RunContext::new("test");
    let counts = [(); 3].map(|()| {
        let call = ToolCallInputs::new("search");
        let tool = |_call: Permit<ToolCallInputs>| async { Ok::<_, OperationError>(ToolOutput::default()) };
        let (count, output) = allocations(Guards {}.guard_tool_call(call, &mut ctx, tool));
        output.unwrap();
        count
    });
    assert_eq!(counts, [1, 0, 0]);
}
