//! Rails that are always called: also when a rail before them has stopped the event.

use exo_rails::prelude::*;
use exo_rails::{Event, NoRails, Outcome, Serves, StopKind, StoppedBy};
use tests::{Warnings, note, notes};

/// What a rail with `always` sees.
fn seen(rail: &str, ctx: &RailContext) {
    let how = ctx.stopped().map_or_else(
        || "goes on".to_owned(),
        |StoppedBy { rail_name, how, reason, .. }| format!("{how:?} by {rail_name}: {reason}"),
    );
    note(ctx, format!("{rail} at {}: {how}", ctx.event()));
}

#[rail(priority = 5, on = [PreToolCall], always)]
fn first(ctx: &RailContext) {
    seen("first", ctx);
}

#[rail(priority = 10, on = [PreToolCall, PostToolCall])]
fn decide(call: &ToolCallInputs, ctx: &RailContext) -> Result<RailAction, String> {
    if ctx.event() == HookPoint::PostToolCall || ctx.attempt() > 0 {
        return Ok(RailAction::Continue);
    }
    Ok(match call.tool_name.as_str() {
        "abort" => RailAction::abort("no"),
        "skip" => RailAction::skip("not now"),
        "retry" => RailAction::retry(RetryRequest::new("once more")),
        "fault" => return Err("broken".into()),
        _ => RailAction::Continue,
    })
}

#[rail(priority = 20, on = [PreToolCall])]
fn not_always(ctx: &RailContext) {
    seen("not_always", ctx);
}

#[rail(priority = 30, on = [PreToolCall, PostToolCall], always)]
async fn audit(inputs: &Inputs<'_>, ctx: &mut RailContext) {
    tokio::task::yield_now().await;
    assert_eq!(inputs.point(), ctx.event());
    seen("audit", ctx);
}

struct Late;

#[rail(priority = 40)]
impl Late {
    #[on(PreToolCall, always)]
    async fn before(&self, call: &ToolCallInputs, ctx: &RailContext) -> Result<(), String> {
        seen("late", ctx);
        Err(format!("cannot log {}", call.tool_name))
    }

    #[on(PostToolCall)]
    fn after(ctx: &RailContext) {
        seen("late", ctx);
    }
}

rail_chain! { #[chain(priority = 35)] struct Inner { not_always, audit } }
rail_chain! { struct Flat { first, decide, not_always, audit, late: Late } }
rail_chain! { struct Nested { decide, Inner, late: Late, first } }
// The rail that stops is in the chain inside, the observer in the one around.
rail_chain! { #[chain(priority = 10)] struct Deciding { decide, not_always } }
rail_chain! { struct Around { first, Deciding, audit, late: Late } }

fn manager() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(Late).unwrap();
    manager.add(audit {}).unwrap();
    manager.add(not_always {}).unwrap();
    manager.add(decide {}).unwrap();
    manager.add(first {}).unwrap();
    manager
}

fn manager_with_a_chain() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(Late).unwrap();
    manager.add(Inner {}).unwrap();
    manager.add(decide {}).unwrap();
    manager.add(first {}).unwrap();
    manager
}

/// Chains that stop, and others after them.
fn hooks() -> HookManager {
    let mut hooks = HookManager::new();
    rail_chain![first, decide].register(&mut hooks);
    rail_chain![not_always, audit].register(&mut hooks);
    let manager = {
        let mut manager = RailManager::new();
        manager.add(Late).unwrap();
        std::sync::Arc::new(manager)
    };
    for &point in HookPoint::ALL {
        hooks.add(point, manager.hook_for(point));
    }
    hooks
}

async fn call(rails: &impl GuardSet, tool: &str) -> (Result<String, String>, Vec<String>) {
    let mut ctx = RunContext::new("always");
    let run = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
    let result = rails.guard_tool_call(ToolCallInputs::new(tool), &mut ctx, run).await;
    (result.map(|output| output.content).map_err(|error| error.to_string()), notes(&ctx))
}

