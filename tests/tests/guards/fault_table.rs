//! What happens after each kind of fault, of each kind of rail, with each `on_fault`, at each event, in each guard set: the
//! table in the docs of `OnFault`, walked.

#![allow(clippy::struct_field_names, reason = "a field is named like the options of its rail")]

use std::sync::Arc;
use std::time::Duration;

use exo_rails::events::Error;
use exo_rails::prelude::*;
use exo_rails::{Chain, WithoutAround};
use tests::{GuardDyn, Warnings, note, notes};

/// What happens when a rail faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    Ends,
    Skips,
    GoesOn,
}

use Comes::{Ends, GoesOn, Skips};

impl Comes {
    /// How the docs say it.
    fn documented(comes: Option<Self>) -> &'static str {
        match comes {
            Some(Ends) => "the run ends",
            Some(Skips) => "the event is skipped",
            Some(GoesOn) => "the rails go on",
            None => "does not compile",
        }
    }
}

/// The values of `on_fault`, in the order of the columns.
const ON_FAULT: [&str; 4] = ["", "abort", "skip", "continue"];

/// A kind of rail, its name in the docs, and the effect of its faults. There is no effect where it does not compile.
const TABLE: [(&str, &str, [Option<Comes>; 4]); 5] = [
    ("decides", "decides: it returns a `Verdict` or an action", [Some(Ends), Some(Ends), Some(Skips), Some(GoesOn)]),
    (
        "changes",
        "takes what the event carries, or the arguments of a tool, by `&mut`",
        [Some(Ends), Some(Ends), Some(Skips), Some(GoesOn)],
    ),
    ("provides", "`provides` values", [Some(Ends), Some(Ends), Some(Skips), None]),
    ("looks", "only observes", [Some(GoesOn), Some(Ends), Some(Skips), Some(GoesOn)]),
    ("always", "is `always` called", [Some(GoesOn), None, None, Some(GoesOn)]),
];

#[test]
fn the_docs_contain_the_table_of_faults() {
    let docs = include_str!("../../../exo-rails/src/decision/on_fault.rs");
    for (_, kind, comes) in TABLE {
        let row = format!("/// | {kind} | {} |", comes.map(Comes::documented).join(" | "));
        assert!(docs.lines().any(|line| line == row), "{row}");
    }
    assert!(docs.contains("/// | is a plain hook | the run ends | | | |"));
}

/// What the table says.
fn expected(kind: &str, on_fault: &str) -> Comes {
    let (_, _, row) = TABLE.into_iter().find(|row| row.0 == kind).unwrap();
    row[ON_FAULT.iter().position(|value| *value == on_fault).unwrap()].unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    Error,
    Timeout,
    Panic,
}

use Fault::{Error as Returned, Panic, Timeout};

impl Fault {
    /// What the fault says.
    const fn cause(self) -> &'static str {
        match self {
            Returned => "broken",
            Timeout => "it took longer than 20ms",
            Panic => "it panicked: broken",
        }
    }
}

/// Which rail faults, at which event, and how: in the store of the run.
#[derive(Clone, Copy, Debug)]
struct Case {
    rail: &'static str,
    at: HookPoint,
    fault: Fault,
}

/// Faults if the case says that this rail faults at this event.
async fn fault(this: &str, ctx: &RailContext) -> Result<(), &'static str> {
    match ctx.run.get() {
        Some(Case { rail, at, fault }) if rail == this && at == ctx.event() => match fault {
            Returned => Err("broken"),
            Timeout => std::future::pending().await,
            Panic => panic!("broken"),
        },
        _ => Ok(()),
    }
}

async fn verdict(this: &str, ctx: &RailContext) -> Result<Verdict, &'static str> {
    fault(this, ctx).await.map(|()| Verdict::Continue)
}

#[rail(
    priority = 60,
    on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error]
)]
fn later(ctx: &RailContext) {
    note(ctx, ctx.event().name());
}

/// Is called whatever comes of the fault.
#[rail(
    priority = 70,
    on = [Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, events::Error],
    always
)]
fn audit(ctx: &RailContext) {
    if ctx.run.get::<Case>().is_some_and(|case| case.at == ctx.event()) {
        note(ctx, "audit");
    }
}

