//! Guard sets that meet requirements.

use std::sync::Arc;

use crate::event::Decoy;
use crate::guard_set::{DynGuardSet, GuardSet};

/// A guard set that meets the requirements `P`. A function with this bound rejects all other guard sets.
///
/// `rail_chain!` implements the trait for a chain with `#[chain(requirements = P)]`, after it has checked these
/// [requirements](crate::chain_requirements!). The library implements it for references, `Arc`s and `Box`es of such a guard set, and
/// for a guard set that an [event bus](crate::EventBus::wrap) wraps.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails::{EventBus, Meets, chain_requirements};
///
/// #[rail(priority = 10, on = [PreToolCall])]
/// fn permission_check(call: &ToolCallInputs) -> Verdict {
///     Verdict::abort_if(call.tool_name == "drop_table", "not permitted")
/// }
///
/// chain_requirements! { pub struct Company { require(permission_check on PreToolCall) } }
///
/// /// Deploys an agent. A chain that does not meet the requirements does not compile here.
/// fn deploy(rails: impl Meets<Company> + 'static) { /* … */ }
///
/// rail_chain! {
///     #[chain(requirements = Company)]
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
/// A guard set that the program makes at run time, such as a [`RailManager`](crate::RailManager), meets no requirements. To
/// choose at run time between chains that meet requirements, use
/// `DynGuardSet::<dyn Meets<Company>>::of(Arc::new(SupportRails))`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not meet the requirements `{P}`",
    label = "does not meet `{P}`",
    note = "`impl GuardSet` as a return type hides what the chain meets: write `impl Meets<{P}>`",
    note = "write `#[chain(requirements = {P})]` on the chain; the compiler then names the missing rails",
    note = "a chain that is chosen at run time goes into a `DynGuardSet<dyn Meets<{P}>>`, made with `DynGuardSet::of`; a `RailManager` cannot meet requirements"
)]
pub trait Meets<P>: GuardSet {}

/// A guard set that meets the requirements `P`, as a builder asks for it. It has a message of its own, because a builder without rails has
/// [`NoRails`](crate::NoRails).
#[diagnostic::on_unimplemented(
    message = "the rails of the builder are `{Self}`, which does not meet the requirements `{P}`",
    label = "does not meet `{P}`",
    note = "set the rails first: `.rails(my_rails).requires::<{P}>()`",
    note = "write `#[chain(requirements = {P})]` on the chain; the compiler then names the missing rails",
    note = "a chain that is chosen at run time goes into a `DynGuardSet<dyn Meets<{P}>>`, made with `DynGuardSet::of`; a `RailManager` cannot meet requirements"
)]
#[doc(hidden)]
pub trait RailsMeet<P, Impl = ()> {}

#[diagnostic::do_not_recommend]
impl<P, R: Meets<P>> RailsMeet<P> for R {}

// See `Decoy`: with one implementation, rustc marks the builder, and not the method.
#[diagnostic::do_not_recommend]
impl<P, R: Meets<P>, Impl: Decoy> RailsMeet<P, Impl> for R {}

impl<P, R: Meets<P>> Meets<P> for &R {}
impl<P, R: Meets<P>> Meets<P> for Arc<R> {}
impl<P, R: Meets<P>> Meets<P> for Box<R> {}
impl<P, R: Meets<P> + ?Sized> Meets<P> for DynGuardSet<R> {}
