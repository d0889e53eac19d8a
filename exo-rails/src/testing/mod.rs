//! To test rails: at one event, around one operation, in a scripted run.
//!
//! A rail is a function, and the first test of it calls it. What is here tests what comes of it: whether the operation
//! happens, with which arguments, what the model is told. Each assertion that does not hold panics with everything that
//! has happened, in order.
//!
//! # One event
//!
//! [`at`] runs the rails of one event. A guard set is whatever implements [`GuardSet`](crate::GuardSet): `rail_chain![name]` for
//! the rail of a function, a chain with its fields filled in, a manager. A rail that stands in no chain is driven
//! [alone](only).
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
//! [`tool_call`] and [`llm_call`] guard one call, which comes to what the test has prepared: retries are made, and
//! failures rescued.
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
//! `exo_rails_agent::testing::run` runs an agent whose model replays a script, and whose tools return what the test says. It
//! has the same assertions.
//!
//! # In an agent or your own loop
//!
//! Put [`Traced`] around the guard set, and have its [`Trace`] watch the tools and the model: the assertions are the
//! same.
//!
//! # Time
//!
//! Nothing here touches the clock: a retry waits as long as its rail says. Under `#[tokio::test(start_paused = true)]`,
//! with tokio's feature `test-util`, waits take no time, and `tokio::time::Instant` shows how long they would have been.

mod at;
mod changes;
mod guarded;
mod owned;
mod shown;
mod tested;
mod trace;
mod traced;

pub use at::{Decided, at, at_in};
pub use guarded::{GuardedCall, llm_call, tool_call};
pub use owned::OwnedPayload;
pub use tested::{Answer, Tested};
pub use trace::{Trace, TraceEntry, TracedEvent};
pub use traced::Traced;

use crate::chain::Chain;
use crate::guard_set::{ManagedRail, RailManager};
use crate::point::HookPoint;
use crate::rail::PlannedRail;

/// A guard set of this rail alone: one with state, or that of a function, `only(name {})`.
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
    // It is the first, so there is none that it could be the second of.
    let _ = manager.add(rail);
    manager
}

/// Asserts that these rails, and no others, run at an event, in this order. Of a chain inside the chain, its rails are
/// named.
///
/// # Panics
/// When it is otherwise.
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
