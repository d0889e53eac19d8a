//! Onions: what runs first before something happens runs last after it.

use exo_rails::prelude::*;
use exo_rails::{Chain, ChainRequirements, Requirement, Serves, chain_requirements};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tests::{note, take_notes};

/// A custom operation is about to begin.
#[derive(Event)]
#[event(allows = "abort")]
struct Opening;

/// It has happened.
#[derive(Event)]
#[event(allows = "abort", after = true)]
struct Closed;

/// A rail on each event. It notes its name, and stops where the script says so.
macro_rules! noting {
    ($($(#[$doc:meta])* $rail:ident = $priority:literal;)*) => {$(
        $(#[$doc])*
        #[rail(priority = $priority, on = [
            SessionStart, Start, MemoryRecalled, ContextAssembled, PreCompaction, PostCompaction, ContextOverflow, PreLlmCall,
            LlmChunk, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, MemoryStored, events::Error, Suspended, SessionEnd, Dropped, Opening, Closed,
        ])]
        fn $rail(ctx: &RailContext) {
            note(ctx, stringify!($rail));
        }
    )*};
}

noting! {
    outer = 10;
    one = 20;
    two = 20;
    inner = 30;
}

rail_chain! {
    #[chain(onion, events = [Opening, Closed])]
    struct Onion { inner, one, two, outer }
}

rail_chain! {
    #[chain(events = [Opening, Closed])]
    struct Straight { inner, one, two, outer }
}

fn names(plan: exo_rails::Plan, point: HookPoint) -> Vec<&'static str> {
    plan.rails(point).iter().map(|rail| rail.info.name).collect()
}

#[test]
fn an_onion_reverses_the_order_at_events_after_an_operation() {
    use HookPoint as P;
    let before = [
        P::SessionStart,
        P::Start,
        P::MemoryRecalled,
        P::ContextAssembled,
        P::PreCompaction,
        P::ContextOverflow,
        P::PreLlmCall,
        P::LlmChunk,
        P::PreToolCall,
        P::MemoryStored,
        Opening::POINT,
    ];
    for &point in HookPoint::ALL.iter().chain(&[Opening::POINT, Closed::POINT]) {
        let (order, after) = (["outer", "one", "two", "inner"], !before.contains(&point));
        assert_eq!(names(Straight::PLAN, point), order, "{point}");
        let expected: Vec<_> = if after { order.into_iter().rev().collect() } else { order.to_vec() };
        assert_eq!(names(Onion::PLAN, point), expected, "{point}");
        assert_eq!(point.is_after(), after, "{point}");
        let reversed = |plan: exo_rails::Plan| {
            plan.events.iter().filter(|plan| plan.event == point).map(|plan| plan.reversed).collect::<Vec<_>>()
        };
        assert_eq!((reversed(Onion::PLAN), reversed(Straight::PLAN)), (vec![after], vec![false]), "{point}");
    }
}

#[test]
fn the_plan_shows_at_which_events_the_order_is_reversed() {
    let plan = serde_json::to_value(Onion::PLAN).unwrap();
    let reversed = |name| {
        plan["events"].as_array().unwrap().iter().find(|plan| plan["event"] == name).unwrap()["reversed"].clone()
    };
    assert_eq!((reversed("pre_tool_call"), reversed("post_tool_call")), (false.into(), true.into()));
    assert_eq!((reversed("opening"), reversed("closed")), (false.into(), true.into()));
    let table = Onion::PLAN.to_string();
    let rows: Vec<_> = table.lines().skip_while(|row| !row.starts_with("closed")).collect();
    assert!(rows.len() == 4 && rows[0].contains("inner") && rows[3].contains("outer"), "{table}");
}