/// For each kind of rail, a chain and a manager of rails that differ in their options. Each rail is called `faulty`, and is
/// in a module of its own. In each case, one of these rails faults.
macro_rules! rails {
    ($($chain:ident { $($module:ident: $kind:tt $([$($option:tt)*])?;)* })*) => {
        $($(mod $module {
            use super::*;

            const THIS: &str = stringify!($module);

            #[derive(Clone)]
            pub(crate) struct Faulty;

            rails!(@$kind $(, $($option)*)?);

            /// Walks these faults at each event of the rail.
            pub(crate) async fn walk(faults: &[Fault], comes: Comes) {
                for (at, &fault) in Faulty::EVENTS.iter().flat_map(|&at| faults.iter().map(move |fault| (at, fault))) {
                    $chain::check(Case { rail: THIS, at, fault }, comes).await;
                }
            }
        })*)*

        $(rail_chain! { #[derive(Clone)] struct $chain { audit, later, $($module: $module::Faulty),* } }

        impl $chain {
            fn new() -> Self {
                Self { $($module: $module::Faulty),* }
            }

            fn manager() -> RailManager {
                tests::rails![audit, later, $($module::Faulty),*]
            }

            /// Holds one case against what is to come of it, in each guard set.
            async fn check(case: Case, comes: Comes) {
                check(&Self::new(), case, comes, "a chain").await;
                check(&Self::manager(), case, comes, "a RailManager").await;
                for (hooks, set) in hook_managers(Self::new(), Self::manager()) {
                    check(&hooks, case, comes, &format!("a HookManager with {set}")).await;
                }
            }
        })*
    };

    (@decides $($option:tt)*) => {
        #[rail(name = "faulty")]
        impl Faulty {
            #[on(Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished $($option)*)]
            async fn decides(ctx: &RailContext) -> Result<Verdict, &'static str> { verdict(THIS, ctx).await }
        }
    };
    (@looks $($option:tt)*) => {
        #[rail(name = "faulty")]
        impl Faulty {
            #[on(Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished $($option)*)]
            async fn looks(ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }
        }
    };
    // At `Error` there is nothing to skip, and that does not compile.
    (@looks_at_error $($option:tt)*) => {
        #[rail(name = "faulty")]
        impl Faulty {
            #[on(Error $($option)*)]
            async fn looks(_: &RunError, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }
        }
    };
    (@provides $($option:tt)*) => {
        #[derive(Provided)]
        pub(crate) struct Value;

        #[rail(name = "faulty")]
        impl Faulty {
            #[on(
                Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished,
                provides = [Value] $($option)*
            )]
            async fn provides(ctx: &RailContext) -> Result<Value, &'static str> { fault(THIS, ctx).await.map(|()| Value) }
        }
    };
    (@provides_at_error $($option:tt)*) => {
        #[derive(Provided)]
        pub(crate) struct Value;

        #[rail(name = "faulty")]
        impl Faulty {
            #[on(Error, provides = [Value] $($option)*)]
            async fn provides(ctx: &RailContext) -> Result<Value, &'static str> { fault(THIS, ctx).await.map(|()| Value) }
        }
    };
    (@always $($option:tt)*) => {
        #[rail(name = "faulty")]
        impl Faulty {
            #[on(
                Start, PreLlmCall, PostLlmCall, LlmError, PreToolCall, PostToolCall, ToolError, Finished, Error,
                always $($option)*
            )]
            async fn observes(ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }
        }
    };
    (@changes $($option:tt)*) => {
        #[rail(name = "faulty")]
        impl Faulty {
            #[on(Start $($option)*)]
            async fn run(_: &mut InvokeInputs, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }

            #[on(PreLlmCall $($option)*)]
            async fn ask(_: &mut ModelCallInputs, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }

            #[on(PostLlmCall $($option)*)]
            async fn response(_: &mut ModelResponse, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }

            #[on(PreToolCall $($option)*)]
            async fn call(_: &mut ToolCallInputs, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }

            #[on(PostToolCall $($option)*)]
            async fn output(_: &mut ToolOutput, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }

            #[on(Finished $($option)*)]
            async fn answer(_: &mut InvokeOutput, ctx: &RailContext) -> Result<(), &'static str> { fault(THIS, ctx).await }
        }
    };
}

