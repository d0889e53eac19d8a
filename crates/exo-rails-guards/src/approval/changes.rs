//! Calls whose arguments a person has changed.

use std::collections::HashMap;

use exo_rails::prelude::*;
use serde_json::Value;

use crate::limits::call_id::{CallId, Operation};

/// Changes the arguments of a call as a person wants them, before all other rails.
///
/// A person can reply to a request with other arguments. Then all rails must judge the changed call. With this rail in the
/// chain, the library begins the call again, and the rail changes the arguments before any other rail sees them. The guards do
/// not ask about the changed call, because a person has written it. Rules that deny it hold.
///
/// Without this rail, the call does not run, and the model reads that it must make the changed call.
///
/// The rail has the lowest priority that exists, so it comes first. It changes calls in guarded operations only, such as
/// [`guard_tool_call`](exo_rails::Guard::guard_tool_call) and the calls of an agent. Calls that run at the same time need
/// different [numbers](exo_rails::RunContext::with_call_number), as the calls of an agent have.
///
/// ```
/// use std::sync::Arc;
///
/// use exo_rails::prelude::*;
/// use exo_rails_guards::approval::{ChangedCalls, Desk, Reply};
/// use exo_rails_guards::{Approval, config};
/// use serde_json::json;
///
/// /// Comes before the guard that asks, and still judges the changed call.
/// #[rail(priority = 5, on = [PreToolCall])]
/// fn no_strangers(call: &ToolCallInputs) -> RailAction {
///     match call.str_argument("to") {
///         Some("eve") => RailAction::skip("nobody knows eve"),
///         _ => RailAction::Continue,
///     }
/// }
///
/// rail_chain! {
///     struct BankRails { changed_calls: ChangedCalls, no_strangers, approval: Approval }
/// }
///
/// async fn pay(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     Ok(ToolOutput::text(format!("paid to {}", call.arguments["to"])))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let desk = Desk::new();
/// let approval = Approval::new(config::from_toml("[[rules]]\ntool = 'pay'")?)?.with_asker(Arc::new(desk.clone()));
/// let rails = BankRails { changed_calls: ChangedCalls, approval };
///
/// let mut front_end = desk.front_end();
/// tokio::spawn(async move {
///     for to in ["bob", "eve"] {
///         let Some(request) = front_end.next().await else { return };
///         let _ = request.reply(Reply::Change { arguments: json!({ "to": to }) });
///     }
/// });
/// let call = || ToolCallInputs::new("pay").with_arguments(json!({ "to": "ada" }));
/// let mut ctx = RunContext::new("bank");
/// assert_eq!(rails.guard_tool_call(call(), &mut ctx, pay).await?.content, r#"paid to "bob""#);
/// let refused = rails.guard_tool_call(call(), &mut ctx, pay).await?;
/// assert!(refused.content.ends_with("nobody knows eve"), "{}", refused.content);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ChangedCalls;

/// The mark of [`ChangedCalls`] at an event: the call as the model made it.
struct Original(ToolCallInputs);

/// The changes of calls that begin again. They are a value in `ctx.run`.
#[derive(Clone, Default)]
struct Changes(HashMap<CallId, Change>);

#[derive(Clone)]
struct Change {
    original: ToolCallInputs,
    arguments: Value,
    /// The first attempt with the change.
    attempt: u32,
}

#[rail(priority = -2_147_483_648, name = "changed_calls")]
impl ChangedCalls {
    /// Changes the arguments.
    #[on(PreToolCall)]
    #[allow(clippy::unused_self, clippy::trivially_copy_pass_by_ref, reason = "the method of a rail takes `&self`")]
    fn change(&self, call: &mut ToolCallInputs, ctx: &mut RailContext) {
        ctx.extra.insert(Original(call.clone()));
        let (id, attempt) = (CallId::of(Operation::Tool, ctx), ctx.attempt());
        let Some(Changes(changes)) = ctx.run.get() else { return };
        match changes.iter().find(|(of, _)| id.is_of(of)).map(|(_, change)| change) {
            Some(change) if attempt >= change.attempt && change.original == *call => {
                call.arguments = change.arguments.clone();
                ctx.extra.insert(ApprovedCall::new(call));
            }
            // The change belongs to an operation that has ended.
            Some(_) if attempt == 0 => {
                ctx.run.update(|Changes(changes)| drop(changes.remove(&id)));
            }
            _ => {}
        }
    }
}

/// Returns whether [`ChangedCalls`] is in the chain.
pub(super) fn has_changes(ctx: &RailContext) -> bool {
    ctx.extra.get::<Original>().is_some()
}

/// Notes how [`ChangedCalls`] changes the call in the next attempt.
pub(super) fn note_change(call: &ToolCallInputs, arguments: Value, ctx: &RailContext) {
    let original = ctx.extra.get().map_or_else(|| call.clone(), |Original(call)| call.clone());
    let change = Change { original, arguments, attempt: ctx.attempt() + 1 };
    ctx.run.update(|Changes(changes)| drop(changes.insert(CallId::of(Operation::Tool, ctx), change)));
}

/// A call that a person has approved. In `ctx.extra`, it is the call of this event. Another guard does not ask about the
/// same call again.
#[derive(Clone, PartialEq)]
pub(super) struct ApprovedCall {
    pub(super) tool_name: String,
    pub(super) arguments: Value,
}

impl ApprovedCall {
    pub(super) fn new(call: &ToolCallInputs) -> Self {
        Self { tool_name: call.tool_name.clone(), arguments: call.arguments.clone() }
    }
}

/// Calls that a person has written, and that the model has not made yet. They are a value in `ctx.run`.
#[derive(Clone, Default)]
struct WrittenCalls(Vec<ApprovedCall>);

/// Returns whether a person has approved or written this call, so that no guard has to ask.
pub(crate) fn is_approved(call: &ToolCallInputs, ctx: &mut RailContext) -> bool {
    let is_it = |approved: &ApprovedCall| approved.tool_name == call.tool_name && approved.arguments == call.arguments;
    if ctx.extra.get().is_some_and(is_it) {
        return true;
    }
    // In shadow, the written call stays for the guards that decide.
    let is_written = if ctx.is_shadow() {
        ctx.run.get().is_some_and(|WrittenCalls(calls)| calls.iter().any(is_it))
    } else {
        // A written call is approved once, also if two calls look for it at the same time.
        ctx.run.get::<WrittenCalls>().is_some()
            && ctx.run.update(|WrittenCalls(calls)| {
                let found = calls.iter().position(is_it);
                found.map(|at| calls.swap_remove(at)).is_some()
            })
    };
    if is_written {
        // Later guards of this event find it here.
        ctx.extra.insert(ApprovedCall::new(call));
    }
    is_written
}

/// Notes that a person has written this call, and that the model is asked to make it.
pub(super) fn note_written(call: ApprovedCall, ctx: &RailContext) {
    ctx.run.update(|WrittenCalls(calls)| calls.push(call));
}
