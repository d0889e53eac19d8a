//! Guard sets whose type is chosen when the program runs: `DynGuardSet`, and pointers to `dyn GuardSet`.
//!
//! That they decide as the guard set inside, for all decisions and operations, is part of `guard_sets_agree`.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use exo_rails::facts::{HasRails, MayRewrite, WindowSize};
use exo_rails::prelude::*;
use exo_rails::{Chain, DynGuardSet, DynServes, EventBus, NoRails, Serves};
use tests::{note, notes};

#[rail(priority = 10, on = [PreToolCall])]
fn no_shell(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "shell", "no shell")
}

#[rail(priority = 20, on = [PreToolCall])]
fn shorten(call: &mut ToolCallInputs) {
    call.arguments = "short".into();
}

#[rail(on = [LlmChunk], window = 8)]
fn redact(window: &mut StreamWindow) {
    window.text = window.text.replace("secret", "[..]");
}

#[rail(priority = 90, on = [PreToolCall], always)]
fn audit(ctx: &RailContext) {
    note(ctx, format!("audit {}", ctx.stopped().map_or("-", |stopped| &stopped.rail_name)));
}

rail_chain! { struct Strict { no_shell, shorten, redact } }
rail_chain! { struct Lax { audit } }

/// What a program writes whose configuration chooses.
fn chosen(strict: bool) -> DynGuardSet {
    if strict { Strict.into() } else { Lax.into() }
}

fn boxed(strict: bool) -> Box<dyn GuardSet> {
    if strict { Box::new(Strict) } else { Box::new(Lax) }
}

fn shared(strict: bool) -> Arc<dyn GuardSet + Send + Sync> {
    if strict { Arc::new(Strict) } else { Arc::new(Lax) }
}

async fn stopped_by<R: GuardSet>(rails: &R) -> Option<String> {
    let (mut call, mut ctx) = (ToolCallInputs::new("shell"), RunContext::new("dyn"));
    rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap().rail_name().map(str::to_owned)
}

#[tokio::test]
async fn a_condition_can_choose_the_guard_set() {
    for (strict, by) in [(true, Some("no_shell".to_owned())), (false, None)] {
        assert_eq!(stopped_by(&chosen(strict)).await, by);
        assert_eq!(stopped_by(&chosen(strict).clone()).await, by);
        assert_eq!(stopped_by(&boxed(strict)).await, by);
        assert_eq!(stopped_by(&&*boxed(strict)).await, by);
        assert_eq!(stopped_by(&shared(strict)).await, by);
        assert_eq!(stopped_by(&EventBus::default().wrap(chosen(strict))).await, by);
    }
    assert_eq!(stopped_by(&DynGuardSet::from(NoRails)).await, None);
    assert_eq!(stopped_by(&DynGuardSet::from(RailManager::new())).await, None);
}

#[test]
fn a_dyn_guard_set_forwards_the_properties_of_its_rails() {
    fn asked<R: Serves<PreToolCall> + Serves<LlmChunk>>(rails: &R) -> (bool, bool, usize) {
        let has_rails = Serves::<LlmChunk>::fact::<HasRails>(rails);
        (has_rails, Serves::<PreToolCall>::fact::<MayRewrite>(rails), Serves::<LlmChunk>::fact::<WindowSize>(rails))
    }
    for (strict, expected) in [(true, (true, true, 8)), (false, (false, false, 0))] {
        assert_eq!(asked(&chosen(strict)), expected);
        assert_eq!(asked(&boxed(strict)), expected);
        assert_eq!(asked(&shared(strict)), expected);
        let mut manager = RailManager::new();
        manager.add(chosen(strict)).unwrap();
        assert_eq!(asked(&manager), (true, expected.1, expected.2));
        let around = Around { chosen: chosen(strict) };
        assert_eq!(asked(&around), (true, expected.1, expected.2));
    }
}

#[rail(priority = 5, on = [PreToolCall])]
fn first(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.tool_name == "never", "never")
}

rail_chain! { struct Around { first, chosen: DynGuardSet } }

rail_chain! { struct Twice { one: DynGuardSet, two: DynGuardSet } }

