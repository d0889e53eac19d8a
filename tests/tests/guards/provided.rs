//! Values that rails provide: the rails that need them have them, in the order that the compiler has checked.

use exo_rails::prelude::*;
use tests::{GuardDyn, Warnings, note, notes};

#[derive(Debug, PartialEq, Provided)]
struct Left(u32);

#[derive(Provided)]
struct Who {
    name: String,
}

#[rail(priority = 10, on = [PreToolCall, PostToolCall], provides = [Who])]
async fn identify(call: &ToolCallInputs) -> Result<Provide<Who, NoSubstitute>, String> {
    tokio::task::yield_now().await;
    match call.str_argument("user") {
        Some("nobody") => Ok(Provide::abort("nobody may do that")),
        Some("broken") => Err("the directory is down".into()),
        Some(name) => Ok(Provide::value(Who { name: name.to_owned() })),
        None => Ok(Provide::skip("who asks?")),
    }
}

use exo_rails::NoSubstitute;

#[rail(priority = 20, on = [PreToolCall], needs = [Who], provides = [Left])]
fn limit(who: &Who) -> Left {
    Left(if who.name == "admin" { 10 } else { 1 })
}

#[rail(priority = 30, on = [PreToolCall], needs = [Left, Who])]
async fn audit(ctx: &mut RailContext, left: &Left, call: &mut ToolCallInputs, who: &Who) -> Verdict {
    tokio::task::yield_now().await;
    note(ctx, format!("{} has {} left for {}", who.name, left.0, call.tool_name));
    Verdict::abort_if(left.0 == 0, "none left")
}

#[rail(priority = 40, on = [PostToolCall], needs = [Who])]
fn after(who: &Who, ctx: &RailContext) {
    note(ctx, format!("after {}, {:?}", who.name, ctx.provided::<Left>()));
}

rail_chain! { struct Guards { audit, after, limit, identify } }

fn manager() -> RailManager {
    let mut manager = RailManager::new();
    manager.add(audit {}).unwrap();
    manager.add(after {}).unwrap();
    manager.add(limit {}).unwrap();
    manager.add(identify {}).unwrap();
    manager
}

fn hooks() -> HookManager {
    let mut hooks = HookManager::new();
    Guards {}.register(&mut hooks);
    hooks
}

async fn call(rails: &impl GuardSet, user: Option<&str>) -> (Result<String, String>, Vec<String>) {
    let mut ctx = RunContext::new("provided");
    let mut call = ToolCallInputs::new("search");
    if let Some(user) = user {
        assert!(call.set_argument("user", user));
    }
    let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("found")) };
    let result = rails.guard_tool_call(call, &mut ctx, tool).await;
    (result.map(|output| output.content).map_err(|error| error.to_string()), notes(&ctx))
}

async fn everywhere(user: Option<&str>) -> (Result<String, String>, Vec<String>) {
    let expected = call(&Guards {}, user).await;
    assert_eq!(call(&manager(), user).await, expected, "RailManager");
    assert_eq!(call(&hooks(), user).await, expected, "HookManager");
    expected
}

#[tokio::test]
async fn a_provided_value_reaches_later_rails_of_its_event_only() {
    let (result, notes) = everywhere(Some("admin")).await;
    assert_eq!(result.as_deref(), Ok("found"));
    assert_eq!(notes, ["admin has 10 left for search", "after admin, None"]);
}

#[tokio::test]
async fn later_rails_do_not_run_if_a_provider_stops_the_event() {
    let (result, notes) = everywhere(Some("nobody")).await;
    assert_eq!(result, Err("rail `identify` aborted at pre_tool_call: nobody may do that".into()));
    assert!(notes.is_empty());
    let (result, _) = everywhere(None).await;
    assert_eq!(result.unwrap(), "The call of `search` was skipped by the rail `identify`: who asks?");
}

#[tokio::test]
async fn a_provider_that_faults_stops_the_run() {
    let (result, notes) = everywhere(Some("broken")).await;
    assert_eq!(result, Err("rail `identify` faulted at pre_tool_call: the directory is down".into()));
    assert!(notes.is_empty());
}

#[tokio::test]
async fn a_provider_that_returns_only_values_stops_the_run_when_it_faults() {
    #[rail(on = [PreToolCall], provides = [Left])]
    fn broken() -> Result<Left, &'static str> {
        Err("no idea")
    }
    let (result, _) = call(&rail_chain![broken], None).await;
    assert_eq!(result, Err("rail `broken` faulted at pre_tool_call: no idea".into()));
}

#[tokio::test]
async fn several_values_are_a_tuple() {
    #[rail(priority = 1, on = [Start], provides = [Left, Who])]
    fn both() -> (Left, Who) {
        (Left(3), Who { name: "both".into() })
    }
    #[rail(priority = 2, on = [Start], needs = [Who, Left])]
    fn needs(left: &Left, who: &Who, ctx: &RailContext) {
        note(ctx, format!("{} {}", who.name, left.0));
    }
    let mut ctx = RunContext::new("provided");
    let decision = rail_chain![needs, both].dispatch::<Start>(&mut InvokeInputs::new("hi"), &mut ctx).await.unwrap();
    assert!(decision.is_continue());
    assert_eq!(notes(&ctx), ["both 3"]);
}

