//! Counts the instructions of the dispatch of an event, with callgrind.
//!
//! ```text
//! cargo install --locked gungraun-runner@0.20.0
//! cargo bench -p benchmarks --no-default-features --bench instructions
//! ```
//!
//! A benchmark is [`DISPATCHES`] dispatches of an event that every rail lets pass.

#![allow(missing_docs, reason = "the macros of gungraun write items without docs")]

use exo_rails::prelude::*;
use gungraun::Callgrind;
use gungraun::prelude::*;

#[allow(dead_code, reason = "other programs measure more of it")]
mod dispatch;

use dispatch::around;
use dispatch::rails::{Set, inspect, pause};
use dispatch::variants::{ByHand, GuardedTool, Guards, ToolByHand, Variant};
use dispatch::{block_on, dispatches};

/// The number of dispatches that are counted together.
const DISPATCHES: u64 = 100;

struct Dispatch<V> {
    variant: V,
    call: ToolCallInputs,
    ctx: RunContext,
}

fn prepared<V: Variant>(variant: V) -> Dispatch<V> {
    let mut prepared = Dispatch { variant, call: ToolCallInputs::new("search"), ctx: RunContext::new("bench") };
    run(&mut prepared, 1);
    prepared
}

fn by_hand<S: Set>() -> Dispatch<ByHand<S>> {
    prepared(ByHand(S::chain()))
}

fn chain<S: Set>() -> Dispatch<Guards<S>> {
    prepared(Guards(S::chain()))
}

fn tool_by_hand<S: Set>() -> Dispatch<ToolByHand<S>> {
    prepared(ToolByHand(S::chain()))
}

fn guarded_tool<S: Set>() -> Dispatch<GuardedTool<S>> {
    prepared(GuardedTool(S::chain()))
}

#[inline(always)]
fn run<V: Variant>(Dispatch { variant, call, ctx }: &mut Dispatch<V>, times: u64) {
    block_on(dispatches(variant, call, ctx, times));
}

#[library_benchmark]
#[bench::inspect_00(by_hand::<inspect::Zero>())]
#[bench::inspect_01(by_hand::<inspect::One>())]
#[bench::inspect_05(by_hand::<inspect::Five>())]
#[bench::inspect_20(by_hand::<inspect::Twenty>())]
#[bench::inspect_50(by_hand::<inspect::Fifty>())]
#[bench::pause_01(by_hand::<pause::One>())]
#[bench::pause_05(by_hand::<pause::Five>())]
#[bench::pause_20(by_hand::<pause::Twenty>())]
#[bench::pause_50(by_hand::<pause::Fifty>())]
#[bench::tool_00(tool_by_hand::<inspect::Zero>())]
#[bench::tool_05(tool_by_hand::<inspect::Five>())]
#[bench::tool_20(tool_by_hand::<inspect::Twenty>())]
#[bench::around_01(prepared(around::OneByHand::default()))]
#[bench::around_03(prepared(around::ThreeByHand::default()))]
#[bench::around_05(prepared(around::FiveByHand::default()))]
#[bench::absent_10(prepared(around::TenAbsentByHand::default()))]
fn hand_written<V: Variant>(mut prepared: Dispatch<V>) -> Dispatch<V> {
    run(&mut prepared, DISPATCHES);
    prepared
}

#[library_benchmark]
#[bench::inspect_00(chain::<inspect::Zero>())]
#[bench::inspect_01(chain::<inspect::One>())]
#[bench::inspect_05(chain::<inspect::Five>())]
#[bench::inspect_20(chain::<inspect::Twenty>())]
#[bench::inspect_50(chain::<inspect::Fifty>())]
#[bench::pause_01(chain::<pause::One>())]
#[bench::pause_05(chain::<pause::Five>())]
#[bench::pause_20(chain::<pause::Twenty>())]
#[bench::pause_50(chain::<pause::Fifty>())]
#[bench::tool_00(guarded_tool::<inspect::Zero>())]
#[bench::tool_05(guarded_tool::<inspect::Five>())]
#[bench::tool_20(guarded_tool::<inspect::Twenty>())]
#[bench::around_01(prepared(around::One::default()))]
#[bench::around_03(prepared(around::Three::default()))]
#[bench::around_05(prepared(around::Five::default()))]
#[bench::absent_10(prepared(around::TenAbsent::default()))]
fn static_chain<V: Variant>(mut prepared: Dispatch<V>) -> Dispatch<V> {
    run(&mut prepared, DISPATCHES);
    prepared
}

library_benchmark_group!(name = dispatch_group, benchmarks = [hand_written, static_chain]);

main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups = dispatch_group
);
