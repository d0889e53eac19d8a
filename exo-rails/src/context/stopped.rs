//! How an earlier rail stopped the event.

use serde::Serialize;

use crate::point::{RailName, Reason};

/// How an earlier rail stopped the event. A rail with `always` reads it with
/// [`RailContext::stopped`](crate::RailContext::stopped).
///
/// ```
/// use exo_rails::prelude::*;
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn no_shell(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "shell", "no shell")
/// }
///
/// /// Sees every call, including the calls that another rail has stopped.
/// #[rail(priority = 90, on = [PreToolCall], always)]
/// fn audit(call: &ToolCallInputs, ctx: &RailContext) {
///     match ctx.stopped() {
///         None => println!("{} goes through", call.tool_name),
///         Some(stopped) => println!("{} is stopped by {}: {}", call.tool_name, stopped.rail_name, stopped.reason),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RailFault> {
/// let mut ctx = RunContext::new("demo");
/// let rails = rail_chain![no_shell, audit];
/// let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new("shell"), &mut ctx).await?;
/// assert_eq!(decision.rail_name(), Some("no_shell"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StoppedBy {
    /// The rail that stopped the event.
    pub rail_name: RailName,
    /// How the rail stopped the event.
    pub how: StopKind,
    /// The reason of the rail, or the text of its fault.
    pub reason: Reason,
}

/// The ways in which a rail stops an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopKind {
    /// The rail skipped the operation, or accepted its result.
    Skip,
    /// The rail asked for a retry. The library has not checked yet whether a retry is left.
    Retry,
    /// The rail ended the run.
    Abort,
    /// The rail could not decide.
    Fault,
}