/// What the rails of a set note around a tool call, and at two custom events.
async fn around<R: GuardSet + Serves<Opening> + Serves<Closed>>(rails: &R) -> [String; 2] {
    let mut ctx = RunContext::new("onion");
    let tool = |call: Permit<ToolCallInputs>| async move {
        note(call.scope(), "tool");
        Ok::<_, OperationError>(ToolOutput::text("done"))
    };
    let output = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await;
    assert!(output.is_ok(), "{output:?}");
    let called = take_notes(&ctx).join(" ");
    let opening = rails.dispatch::<Opening>((), &mut ctx).await;
    note(&ctx, "-");
    let closed = rails.dispatch::<Closed>((), &mut ctx).await;
    assert!(opening.is_ok() && closed.is_ok());
    [called, take_notes(&ctx).join(" ")]
}

fn manager_of(mut manager: RailManager) -> RailManager {
    for added in [manager.add(inner {}), manager.add(one {}), manager.add(two {}), manager.add(outer {})] {
        assert!(added.is_ok());
    }
    manager
}

#[tokio::test]
async fn onion_chains_and_managers_run_post_rails_in_reverse() {
    let onion = ["outer one two inner tool inner two one outer", "outer one two inner - inner two one outer"];
    let straight = ["outer one two inner tool outer one two inner", "outer one two inner - outer one two inner"];
    assert_eq!(around(&Onion {}).await, onion);
    assert_eq!(around(&Straight {}).await, straight);
    assert_eq!(
        around(&rail_chain![
            #[chain(onion, events = [Opening, Closed])]
            inner,
            one,
            two,
            outer
        ])
        .await,
        onion
    );
    assert_eq!(around(&manager_of(RailManager::onion())).await, onion);
    assert_eq!(around(&manager_of(RailManager::new())).await, straight);
    let mut hooks = HookManager::new();
    Onion {}.register(&mut hooks);
    assert_eq!(around(&hooks).await, onion);
}

#[tokio::test]
async fn an_onion_manager_stays_an_onion_after_changes() {
    let mut manager = manager_of(RailManager::onion());
    manager.clear();
    let handle = manager.add(one {}).unwrap();
    manager.add(outer {}).unwrap();
    manager.add(two {}).unwrap();
    assert_eq!(around(&manager).await[1], "outer one two - two one outer");
    assert!(manager.remove(handle));
    let copy = manager.clone();
    manager.add(one {}).unwrap();
    assert_eq!(around(&manager).await[1], "outer two one - one two outer");
    assert_eq!(around(&copy).await[1], "outer two - two outer");
}

mod in_chains {
    use super::*;

    rail_chain! {
        #[chain(priority = 20, onion, events = [Opening, Closed])]
        struct OnionInside { two, one }
    }

    rail_chain! {
        #[chain(priority = 20, events = [Opening, Closed])]
        struct StraightInside { two, one }
    }

    rail_chain! {
        #[chain(onion, events = [Opening, Closed])]
        struct OnionOfOnion { outer, OnionInside, inner }
    }

    rail_chain! {
        #[chain(onion, events = [Opening, Closed])]
        struct OnionOfStraight { outer, StraightInside, inner }
    }

    rail_chain! {
        #[chain(events = [Opening, Closed])]
        struct StraightOfOnion { outer, OnionInside, inner }
    }

    /// A chain inside is one rail of the chain around it: each reverses its own list, or does not.
    #[tokio::test]
    async fn each_chain_reverses_its_own_list() {
        let inside = |way_out: &str| ["tool", "-"].map(|between| format!("outer two one inner {between} {way_out}"));
        assert_eq!(around(&OnionOfOnion {}).await, inside("inner one two outer"));
        assert_eq!(around(&OnionOfStraight {}).await, inside("inner two one outer"));
        assert_eq!(around(&StraightOfOnion {}).await, inside("outer one two inner"));
        let mut manager = RailManager::onion();
        for added in [manager.add(inner {}), manager.add(OnionInside {}), manager.add(outer {})] {
            assert!(added.is_ok());
        }
        assert_eq!(around(&manager).await, inside("inner one two outer"));
    }
}

mod always {
    use super::*;

    #[rail(priority = 10, on = [PreToolCall, PostToolCall], always)]
    fn audit(ctx: &RailContext) {
        let who = ctx.stopped().map_or("nobody", |stopped| stopped.rail_name.as_str());
        note(ctx, format!("audit {who}"));
    }

