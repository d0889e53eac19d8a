//! Tools to test rails: at one event, around one operation, or in a scripted run.
//!
//! A rail is a function, so a first test can call it directly. This module tests the effects of rails: whether the
//! operation happens, with which arguments, and what the model reads. If an assertion fails, it panics with the whole
//! trace, in order.
//!
//! # One event
//!
//! [`at`] runs the rails of one event. Pass any [`GuardSet`](crate::GuardSet): `rail_chain![name]` for the rail of a
//! function, a chain with its fields, or a manager. To test a rail that is in no chain, use [`only`].
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails::testing;
//!
//! #[rail(priority = 10, on = [PreToolCall])]
//! fn block_dangerous(call: &ToolCallInputs) -> Verdict {
//!     Verdict::abort_if(call.tool_name == "delete_file", "destructive tools are off limits")
//! }
//!
//! #[rail(priority = 20, on = [PreToolCall])]
//! fn shorten(call: &mut ToolCallInputs) -> Verdict {
//!     Verdict::abort_if(!call.set_argument("limit", 10), "the arguments have no names")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let rails = rail_chain![shorten, block_dangerous];
//! testing::assert_order(&rails, HookPoint::PreToolCall, ["block_dangerous", "shorten"]);
//!
//! testing::at::<PreToolCall>(&rails, ToolCallInputs::new("delete_file")).await.assert_aborted("destructive");
//! let search = testing::at::<PreToolCall>(&rails, ToolCallInputs::new("search")).await;
//! assert_eq!(search.assert_continued().payload.arguments["limit"], 10);
//! # }
//! ```
//!
//! # One operation
//!
//! [`tool_call`] and [`llm_call`] guard one call whose results the test prepares. The rails can retry the call, and replace
//! its failure.
//!
//! ```
//! use exo_rails::prelude::*;
//! use exo_rails::{StopKind, testing};
//!
//! #[rail(on = [ToolError])]
//! fn once_more(error: &OperationError) -> RailAction {
//!     RailAction::retry(RetryRequest::new(error.message.clone()))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let call = testing::tool_call(&rail_chain![once_more], ToolCallInputs::new("search"));
//! let call = call.fails("the index is busy").returns("three orders").await;
//! call.assert_output("three orders").assert_calls("search", 2);
//! call.assert_decisions([(HookPoint::ToolError, StopKind::Retry, "once_more")]);
//! # }
//! ```
//!
//! # A run
//!
//! `exo_rails_agent::testing::run` runs an agent whose model replays a script, and whose tools return prepared outputs. It
//! has the same assertions.
//!
//! # In an agent or your own loop
//!
//! Wrap the guard set in [`Traced`], and let its [`Trace`] watch the tools and the model. The trace has the same
//! assertions.
//!
//! # Time
//!
//! The test helpers do not change the clock: a retry waits for the delay that its rail asks for. With tokio's feature
//! `test-util` and `#[tokio::test(start_paused = true)]`, waiting takes no real time. `tokio::time::Instant` then shows the
//! simulated time.

mod at;
mod guarded;
mod owned;
mod shown;
mod tested;
mod trace;
mod trace_entry;
mod traced;

pub use at::{Decided, at, at_in};
pub use guarded::{CallToAwait, llm_call, tool_call};
pub use owned::{IntoOwnedPayload, OwnedPayload};
pub use tested::{Answer, Tested};
pub use trace::Trace;
pub use trace_entry::{TraceEntry, TracedEvent};
pub use traced::Traced;

use crate::chain::Chain;
use crate::guard_set::{ManagedRail, RailManager};
use crate::point::HookPoint;
use crate::rail::PlannedRail;

/// Creates a guard set with this rail alone. Pass a rail with state, or the rail of a function: `only(name {})`.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::testing;
///
/// struct Allowed { tools: Vec<String> }
///
/// #[rail(priority = 10)]
/// impl Allowed {
///     #[on(PreToolCall)]
///     fn tool(&self, call: &ToolCallInputs) -> RailAction {
///         if self.tools.contains(&call.tool_name) { RailAction::Continue } else { RailAction::skip("not allowed") }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let allowed = testing::only(Allowed { tools: vec!["search".into()] });
/// testing::at::<PreToolCall>(&allowed, ToolCallInputs::new("shell")).await.assert_skipped("not allowed");
/// # }
/// ```
pub fn only(rail: impl ManagedRail) -> RailManager {
    let mut manager = RailManager::new();
    // Cannot fail: the manager has no other rail.
    let _ = manager.add(rail);
    manager
}

/// Asserts that exactly these rails run at an event, in this order. For a chain inside the chain, list the rails of the
/// inner chain.
///
/// # Panics
/// Panics if the rails or their order differ.
#[track_caller]
pub fn assert_order<'n, C: Chain>(_: &C, event: HookPoint, names: impl IntoIterator<Item = &'n str>) {
    let order = names_of(C::PLAN.rails(event), event);
    let expected: Vec<_> = names.into_iter().collect();
    assert!(order == expected, "at {event}, the order of the rails is\n  {order:?}, not\n  {expected:?}");
}

fn names_of(rails: &[PlannedRail], event: HookPoint) -> Vec<&'static str> {
    let of_one = |rail: &PlannedRail| match rail.inner {
        Some(chain) => names_of(chain.rails(event), event),
        None => vec![rail.info.name],
    };
    rails.iter().flat_map(of_one).collect()
}
