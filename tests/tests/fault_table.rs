//! What comes of each kind of fault of each kind of rail, with each `on_fault`, at each kind of event: the whole table.

use std::time::Duration;

use exo_rails::prelude::*;
use tests::Warnings;

/// What comes of a fault for the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comes {
    /// The run ends with the fault.
    Ends,
    /// The operation is skipped; after it, its result is accepted.
    Skipped,
    /// The rails go on.
    GoesOn,
}

use Comes::{Ends, GoesOn, Skipped};

/// Rails that fault in one way, with one `on_fault` each: on `PreToolCall` and `PostToolCall`.
macro_rules! rails {
    ($($module:ident [$($option:tt)*] ($($param:tt)*) -> $output:ty { $($body:tt)* })*) => {$(
        mod $module {
            use super::*;

            #[rail(on = [PreToolCall], $($option)*)]
            pub(crate) async fn before($($param)*) -> $output { $($body)* }

            #[rail(on = [PostToolCall], $($option)*)]
            pub(crate) async fn after($($param)*) -> $output { $($body)* }

            pub(crate) async fn outcomes() -> [Comes; 2] {
                [super::outcome(rail_chain![before], "before").await, super::outcome(rail_chain![after], "after").await]
            }
        }
    )*};
}

/// A wait that nobody outlasts.
async fn forever() {
    tokio::time::sleep(Duration::from_hours(1)).await;
}

rails! {
    error_decides [] () -> Result<Verdict, &'static str> { Err("broken") }
    error_decides_abort [on_fault = "abort"] () -> Result<Verdict, &'static str> { Err("broken") }
    error_decides_skip [on_fault = "skip"] () -> Result<Verdict, &'static str> { Err("broken") }
    error_decides_continue [on_fault = "continue"] () -> Result<Verdict, &'static str> { Err("broken") }
    error_looks [] () -> Result<(), &'static str> { Err("broken") }
    error_looks_abort [on_fault = "abort"] () -> Result<(), &'static str> { Err("broken") }
    error_looks_skip [on_fault = "skip"] () -> Result<(), &'static str> { Err("broken") }
    error_looks_continue [on_fault = "continue"] () -> Result<(), &'static str> { Err("broken") }

    slow_decides [timeout = "20ms"] () -> Verdict { forever().await; Verdict::Continue }
    slow_decides_abort [timeout = "20ms", on_fault = "abort"] () -> Verdict { forever().await; Verdict::Continue }
    slow_decides_skip [timeout = "20ms", on_fault = "skip"] () -> Verdict { forever().await; Verdict::Continue }
    slow_decides_continue [timeout = "20ms", on_fault = "continue"] () -> Verdict { forever().await; Verdict::Continue }
    slow_looks [timeout = "20ms"] () -> () { forever().await }
    slow_looks_abort [timeout = "20ms", on_fault = "abort"] () -> () { forever().await }
    slow_looks_skip [timeout = "20ms", on_fault = "skip"] () -> () { forever().await }
    slow_looks_continue [timeout = "20ms", on_fault = "continue"] () -> () { forever().await }

    panics_decides [on_panic = "fault"] () -> Verdict { panic!("broken") }
    panics_decides_abort [on_panic = "fault", on_fault = "abort"] () -> Verdict { panic!("broken") }
    panics_decides_skip [on_panic = "fault", on_fault = "skip"] () -> Verdict { panic!("broken") }
    panics_decides_continue [on_panic = "fault", on_fault = "continue"] () -> Verdict { panic!("broken") }
    panics_looks [on_panic = "fault"] () -> () { panic!("broken") }
    panics_looks_abort [on_panic = "fault", on_fault = "abort"] () -> () { panic!("broken") }
    panics_looks_skip [on_panic = "fault", on_fault = "skip"] () -> () { panic!("broken") }
    panics_looks_continue [on_panic = "fault", on_fault = "continue"] () -> () { panic!("broken") }

    panics_in_time [timeout = "10s", on_panic = "fault"] () -> Verdict { tokio::task::yield_now().await; panic!("broken") }
    slow_and_caught [timeout = "20ms", on_panic = "fault"] () -> Verdict { forever().await; Verdict::Continue }
}

#[tokio::test(start_paused = true)]
async fn what_comes_of_a_fault() {
    let table = [
        ("error, decides", error_decides::outcomes().await, Ends),
        ("error, decides, abort", error_decides_abort::outcomes().await, Ends),
        ("error, decides, skip", error_decides_skip::outcomes().await, Skipped),
        ("error, decides, continue", error_decides_continue::outcomes().await, GoesOn),
        ("error, looks", error_looks::outcomes().await, GoesOn),
        ("error, looks, abort", error_looks_abort::outcomes().await, Ends),
        ("error, looks, skip", error_looks_skip::outcomes().await, Skipped),
        ("error, looks, continue", error_looks_continue::outcomes().await, GoesOn),
        ("slow, decides", slow_decides::outcomes().await, Ends),
        ("slow, decides, abort", slow_decides_abort::outcomes().await, Ends),
        ("slow, decides, skip", slow_decides_skip::outcomes().await, Skipped),
        ("slow, decides, continue", slow_decides_continue::outcomes().await, GoesOn),
        ("slow, looks", slow_looks::outcomes().await, GoesOn),
        ("slow, looks, abort", slow_looks_abort::outcomes().await, Ends),
        ("slow, looks, skip", slow_looks_skip::outcomes().await, Skipped),
        ("slow, looks, continue", slow_looks_continue::outcomes().await, GoesOn),
        ("panics, decides", panics_decides::outcomes().await, Ends),
        ("panics, decides, abort", panics_decides_abort::outcomes().await, Ends),
        ("panics, decides, skip", panics_decides_skip::outcomes().await, Skipped),
        ("panics, decides, continue", panics_decides_continue::outcomes().await, GoesOn),
        ("panics, looks", panics_looks::outcomes().await, GoesOn),
        ("panics, looks, abort", panics_looks_abort::outcomes().await, Ends),
        ("panics, looks, skip", panics_looks_skip::outcomes().await, Skipped),
        ("panics, looks, continue", panics_looks_continue::outcomes().await, GoesOn),
        ("panics within its time", panics_in_time::outcomes().await, Ends),
        ("slow, and its panics are caught", slow_and_caught::outcomes().await, Ends),
    ];
    for (rail, seen, expected) in table {
        assert_eq!(seen, [expected; 2], "{rail}");
    }
}