#[tokio::test]
async fn always_rails_see_which_rail_stopped_the_event() {
    let (_guard, after) =
        (Warnings::collect(), ["audit at post_tool_call: goes on", "late at post_tool_call: goes on"]);
    let goes_on =
        ["not_always at pre_tool_call: goes on", "audit at pre_tool_call: goes on", "late at pre_tool_call: goes on"];
    let stopped = |how: &str| [format!("audit at pre_tool_call: {how}"), format!("late at pre_tool_call: {how}")];
    let with_after = |notes: Vec<String>| notes.into_iter().chain(after.map(String::from)).collect::<Vec<_>>();
    let first = || vec!["first at pre_tool_call: goes on".to_owned()];
    let all = |more: &[&[String]]| first().into_iter().chain(more.concat()).collect::<Vec<_>>();
    let goes_on = goes_on.map(String::from);
    let again: Vec<_> =
        stopped("Retry by decide: once more").into_iter().chain(first()).chain(goes_on.clone()).collect();

    let cases: [(&str, Result<&str, &str>, Vec<String>); 5] = [
        ("go", Ok("done"), with_after(all(&[&goes_on]))),
        ("abort", Err("rail `decide` aborted at pre_tool_call: no"), all(&[&stopped("Abort by decide: no")])),
        (
            "skip",
            Ok("The call of `skip` was skipped by the rail `decide`: not now"),
            with_after(all(&[&stopped("Skip by decide: not now")])),
        ),
        ("retry", Ok("done"), with_after(all(&[&again]))),
        ("fault", Err("rail `decide` faulted at pre_tool_call: broken"), all(&[&stopped("Fault by decide: broken")])),
    ];
    for (tool, result, notes) in cases {
        let expected = (result.map(String::from).map_err(String::from), notes);
        assert_eq!(call(&Flat { late: Late }, tool).await, expected, "{tool}: flat chain");
        assert_eq!(call(&Nested { late: Late }, tool).await, expected, "{tool}: observers in a chain inside");
        assert_eq!(call(&Around { late: Late }, tool).await, expected, "{tool}: decided in a chain inside");
        assert_eq!(call(&manager(), tool).await, expected, "{tool}: RailManager");
        assert_eq!(call(&manager_with_a_chain(), tool).await, expected, "{tool}: RailManager with a chain");
        assert_eq!(call(&hooks(), tool).await, expected, "{tool}: HookManager");
        assert_eq!(call(&std::sync::Arc::new(Flat { late: Late }), tool).await, expected, "{tool}: behind a pointer");
    }
}

#[tokio::test]
async fn the_fault_of_an_observer_is_reported_and_changes_nothing() {
    let (warnings, _guard) = Warnings::collect();
    let (result, _) = call(&rail_chain_with_late(), "abort").await;
    assert_eq!(result, Err("rail `decide` aborted at pre_tool_call: no".into()));
    assert_eq!(warnings.seen().len(), 1);
    assert!(warnings.seen()[0].contains("cannot log abort"), "{:?}", warnings.seen());
}

fn rail_chain_with_late() -> impl GuardSet {
    rail_chain! { struct DecideAndLate { decide, late: Late } }
    DecideAndLate { late: Late }
}

/// A guard set made of two, and a hook around another, pass every event on.
#[tokio::test]
async fn custom_guard_sets_and_hooks_forward_the_stop_to_always_rails() {
    struct Both<A, B>(A, B);

    impl<E: Event, A: Serves<E>, B: Serves<E>> Serves<E> for Both<A, B> {
        async fn run_rails<'a>(&'a self, mut payload: E::Payload<'a>, ctx: &'a mut RailContext) -> Outcome<E> {
            let outcome = self.0.run_rails(E::reborrow(&mut payload), ctx).await;
            let Some(stopped) = StoppedBy::of::<E>(&outcome) else { return self.1.run_rails(payload, ctx).await };
            ctx.set_stopped(stopped);
            self.1.run_always_rails(payload, ctx).await;
            outcome
        }
    }

    let (_, notes) = call(&Both(rail_chain![decide], rail_chain![not_always, audit]), "abort").await;
    assert_eq!(notes, ["audit at pre_tool_call: Abort by decide: no"]);
}

