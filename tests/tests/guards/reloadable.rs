//! Rails and guard sets that are replaced while agents run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use exo_rails::operations::ToolCall;
use exo_rails::prelude::*;
use exo_rails::{DynGuardSet, InMode, Mode, ModelDelta, Next, Reloadable, StreamPiece};
use exo_rails_agent::ScriptedModel;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tests::{note, notes, take_notes, tool};

/// Notes its version before and after a tool call, and refuses one tool.
#[derive(Clone, Default)]
struct Versioned {
    version: u32,
    refused: &'static str,
    /// Replaced by the next version while the rail runs.
    replaces: Option<Reloadable<Versioned>>,
}

fn version(version: u32) -> Versioned {
    Versioned { version, ..Versioned::default() }
}

#[rail(priority = 10)]
impl Versioned {
    #[on(PreToolCall)]
    async fn before(&self, call: &mut ToolCallInputs, ctx: &RailContext) -> RailAction {
        if let Some(rail) = &self.replaces {
            rail.replace(version(self.version + 1));
        }
        tokio::task::yield_now().await;
        note(ctx, format!("before {}", self.version));
        if call.tool_name == self.refused { RailAction::skip("refused") } else { RailAction::Continue }
    }

    #[on(PostToolCall)]
    fn after(&self, ctx: &RailContext) {
        note(ctx, format!("after {}", self.version));
    }
}

/// Notes its version around a tool call.
struct Around(u32);

#[rail]
impl Around {
    #[on(PreToolCall, around)]
    async fn around(&self, next: impl Next<ToolCall>) -> Result<ToolOutput, OperationError> {
        let scope = next.scope().clone();
        note(&scope, format!("begins {}", self.0));
        let output = next.run().await;
        note(&scope, format!("ends {}", self.0));
        output
    }
}

rail_chain! { struct Field { versioned: Reloadable<Versioned>, around: Reloadable<Around> } }
rail_chain! { struct Whole { versioned: Versioned, around: Around } }

fn call() -> ToolCallInputs {
    ToolCallInputs::new("delete")
}

#[tokio::test]
async fn an_event_that_has_begun_keeps_its_rail_and_the_next_one_has_the_new_rail() {
    let (versioned, around) = (Reloadable::new(version(1)), Reloadable::new(Around(1)));
    versioned.replace(Versioned { replaces: Some(versioned.clone()), ..version(1) });
    let mut ctx = RunContext::new("reload");
    let rails = Field { versioned: versioned.clone(), around: around.clone() };
    let replaced = async |call: Permit<ToolCallInputs>| {
        around.replace(Around(2));
        tool(call).await
    };
    rails.guard_tool_call(call(), &mut ctx, replaced).await.unwrap();
    assert_eq!(take_notes(&ctx), ["before 1", "begins 1", "tool delete {}", "ends 1", "after 2"]);
    assert_eq!(versioned.current().version, 2);
    rails.guard_tool_call(call(), &mut ctx, tool).await.unwrap();
    assert_eq!(take_notes(&ctx), ["before 2", "begins 2", "tool delete {}", "ends 2", "after 2"]);
}

#[tokio::test]
async fn a_whole_guard_set_is_replaced() {
    let whole = |number| Whole { versioned: version(number), around: Around(number) };
    let rails = Reloadable::new(whole(1));
    let mut ctx = RunContext::new("reload");
    let replaced = async |call: Permit<ToolCallInputs>| {
        let old = rails.replace(whole(2));
        assert_eq!(old.versioned.version, 1);
        tool(call).await
    };
    rails.guard_tool_call(call(), &mut ctx, replaced).await.unwrap();
    assert_eq!(take_notes(&ctx), ["before 1", "begins 1", "tool delete {}", "ends 1", "after 2"]);
}

#[tokio::test]
async fn a_guard_is_attached_to_and_detached_from_a_running_agent() {
    rail_chain! { struct Rails { guard: Reloadable<Option<Versioned>> } }
    let guard = Reloadable::new(None);
    let say = |tool: &str| json!({ "call": [{ "tool": tool, "arguments": {} }] });
    let script = json!([say("delete"), say("lock"), say("delete"), say("unlock"), say("delete"), { "say": "done" }]);
    let model: ScriptedModel = script.to_string().parse().unwrap();
    let switch = |name, on: bool| {
        let guard = guard.clone();
        Tool::new(name, "Switches the guard.", json!({ "type": "object" }), move |_: Value| {
            guard.replace(on.then(|| Versioned { refused: "delete", ..Versioned::default() }));
            async { Ok::<_, OperationError>("switched") }
        })
    };
    let delete = Tool::new("delete", "Deletes.", json!({ "type": "object" }), |_: Value| async {
        Ok::<_, OperationError>("deleted")
    });
    let tools = [switch("lock", true), switch("unlock", false), delete];
    let agent =
        tests::agent("files", model).tools(tools).rails(DynGuardSet::from(Rails { guard: guard.clone() })).build();
    let output = agent.run("Delete three times!").await.unwrap();
    let texts: Vec<_> = output.messages.iter().map(|message| message.text().into_owned()).collect();
    let outputs: Vec<_> = texts.iter().filter(|text| text.contains("delete") || text.contains("refused")).collect();
    assert_eq!(outputs.iter().filter(|text| **text == "deleted").count(), 2, "{texts:?}");
    assert_eq!(outputs.iter().filter(|text| text.ends_with("refused")).count(), 1, "{texts:?}");
}