rails! {
    Deciding {
        decides: decides [timeout = "20ms", on_panic = "fault"];
        decides_abort: decides [timeout = "20ms", on_panic = "fault", on_fault = "abort"];
        decides_skip: decides [timeout = "20ms", on_panic = "fault", on_fault = "skip"];
        decides_continue: decides [timeout = "20ms", on_panic = "fault", on_fault = "continue"];
        // A rail that asks for less is called in another way: without its time, or its panics, or either.
        decides_plainly: decides;
        decides_plainly_abort: decides [on_fault = "abort"];
        decides_plainly_skip: decides [on_fault = "skip"];
        decides_plainly_continue: decides [on_fault = "continue"];
        decides_in_time: decides [timeout = "20ms"];
        decides_or_panics: decides [on_panic = "fault"];
    }
    Changing {
        changes: changes [timeout = "20ms", on_panic = "fault"];
        changes_abort: changes [timeout = "20ms", on_panic = "fault", on_fault = "abort"];
        changes_skip: changes [timeout = "20ms", on_panic = "fault", on_fault = "skip"];
        changes_continue: changes [timeout = "20ms", on_panic = "fault", on_fault = "continue"];
        changes_plainly: changes;
        changes_plainly_abort: changes [on_fault = "abort"];
        changes_plainly_skip: changes [on_fault = "skip"];
        changes_plainly_continue: changes [on_fault = "continue"];
    }
    Providing {
        provides: provides [timeout = "20ms", on_panic = "fault"];
        provides_abort: provides [timeout = "20ms", on_panic = "fault", on_fault = "abort"];
        provides_skip: provides [timeout = "20ms", on_panic = "fault", on_fault = "skip"];
    }
    Looking {
        looks: looks [timeout = "20ms", on_panic = "fault"];
        looks_abort: looks [timeout = "20ms", on_panic = "fault", on_fault = "abort"];
        looks_skip: looks [timeout = "20ms", on_panic = "fault", on_fault = "skip"];
        looks_continue: looks [timeout = "20ms", on_panic = "fault", on_fault = "continue"];
        looks_plainly: looks;
        looks_plainly_abort: looks [on_fault = "abort"];
        looks_plainly_skip: looks [on_fault = "skip"];
        looks_plainly_continue: looks [on_fault = "continue"];
        looks_in_time: looks [timeout = "20ms"];
        looks_or_panics: looks [on_panic = "fault"];
    }
    Observing {
        always: always [timeout = "20ms", on_panic = "fault"];
        always_continue: always [timeout = "20ms", on_panic = "fault", on_fault = "continue"];
    }
    OnErrors {
        looks_at_error: looks_at_error [timeout = "20ms", on_panic = "fault"];
        looks_at_error_abort: looks_at_error [timeout = "20ms", on_panic = "fault", on_fault = "abort"];
        looks_at_error_continue: looks_at_error [timeout = "20ms", on_panic = "fault", on_fault = "continue"];
        looks_plainly_at_error_abort: looks_at_error [on_fault = "abort"];
        provides_at_error: provides_at_error [timeout = "20ms", on_panic = "fault"];
    }
}

const ALL: &[Fault] = &[Returned, Timeout, Panic];

