//! Guards around events and operations: what rails decide, in which order, in each kind of guard set, and at what cost.
//!
//! All in one program, since each further one is linked. No test here sees another: what `tests::Warnings` collects is
//! kept for each thread, and so is what `allocation_counter` counts, which the subscriber of the process does not change.
//!
//! Tests of what rails do use `tests::rails!` and `tests::GuardDyn`. Only tests of chains use `rail_chain!`: the compiler makes
//! the code of each chain anew.

// What a rail decides, and the effect.
mod abort;
mod answers;
mod changes_before_faults;
mod escapes;
mod failures;
mod fault_table;
mod faults;
mod retry;
mod retry_limits;
mod skip;

// Which rails are called, and when.
mod always;
mod concurrent;
mod configured;
mod documented_rails;
mod instances;
mod lists;
mod long_chains;
mod nested_chains;
mod once;
mod onion;
mod order;
mod provided;
mod source_location;
mod tool_rails;
mod wrapped;

// Guard sets that are put together at run time, and what all guard sets have in common.
mod dyn_guard_sets;
mod guard_sets_agree;
mod hook_manager;
mod live_rails;
mod rail_manager;
mod reloadable;

// Operations that are guarded.
mod around;
mod cancellation;
mod dropped;
mod elapsed;
mod mutation;
mod permit;
mod ready;
mod shadow;
mod stores;

// Events that are not the library's.
mod custom_events;
mod custom_operations;

// What it costs.
mod allocations;
mod costs;
mod messages;