/// What comes of the fault of this rail, in each guard set; a skip and a passing are told apart by the rail after it.
async fn outcome<C: Chain + Rails + Send + Sync + 'static>(chain: C, name: &'static str) -> Comes {
    let mut hooks = HookManager::new();
    hooks.add(HookPoint::Start, ignore);
    let chain = std::sync::Arc::new(chain);
    let direct = seen(&chain, name).await;
    let Ok(chain) = std::sync::Arc::try_unwrap(chain) else { panic!("nobody keeps it") };
    chain.register(&mut hooks);
    assert_eq!(seen(&hooks, name).await, direct, "HookManager");
    direct
}

async fn ignore(_: Inputs<'_>, _: &mut RailContext) {}

async fn seen<R: Rails>(rails: &R, name: &str) -> Comes {
    let (warnings, _guard) = Warnings::collect();
    let mut ctx = RailContext::new("faults");
    let mut ran = false;
    let tool = |_| {
        ran = true;
        async { Ok::<_, OperationError>(ToolOutput::text("done")) }
    };
    let result = rails.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await;
    let warned = warnings.seen();
    assert_eq!(warned.len(), 1, "each fault is told once: {warned:?}");
    assert!(warned[0].contains(&format!("rail={name}")) || warned[0].contains(name), "{warned:?}");
    let told = |what: &str| assert!(warned[0].contains(what), "{warned:?}");
    match result {
        Err(RunError::Fault(fault)) => {
            assert_eq!(fault.rail_name, name);
            assert_eq!(ran, name == "after", "a fault before the operation keeps it from happening");
            told("the run ends");
            Ends
        }
        Err(error) => panic!("{error}"),
        Ok(output) if warned[0].contains("is skipped") => {
            assert_eq!(ran, name == "after");
            assert_eq!(output.content == "done", name == "after", "after the operation its result is accepted");
            assert!(name == "after" || output.content.contains("faulted at pre_tool_call"), "{}", output.content);
            Skipped
        }
        Ok(output) => {
            assert!(ran && output.content == "done");
            told("the run goes on");
            GoesOn
        }
    }
}

#[tokio::test]
async fn a_panic_without_the_option_unwinds_through_the_operation_which_does_not_happen() {
    #[rail(on = [PreToolCall])]
    fn panics() -> Verdict {
        panic!("broken")
    }
    let ran = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&ran);
    let task = tokio::spawn(async move {
        let mut ctx = RailContext::new("faults");
        let tool = |_| {
            seen.store(true, std::sync::atomic::Ordering::Relaxed);
            async { Ok::<_, OperationError>(ToolOutput::text("done")) }
        };
        rail_chain![panics].guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await.map(drop)
    });
    assert!(task.await.unwrap_err().is_panic());
    assert!(!ran.load(std::sync::atomic::Ordering::Relaxed));
}

#[tokio::test]
async fn plain_functions_are_caught_as_well() {
    #[rail(on = [PreToolCall], on_panic = "fault")]
    fn panics(call: &mut ToolCallInputs) -> Verdict {
        panic!("no `{}`", call.tool_name)
    }
    let mut ctx = RailContext::new("faults");
    let fault = rail_chain![panics].run::<PreToolCall>(&mut ToolCallInputs::new("x"), &mut ctx).await.unwrap_err();
    assert_eq!(fault.to_string(), "rail `panics` faulted at pre_tool_call: it panicked: no `x`");
}

#[tokio::test(start_paused = true)]
async fn methods_have_options_of_their_own() {
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
        let mut ctx = RailContext::new("faults");
        let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("done")) };
        guards.guard_tool_call(ToolCallInputs::new("search"), &mut ctx, tool).await
    };
    assert_eq!(call(0).await.unwrap().content, "done!?");
    assert_eq!(call(1).await.unwrap().content, "done!", "what it has changed until then stays");
    let fault = call(61).await.unwrap_err();
    assert_eq!(fault.to_string(), "rail `Slow` faulted at pre_tool_call: it took longer than 60s");
}

#[tokio::test]
async fn at_error_a_fault_changes_nothing() {
    #[rail(on = [Error], on_panic = "fault", timeout = "1s")]
    async fn told() {
        panic!("broken")
    }
    let (warnings, _guard) = Warnings::collect();
    let mut ctx = RailContext::new("faults");
    let run = |_| async { Err::<InvokeOutput, _>(OperationError::from("the disk is full")) };
    let error = rail_chain![told].guard_run("hi", &mut ctx, run).await.unwrap_err();
    assert_eq!(error.to_string(), "the disk is full (failed)");
    assert_eq!(warnings.seen().len(), 1);
}