#[tokio::test]
async fn a_manager_that_was_added_at_another_point_observes_nothing_there() {
    let mut manager = RailManager::new();
    manager.add(audit {}).unwrap();
    let manager = std::sync::Arc::new(manager);
    let mut hooks = HookManager::new();
    rail_chain![decide].register(&mut hooks);
    hooks.add(HookPoint::PreToolCall, manager.hook_for(HookPoint::PreToolCall));
    hooks.add(HookPoint::PreToolCall, manager.hook_for(HookPoint::PostToolCall));
    let (_, notes) = call(&hooks, "abort").await;
    assert_eq!(notes, ["audit at pre_tool_call: Abort by decide: no"]);
}

#[tokio::test]
async fn the_context_forgets_a_stop_at_the_next_event() {
    let mut ctx = RunContext::new("always");
    let decision =
        Flat { late: Late }.dispatch::<PreToolCall>(&mut ToolCallInputs::new("skip"), &mut ctx).await.unwrap();
    assert!(matches!(decision, Decision::Skip(_)));
    assert_eq!(ctx.stopped().map(|stopped| stopped.how), Some(StopKind::Skip));
    // An event that nobody guards is passed over: for the context it has not been.
    let _ = NoRails.dispatch::<Start>(&mut InvokeInputs::new("hi"), &mut ctx).await.unwrap();
    assert_eq!(ctx.event(), HookPoint::PreToolCall);
    assert!(ctx.stopped().is_some());
    let _ = rail_chain![begins_anew].dispatch::<Start>(&mut InvokeInputs::new("hi"), &mut ctx).await.unwrap();
    assert_eq!((ctx.event(), ctx.stopped()), (HookPoint::Start, None));
}

#[rail(on = [Start])]
fn begins_anew(ctx: &RailContext) -> Verdict {
    Verdict::abort_if(ctx.stopped().is_some(), "another event has been stopped")
}

mod long {
    //! A chain of more rails than one walk has steps.

    use super::*;

    macro_rules! rails {
        ($($name:ident $priority:literal $always:tt)*) => {
            $(rails!(@one $name $priority $always);)*
            rail_chain! { struct Long { $($name,)* stop } }
        };
        (@one $name:ident $priority:literal always) => {
            #[rail(priority = $priority, on = [PreToolCall], always)]
            fn $name(ctx: &RailContext) { note(ctx, concat!("always ", $priority)); }
        };
        (@one $name:ident $priority:literal -) => {
            #[rail(priority = $priority, on = [PreToolCall])]
            fn $name(ctx: &RailContext) { note(ctx, concat!("", $priority)); }
        };
    }

    rails! {
        r0 0 always r1 1 - r2 2 - r3 3 always r4 4 - r5 5 - r6 6 always
        r7 7 - r8 8 - r9 9 always r10 10 - r11 11 - r12 12 always r13 13 -
        r14 14 - r15 15 always r16 16 - r17 17 - r18 18 always r19 19 - r20 20 -
        r21 21 always r22 22 - r23 23 - r24 24 always r25 25 - r26 26 - r27 27 always
        r28 28 - r29 29 - r30 30 always r31 31 - r32 32 - r33 33 always r34 34 -
        r35 35 - r36 36 always r37 37 - r38 38 - r39 39 always r40 40 - r41 41 -
        r42 42 always r43 43 - r44 44 - r45 45 always r46 46 - r47 47 - r48 48 always
        r49 49 - r50 50 - r51 51 always r52 52 - r53 53 - r54 54 always r55 55 -
        r56 56 - r57 57 always r58 58 - r59 59 - r60 60 always r61 61 - r62 62 -
        r63 63 always r64 64 - r65 65 - r66 66 always r67 67 - r68 68 - r69 69 always
    }

    /// Stops at the step that the tool is named after.
    #[rail(priority = 65, on = [PreToolCall])]
    fn stop(call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "stop", "no")
    }

    #[tokio::test]
    async fn a_long_chain_calls_the_always_rails_after_the_stop() {
        let (_, notes) = call(&Long {}, "stop").await;
        let before: Vec<_> = (0..=65).map(name).collect();
        let after: Vec<_> = (66..=69).filter(|i: &u32| i.is_multiple_of(3)).map(name).collect();
        assert_eq!(notes, [before, after].concat());
        let (_, notes) = call(&Long {}, "go").await;
        assert_eq!(notes, (0..=69).map(name).collect::<Vec<_>>());
    }

    fn name(i: u32) -> String {
        if i.is_multiple_of(3) { format!("always {i}") } else { i.to_string() }
    }
}