#[tokio::test(start_paused = true)]
async fn each_fault_has_the_consequence_in_the_table() {
    decides::walk(ALL, expected("decides", "")).await;
    decides_abort::walk(ALL, expected("decides", "abort")).await;
    decides_skip::walk(ALL, expected("decides", "skip")).await;
    decides_continue::walk(ALL, expected("decides", "continue")).await;
    changes::walk(ALL, expected("changes", "")).await;
    changes_abort::walk(ALL, expected("changes", "abort")).await;
    changes_skip::walk(ALL, expected("changes", "skip")).await;
    changes_continue::walk(ALL, expected("changes", "continue")).await;
    provides::walk(ALL, expected("provides", "")).await;
    provides_abort::walk(ALL, expected("provides", "abort")).await;
    provides_skip::walk(ALL, expected("provides", "skip")).await;
    looks::walk(ALL, expected("looks", "")).await;
    looks_abort::walk(ALL, expected("looks", "abort")).await;
    looks_skip::walk(ALL, expected("looks", "skip")).await;
    looks_continue::walk(ALL, expected("looks", "continue")).await;
    always::walk(ALL, expected("always", "")).await;
    always_continue::walk(ALL, expected("always", "continue")).await;
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_a_rail_with_fewer_parameters_has_the_same_consequence() {
    decides_plainly::walk(&[Returned], expected("decides", "")).await;
    decides_plainly_abort::walk(&[Returned], expected("decides", "abort")).await;
    decides_plainly_skip::walk(&[Returned], expected("decides", "skip")).await;
    decides_plainly_continue::walk(&[Returned], expected("decides", "continue")).await;
    decides_in_time::walk(&[Returned, Timeout], expected("decides", "")).await;
    decides_or_panics::walk(&[Returned, Panic], expected("decides", "")).await;
    changes_plainly::walk(&[Returned], expected("changes", "")).await;
    changes_plainly_abort::walk(&[Returned], expected("changes", "abort")).await;
    changes_plainly_skip::walk(&[Returned], expected("changes", "skip")).await;
    changes_plainly_continue::walk(&[Returned], expected("changes", "continue")).await;
    looks_plainly::walk(&[Returned], expected("looks", "")).await;
    looks_plainly_abort::walk(&[Returned], expected("looks", "abort")).await;
    looks_plainly_skip::walk(&[Returned], expected("looks", "skip")).await;
    looks_plainly_continue::walk(&[Returned], expected("looks", "continue")).await;
    looks_in_time::walk(&[Returned, Timeout], expected("looks", "")).await;
    looks_or_panics::walk(&[Returned, Panic], expected("looks", "")).await;
}

/// Whatever its `on_fault`: there, nothing can end any more, and each rail is to be told.
#[tokio::test(start_paused = true)]
async fn later_rails_run_after_a_fault_at_the_error_event() {
    looks_at_error::walk(ALL, GoesOn).await;
    looks_at_error_abort::walk(ALL, GoesOn).await;
    looks_at_error_continue::walk(ALL, GoesOn).await;
    looks_plainly_at_error_abort::walk(&[Returned], GoesOn).await;
    provides_at_error::walk(ALL, GoesOn).await;
}

#[tokio::test]
async fn the_fault_of_a_plain_hook_ends_the_run() {
    const THIS: &str = "a plain hook";
    async fn faulty(_: Inputs<'_>, ctx: &mut RailContext) -> Result<(), &'static str> {
        fault(THIS, ctx).await
    }
    for &at in later::EVENTS {
        let mut hooks = HookManager::new();
        hooks.add(at, faulty);
        rail_chain![later, audit].register(&mut hooks);
        let comes = if at == HookPoint::Error { GoesOn } else { Ends };
        check(&hooks, Case { rail: THIS, at, fault: Returned }, comes, THIS).await;
    }
}

/// What a rail asks for and does not get is a fault like any other.
#[tokio::test]
async fn on_fault_applies_to_arguments_that_do_not_fit() {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, ToolArgs)]
    #[tool(name = "search", schema = serde_json::json!({ "type": "object" }))]
    struct Search {
        limit: u32,
    }

    #[rail(on = [PreToolCall], tool = "search", on_fault = "skip")]
    fn skips(args: &Args<Search>) -> Verdict {
        Verdict::abort_if(args.limit > 10, "too many")
    }

    #[rail(on = [PreToolCall], tool = "search", on_fault = "continue")]
    fn goes_on(args: &mut Args<Search>) {
        args.limit = 10;
    }

    let call = || ToolCallInputs::new("search").with_arguments(serde_json::json!({ "limit": "all" }));
    let mut ctx = RunContext::new("faults");
    let skipped = tests::rails![skips].dyn_tool_call(call(), &mut ctx, tests::tool).await.unwrap();
    assert!(skipped.is_error && skipped.content.contains("`limit`: invalid type"), "{}", skipped.content);
    let done = tests::rails![goes_on].dyn_tool_call(call(), &mut ctx, tests::tool).await.unwrap();
    assert_eq!(done.content, r#"{"limit":"all"}"#);
}

/// The guard sets that are lists of hooks: of a chain, of a chain in a manager, of a manager.
fn hook_managers<C>(chain: C, manager: RailManager) -> [(HookManager, &'static str); 3]
where
    C: Chain<Around: WithoutAround> + GuardSet + Clone + Send + Sync + 'static,
{
    let [mut of_chain, mut of_manager, mut of_both] = [(); 3].map(|()| HookManager::new());
    chain.clone().register(&mut of_chain);
    let mut with_chain = RailManager::new();
    with_chain.add(chain).unwrap();
    let (manager, with_chain) = (Arc::new(manager), Arc::new(with_chain));
    for &point in HookPoint::ALL {
        of_manager.add(point, manager.hook_for(point));
        of_both.add(point, with_chain.hook_for(point));
    }
    [(of_chain, "a chain"), (of_manager, "a RailManager"), (of_both, "a RailManager with a chain")]
}

/// Runs an agent's events, with an operation that fails where the case needs it.
async fn run(rails: &dyn GuardSet, ctx: &mut RunContext, at: HookPoint) -> Result<InvokeOutput, RunError> {
    (&rails).guard_run("hello", ctx, |run| steps(rails, run, at)).await
}

async fn steps(rails: &dyn GuardSet, run: Permit<InvokeInputs>, at: HookPoint) -> Result<InvokeOutput, RunError> {
    note(run.scope(), "run");
    if at == HookPoint::Error {
        return Err(OperationError::from("the run is broken").into());
    }
    let mut ctx = run.context();
    let model = |call: Permit<ModelCallInputs>| async move {
        note(call.scope(), "model");
        if at == HookPoint::LlmError {
            Err(OperationError::from("the model is broken"))
        } else {
            Ok(ModelResponse::text("answer"))
        }
    };
    let tool = |call: Permit<ToolCallInputs>| async move {
        note(call.scope(), "tool");
        if at == HookPoint::ToolError {
            Err(OperationError::from("the tool is broken"))
        } else {
            Ok(ToolOutput::text("output"))
        }
    };
    let answer = (&rails).guard_llm_call(tests::prompt("hello"), &mut ctx, model).await?;
    let output = (&rails).guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await?;
    Ok(InvokeOutput::text(format!("{}, {}", answer.message.text(), output.content)))
}

/// Holds one case of one guard set against what is to come of it.
async fn check(rails: &dyn GuardSet, case: Case, comes: Comes, what: &str) {
    let (reports, _guard) = Warnings::collect();
    let mut ctx = RunContext::new("faults");
    ctx.run.insert(case);
    let result = run(rails, &mut ctx, case.at).await;
    let what = format!("{what}, {case:?}");
    assert_eq!(notes(&ctx), happens(case.at, comes), "{what}");
    check_result(result, case, comes, &what);
    check_reports(&reports.seen(), case, comes, &what);
}

/// What happens, in order; an event stands for the rail after the one that faults.
fn happens(at: HookPoint, comes: Comes) -> Vec<&'static str> {
    let undisturbed: &[&str] = match at {
        HookPoint::LlmError => &["start", "run", "pre_llm_call", "model", "llm_error", "error"],
        HookPoint::ToolError => {
            let before = ["start", "run", "pre_llm_call", "model", "post_llm_call", "pre_tool_call", "tool"];
            return at_fault(&[&before[..], &["tool_error", "post_tool_call", "finished"]].concat(), at, comes);
        }
        HookPoint::Error => &["start", "run", "error"],
        _ => {
            let calls = ["pre_llm_call", "model", "post_llm_call", "pre_tool_call", "tool", "post_tool_call"];
            return at_fault(&[&["start", "run"][..], &calls, &["finished"]].concat(), at, comes);
        }
    };
    at_fault(undisturbed, at, comes)
}

fn at_fault(undisturbed: &[&'static str], at: HookPoint, comes: Comes) -> Vec<&'static str> {
    let place = |name: &str| undisturbed.iter().position(|step| *step == name).unwrap();
    let (before, from) = undisturbed.split_at(place(at.name()));
    // Where the event is skipped, the operation is too, when it is still to come.
    let skipped_to = match at {
        HookPoint::Start => place("finished"),
        HookPoint::PreLlmCall => place("post_llm_call"),
        HookPoint::PreToolCall => place("post_tool_call"),
        _ => before.len() + 1,
    };
    match comes {
        GoesOn => [before, &[at.name(), "audit"], &from[1..]].concat(),
        Ends => [before, &["audit", "error"]].concat(),
        Skips => [before, &["audit"], &undisturbed[skipped_to..]].concat(),
    }
}

fn check_result(result: Result<InvokeOutput, RunError>, Case { at, fault, .. }: Case, comes: Comes, what: &str) {
    let told = format!("faulty` faulted at {at}: {}", fault.cause());
    let failure = match at {
        HookPoint::LlmError => Some("the model is broken (failed)"),
        HookPoint::Error => Some("the run is broken (failed)"),
        _ => None,
    };
    match (result, comes, failure) {
        (Err(RunError::Fault(fault)), Ends, _) => {
            assert!(fault.rail_name.ends_with("faulty"), "{what}");
            assert_eq!((fault.event, fault.to_string().ends_with(&told[7..])), (at, true), "{what}: {fault}");
        }
        (Err(RunError::Operation(error)), Skips | GoesOn, Some(failure)) => assert_eq!(error.to_string(), failure),
        // The failure is what the model reads.
        (Ok(output), Skips | GoesOn, None) if at == HookPoint::ToolError => {
            assert_eq!(output.text, "answer, The call of `search` failed: the tool is broken (failed)", "{what}");
        }
        (Ok(output), GoesOn, None) => assert_eq!(output.text, "answer, output", "{what}"),
        (Ok(output), Skips, None) => match at {
            HookPoint::Start => {
                assert_eq!(output.text, "", "{what}");
                assert!(output.extra["skipped"]["reason"].to_string().contains(&told), "{what}: {output:?}");
            }
            HookPoint::PreLlmCall => assert_eq!(output.text, ", output", "{what}"),
            HookPoint::PreToolCall => {
                let skipped = "answer, The call of `search` was skipped by the rail `faulty`: rail `";
                assert_eq!(output.text, format!("{skipped}{told}"), "{what}");
            }
            _ => assert_eq!(output.text, "answer, output", "{what}"),
        },
        (result, ..) => panic!("{what}: {result:?}"),
    }
}

/// Each fault is reported once, with the rail, the event, the cause and the effect.
fn check_reports(reports: &[String], Case { at, fault, .. }: Case, comes: Comes, what: &str) {
    let [report] = reports else { panic!("{what}: {reports:?}") };
    let comes = match comes {
        Ends => "the run ends",
        Skips => "the operation is skipped",
        GoesOn => "the run goes on",
    };
    for told in ["faulty", at.name(), fault.cause(), comes] {
        assert!(report.contains(told), "{what}: {report}");
    }
}

#[tokio::test]
async fn a_panic_without_on_panic_unwinds_and_the_tool_does_not_run() {
    #[rail(on = [PreToolCall])]
    fn panics() -> Verdict {
        panic!("broken")
    }
    let ran = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&ran);
    let task = tokio::spawn(async move {
        let mut ctx = RunContext::new("faults");
        let tool = |_| {
            seen.store(true, std::sync::atomic::Ordering::Relaxed);
            async { Ok::<_, OperationError>(ToolOutput::text("done")) }
        };
        tests::rails![panics].dyn_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.map(drop)
    });
    assert!(task.await.unwrap_err().is_panic());
    assert!(!ran.load(std::sync::atomic::Ordering::Relaxed));
}

#[tokio::test]
async fn panics_of_functions_that_are_not_async_are_caught() {
    #[rail(on = [PreToolCall], on_panic = "fault")]
    fn panics(call: &mut ToolCallInputs) -> Verdict {
        panic!("no `{}`", call.tool_name)
    }
    let mut ctx = RunContext::new("faults");
    let fault =
        tests::rails![panics].dispatch::<PreToolCall>(&mut ToolCallInputs::new("x"), &mut ctx).await.unwrap_err();
    assert_eq!(fault.to_string(), "rail `panics` faulted at pre_tool_call: it panicked: no `x`");
}

#[tokio::test(start_paused = true)]
async fn each_method_can_have_different_fault_options() {
    struct Slow(Duration);

    #[rail(priority = 10)]
    impl Slow {
        #[on(PreToolCall, timeout = "1m")]
        async fn before(&self) -> Verdict {
            tokio::time::sleep(self.0).await;
            Verdict::Continue
        }

        #[on(PostToolCall, timeout = "500ms", on_fault = "continue")]
        async fn after(&self, output: &mut ToolOutput) {
            output.content.push('!');
            tokio::time::sleep(self.0).await;
            output.content.push('?');
        }
    }

    rail_chain! { struct Guards { slow: Slow } }
    let call = |seconds| async move {
        let guards = Guards { slow: Slow(Duration::from_secs(seconds)) };
        let mut ctx = RunContext::new("faults");
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await
    };
    assert_eq!(call(0).await.unwrap().content, "done!?");
    assert_eq!(call(1).await.unwrap().content, "done!", "what it has changed until then stays");
    let fault = call(61).await.unwrap_err();
    assert_eq!(fault.to_string(), "rail `Slow` faulted at pre_tool_call: it took longer than 60s");
}

#[tokio::test]
async fn a_fault_at_the_error_event_does_not_replace_the_error() {
    #[rail(on = [events::Error], on_panic = "fault", timeout = "1s")]
    async fn told() {
        panic!("broken")
    }
    let (warnings, _guard) = Warnings::collect();
    let mut ctx = RunContext::new("faults");
    let run = |_| async { Err::<InvokeOutput, _>(OperationError::from("the disk is full")) };
    let error = tests::rails![told].dyn_run("hi", &mut ctx, run).await.unwrap_err();
    assert_eq!(error.to_string(), "the disk is full (failed)");
    assert_eq!(warnings.seen().len(), 1);
}