#[tokio::test]
async fn a_reloadable_rail_can_be_in_a_mode() {
    let guard = Reloadable::new(Versioned { refused: "delete", ..version(1) });
    for (mode, skipped) in [(Mode::Enforce, true), (Mode::Shadow, false), (Mode::Off, false)] {
        rail_chain! { struct Inside { guard: InMode<Reloadable<Versioned>> } }
        rail_chain! { struct Outside { guard: Reloadable<InMode<Versioned>> } }
        let inside = Inside { guard: InMode::new(mode, guard.clone()) };
        let outside = Outside { guard: Reloadable::new(InMode::new(mode, Versioned::clone(&guard.current()))) };
        let mut ctx = RunContext::new("reload");
        let output = inside.guard_tool_call(call(), &mut ctx, tool).await.unwrap();
        assert_eq!(output.is_error, skipped, "{mode:?}");
        let output = outside.guard_tool_call(call(), &mut ctx, tool).await.unwrap();
        assert_eq!(output.is_error, skipped, "{mode:?}");
    }
}

#[tokio::test]
async fn a_retry_has_the_inputs_from_before_a_rail_that_came_later() {
    #[derive(Default)]
    struct Rename(bool);
    #[rail]
    impl Rename {
        #[on(PreToolCall)]
        fn rename(&self, call: &mut ToolCallInputs) {
            if self.0 {
                call.tool_name.push_str(" again");
            }
        }
    }
    rail_chain! { struct Rails { rename: Reloadable<Rename>, once } }
    #[rail(on = [PostToolCall])]
    fn once(ctx: &RailContext) -> RailAction {
        if notes(ctx).len() < 2 { RailAction::retry("once more") } else { RailAction::Continue }
    }
    let rename = Reloadable::new(Rename(false));
    let rails = Rails { rename: rename.clone() };
    let mut ctx = RunContext::new("reload");
    let replaces = async |call: Permit<ToolCallInputs>| {
        rename.replace(Rename(true));
        tool(call).await
    };
    rails.guard_tool_call(call(), &mut ctx, replaces).await.unwrap();
    assert_eq!(notes(&ctx), ["tool delete {}", "tool delete again {}"]);
}

#[tokio::test]
async fn a_new_rail_sees_a_stream_from_the_next_piece_on() {
    struct Redact(&'static str);
    #[rail]
    impl Redact {
        #[on(LlmChunk)]
        fn redact(&self, window: &mut StreamWindow) {
            window.replace(self.0, "[gone]");
        }
    }
    rail_chain! { struct Rails { redact: Reloadable<Redact> } }
    let redact = Reloadable::new(Redact("one"));
    let rails = Rails { redact: redact.clone() };
    let (seen, left) = (Arc::new(AtomicBool::new(false)), Mutex::new(String::new()));
    let model = |_| {
        let (redact, seen) = (redact.clone(), Arc::clone(&seen));
        stream::iter(["one two ", "one two "]).map(move |text| {
            if seen.swap(true, Ordering::Relaxed) {
                redact.replace(Redact("two"));
            }
            Ok::<_, OperationError>(ModelDelta::Text(text.to_owned()))
        })
    };
    let sink = async |piece| {
        if let StreamPiece::Text(text) = piece {
            left.lock().unwrap().push_str(&text);
        }
    };
    rails.guard_stream(ModelCallInputs::default(), &mut RunContext::new("reload"), model, sink).await.unwrap();
    assert_eq!(left.into_inner().unwrap(), "[gone] two one [gone] ");
}

/// Replaces itself when it is dropped.
struct Last(Reloadable<Option<Arc<Last>>>);

impl Drop for Last {
    fn drop(&mut self) {
        self.0.replace(None);
    }
}

#[test]
fn a_rail_can_replace_itself_when_it_is_dropped() {
    let rail = Reloadable::new(None);
    rail.replace(Some(Arc::new(Last(rail.clone()))));
    drop(rail.replace(None));
    assert!(rail.current().is_none());
}