mod deep {
    //! Nested chains: whichever rail stops the event, the same rails are called as in one flat chain.

    use super::*;

    macro_rules! rails {
        ($($always:ident $before:literal $stop:ident $at:literal)*) => { $(
            #[rail(priority = $before, on = [PreToolCall, PostToolCall], always)]
            fn $always(ctx: &RailContext) { seen(stringify!($always), ctx); }

            #[rail(priority = $at, on = [PreToolCall])]
            fn $stop(call: &ToolCallInputs, ctx: &RailContext) -> RailAction {
                note(ctx, stringify!($stop));
                match call.tool_name.strip_prefix(stringify!($stop)) {
                    Some(" aborts") => RailAction::abort("no"),
                    Some(" retries") if ctx.attempt() == 0 => RailAction::retry(RetryRequest::new("once more")),
                    _ => RailAction::Continue,
                }
            }
        )* };
    }

    rails! { o1 1 s2 2 o3 3 s4 4 o5 5 s6 6 o7 7 s8 8 o9 9 s10 10 }

    rail_chain! { struct OneChain { o1, s2, o3, s4, o5, s6, o7, s8, o9, s10 } }
    rail_chain! { #[chain(priority = 5)] struct Innermost { o5, s6, o7 } }
    rail_chain! { #[chain(priority = 3)] struct Middle { o3, s4, Innermost } }
    rail_chain! { #[chain(priority = 8)] struct Beside { s8, o9 } }
    rail_chain! { struct ChainsInChains { o1, s2, Middle, Beside, s10 } }

    fn mixed() -> HookManager {
        let mut hooks = HookManager::new();
        rail_chain![o1, s2].register(&mut hooks);
        Middle {}.register(&mut hooks);
        let mut manager = RailManager::new();
        manager.add(Beside {}).unwrap();
        manager.add(s10 {}).unwrap();
        let manager = std::sync::Arc::new(manager);
        for &point in HookPoint::ALL {
            hooks.add(point, manager.hook_for(point));
        }
        hooks
    }

    #[tokio::test]
    async fn nested_chains_call_the_same_rails_as_one_chain() {
        for rail in ["s2", "s4", "s6", "s8", "s10", "nobody"] {
            for what in ["aborts", "retries"] {
                let tool = format!("{rail} {what}");
                let expected = call(&OneChain {}, &tool).await;
                assert_eq!(call(&ChainsInChains {}, &tool).await, expected, "{tool}: chains in chains");
                assert_eq!(call(&mixed(), &tool).await, expected, "{tool}: HookManager");
            }
        }
        let (_, notes) = call(&ChainsInChains {}, "s6 aborts").await;
        let after = ["s6", "o7 at pre_tool_call: Abort by s6: no", "o9 at pre_tool_call: Abort by s6: no"];
        assert_eq!(notes[notes.len() - 3..], after);
    }
}

/// An event that a rail runs by itself, in a child of its context, stops nothing of the event around it.
#[tokio::test]
async fn a_stop_of_a_nested_event_does_not_stop_the_outer_event() {
    #[rail(priority = 15, on = [PreToolCall])]
    async fn second_opinion(ctx: &RailContext) -> Result<(), RailFault> {
        let rails = rail_chain![decide, audit];
        let mut call = ToolCallInputs::new("abort");
        let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx.child()).await?;
        assert_eq!(decision.rail_name(), Some("decide"));
        Ok(())
    }
    let mut ctx = RunContext::new("nested");
    let mut call = ToolCallInputs::new("search");
    let decision = rail_chain![second_opinion, audit].dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
    assert!(decision.is_continue() && ctx.stopped().is_none());
    assert_eq!(notes(&ctx), ["audit at pre_tool_call: Abort by decide: no", "audit at pre_tool_call: goes on"]);
}