#[tokio::test]
async fn a_dyn_guard_set_can_be_a_rail_of_chains_and_managers() {
    let rails = Around { chosen: chosen(true) };
    assert_eq!(stopped_by(&rails).await.as_deref(), Some("no_shell"));
    let names: Vec<_> = Around::PLAN.rails(HookPoint::PreToolCall).iter().map(|rail| rail.info.name).collect();
    assert_eq!(names, ["first", "DynGuardSet"]);
    let twice = Twice { one: chosen(false), two: chosen(true) };
    assert_eq!(stopped_by(&twice).await.as_deref(), Some("two.no_shell"));
    let mut manager = RailManager::new();
    manager.add_named("tenant", chosen(true)).unwrap();
    assert_eq!(stopped_by(&manager).await.as_deref(), Some("tenant.no_shell"));

    let mut ctx = RunContext::new("dyn");
    let rails = Around { chosen: chosen(false) };
    drop(rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("never"), &mut ctx).await);
    assert_eq!(notes(&ctx), ["audit first"], "its rails that are always called are");
}

/// Asks for a retry at one attempt, and may do so once.
struct Turn(u32);

#[rail]
impl Turn {
    #[on(PreToolCall)]
    fn turn(&self, ctx: &RailContext) -> RailAction {
        if ctx.attempt() == self.0 { RailAction::retry("not yet") } else { RailAction::Continue }
    }
}

rail_chain! { struct OneTurn { turn: Turn } }

// With one count for both, they would have had one retry too few.
#[tokio::test]
async fn rails_of_two_dyn_guard_sets_have_separate_retry_counts() {
    let one_turn = |turn| DynGuardSet::new(OneTurn { turn: Turn(turn) });
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let (call, mut ctx) = (ToolCallInputs::new("t"), RunContext::new("dyn"));
    let rails = Twice { one: one_turn(0), two: one_turn(1) };
    assert_eq!(rails.guard_tool_call(call.clone(), &mut ctx, tool).await.unwrap().content, "done");
    rail_chain! { struct Many { sets: Vec<DynGuardSet> } }
    let rails = Many { sets: (0..3).map(one_turn).collect() };
    assert_eq!(rails.guard_tool_call(call, &mut RunContext::new("dyn"), tool).await.unwrap().content, "done");
}

#[derive(Event)]
#[event(payload = &mut String, allows = "abort")]
struct DocumentStored;

#[rail(on = [DocumentStored])]
fn truncated(text: &mut String) {
    text.truncate(3);
}

trait MyGuardSet: GuardSet + DynServes<DocumentStored> {}
impl<R: GuardSet + DynServes<DocumentStored>> MyGuardSet for R {}

#[tokio::test]
async fn a_trait_of_the_program_adds_custom_events() {
    let chain = rail_chain![
        #[chain(events = [DocumentStored])]
        truncated,
        no_shell
    ];
    let mut manager = RailManager::new();
    manager.add(truncated {}).unwrap();
    for (rails, by) in [
        (DynGuardSet::<dyn MyGuardSet>::of(Arc::new(chain)), Some("no_shell".to_owned())),
        (DynGuardSet::of(Arc::new(manager)), None),
    ] {
        let (mut text, mut ctx) = ("a text".to_owned(), RunContext::new("dyn"));
        assert!(rails.dispatch::<DocumentStored>(&mut text, &mut ctx).await.unwrap().is_continue());
        assert_eq!(text, "a t");
        assert_eq!(stopped_by(&rails).await, by);
    }
}

#[test]
fn an_event_without_rails_allocates_nothing() {
    for (rails, expected) in [(chosen(true), 1), (chosen(false), 0)] {
        let (mut ctx, request, mut window) =
            (RunContext::new("dyn"), ModelCallInputs::default(), StreamWindow::default());
        let info = allocation_counter::measure(|| {
            let mut dispatch = pin!(rails.dispatch::<LlmChunk>((&request, &mut window), &mut ctx));
            let outcome = dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(outcome, Poll::Ready(Ok(Decision::Continue))));
        });
        assert_eq!(info.count_total, expected);
    }
}
