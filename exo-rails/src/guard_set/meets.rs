//! Guard sets that follow a policy.

use std::sync::Arc;

use crate::guard_set::{DynGuardSet, GuardSet};

/// A guard set that follows the policy `P`. With this bound, a function takes no other.
///
/// `rail_chain!` implements it for a chain with `#[chain(policy = P)]`, after it has checked what the
/// [policy](crate::chain_policy!) requires. A reference to such a guard set follows the policy too, and so do an `Arc`, a
/// `Box`, and what an [event bus](crate::EventBus::wrap) makes of it.
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
/// A wrapper of another crate that asks every rail of the guard set inside, and leaves their decisions as they are, says so:
/// `impl<P, R: Meets<P>> Meets<P> for MyWrapper<R> {}`.
///
/// A guard set that is put together when the program runs, such as a [`RailManager`](crate::RailManager), follows no policy.
/// To choose between chains that do, use `DynGuardSet::<dyn Meets<Company>>::of(Arc::new(SupportRails))`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not follow the policy `{P}`",
    label = "does not follow `{P}`",
    note = "what is missing is `#[chain(policy = {P})]` on a chain; the compiler then says which rails the chain lacks",
    note = "guard sets that are put together when the program runs follow no policy: list the rails in a chain"
)]
pub trait Meets<P>: GuardSet {}

impl<P, R: Meets<P>> Meets<P> for &R {}
impl<P, R: Meets<P>> Meets<P> for Arc<R> {}
impl<P, R: Meets<P>> Meets<P> for Box<R> {}
impl<P, R: Meets<P> + ?Sized> Meets<P> for DynGuardSet<R> {}
