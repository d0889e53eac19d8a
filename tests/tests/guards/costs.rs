//! What a chain costs against the same rails called by hand: the size of its futures, and its allocations.

use exo_rails::prelude::*;
use tokio::runtime::{Builder, Runtime};

#[allow(dead_code, reason = "other programs measure more of it")]
#[path = "../../../benchmarks/benches/dispatch/mod.rs"]
mod dispatch;

use dispatch::rails::{Set, channel, inspect, pause, timer};
use dispatch::variants::{ByHand, GuardedTool, Guards, ToolByHand, Variant};

/// What a future may be larger than one that is written by hand.
const MORE_BYTES: usize = 16;

fn size(variant: &impl Variant) -> usize {
    size_of_val(&variant.dispatch(&mut ToolCallInputs::new(""), &mut RunContext::new("test")))
}

fn dispatch_size<S: Set>() -> usize {
    size(&Guards(S::chain()))
}

#[track_caller]
fn as_small_as_by_hand(chain: &impl Variant, by_hand: &impl Variant) {
    let (chain, by_hand) = (size(chain), size(by_hand));
    assert!(chain <= by_hand + MORE_BYTES, "{chain} bytes, and {by_hand} by hand");
}

#[track_caller]
fn futures_of<S: Set>() {
    as_small_as_by_hand(&Guards(S::chain()), &ByHand(S::chain()));
    as_small_as_by_hand(&GuardedTool(S::chain()), &ToolByHand(S::chain()));
}

#[test]
fn futures_are_as_small_as_hand_written_ones() {
    futures_of::<inspect::Zero>();
    futures_of::<inspect::One>();
    futures_of::<inspect::Five>();
    futures_of::<inspect::Twenty>();
    futures_of::<inspect::Fifty>();
    futures_of::<pause::Five>();
    futures_of::<pause::Fifty>();
    futures_of::<timer::Five>();
    futures_of::<timer::Twenty>();
    futures_of::<channel::Twenty>();
}

#[test]
fn a_future_grows_with_its_largest_rail_and_not_with_their_number() {
    assert_eq!(dispatch_size::<inspect::Fifty>(), dispatch_size::<inspect::Five>());
    assert_eq!(dispatch_size::<pause::Fifty>(), dispatch_size::<pause::Five>());
    assert_eq!(dispatch_size::<timer::Twenty>(), dispatch_size::<timer::Five>());
    // It does grow with what a rail keeps while it waits: a timer.
    assert!(dispatch_size::<timer::Five>() > dispatch_size::<pause::Five>());
}

/// The allocations of one dispatch, after one that has made what is made once.
fn allocations(runtime: &Runtime, variant: &impl Variant) -> u64 {
    let (mut call, mut ctx) = (ToolCallInputs::new(""), RunContext::new("test"));
    let mut dispatch = || drop(runtime.block_on(variant.dispatch(&mut call, &mut ctx)));
    dispatch();
    allocation_counter::measure(dispatch).count_total
}

#[track_caller]
fn allocates_nothing<S: Set>(runtime: &Runtime) {
    assert_eq!(allocations(runtime, &Guards(S::chain())), 0);
    assert_eq!(allocations(runtime, &GuardedTool(S::chain())), 0);
}

#[test]
fn neither_a_dispatch_nor_a_guarded_tool_call_allocates() {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    allocates_nothing::<inspect::Zero>(&runtime);
    allocates_nothing::<inspect::Five>(&runtime);
    allocates_nothing::<inspect::Twenty>(&runtime);
    allocates_nothing::<inspect::Fifty>(&runtime);
    allocates_nothing::<pause::Twenty>(&runtime);
    allocates_nothing::<timer::Twenty>(&runtime);
}

#[test]
fn a_manager_allocates_for_each_rail_and_a_hook_of_a_chain_once_for_an_event() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut hooks = HookManager::new();
    inspect::Fifty::chain().register(&mut hooks);
    assert_eq!(allocations(&runtime, &Guards(hooks)), 1);
    assert_eq!(allocations(&runtime, &Guards(inspect::Fifty::manager().unwrap())), 50);
}