    #[rail(priority = 20, on = [PreToolCall, PostToolCall])]
    fn between(ctx: &RailContext) {
        note(ctx, "between");
    }

    #[rail(priority = 30, on = [PostToolCall])]
    fn refuse(ctx: &RailContext) -> Verdict {
        note(ctx, "refuse");
        Verdict::abort("not this")
    }

    #[rail(priority = 40, on = [PreToolCall, PostToolCall], always)]
    fn trace(ctx: &RailContext) {
        let who = ctx.stopped().map_or("nobody", |stopped| stopped.rail_name.as_str());
        note(ctx, format!("trace {who}"));
    }

    rail_chain! {
        #[chain(onion)]
        struct Audited { audit, between, refuse, trace }
    }

    async fn called<R: GuardSet>(rails: &R) -> Vec<String> {
        let mut ctx = RunContext::new("onion");
        let (call, mut output) = (ToolCallInputs::new("search"), ToolOutput::text("done"));
        let decision = rails.dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await;
        assert!(matches!(decision, Ok(Decision::Abort(abort)) if abort.rail_name == "refuse"));
        take_notes(&ctx)
    }

    /// On the way out, what is always called runs after the stop when it would have come later on this way.
    #[tokio::test]
    async fn always_rails_run_in_the_reversed_order_after_a_stop() {
        let expected = ["trace nobody", "refuse", "audit refuse"];
        assert_eq!(called(&Audited {}).await, expected);
        let mut manager = RailManager::onion();
        for added in [manager.add(audit {}), manager.add(between {}), manager.add(refuse {}), manager.add(trace {})] {
            assert!(added.is_ok());
        }
        assert_eq!(called(&manager).await, expected);
        rail_chain! {
            #[chain(onion)]
            struct Around { Audited }
        }
        assert_eq!(called(&Around {}).await, expected);
    }
}

mod values {
    use super::*;

    #[derive(Provided)]
    struct Size(usize);

    #[rail(priority = 20, on = [PostToolCall], provides = [Size])]
    fn measure(output: &ToolOutput) -> Size {
        Size(output.content.len())
    }

    #[rail(priority = 10, on = [PostToolCall], needs = [Size])]
    fn report(size: &Size, ctx: &RailContext) {
        note(ctx, format!("{} bytes", size.0));
    }

    rail_chain! {
        #[chain(onion)]
        struct Measured { report, measure }
    }

    /// The other way round than without an onion: what is provided on the way out comes from further inside.
    #[tokio::test]
    async fn an_inner_rail_provides_a_value_for_outer_post_rails() {
        let mut ctx = RunContext::new("onion");
        let (call, mut output) = (ToolCallInputs::new("search"), ToolOutput::text("done"));
        let decision = (Measured {}).dispatch::<PostToolCall>((&call, &mut output), &mut ctx).await;
        assert!(decision.is_ok());
        assert_eq!(take_notes(&ctx), ["4 bytes"]);
    }
}

mod requirements {
    use super::*;

    #[rail(priority = 10, on = [PreToolCall, PostToolCall, Finished], before = [check])]
    fn log() {}

    #[rail(priority = 20, on = [PreToolCall, PostToolCall, Finished], after = [log])]
    fn check() {}

    chain_requirements! {
        struct Company {
            before(log, check),
            first(log on PreToolCall),
            last(log on PostToolCall),
            first(check on Finished),
        }
    }

    rail_chain! {
        #[chain(onion, before(log, check), first(check on PostToolCall), last(check on PreToolCall), requirements = Company)]
        struct Required { check, log }
    }

    rail_chain! {
        #[chain(onion, requirements = Company)]
        struct Around { Required }
    }

    /// "Before" is about the way in, also where a rail is on the way out alone; "first" and "last" are about the event
    /// that they name, as it is. That it compiles is the test.
    #[test]
    fn the_requirement_before_means_the_order_at_pre_events() {
        assert_eq!(names(Required::PLAN, HookPoint::PreToolCall), ["log", "check"]);
        assert_eq!(names(Required::PLAN, HookPoint::Finished), ["check", "log"]);
        assert_eq!(names(Around::PLAN, HookPoint::Finished), ["Required"]);
        let texts = Company::REQUIREMENTS.iter().map(Requirement::to_string).collect::<Vec<_>>();
        assert_eq!(texts[2], "last(log on PostToolCall)");
    }
}