#[tokio::test]
async fn a_chain_provides_to_the_chain_around_it() {
    rail_chain! { #[chain(priority = 5)] struct Identity { identify } }
    rail_chain! { struct Outer { after, Identity } }
    let (result, notes) = call(&Outer {}, Some("eve")).await;
    assert_eq!(result.as_deref(), Ok("found"));
    assert_eq!(notes, ["after eve, None"]);
}

mod generic {
    //! The instances of a generic rail share name and place. Their places in the list distinguish them.

    use std::marker::PhantomData;

    use super::*;

    #[derive(Provided)]
    struct A;

    #[derive(Provided)]
    struct B;

    #[rail(on = [PreToolCall], provides = [A])]
    fn give_a() -> A {
        A
    }

    #[rail(on = [PreToolCall], provides = [B])]
    fn give_b() -> B {
        B
    }

    struct Use<T>(PhantomData<T>);

    #[rail]
    impl<T: Provided> Use<T> {
        #[on(PreToolCall, needs = [T])]
        fn uses(_: &T, ctx: &RailContext) {
            note(ctx, T::VALUE.name);
        }
    }

    rail_chain! { struct Guards { give_a, use_a: Use<A>, give_b, use_b: Use<B> } }

    #[tokio::test]
    async fn each_instance_receives_the_value_that_it_needs() {
        let (_, notes) = call(&Guards { use_a: Use(PhantomData), use_b: Use(PhantomData) }, None).await;
        assert_eq!(notes, ["A", "B"]);
    }
}

#[tokio::test]
async fn without_a_chain_a_missing_value_is_a_fault() {
    let mut manager = RailManager::new();
    manager.add(audit {}).unwrap();
    let (result, notes) = call(&manager, None).await;
    let expected =
        "rail `audit` faulted at pre_tool_call: it needs `Left`, and no earlier rail provided it at this event";
    assert_eq!(result, Err(expected.into()));
    assert!(notes.is_empty());

    let (warnings, _guard) = Warnings::collect();
    let mut manager = RailManager::new();
    manager.add(after {}).unwrap();
    let (result, _) = call(&manager, None).await;
    assert_eq!(result.as_deref(), Ok("found"), "an observer does not stop the run");
    assert!(warnings.seen()[0].contains("it needs `Who`"), "{:?}", warnings.seen());
}

#[tokio::test]
async fn a_retry_begins_without_values() {
    #[rail(priority = 15, on = [PreToolCall])]
    fn seen(ctx: &RailContext) {
        note(ctx, format!("{:?}", ctx.provided::<Left>()));
    }
    #[rail(priority = 16, on = [PreToolCall], provides = [Left])]
    fn left() -> Left {
        Left(1)
    }
    #[rail(priority = 20, on = [PostToolCall])]
    fn again(ctx: &RailContext) -> RailAction {
        if ctx.attempt() == 0 { RailAction::retry(RetryRequest::new("once more")) } else { RailAction::Continue }
    }
    let (result, notes) = call(&rail_chain![seen, left, again], None).await;
    assert!(result.is_ok());
    assert_eq!(notes, ["None", "None"]);
}

rail_chain! {
    /// `limit` provides what `audit` needs; both need what the chain around them provides.
    #[chain(needs = [Who])]
    struct Needy { audit, limit, after }
}

rail_chain! {
    /// It provides one value that the chain inside needs, and passes the need for the other on.
    #[chain(needs = [Who], priority = 30)]
    struct Passing { Needy }
}

rail_chain! { struct Complete { identify, Passing } }

#[tokio::test]
async fn a_chain_may_need_values_of_the_chain_around_it() {
    let flat = rail_chain![identify, audit, limit, after];
    for user in [Some("admin"), Some("Ada"), Some("nobody"), Some("broken"), None] {
        let expected = call(&flat, user).await;
        assert_eq!(call(&Complete, user).await, expected);
    }
    let needs = <Needy as Rail>::EVENTS;
    assert!(needs.contains(&HookPoint::PreToolCall) && needs.contains(&HookPoint::PostToolCall));
    let mut manager = RailManager::new();
    manager.add(identify {}).unwrap();
    manager.add(Needy {}).unwrap();
    assert_eq!(call(&manager, Some("admin")).await, call(&flat, Some("admin")).await);
}

#[rail(priority = 10, on = [PreToolCall, MemoryStored], provides = [Granted])]
fn grants(inputs: &Inputs<'_>) -> Granted {
    Granted(match inputs {
        Inputs::PreToolCall(call) => call.tool_name.clone(),
        _ => "memory".to_owned(),
    })
}

#[derive(Debug, PartialEq, Provided)]
struct Granted(String);

fn granted<T>(permit: &exo_rails::Permit<T>) -> Option<String> {
    permit.provided::<Granted>().map(|granted| granted.0.clone())
}

#[tokio::test]
async fn a_permit_has_the_values_of_its_own_operation() {
    let rails = rail_chain![grants];
    let mut ctx = RunContext::new("provided");
    let tool = async |call: Permit<ToolCallInputs>| Ok::<_, OperationError>(format!("{:?}", granted(&call)));
    for name in ["search", "read_file"] {
        let output = rails.guard_tool_call(ToolCallInputs::new(name), &mut ctx, tool).await.unwrap();
        assert_eq!(output.content, format!("Some({name:?})"));
    }
    // The same context, and a guard set that provides nothing.
    let _ = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("stale"), &mut ctx).await.unwrap();
    let output = exo_rails::NoRails.dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "None");
    let output = rails.guard_tool_call(ToolCallInputs::new("again"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "Some(\"again\")");

    let store = async |entry: Permit<exo_rails::MemoryEntry>| {
        assert_eq!(granted(&entry).as_deref(), Some("memory"));
        Ok::<_, OperationError>(())
    };
    rails.guard_store(exo_rails::MemoryEntry::default(), &mut ctx, store).await.unwrap();
    // A rail in shadow provides nothing.
    let output = rails.shadow().guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "None");
}
