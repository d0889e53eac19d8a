//! How an earlier rail stopped the event.

use serde::Serialize;

use crate::point::{RailName, Reason};

/// How an earlier rail of the event stopped it: what a rail with `always` finds in
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
/// /// Sees every call, also those that another rail has stopped.
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
    /// The rail that stopped it.
    pub rail_name: RailName,
    /// How.
    pub how: StopKind,
    /// Why; the text of the fault when it is one.
    pub reason: Reason,
}

/// How a rail stops an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopKind {
    /// It skipped the operation, or accepted its result.
    Skip,
    /// It asked for the operation to be done again; whether it has a retry left is not known yet.
    Retry,
    /// It ended the run.
    Abort,
    /// It could not decide.
    Fault,
}