/// Rails of a few priorities, some of them equal. The script says what each does at an event.
macro_rules! family {
    ($($rail:ident $id:literal = $priority:literal $($always:ident)?;)*) => {
        $(family!(@rail $rail $id $priority $($always)?);)*

        /// Adds the rail of this number.
        fn add(manager: &mut RailManager, id: usize) {
            let added = match id {
                $($id => manager.add($rail {}),)*
                other => unreachable!("there is no rail {other}"),
            };
            assert!(added.is_ok());
        }

        const FAMILY: &[(usize, i32)] = &[$(($id, $priority)),*];

        rail_chain! {
            #[chain(onion, events = [Opening, Closed])]
            struct Family { $($rail),* }
        }
    };
    (@rail $rail:ident $id:literal $priority:literal) => {
        #[rail(priority = $priority, on = [Opening, Closed])]
        fn $rail(ctx: &RailContext) -> Verdict {
            note(ctx, stringify!($id));
            let stops = ctx.run.get::<Stops>().is_some_and(|stops| stops.0.contains(&$id));
            Verdict::abort_if(stops, "the script says so")
        }
    };
    (@rail $rail:ident $id:literal $priority:literal always) => {
        #[rail(priority = $priority, on = [Opening, Closed], always)]
        fn $rail(ctx: &RailContext) {
            note(ctx, stringify!($id));
        }
    };
}

family! {
    r0 0 = 50;
    r1 1 = 10 always;
    r2 2 = 50 always;
    r3 3 = -7;
    r4 4 = 50;
    r5 5 = 90 always;
    r6 6 = 10;
    r7 7 = -7 always;
}

/// The rails that abort.
#[derive(Clone)]
struct Stops(Vec<usize>);

fn is_always(id: usize) -> bool {
    [1, 2, 5, 7].contains(&id)
}

/// The plain model: sorted, reversed, and from the first that stops on only those that are always called.
fn model(added: &[usize], stops: &[usize], after: bool) -> Vec<String> {
    let mut order = added.to_vec();
    order.sort_by_key(|id| FAMILY[*id].1);
    if after {
        order.reverse();
    }
    let stop = order.iter().position(|id| stops.contains(id) && !is_always(*id)).unwrap_or(order.len());
    let called = order.iter().enumerate().filter(|(at, id)| *at <= stop || is_always(**id));
    called.map(|(_, id)| id.to_string()).collect()
}

async fn called<R: Serves<Opening> + Serves<Closed> + GuardSet>(rails: &R, stops: &[usize]) -> [Vec<String>; 2] {
    let mut ctx = RunContext::new("onion");
    ctx.run.insert(Stops(stops.to_vec()));
    assert!(rails.dispatch::<Opening>((), &mut ctx).await.is_ok());
    let before = take_notes(&ctx);
    assert!(rails.dispatch::<Closed>((), &mut ctx).await.is_ok());
    [before, take_notes(&ctx)]
}

#[test]
fn chains_managers_and_the_model_agree() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let all: Vec<_> = FAMILY.iter().map(|(id, _)| *id).collect();
    let some = proptest::sample::subsequence(all.clone(), 0..=all.len()).prop_shuffle();
    let stops = proptest::sample::subsequence(all.clone(), 0..3);
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&(some, stops), |(added, stops)| {
        let expected = |added: &[usize]| [false, true].map(|after| model(added, &stops, after));
        let mut manager = RailManager::onion();
        for id in &added {
            add(&mut manager, *id);
        }
        prop_assert_eq!(runtime.block_on(called(&manager, &stops)), expected(&added));
        prop_assert_eq!(runtime.block_on(called(&Family {}, &stops)), expected(&all));
        Ok(())
    });
    outcome.unwrap();
}
