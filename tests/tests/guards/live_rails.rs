//! Rails that are attached and detached while an agent runs.

use std::sync::Arc;

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, EventBus, LiveRails, Next};
use exo_rails_agent::ScriptedModel;
use serde_json::{Value, json};
use tests::{note, notes, tool};

#[rail(priority = 10, on = [PreToolCall])]
fn no_delete(call: &ToolCallInputs) -> RailAction {
    if call.tool_name == "delete" { RailAction::skip("nothing is deleted now") } else { RailAction::Continue }
}

#[rail(on = [PreToolCall], around)]
async fn logged(next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
    note(next.scope(), "around");
    next.run().await
}

#[tokio::test]
async fn a_rail_that_is_attached_guards_the_next_event_of_a_run() {
    let rails = LiveRails::new();
    let call = |tool: &str| json!({ "call": [{ "tool": tool, "arguments": {} }] });
    let script = json!([call("delete"), call("lock"), call("delete"), json!({ "say": "done" })]);
    let model: ScriptedModel = script.to_string().parse().unwrap();
    let of_the_tool = rails.clone();
    let lock = Tool::new("lock", "Locks.", json!({ "type": "object" }), move |_: Value| {
        let attached = of_the_tool.attach(no_delete {});
        async move { attached.map(|_| "locked") }
    });
    let delete = Tool::new("delete", "Deletes.", json!({ "type": "object" }), |_: Value| async {
        Ok::<_, OperationError>("deleted")
    });
    let agent = tests::agent("files", model).tools([lock, delete]).rails(DynGuardSet::new(rails.clone())).build();
    let output = agent.run("Delete, lock, delete!").await.unwrap();
    let told: Vec<_> = output.messages.iter().map(|message| message.text().into_owned()).collect();
    assert!(told.iter().any(|text| text == "deleted"), "{told:?}");
    assert!(
        told.iter().any(|text| text.ends_with("skipped by the rail `no_delete`: nothing is deleted now")),
        "{told:?}"
    );
    assert!(rails.attach(no_delete {}).is_err(), "it is attached");
}

#[tokio::test]
async fn a_detached_rail_is_not_called() {
    let rails = LiveRails::from(RailManager::new());
    let guarded = EventBus::new(4).wrap(Arc::new(rails.clone()));
    let call = || ToolCallInputs::new("delete");
    let mut ctx = RunContext::new("live");
    let (first, second) = (rails.attach(no_delete {}).unwrap(), rails.attach_named("again", logged {}).unwrap());
    let before = rails.snapshot();
    assert!(guarded.guard_tool_call(call(), &mut ctx, tool).await.unwrap().is_error);
    assert!(rails.detach(first) && !rails.detach(first));
    assert!(!guarded.guard_tool_call(call(), &mut ctx, tool).await.unwrap().is_error);
    assert_eq!(notes(&ctx), ["around", "tool delete {}"]);
    assert!(rails.detach(second));
    guarded.guard_tool_call(call(), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx)[2..], ["tool delete {}"]);
    assert_eq!((before.rails().count(), rails.snapshot().rails().count()), (2, 0), "a snapshot stays as it is");
}

#[tokio::test]
async fn a_rail_can_detach_itself_while_it_is_asked() {
    struct Once(LiveRails, std::sync::Mutex<Option<exo_rails::RailHandle>>);
    #[rail]
    impl Once {
        #[on(PreToolCall)]
        fn once(&self, ctx: &RailContext) -> RailAction {
            note(ctx, "once");
            let handle = self.1.lock().unwrap().take();
            assert!(handle.is_some_and(|handle| self.0.detach(handle)));
            RailAction::retry("again without me")
        }
    }
    let rails = LiveRails::new();
    let once = Arc::new(Once(rails.clone(), std::sync::Mutex::new(None)));
    let handle = rails.attach(Arc::clone(&once)).unwrap();
    *once.1.lock().unwrap() = Some(handle);
    let mut ctx = RunContext::new("live");
    rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(notes(&ctx), ["once", "tool search {}"]);
}

/// Uses the list when it is dropped.
struct Leaves {
    rails: LiveRails,
    other: Option<exo_rails::RailHandle>,
}

#[rail]
impl Leaves {
    #[on(PreToolCall)]
    #[expect(clippy::unused_self, reason = "a rail is a method")]
    fn check(&self) {}
}

impl Drop for Leaves {
    fn drop(&mut self) {
        assert!(self.other.take().is_none_or(|other| self.rails.detach(other)));
        let _ = self.rails.snapshot();
    }
}

#[test]
fn a_rail_can_use_the_list_when_it_is_dropped() {
    let rails = LiveRails::new();
    let other = rails.attach(no_delete {}).unwrap();
    let handle = rails.attach(Leaves { rails: rails.clone(), other: Some(other) }).unwrap();
    // A second one is refused, and dropped at once.
    let refused = rails.attach(Leaves { rails: rails.clone(), other: None });
    assert!(refused.is_err());
    assert!(rails.detach(handle));
    assert_eq!(rails.snapshot().rails().count(), 0);
}

#[test]
fn no_change_is_lost_when_several_threads_change_the_list() {
    let rails = LiveRails::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let rails = &rails;
            scope.spawn(move || {
                for rail in 0..50 {
                    let kept = rails.attach_named(format!("{thread}.{rail}"), no_delete {}).unwrap();
                    let gone = rails.attach_named(format!("{thread}.{rail}.gone"), no_delete {}).unwrap();
                    assert_ne!(kept, gone);
                    assert!(rails.detach(gone));
                }
            });
        }
    });
    assert_eq!(rails.snapshot().rails().count(), 200);
}
