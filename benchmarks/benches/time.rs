//! Measures the time of the dispatch of an event, and of a guarded tool call.
//!
//! ```text
//! cargo bench -p benchmarks --bench time
//! ```
//!
//! These figures are for comparisons over time, with the last run in `target/criterion`. For the ratios between variants,
//! run `cargo run --release -p benchmarks --bin dispatch_cost`, which measures the variants in turns.

#![allow(missing_docs, reason = "the macros of criterion write items without docs")]

use std::time::Instant;

use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main, measurement::WallTime};
use exo_rails::prelude::*;

#[allow(dead_code, reason = "other programs measure more of it")]
mod dispatch;

use dispatch::rails::{Set, inspect, pause};
use dispatch::variants::{ByHand, GuardedTool, Guards, ToolByHand, Variant};
use dispatch::{block_on, dispatches};

fn dispatch_of_an_event(criterion: &mut Criterion) {
    let mut inspect = criterion.benchmark_group("inspect");
    dispatched::<inspect::Zero>(&mut inspect);
    dispatched::<inspect::One>(&mut inspect);
    dispatched::<inspect::Five>(&mut inspect);
    dispatched::<inspect::Twenty>(&mut inspect);
    dispatched::<inspect::Fifty>(&mut inspect);
    inspect.finish();
    let mut pause = criterion.benchmark_group("pause");
    dispatched::<pause::Five>(&mut pause);
    dispatched::<pause::Twenty>(&mut pause);
    pause.finish();
}

fn tool_calls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tool_call");
    guarded::<inspect::Zero>(&mut group);
    guarded::<inspect::Five>(&mut group);
    guarded::<inspect::Twenty>(&mut group);
    group.finish();
}

fn dispatched<S: Set>(group: &mut BenchmarkGroup<'_, WallTime>) {
    measured(group, "hand_written", S::len(), &ByHand(S::chain()));
    measured(group, "static", S::len(), &Guards(S::chain()));
}

fn guarded<S: Set>(group: &mut BenchmarkGroup<'_, WallTime>) {
    measured(group, "hand_written", S::len(), &ToolByHand(S::chain()));
    measured(group, "static", S::len(), &GuardedTool(S::chain()));
}

fn measured(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, rails: usize, variant: &impl Variant) {
    let (mut call, mut ctx) = (ToolCallInputs::new("search"), RunContext::new("bench"));
    group.bench_function(BenchmarkId::new(name, rails), |bencher| {
        bencher.iter_custom(|times| {
            let start = Instant::now();
            block_on(dispatches(variant, &mut call, &mut ctx, times));
            start.elapsed()
        });
    });
}

criterion_group!(benches, dispatch_of_an_event, tool_calls);
criterion_main!(benches);
