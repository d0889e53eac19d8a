//! Rails chosen at run time.

use std::sync::Arc;

use exo_rails::FaultCause;
use exo_rails::prelude::*;
use tests::{note, notes, take_notes, tool};

fn context() -> RunContext {
    RunContext::new("manager")
}

#[rail(priority = 90, on = [PreToolCall, PostToolCall])]
fn audit(ctx: &RailContext) {
    note(ctx, format!("audit {}", ctx.event()));
}

#[rail(priority = 50, on = [PreToolCall])]
fn log(ctx: &RailContext) {
    note(ctx, "log");
}

/// Aborts calls of one tool.
struct Forbid(&'static str);

#[rail(priority = 10)]
impl Forbid {
    #[on(PreToolCall)]
    fn check(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == self.0, format!("{} is forbidden", self.0))
    }
}

/// What the rails note around a tool call.
async fn around_a_tool(rails: &impl GuardSet) -> Vec<String> {
    let mut ctx = context();
    rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    take_notes(&ctx).into_iter().filter(|note| !note.starts_with("tool")).collect()
}

#[tokio::test]
async fn rails_can_be_added_and_removed_between_events() {
    let mut manager = RailManager::new();
    let audit = manager.add(audit {}).unwrap();
    manager.add(log {}).unwrap();
    assert_eq!(around_a_tool(&manager).await, ["log", "audit pre_tool_call", "audit post_tool_call"]);
    assert!(manager.remove(audit));
    assert_eq!(around_a_tool(&manager).await, ["log"], "it is gone from all its events");
    manager.clear();
    assert!(around_a_tool(&manager).await.is_empty());
}

#[test]
fn a_rail_that_is_not_there_cannot_be_removed() {
    let mut manager = RailManager::new();
    let handle = manager.add(log {}).unwrap();
    assert!(manager.remove(handle));
    assert!(!manager.remove(handle), "it is no longer there");
    let again = manager.add(log {}).unwrap();
    assert_ne!(again, handle);
    assert!(!manager.remove(handle), "an old handle does not name the new rail");
}

#[test]
fn a_rail_is_not_listed_twice() {
    let mut manager = RailManager::new();
    manager.add(Forbid("delete")).unwrap();
    let error = manager.add(Forbid("drop")).unwrap_err();
    assert_eq!(error.to_string(), "the rail `Forbid` is already in the manager");
    assert_eq!(manager.rails().map(|rail| rail.name.as_str()).collect::<Vec<_>>(), ["Forbid"]);
}

#[test]
fn a_manager_lists_its_rails_as_they_were_added() {
    let mut manager = RailManager::new();
    manager.add(audit {}).unwrap();
    manager.add(Forbid("delete")).unwrap();
    let rails: Vec<_> = manager.rails().map(|rail| (rail.name.as_str(), rail.priority)).collect();
    assert_eq!(rails, [("audit", 90), ("Forbid", 10)]);
}

#[tokio::test]
async fn a_rail_with_state_keeps_it() {
    let mut manager = RailManager::new();
    manager.add(Forbid("delete")).unwrap();
    assert!(manager.guard_tool_call(ToolCallInputs::new("search"), &mut context(), tool).await.is_ok());
    let error = manager.guard_tool_call(ToolCallInputs::new("delete"), &mut context(), tool).await.unwrap_err();
    assert_eq!(error.to_string(), "rail `Forbid` aborted at pre_tool_call: delete is forbidden");
}

#[tokio::test]
async fn the_hook_of_a_manager_continues_and_aborts_as_its_rails_do() {
    async fn plain(_: Inputs<'_>, ctx: &mut RailContext) {
        note(ctx, "plain");
    }
    let mut manager = RailManager::new();
    manager.add(log {}).unwrap();
    manager.add(Forbid("delete")).unwrap();
    let manager = Arc::new(manager);
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, plain);
    hooks.add(HookPoint::PreToolCall, manager.hook_for(HookPoint::PreToolCall));
    hooks.add(HookPoint::PostToolCall, manager.hook_for(HookPoint::PostToolCall));
    assert_eq!(around_a_tool(&hooks).await, ["plain", "log"]);
    let error = hooks.guard_tool_call(ToolCallInputs::new("delete"), &mut context(), tool).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.rail_name == "Forbid"));
}

#[tokio::test]
async fn a_hook_at_the_wrong_point_is_a_fault() {
    let mut manager = RailManager::new();
    manager.add(Forbid("delete")).unwrap();
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::PreToolCall, Arc::new(manager).hook_for(HookPoint::Start));
    let mut ctx = context();
    let error = hooks.guard_tool_call(ToolCallInputs::new("delete"), &mut ctx, tool).await.unwrap_err();
    let RunError::Fault(fault) = error else { panic!("{error}") };
    assert_eq!(fault.cause.to_string(), "a hook made for start was added at pre_tool_call");
    assert!(matches!(fault.cause, FaultCause::Error(_)));
    assert!(notes(&ctx).is_empty());
}

#[tokio::test]
async fn a_clone_of_a_rail_manager_is_a_separate_list() {
    let mut manager = RailManager::new();
    let handle = manager.add(log {}).unwrap();
    let copy = manager.clone();
    assert!(manager.remove(handle));
    assert!(around_a_tool(&manager).await.is_empty());
    assert_eq!(around_a_tool(&copy).await, ["log"]);
}

rail_chain! {
    #[chain(priority = 5)]
    struct Inner { audit, forbid: Forbid }
}

#[tokio::test]
async fn a_chain_can_be_added_as_one_rail() {
    let mut manager = RailManager::new();
    manager.add(log {}).unwrap();
    manager.add(Inner { forbid: Forbid("delete") }).unwrap();
    assert_eq!(around_a_tool(&manager).await, ["audit pre_tool_call", "log", "audit post_tool_call"]);
    let error = manager.guard_tool_call(ToolCallInputs::new("delete"), &mut context(), tool).await.unwrap_err();
    assert!(matches!(error, RunError::Abort(abort) if abort.rail_name == "Forbid"), "the inner rail is named");
}
