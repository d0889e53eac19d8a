//! Plain hooks at run time, and chains beside them.

use exo_rails::prelude::*;
use tests::{GuardDyn, note, notes, take_notes, tool};

fn context() -> RunContext {
    RunContext::new("hooks")
}

async fn plain(inputs: Inputs<'_>, ctx: &mut RailContext) {
    note(ctx, format!("plain at {}", inputs.point()));
}

async fn another(_: Inputs<'_>, ctx: &mut RailContext) -> RailAction {
    note(ctx, "another");
    RailAction::Continue
}

async fn aborts(inputs: Inputs<'_>, _: &mut RailContext) -> Verdict {
    match inputs {
        Inputs::PreToolCall(call) => Verdict::abort(format!("{} is not allowed", call.tool_name)),
        _ => Verdict::Continue,
    }
}

#[rail(priority = 1, on = [PreToolCall, Finished])]
fn rail_of_a_chain(ctx: &RailContext) {
    note(ctx, "rail");
}

/// What the hooks note when a tool is about to be called.
async fn before_a_tool(hooks: &HookManager) -> Vec<String> {
    let ctx = &mut context();
    assert!(hooks.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), ctx).await.unwrap().is_continue());
    take_notes(ctx)
}

#[tokio::test]
async fn hooks_run_in_the_order_in_which_they_were_added() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, another);
    rail_chain![rail_of_a_chain].register(&mut hooks);
    hooks.add(HookPoint::PreToolCall, plain);
    assert_eq!(before_a_tool(&hooks).await, ["another", "rail", "plain at pre_tool_call"]);
}

#[tokio::test]
async fn a_hook_receives_the_payload_of_the_event() {
    async fn look(inputs: Inputs<'_>, ctx: &mut RailContext) {
        if let Inputs::PostToolCall(call, output) = inputs {
            note(ctx, format!("{} -> {} for {}", call.tool_name, output.content, ctx.agent()));
        }
    }
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PostToolCall, look);
    let mut ctx = context();
    hooks.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), ["tool search {}", "search -> {} for hooks"]);
}

#[tokio::test]
async fn a_point_without_hooks_continues() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PostToolCall, aborts);
    assert!(before_a_tool(&hooks).await.is_empty());
    assert!(!hooks.has_hooks(HookPoint::PreToolCall) && hooks.has_hooks(HookPoint::PostToolCall));
}

#[tokio::test]
async fn a_closure_can_be_a_hook() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, |inputs: Inputs<'_>, _: &mut RailContext| {
        let refuse = inputs.point() == HookPoint::PreToolCall;
        std::future::ready(Verdict::abort_if(refuse, "closed"))
    });
    let error = hooks.dyn_tool_call(ToolCallInputs::new("search"), &mut context(), tool).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.reason == "closed"));
}

#[tokio::test]
async fn an_abort_of_a_plain_hook_names_its_function() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, aborts);
    hooks.add(HookPoint::PreToolCall, plain);
    let mut ctx = context();
    let error = hooks.dyn_tool_call(ToolCallInputs::new("delete"), &mut ctx, tool).await.unwrap_err();
    let RunError::Abort(abort) = error else { panic!("{error}") };
    assert!(abort.rail_name.ends_with("hook_manager::aborts"), "{}", abort.rail_name);
    assert_eq!((abort.reason.as_str(), abort.event), ("delete is not allowed", HookPoint::PreToolCall));
    assert!(notes(&ctx).is_empty(), "neither later hooks nor the tool run");
}

#[tokio::test]
async fn a_hook_is_removed_by_its_handle_and_only_once() {
    let mut hooks = HookManager::new();
    let first = hooks.add(HookPoint::PreToolCall, plain);
    let second = hooks.add(HookPoint::PreToolCall, another);
    let third = hooks.add(HookPoint::PreToolCall, plain);
    assert_eq!(before_a_tool(&hooks).await, ["plain at pre_tool_call", "another", "plain at pre_tool_call"]);
    assert!(hooks.remove(first));
    assert!(!hooks.remove(first), "it is no longer there");
    assert_eq!(before_a_tool(&hooks).await, ["another", "plain at pre_tool_call"]);
    assert!(hooks.remove(third) && hooks.remove(second));
    assert!(!hooks.has_hooks(HookPoint::PreToolCall));
}

#[tokio::test]
async fn clearing_removes_every_hook() {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, aborts);
    rail_chain![rail_of_a_chain].register(&mut hooks);
    hooks.clear();
    assert!(HookPoint::ALL.iter().all(|&point| !hooks.has_hooks(point)));
    assert!(before_a_tool(&hooks).await.is_empty());
}

#[test]
fn a_chain_registers_one_hook_for_each_point_that_has_rails() {
    let mut hooks = HookManager::new();
    let handles = rail_chain![rail_of_a_chain].register(&mut hooks);
    let points: Vec<_> = HookPoint::ALL.iter().filter(|&&point| hooks.has_hooks(point)).collect();
    assert_eq!(points, [&HookPoint::PreToolCall, &HookPoint::Finished]);
    assert_eq!(handles.len(), 2);
    assert!(handles.into_iter().all(|handle| hooks.remove(handle)));
    assert!(rail_chain![].register(&mut hooks).is_empty());
    assert!(HookPoint::ALL.iter().all(|&point| !hooks.has_hooks(point)));
}

#[tokio::test]
async fn a_clone_of_a_hook_manager_is_a_separate_list() {
    let mut hooks = HookManager::new();
    let handle = hooks.add(HookPoint::PreToolCall, plain);
    let copy = hooks.clone();
    assert!(hooks.remove(handle));
    assert_eq!(before_a_tool(&copy).await, ["plain at pre_tool_call"]);
}
