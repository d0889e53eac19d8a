//! Chains of every length that the library has steps for, and longer ones.

use exo_rails::operations::Compaction;
use exo_rails::prelude::*;
use exo_rails::{CompactionInputs, CompactionOutput, Next, Serves, SessionInfo};
use tests::{note, notes};

/// Rails that are listed in the reverse of the order in which they run.
macro_rules! rails {
    ($($rail:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($rail)),*];

        /// How many rails there are, counted at the rail of this name: the last has the lowest priority number.
        const fn priority(name: &str) -> i32 {
            let (mut number, mut i) = (0, 1);
            while i < name.len() {
                number = number * 10 + (name.as_bytes()[i] - b'0') as i32;
                i += 1;
            }
            -number
        }

        $(
            #[rail(priority = priority(stringify!($rail)), on = [PreToolCall, SessionStart])]
            fn $rail(ctx: &RailContext) {
                note(ctx, stringify!($rail));
            }
        )*
    };
}

rails! {
    r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 r27 r28 r29
    r30 r31 r32 r33 r34 r35 r36 r37 r38 r39 r40 r41 r42 r43 r44 r45 r46 r47 r48 r49 r50 r51 r52 r53 r54 r55 r56
    r57 r58 r59 r60 r61 r62 r63 r64 r65 r66 r67 r68 r69
}

/// Chains that each list the rails of the one before it and some more.
macro_rules! chains {
    ([$($listed:ident)*]) => {};
    ([$($listed:ident)*] $chain:ident [$($more:ident)*] $($others:tt)*) => {
        rail_chain! {
            struct $chain { $($listed,)* $($more,)* }
        }
        chains!([$($listed)* $($more)*] $($others)*);
    };
}

chains! {
    []
    Chain1 [r0]
    Chain2 [r1]
    Chain3 [r2]
    Chain5 [r3 r4]
    Chain7 [r5 r6]
    Chain9 [r7 r8]
    Chain13 [r9 r10 r11 r12]
    Chain17 [r13 r14 r15 r16]
    Chain25 [r17 r18 r19 r20 r21 r22 r23 r24]
    Chain33 [r25 r26 r27 r28 r29 r30 r31 r32]
    Chain49 [r33 r34 r35 r36 r37 r38 r39 r40 r41 r42 r43 r44 r45 r46 r47 r48]
    Chain65 [r49 r50 r51 r52 r53 r54 r55 r56 r57 r58 r59 r60 r61 r62 r63 r64]
    Chain70 [r65 r66 r67 r68 r69]
}

async fn runs<R: Serves<PreToolCall> + Serves<SessionStart> + GuardSet>(rails: R, count: usize) {
    let expected: Vec<_> = NAMES[..count].iter().rev().copied().collect();
    let mut ctx = RunContext::new("long");
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("search"), &mut ctx).await;
    assert!(decision.is_ok_and(|decision| decision.is_continue()));
    assert_eq!(notes(&ctx), expected);
    // Few rails are on this event in most chains, and a chain has few steps there.
    let mut ctx = RunContext::new("long");
    let decision = rails.dispatch::<SessionStart>(&SessionInfo::default(), &mut ctx).await;
    assert!(decision.is_ok_and(|decision| decision.is_continue()));
    assert_eq!(notes(&ctx), expected);
}

#[tokio::test]
async fn every_rail_of_a_chain_runs_once_and_in_order() {
    runs(Chain1 {}, 1).await;
    runs(Chain2 {}, 2).await;
    runs(Chain3 {}, 3).await;
    runs(Chain5 {}, 5).await;
    runs(Chain7 {}, 7).await;
    runs(Chain9 {}, 9).await;
    runs(Chain13 {}, 13).await;
    runs(Chain17 {}, 17).await;
    runs(Chain25 {}, 25).await;
    runs(Chain33 {}, 33).await;
    runs(Chain49 {}, 49).await;
    runs(Chain65 {}, 65).await;
    runs(Chain70 {}, 70).await;
}

/// Rails on the events of a compaction. Each surrounds it, or looks at what comes before it.
macro_rules! compacting {
    ($($rail:ident $around:ident $priority:literal)*) => {$(
        #[rail(priority = $priority, on = [PreCompaction])]
        fn $rail(ctx: &RailContext) {
            note(ctx, stringify!($rail));
        }

        #[rail(priority = $priority, on = [PreCompaction], around)]
        async fn $around(next: impl Next<Compaction>) -> Result<CompactionOutput, OperationError> {
            note(next.scope(), stringify!($around));
            next.run().await
        }
    )*};
}

compacting! { b1 a1 1 b2 a2 2 b3 a3 3 b4 a4 4 b5 a5 5 b6 a6 6 b7 a7 7 }

#[rail(priority = 5, on = [PreCompaction])]
fn stops(history: &CompactionInputs) -> Verdict {
    Verdict::abort_if(history.hint.is_some(), "it has a hint")
}

#[rail(priority = 6, on = [PreCompaction], always)]
fn observes(ctx: &RailContext) {
    let stopped = ctx.stopped().map(|stopped| stopped.rail_name.to_string());
    note(ctx, if stopped.is_some_and(|by| by == "stops") { "observes the stop" } else { "observes" });
}

rail_chain! {
    struct Compacting { a7, b7, a6, b6, a5, b5, a4, b4, stops, observes, a3, b3, a2, b2, a1, b1 }
}

async fn compacted(history: CompactionInputs) -> (Result<CompactionOutput, RunError>, Vec<String>) {
    let mut ctx = RunContext::new("long");
    let shorter = |_| async { Ok::<_, OperationError>(CompactionOutput::default()) };
    let result = Compacting {}.guard_compaction(history, &mut ctx, shorter).await;
    (result, notes(&ctx))
}

#[tokio::test]
async fn rails_around_a_compaction_run_in_order_and_can_stop_it() {
    let (result, notes) = compacted(CompactionInputs::default()).await;
    assert!(result.is_ok());
    let before = ["b1", "b2", "b3", "b4", "b5", "b6", "observes", "b7"];
    assert_eq!(notes[..8], before);
    assert_eq!(notes[8..], ["a1", "a2", "a3", "a4", "a5", "a6", "a7"]);

    let (result, notes) = compacted(CompactionInputs { hint: Some("short".into()), ..Default::default() }).await;
    let Err(RunError::Abort(abort)) = result else { panic!("{result:?}") };
    assert_eq!(abort.rail_name, "stops");
    assert_eq!(notes, ["b1", "b2", "b3", "b4", "b5", "observes the stop"]);
}
