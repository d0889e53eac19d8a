//! Guard sets that follow a policy.

use std::sync::Arc;

use crate::guard_set::{DynGuardSet, GuardSet};

/// A guard set that follows the policy `P`. A function with this bound rejects all other guard sets.
///
/// `rail_chain!` implements the trait for a chain with `#[chain(policy = P)]`, after it has checked the requirements of the
/// [policy](crate::chain_policy!). The library implements it for references, `Arc`s and `Box`es of such a guard set, and
/// for a guard set that an [event bus](crate::EventBus::wrap) wraps.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{EventBus, Meets, chain_policy};
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission_check(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
/// }
///
/// chain_policy! { pub struct Company { require(permission_check on PreToolCall) } }
///
/// /// Deploys an agent. A chain that does not follow the policy does not compile here.
/// fn deploy(rails: impl Meets<Company> + 'static) { /* … */ }
///
/// rail_chain! {
///     #[chain(policy = Company)]
///     struct SupportRails { permission_check }
/// }
///
/// deploy(SupportRails);
/// deploy(EventBus::default().wrap(&SupportRails));
/// ```
///
/// If you write a wrapper that runs every rail of the guard set inside and does not change their decisions, implement the
/// trait for it: `impl<P, R: Meets<P>> Meets<P> for MyWrapper<R> {}`.
///
/// A guard set that the program makes at run time, such as a [`RailManager`](crate::RailManager), follows no policy. To
/// choose at run time between chains that follow a policy, use
/// `DynGuardSet::<dyn Meets<Company>>::of(Arc::new(SupportRails))`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not follow the policy `{P}`",
    label = "does not follow `{P}`",
    note = "write `#[chain(policy = {P})]` on the chain; the compiler then names the missing rails",
    note = "a guard set that is built at run time cannot follow a policy: list the rails in a chain"
)]
pub trait Meets<P>: GuardSet {}

impl<P, R: Meets<P>> Meets<P> for &R {}
impl<P, R: Meets<P>> Meets<P> for Arc<R> {}
impl<P, R: Meets<P>> Meets<P> for Box<R> {}
impl<P, R: Meets<P> + ?Sized> Meets<P> for DynGuardSet<R> {}
