//! The cases to measure: the rows of the table.

use std::error::Error;
use std::io;

use exo_rails::DuplicateRail;
use exo_rails::prelude::*;

use crate::dispatch::rails::{Set, channel, inspect, pause, timer};
use crate::dispatch::variants::{ByHand, GuardedTool, Guards, ToolByHand, Variant};
use crate::measure::{Case, Measured};
use crate::opponents::tower::{self, BoxedStack, Stack};
use crate::opponents::{self, List, process};

/// The variant that the other variants are compared with.
pub(crate) const HAND_WRITTEN: &str = "hand_written";

/// The dispatch of a chain.
pub(crate) const STATIC: &str = "static";

/// Returns every row of the table. The rows of one set of rails are adjacent, so that they are measured one after the
/// other.
pub(crate) fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let sets = [
        dispatches::<inspect::Zero>("inspect")?,
        beside::<opponents::None>(),
        dispatches::<inspect::One>("inspect")?,
        beside::<opponents::One>(),
        processes::<opponents::One>()?,
        dispatches::<inspect::Five>("inspect")?,
        beside::<opponents::Five>(),
        processes::<opponents::Five>()?,
        dispatches::<inspect::Twenty>("inspect")?,
        beside::<opponents::Twenty>(),
        processes::<opponents::Twenty>()?,
        dispatches::<inspect::Fifty>("inspect")?,
        dispatches::<pause::One>("pause")?,
        dispatches::<pause::Five>("pause")?,
        dispatches::<pause::Twenty>("pause")?,
        dispatches::<pause::Fifty>("pause")?,
        dispatches::<timer::Five>("timer")?,
        dispatches::<timer::Twenty>("timer")?,
        dispatches::<channel::Five>("channel")?,
        dispatches::<channel::Twenty>("channel")?,
        tool_calls::<inspect::Zero>()?,
        tool_calls::<inspect::Five>()?,
        tool_calls::<inspect::Twenty>()?,
        tool_calls::<inspect::Fifty>()?,
    ];
    Ok(sets.into_iter().flatten().collect())
}

/// Returns the cases of the dispatch of one event. The other variants are compared with the first.
fn dispatches<S: Set>(kind: &'static str) -> Result<Vec<Case>, DuplicateRail> {
    let case = |variant, measured| Case { variant, kind, rails: S::len(), measured };
    Ok(vec![
        case(HAND_WRITTEN, measured(ByHand(S::chain()))),
        case(STATIC, measured(Guards(S::chain()))),
        case("rail_manager", measured(Guards(S::manager()?))),
        case("hook_manager", measured(Guards(hooks::<S>()))),
    ])
}

/// Returns the cases that dispatch the same event with other libraries, in this process.
fn beside<L: Stack + BoxedStack>() -> Vec<Case> {
    let case = |variant, measured| Case { variant, kind: "inspect", rails: L::len(), measured };
    vec![
        case("tower_static", measured(tower::Static::<L>::new())),
        case("tower_boxed", measured(L::boxed())),
        #[cfg(feature = "rig")]
        case("rig", Box::new(opponents::rig::Rig::<L>::new())),
    ]
}

/// Returns the cases that dispatch the same event to processes.
fn processes<L: List>() -> io::Result<Vec<Case>> {
    let hooks = process::Hooks::new::<L>()?;
    Ok(vec![Case { variant: "process", kind: "inspect", rails: L::len(), measured: measured(hooks) }])
}

/// Returns the cases of a guarded tool call. The tool does nothing.
fn tool_calls<S: Set>() -> Result<Vec<Case>, DuplicateRail> {
    let case = |variant, measured| Case { variant, kind: "tool_call", rails: S::len(), measured };
    Ok(vec![
        case(HAND_WRITTEN, measured(ToolByHand(S::chain()))),
        case(STATIC, measured(GuardedTool(S::chain()))),
        case("rail_manager", measured(GuardedTool(S::manager()?))),
        case("hook_manager", measured(GuardedTool(hooks::<S>()))),
    ])
}

fn hooks<S: Set>() -> HookManager {
    let mut hooks = HookManager::new();
    S::chain().register(&mut hooks);
    hooks
}

fn measured(variant: impl Variant) -> Box<dyn Measured> {
    Box::new(variant)
}
