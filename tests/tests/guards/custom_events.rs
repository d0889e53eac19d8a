//! Custom events: declared, served by chains, and carried by managers of rails and of hooks.

use std::sync::Arc;

use exo_rails::prelude::*;
use exo_rails::{Chain, CustomInputs, NoRetry, RailSkip, Serves};
use tests::{note, notes};

#[derive(Debug, PartialEq)]
struct Query(&'static str);

#[derive(Debug, PartialEq)]
struct Memories(Vec<&'static str>);

/// Memories have been found, and are about to be told to the model.
#[derive(Event)]
#[event(payload = (&Query, &mut Memories), allows = "skip", substitute = Memories)]
struct MemoriesRecalled;

#[derive(Event)]
#[event(allows = "retry", name = "heart beat")]
struct Tick;

/// Of the same name as another.
mod elsewhere {
    #[derive(exo_rails::Event)]
    #[event(name = "heart beat")]
    pub(super) struct Tick;
}

#[rail(priority = 10, on = [MemoriesRecalled])]
fn known(query: &Query, ctx: &RailContext) -> RailAction<Memories, NoRetry> {
    note(ctx, "known");
    match query.0 {
        "nothing" => RailAction::skip("it is nothing"),
        "name" => RailAction::skip_with(Memories(vec!["Ada"]), "it is known"),
        "secret" => RailAction::abort("it is secret"),
        _ => RailAction::Continue,
    }
}

#[rail(priority = 20, on = [MemoriesRecalled])]
async fn shorten(memories: &mut Memories, query: &Query, ctx: &RailContext) {
    note(ctx, format!("shorten {}", query.0));
    memories.0.truncate(1);
}

/// On events of the library as well.
#[rail(priority = 30, on = [MemoriesRecalled, PreToolCall, Tick])]
fn count(inputs: Inputs<'_>, ctx: &RailContext) -> Verdict {
    match inputs {
        Inputs::Custom(mut inputs) => {
            note(ctx, format!("count {inputs:?}"));
            assert!(inputs.get::<String>().is_none() && inputs.get_mut::<Query>().is_none());
            if let Some(memories) = inputs.get_mut::<Memories>() {
                memories.0.push("counted");
            }
        }
        inputs => note(ctx, inputs.point().name()),
    }
    Verdict::Continue
}

#[rail(on = [Tick])]
fn again(ctx: &RailContext) -> RailAction {
    note(ctx, "again");
    RailAction::retry(RetryRequest::new("once more"))
}

rail_chain! {
    #[chain(events = [MemoriesRecalled, Tick])]
    struct Guards { count, shorten, known, again }
}

/// What the guard set makes of each query: what it decides, what is left, and who was called.
async fn recall<R: Serves<MemoriesRecalled> + GuardSet>(rails: &R) -> Vec<(String, Memories, Vec<String>)> {
    let mut seen = Vec::new();
    for query in ["tea", "nothing", "name", "secret"] {
        let (mut memories, mut ctx) = (Memories(vec!["likes tea", "hates rain"]), RunContext::new("own"));
        let decision = rails.dispatch::<MemoriesRecalled>((&Query(query), &mut memories), &mut ctx).await;
        seen.push((format!("{decision:?}"), memories, notes(&ctx)));
        assert_eq!(ctx.event(), MemoriesRecalled::POINT);
    }
    seen
}

fn managed() -> RailManager {
    let mut manager = RailManager::new();
    for added in [manager.add(count {}), manager.add(shorten {}), manager.add(known {}), manager.add(again {})] {
        assert!(added.is_ok());
    }
    manager
}

#[tokio::test]
async fn every_guard_set_serves_custom_events_in_the_same_way() {
    let chain = recall(&Guards {}).await;
    let mut hooks = HookManager::new();
    Guards {}.register(&mut hooks);
    assert!(hooks.has_hooks(MemoriesRecalled::POINT) && hooks.has_hooks(Tick::POINT));
    assert!(!hooks.has_hooks(elsewhere::Tick::POINT));
    assert_eq!(recall(&hooks).await, chain);

    let manager = Arc::new(managed());
    assert_eq!(recall(&manager).await, chain);
    let mut hooks = HookManager::new();
    hooks.add(MemoriesRecalled::POINT, manager.hook_for(MemoriesRecalled::POINT));
    assert_eq!(recall(&hooks).await, chain);

    let (decisions, memories, calls): (Vec<_>, Vec<_>, Vec<_>) = chain.into_iter().fold(
        Default::default(),
        |(mut decisions, mut memories, mut calls), (decision, left, called)| {
            decisions.push(decision);
            memories.push(left.0);
            calls.push(called);
            (decisions, memories, calls)
        },
    );
    assert_eq!(decisions[0], "Ok(Continue)");
    assert!(decisions[1].contains("it is nothing") && decisions[1].contains("substitute: None"), "{}", decisions[1]);
    assert!(decisions[2].contains("Some(Memories([\"Ada\"]))"), "{}", decisions[2]);
    assert!(decisions[3].contains("event: Custom(") && decisions[3].contains("it is secret"), "{}", decisions[3]);
    assert_eq!(memories[0], ["likes tea", "counted"]);
    assert_eq!(memories[1], ["likes tea", "hates rain"]);
    let count = "count memories_recalled(Query(\"tea\"), Memories([\"likes tea\"]))";
    assert_eq!(calls[0], ["known", "shorten tea", count]);
    assert_eq!(calls[3], ["known"]);
}

#[tokio::test]
async fn an_event_without_a_payload_can_return_a_retry() {
    let mut ctx = RunContext::new("own");
    let decision = Guards {}.dispatch::<Tick>((), &mut ctx).await;
    assert!(matches!(decision, Ok(Decision::Retry(retry)) if retry.rail_name == "again"), "the caller acts on it");
    assert_eq!(notes(&ctx), ["count heart beat", "again"]);
}

#[test]
fn the_plan_contains_custom_events() {
    let names = |point| Guards::PLAN.rails(point).iter().map(|rail| rail.info.name).collect::<Vec<_>>();
    assert_eq!(names(MemoriesRecalled::POINT), ["known", "shorten", "count"]);
    assert_eq!(names(Tick::POINT), ["count", "again"]);
    assert_eq!(names(elsewhere::Tick::POINT), [""; 0]);
    assert_eq!(count::EVENTS, [MemoriesRecalled::POINT, HookPoint::PreToolCall, Tick::POINT]);
    assert_eq!(shorten::REWRITES, [MemoriesRecalled::POINT]);
    assert_eq!(Guards::REWRITES, [HookPoint::PreToolCall, MemoriesRecalled::POINT, Tick::POINT]);
    assert!(Guards::PLAN.to_string().contains("memories_recalled") && Guards::PLAN.to_mermaid().contains("heart beat"));
}

#[test]
fn events_with_the_same_name_have_different_points() {
    assert_eq!(Tick::POINT.name(), elsewhere::Tick::POINT.name());
    assert_ne!(Tick::POINT, elsewhere::Tick::POINT);
    assert_eq!(serde_json::to_value(MemoriesRecalled::POINT).ok(), Some("memories_recalled".into()));
    let read = serde_json::from_value::<HookPoint>("memories_recalled".into()).map_err(|error| error.to_string());
    assert!(read.is_err_and(|error| error.starts_with("unknown event `memories_recalled`")));
}

async fn from_memory(inputs: Inputs<'_>, _: &mut RailContext) -> RailAction<Box<dyn std::any::Any + Send>> {
    match inputs {
        Inputs::Custom(inputs) if inputs.get::<Query>() == Some(&Query("name")) => {
            RailAction::skip_with(Box::new(Memories(vec!["Ada"])), "from memory")
        }
        Inputs::Custom(_) => RailAction::skip_with(Box::new("Ada"), "of the wrong type"),
        _ => RailAction::Continue,
    }
}

async fn asks_again(_: Inputs<'_>, _: &mut RailContext) -> RailAction {
    RailAction::retry(RetryRequest::new("once more"))
}

#[tokio::test]
async fn decisions_of_hooks_are_checked_against_the_event() {
    let mut ctx = RunContext::new("own");
    let mut hooks = HookManager::new();
    let handle = hooks.add(MemoriesRecalled::POINT, from_memory);
    let mut memories = Memories(Vec::new());
    let decision = hooks.dispatch::<MemoriesRecalled>((&Query("name"), &mut memories), &mut ctx).await;
    let Ok(Decision::Skip(RailSkip { substitute: Some(Memories(names)), .. })) = decision else {
        panic!("{decision:?}")
    };
    assert_eq!(names, ["Ada"]);
    let fault = hooks.dispatch::<MemoriesRecalled>((&Query("age"), &mut memories), &mut ctx).await.err();
    let expected = "the substitute of the skip has the wrong type: give a `Memories`";
    assert_eq!(fault.map(|fault| fault.cause.to_string()).as_deref(), Some(expected));

    assert!(hooks.remove(handle));
    hooks.add(MemoriesRecalled::POINT, asks_again);
    let fault = hooks.dispatch::<MemoriesRecalled>((&Query("age"), &mut memories), &mut ctx).await.err();
    let expected = "the event does not allow a hook to retry";
    assert_eq!(fault.map(|fault| fault.cause.to_string()).as_deref(), Some(expected));
    hooks.clear();
    assert!(!hooks.has_hooks(MemoriesRecalled::POINT));
}

/// Several parts of one payload reach a plain hook and come back.
#[tokio::test]
async fn hooks_can_change_the_payload_of_a_custom_event() {
    async fn clear(mut inputs: Inputs<'_>, _: &mut RailContext) {
        let own: Option<&mut CustomInputs<'_>> = match &mut inputs {
            Inputs::Custom(inputs) => Some(inputs),
            _ => None,
        };
        if let Some(memories) = own.and_then(|inputs| inputs.get_mut::<Memories>()) {
            memories.0.clear();
        }
    }
    let mut hooks = HookManager::new();
    hooks.add(MemoriesRecalled::POINT, clear);
    let mut memories = Memories(vec!["likes tea"]);
    let decision =
        hooks.dispatch::<MemoriesRecalled>((&Query("tea"), &mut memories), &mut RunContext::new("own")).await;
    assert!(decision.is_ok_and(|decision| decision.is_continue()) && memories.0.is_empty());
}
